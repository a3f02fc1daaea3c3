//! Decides how often to look, by the machine's clock: often enough to warn people in time, as long
//! as that costs little.

use netloom_probes::Probes;
use netloom_units::{Dilation, Duration, Time};

/// Time between two looks, unless they cost too much: half of the time within which people must be
/// warned. Observations that need a finer resolution (traffic, in windows of 10 ms) carry their
/// times.
const PERIOD: Duration = Probes::STEP;
/// Looks cost too much, and become half as frequent, if they use more than one part in this many of
/// a CPU: 0.8 %.
const PARTS: u64 = 125;
/// Period over which their cost is added up.
const RECKONING: Duration = Duration::from_secs(1);

/// The recent cost of looks, and the period that follows from it.
#[derive(Debug)]
pub struct Pace {
    /// The period of looks that do not cost too much.
    shortest: Duration,
    period: Duration,
    /// Start of the period over which cost is added up.
    since: Time,
    spent: Duration,
}

impl Pace {
    /// Makes a pace that expects the first looks to be cheap. Conditions that an experiment
    /// measures in its own time must be observed in time, so looks are more frequent where that
    /// time passes faster.
    pub fn new(now: Time, dilation: Dilation) -> Self {
        let shortest = PERIOD.min(dilation.to_machine(PERIOD));
        Self { shortest, period: shortest, since: now, spent: Duration::ZERO }
    }

    /// Adds a look that ended at `now` and used a CPU for `spent`.
    pub fn count(&mut self, now: Time, spent: Duration) {
        self.spent += spent;
        let over = now.since(self.since);
        if over < RECKONING {
            return;
        }
        let parts = self.spent.as_nanos().saturating_mul(PARTS);
        if parts > over.as_nanos() {
            self.period = self.shortest + self.shortest;
        } else if parts <= over.as_nanos() / 2 {
            // Looking twice as often would not cost too much.
            self.period = self.shortest;
        }
        (self.since, self.spent) = (now, Duration::ZERO);
    }

    /// Returns the time of the next look: the first multiple of the period after `now`.
    pub fn next(&self, now: Time) -> Time {
        let period = self.period.as_nanos();
        Time::from_nanos((now.as_nanos() / period + 1) * period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(time: u64) -> Time {
        Time::ZERO + Duration::from_millis(time)
    }

    /// Returns the times between looks, in ms, in a second of looks that cost `cost_us` each.
    fn second(pace: &mut Pace, from: u64, cost_us: u64) -> Vec<u64> {
        let mut at = ms(from);
        let mut periods = vec![];
        while at < ms(from + 1000) {
            let next = pace.next(at);
            periods.push(next.since(at).as_nanos() / 1_000_000);
            at = next;
            pace.count(at, Duration::from_micros(cost_us));
        }
        periods
    }

    #[test]
    fn looks_are_rarer_while_they_are_dear() {
        let mut pace = Pace::new(ms(0), Dilation::NONE);
        assert_eq!(second(&mut pace, 0, 400), [50; 20]);
        assert_eq!(second(&mut pace, 1000, 401), [50; 20]);
        // 0.8 %; then the same at half as many looks; then 0.4 %.
        assert_eq!(second(&mut pace, 2000, 801), [100; 10]);
        assert_eq!(second(&mut pace, 3000, 401), [100; 10]);
        assert_eq!(second(&mut pace, 4000, 400), [100; 10]);
        assert_eq!(second(&mut pace, 5000, 400), [50; 20]);
    }

    #[test]
    fn looks_are_more_frequent_where_time_passes_faster_and_not_rarer_where_it_is_slow() {
        for (dilation, period) in [("0.1", 5), ("1000", 50)] {
            let mut pace = Pace::new(ms(0), dilation.parse().unwrap());
            assert_eq!(second(&mut pace, 0, 1)[..4], [period; 4]);
        }
    }

    #[test]
    fn a_late_look_does_not_make_the_next_one_late() {
        let pace = Pace::new(ms(0), Dilation::NONE);
        assert_eq!(
            [0, 49, 50, 99, 100].map(|at| pace.next(ms(at))),
            [50, 50, 100, 100, 150].map(ms)
        );
    }
}
