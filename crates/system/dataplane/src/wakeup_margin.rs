//! Wake-up margin: how long before a deadline to stop sleeping and wait awake instead.

use netloom_units::Duration;

/// The time before a deadline at which a sleep must end so that nineteen of twenty deadlines are
/// met on this machine, in its present state.
///
/// How late a sleep ends depends on the machine: on a virtual one, whose idle core must first be
/// scheduled by the hypervisor, it can be tens of microseconds at the median, and far more at
/// worst. A fixed margin would be too long on one machine and too short on another. So every sleep
/// that runs its full time adjusts the margin: up by 19 parts if it was too short, and down by one
/// part if it was long enough. The margin settles where one sleep in twenty ends later (stochastic
/// approximation of a quantile, Robbins & Monro 1951).
#[derive(Debug)]
pub(crate) struct WakeupMargin {
    nanos: u64,
}

/// Decrease of the margin when it was long enough, in ns.
const PART: u64 = 250;
/// Increase, as a multiple of the decrease: 19 of 20 deadlines are met.
const PARTS_UP: u64 = 19;
const SHORTEST: u64 = 10_000;
/// Longest margin in ns. If it is not enough, the machine is too busy for waiting awake to help.
const LONGEST: u64 = 200_000;

impl Default for WakeupMargin {
    fn default() -> Self {
        Self { nanos: 50_000 }
    }
}

impl WakeupMargin {
    /// Returns the current margin.
    pub fn get(&self) -> Duration {
        Duration::from_nanos(self.nanos)
    }

    /// Adjusts the margin after a sleep that ran its full time and ended `late` after it.
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
        let mut margin = WakeupMargin::default();
        for round in 0..20_000 {
            margin.overslept(Duration::from_nanos(lateness(round)));
        }
        margin.get().as_nanos()
    }

    #[test]
    fn it_settles_where_one_sleep_in_twenty_oversleeps() {
        // Lateness evenly distributed over 0 to 100 µs: the 95th percentile is 95 µs.
        let even = settled(|round| round * 7919 % 100_000);
        assert!((90_000..=100_000).contains(&even), "{even}");
    }

    #[test]
    fn it_stays_within_its_bounds() {
        assert_eq!(settled(|_| 0), SHORTEST);
        assert_eq!(settled(|_| 10_000_000), LONGEST);
    }
}
