//! How often to look, by the machine's clock: as often as it takes to warn people in time, while
//! that costs little.

use netloom_probes::Probes;
use netloom_units::{Dilation, Duration, Time};

/// Between two looks, unless they are too dear: half of the time in which people must be warned.
/// What must be told apart in less time (traffic, in windows of 10 ms) has its time with it.
const PERIOD: Duration = Probes::STEP;
/// Looks are too dear, and half as frequent, if they use more than one of so many parts of a CPU:
/// 0.8 %.
const PARTS: u64 = 125;
/// For how long their cost is added up.
const RECKONING: Duration = Duration::from_secs(1);

/// What looks cost lately, and how far apart they are therefore.
#[derive(Debug)]
pub struct Pace {
    /// Between two looks that are not too dear.
    shortest: Duration,
    period: Duration,
    /// Since when what they cost is added up.
    since: Time,
    spent: Duration,
}

impl Pace {
    /// The first looks are expected to be cheap. What an experiment counts in its own time for a
    /// while must be taken in time: where that passes faster, looks are more frequent.
    pub fn new(now: Time, dilation: Dilation) -> Self {
        let shortest = PERIOD.min(dilation.to_machine(PERIOD));
        Self { shortest, period: shortest, since: now, spent: Duration::ZERO }
    }

    /// A look that ended at `now` used a CPU for so long.
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
            // Twice as many would not be too dear.
            self.period = self.shortest;
        }
        (self.since, self.spent) = (now, Duration::ZERO);
    }

    /// The next time to look: the first multiple of the period after `now`.
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

    /// The times between looks in a second of looks that cost so much each, in ms.
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
        // 0.8 %, and then as much at half as many looks; then 0.4.
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
