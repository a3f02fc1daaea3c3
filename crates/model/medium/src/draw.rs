//! Random numbers that depend only on the decision that they are for. They depend neither on other
//! hearers nor on the order in which a medium processes its stations.

use netloom_units::{Stream, mix};

/// The purpose of a random number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Whether a reception has no bit errors.
    Reception = 1,
    /// How strong a signal arrives.
    Fading = 2,
    /// Whether the channel of a pair loses a frame.
    Channel = 3,
}

/// The random numbers of one medium.
#[derive(Debug, Clone)]
pub(crate) struct Draws {
    origin: u64,
}

impl Draws {
    /// Creates the numbers of the medium called `name` in the experiment with `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        Self { origin: Stream::new(seed, name).fork("draws").bits() }
    }

    /// Returns the number for `receiver` and transmission `number` of `sender`: uniform in [0, 1),
    /// a multiple of 2⁻⁵³.
    pub fn uniform(&self, purpose: Purpose, sender: u32, number: u64, receiver: u32) -> f64 {
        to_uniform(self.hash(purpose, sender, number, receiver))
    }

    /// Returns a source of further numbers for the same decision, each between 0 and 1, both
    /// excluded.
    pub fn many(
        &self,
        purpose: Purpose,
        sender: u32,
        number: u64,
        receiver: u32,
    ) -> impl FnMut() -> f64 + use<> {
        let draws = self.clone();
        // The hash is computed on demand, because most signals need none.
        let mut last = None;
        move || {
            let hash = last.unwrap_or_else(|| draws.hash(purpose, sender, number, receiver));
            let hash = mix(hash.wrapping_add(0x9e37_79b9_7f4a_7c15));
            last = Some(hash);
            // Half a step up, so that no number is 0.
            to_uniform(hash) + 0.5 / (1u64 << 53) as f64
        }
    }

    fn hash(&self, purpose: Purpose, sender: u32, number: u64, receiver: u32) -> u64 {
        let pair = u64::from(sender) << 32 | u64::from(receiver);
        // The additions keep zeros from being mixed to zeros.
        let hash = mix(self.origin.wrapping_add(mix(purpose as u64)));
        let hash = mix(hash.wrapping_add(mix(pair.wrapping_add(1))));
        mix(hash.wrapping_add(mix(number.wrapping_add(1))))
    }
}

/// Returns a number in [0, 1), a multiple of 2⁻⁵³.
fn to_uniform(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_uniform_over_transmissions_and_over_receivers() {
        let draws = Draws::new(1, "air");
        let of_numbers = (0..20_000).map(|n| draws.uniform(Purpose::Reception, 3, n, 4));
        let of_receivers = (0..20_000).map(|n| draws.uniform(Purpose::Reception, 3, 7, n));
        for mean in [of_numbers.sum::<f64>() / 2e4, of_receivers.sum::<f64>() / 2e4] {
            // Standard error 1/√(12·2·10⁴) = 0.002; four of them.
            assert!((mean - 0.5).abs() < 0.0082, "{mean}");
        }
    }

    #[test]
    fn each_argument_matters() {
        let draw = |seed, purpose, sender, number, receiver| {
            Draws::new(seed, "air").uniform(purpose, sender, number, receiver)
        };
        let first = draw(1, Purpose::Reception, 1, 1, 1);
        assert_eq!(first, draw(1, Purpose::Reception, 1, 1, 1));
        let others = [
            draw(2, Purpose::Reception, 1, 1, 1),
            draw(1, Purpose::Fading, 1, 1, 1),
            draw(1, Purpose::Reception, 2, 1, 1),
            draw(1, Purpose::Reception, 1, 2, 1),
            draw(1, Purpose::Reception, 1, 1, 2),
        ];
        assert!(others.iter().all(|other| *other != first));
    }
}
