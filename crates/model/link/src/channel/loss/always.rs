//! A default of probabilities.

use netloom_units::Probability;

/// The default for transitions and losses that have probability 1 unless the model gives another.
pub(super) fn always() -> Probability {
    Probability::new(1.0).expect("one is a probability")
}
