//! Computes when a kernel timer fires. Timers of the timer wheel count ticks and lose precision
//! with length: the wheel has eight levels, each eight times coarser than the one below (Corbet,
//! "Reinventing the timer wheel", LWN 646950, 2015). Not here: the high-resolution timers of pacing
//! and compression, which are exact.

use netloom_units::{Duration, Time};

/// Number of slots that a level covers before the next one takes over.
const LEVEL_SLOTS: u64 = 63;

/// The tick of a kernel with a given `CONFIG_HZ`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticks {
    /// Duration of a tick in nanoseconds.
    tick: u64,
}

impl Ticks {
    pub fn new(hz: u32) -> Self {
        Self { tick: 1_000_000_000 / u64::from(hz.clamp(1, 1_000_000_000)) }
    }

    /// Returns the duration of a tick.
    pub const fn one(self) -> Duration {
        Duration::from_nanos(self.tick)
    }

    /// Returns the time at which a timer fires that is set at `now` for `delay`: the first slot of
    /// its level that comes no sooner than that many whole ticks later.
    pub fn expiry(self, now: Time, delay: Duration) -> Time {
        let ticks = delay.as_nanos().div_ceil(self.tick);
        let due = now.as_nanos() / self.tick + ticks;
        let mut shift = 0;
        while shift < 21 && ticks > LEVEL_SLOTS << shift {
            shift += 3;
        }
        let slot = (due >> shift) + 1;
        Time::from_nanos((slot << shift).saturating_mul(self.tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_timers_fire_within_a_tick_and_long_ones_within_an_eighth() {
        let ticks = Ticks::new(1000);
        let late = |now: u64, millis: u64| {
            let now = Time::from_nanos(now);
            let delay = Duration::from_millis(millis);
            ticks.expiry(now, delay).since(now + delay).as_nanos()
        };
        for now in [0, 999_999, 1_000_000, 123_456_789] {
            for millis in [1, 40, 63, 64, 200, 511, 512, 3000, 60_000] {
                let slot = if millis <= 63 { 1_000_000 } else { millis * 1_000_000 / 7 };
                assert!(late(now, millis) <= slot, "{now} {millis}: {}", late(now, millis));
            }
        }
        assert_eq!(
            ticks.expiry(Time::from_nanos(500_000), Duration::from_millis(40)).as_nanos(),
            41_000_000
        );
    }
}
