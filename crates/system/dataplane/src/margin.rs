//! How long before a deadline to stop sleeping and watch the clock instead.

use netloom_units::Duration;

/// The margin by which a sleep must end before a deadline for the deadline to be met nineteen times
/// out of twenty on this machine, as it is now.
///
/// A sleep ends late, by how much is the machine's affair: on a virtual one, whose idle core has to
/// be fetched back from the hypervisor, 40 µs at the median were measured, and far more behind it. A
/// fixed margin is wasted on one machine and misses on another. So every sleep that runs its full time teaches: the margin is moved up by
/// 19 parts when it was too short and down by one part when it was long enough, which settles where
/// one sleep in twenty oversleeps it (stochastic approximation of a quantile, Robbins & Monro 1951).
#[derive(Debug)]
pub(crate) struct Margin {
    nanos: u64,
}

/// What the margin moves by when it was long enough.
const PART: u64 = 250;
/// Parts up for one part down: one minus the share of deadlines to meet, in twentieths.
const PARTS_UP: u64 = 19;
const SHORTEST: u64 = 10_000;
/// Above this, the machine is too busy for spinning to help.
const LONGEST: u64 = 200_000;

impl Default for Margin {
    fn default() -> Self {
        Self { nanos: 50_000 }
    }
}

impl Margin {
    /// The margin now.
    pub fn get(&self) -> Duration {
        Duration::from_nanos(self.nanos)
    }

    /// A sleep has run its full time and ended `late` after it.
    pub fn overslept(&mut self, late: Duration) {
        self.nanos = if late.as_nanos() > self.nanos {
            (self.nanos + PART * PARTS_UP).min(LONGEST)
        } else {
            self.nanos.saturating_sub(PART).max(SHORTEST)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(lateness: impl Fn(u64) -> u64) -> u64 {
        let mut margin = Margin::default();
        for round in 0..20_000 {
            margin.overslept(Duration::from_nanos(lateness(round)));
        }
        margin.get().as_nanos()
    }

    #[test]
    fn it_settles_where_one_sleep_in_twenty_oversleeps() {
        // Lateness spread evenly over 0 to 100 µs: the 95th percentile is 95 µs.
        let even = settled(|round| round * 7919 % 100_000);
        assert!((90_000..=100_000).contains(&even), "{even}");
    }

    #[test]
    fn it_stays_within_its_bounds() {
        assert_eq!(settled(|_| 0), SHORTEST);
        assert_eq!(settled(|_| 10_000_000), LONGEST);
    }
}
