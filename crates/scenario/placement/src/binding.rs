//! Reasons for which two nodes share a machine.

use std::fmt;

use netloom_units::Duration;

/// Reason for which two nodes share a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// The scenario forbids to cut this link.
    Uncut {
        /// The link's name.
        link: String,
    },
    /// The link's delay is below the time that frames need between any two machines.
    Short {
        /// The link's name.
        link: String,
        /// Shortest time that frames propagate on it.
        least: Duration,
        /// Smallest bound of a pair of machines, in the direction that takes longer.
        bound: Duration,
    },
    /// Both have this label.
    Together {
        /// The label.
        label: String,
    },
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uncut { link } => write!(f, "link `{link}` must not be cut"),
            Self::Short { link, least, bound } => write!(
                f,
                "link `{link}` cannot be cut: its least delay is {least}, and frames need {bound} \
                 between machines"
            ),
            Self::Together { label } => write!(f, "both are `together: {label}`"),
        }
    }
}
