//! The law of random early detection (Floyd & Jacobson 1993): the average, the probability that
//! follows from it, and the choice of arrivals. Not here: the queue.

use netloom_units::{Duration, Probability, Rate, Size, Time};

use super::super::limit::QueueLimit;

/// The probability of signalling congestion, as a function of the average length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    /// Average below which nothing is signalled.
    pub min: QueueLimit,
    /// Average at which `max_p` is reached, in the unit of `min` and at least as long.
    pub max: QueueLimit,
    pub max_p: Probability,
    /// Whether the probability rises from `max_p` to 1 between `max` and twice `max`.
    pub gentle: bool,
}

impl Curve {
    /// Checks the thresholds.
    pub fn check(&self) -> Result<(), String> {
        let ordered = match (self.min, self.max) {
            (QueueLimit::Packets(min), QueueLimit::Packets(max)) => min <= max,
            (QueueLimit::Bytes(min), QueueLimit::Bytes(max)) => min <= max,
            (QueueLimit::Time(min), QueueLimit::Time(max)) => min <= max,
            _ => {
                return Err(
                    "`min` and `max` of red are both in packets, both in bytes or both in \
                            time, like `min: 5packets` and `max: 15packets`"
                        .into(),
                );
            }
        };
        if !ordered {
            return Err(format!(
                "`max` of red is at least `min`, not {} and {}",
                self.max, self.min
            ));
        }
        Ok(())
    }

    /// Whether thresholds and average count packets instead of bytes on the line.
    pub fn counts_packets(&self) -> bool {
        matches!(self.min, QueueLimit::Packets(_) | QueueLimit::Default)
    }

    /// Returns the thresholds in the unit of the average: wire frames or bytes on the line. A time
    /// is not rounded to whole bytes, so the thresholds stay distinct on the slowest line.
    pub fn thresholds(&self, rate: Option<Rate>) -> (f64, f64) {
        let value = |limit| match limit {
            QueueLimit::Packets(packets) => f64::from(packets),
            QueueLimit::Time(time) => {
                let bits = rate.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64);
                bits * time.as_nanos() as f64 / 8e9
            }
            QueueLimit::Bytes(size) => size.bytes() as f64,
            // `check` rejects the default as a threshold.
            QueueLimit::Default => f64::INFINITY,
        };
        (value(self.min), value(self.max))
    }

    /// Returns the base probability p_b of the paper for `average`. `None` where the curve has
    /// ended: from `max` on, or from twice `max` on with the gentle region.
    pub fn base_probability(&self, average: f64, rate: Option<Rate>) -> Option<f64> {
        let (min, max) = self.thresholds(rate);
        let max_p = self.max_p.value();
        if average < min {
            Some(0.0)
        } else if average < max {
            Some(max_p * (average - min) / (max - min))
        } else if self.gentle && average < 2.0 * max {
            Some(max_p + (1.0 - max_p) * (average - max) / max)
        } else {
            None
        }
    }
}

/// The exponentially weighted moving average of the queue's length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Average {
    pub value: f64,
    /// Time since which the queue is idle, if it is.
    pub idle_since: Time,
}

impl Average {
    /// Updates the average for an arrival that finds the queue `length` long. `weight` is the
    /// weight of that length.
    pub fn update(&mut self, length: f64, weight: f64) {
        self.value += weight * (length - self.value);
    }

    /// Updates the average for an arrival that finds the queue idle: as if m typical packets, each
    /// of which takes `typical`, had found it empty meanwhile.
    pub fn decay(&mut self, now: Time, weight: f64, typical: Duration) {
        self.value = self.decayed(now, weight, typical);
        self.idle_since = now;
    }

    /// Returns the average of a queue that stays idle until `at`.
    pub fn decayed(&self, at: Time, weight: f64, typical: Duration) -> f64 {
        let idle = at.since(self.idle_since).as_nanos() as f64;
        let packets = idle / typical.as_nanos().max(1) as f64;
        self.value * libm::pow(1.0 - weight, packets)
    }
}

/// Returns the time that a typical packet takes on the line.
pub(super) fn typical_time(size: Size, rate: Option<Rate>) -> Duration {
    rate.map_or(Duration::ZERO, |rate| rate.time_for(size))
}

/// The decision on an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    /// A random signal of congestion, by marking where possible.
    Signal,
    /// The average is beyond the end of the curve: every arrival signals congestion.
    Beyond,
}

/// The choice of the arrivals that signal congestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Signals {
    /// Number of arrivals since the last drop or mark, while the average is above `min`.
    count: u64,
}

impl Signals {
    /// Decides whether an arrival signals congestion, at a base probability of `base`, which is
    /// `None` beyond the end of the curve; `draw` is uniform on 0 to 1. The gaps between signals
    /// are uniform on 1 to 1/p_b (section 7, method 2): the n-th arrival after a signal is chosen
    /// with probability p_b / (1 - (n - 1)·p_b).
    pub fn judge(&mut self, base: Option<f64>, draw: impl FnOnce() -> f64) -> Verdict {
        let Some(base) = base else {
            self.count = 0;
            return Verdict::Beyond;
        };
        if base <= 0.0 {
            self.count = 0;
            return Verdict::Pass;
        }
        let left = 1.0 - self.count as f64 * base;
        if left <= 0.0 || draw() * left < base {
            self.count = 0;
            Verdict::Signal
        } else {
            self.count += 1;
            Verdict::Pass
        }
    }

    /// Restarts the gap, because an arrival was dropped for another reason.
    pub fn begin_anew(&mut self) {
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Option<Rate> = Rate::from_bits_per_second(4_000_000);

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn curve() -> Curve {
        super::super::RedConfig::default().curve()
    }

    /// Floyd & Jacobson, section 4: avg ← (1 - w)·avg + w·q.
    #[test]
    fn the_average_follows_the_length_with_its_weight() {
        let mut average = Average::default();
        let mut expected = 0.0;
        for length in [4.0, 8.0, 0.0, 20.0] {
            average.update(length, 0.25);
            expected = 0.75 * expected + 0.25 * length;
            assert_eq!(average.value, expected);
        }
    }

    /// Section 4: after an idle time, avg ← (1 - w)^m · avg with m = idle time / transmission time.
    #[test]
    fn the_average_falls_over_idle_time() {
        // 500 bytes at 4 Mbit/s take 1 ms.
        let typical = typical_time(Size::from_bytes(500), RATE);
        let mut average = Average { value: 16.0, idle_since: at(10) };
        average.decay(at(12), 0.25, typical);
        average.update(0.0, 0.25);
        let expected = 16.0 * 0.75 * 0.75 * 0.75;
        assert!((average.value - expected).abs() < 1e-12, "{}", average.value);
    }

    /// Section 4 and the gentle region: linear to `max_p` at `max`, linear to 1 at twice `max`.
    #[test]
    fn the_probability_is_linear_in_both_regions() {
        let p = |average| curve().base_probability(average, RATE).unwrap_or(f64::INFINITY);
        let about = |value: f64, expected: f64| (value - expected).abs() < 1e-12;
        assert_eq!((p(0.0), p(4.999), p(5.0)), (0.0, 0.0, 0.0));
        assert!(about(p(10.0), 0.05), "{}", p(10.0));
        assert!(about(p(15.0), 0.1) && about(p(22.5), 0.55), "{} {}", p(15.0), p(22.5));
        assert_eq!(curve().base_probability(30.0, RATE), None);
        let hard = Curve { gentle: false, ..curve() };
        assert_eq!(hard.base_probability(15.0, RATE), None);
    }

    /// A probability of 1 within the curve is a signal like any other, so that ECN-capable packets
    /// are marked. Only the end of the curve may drop them.
    #[test]
    fn certain_signals_are_no_end_of_the_curve() {
        let certain = Curve { max_p: Probability::new(1.0).unwrap(), ..curve() };
        let mut signals = Signals::default();
        for average in [15.0, 20.0, 29.9] {
            let base = certain.base_probability(average, RATE);
            assert_eq!(base, Some(1.0));
            assert_eq!(signals.judge(base, || 0.999), Verdict::Signal);
        }
        assert_eq!(signals.judge(certain.base_probability(30.0, RATE), || 0.5), Verdict::Beyond);
    }

    #[test]
    fn thresholds_in_time_follow_the_rate() {
        let time = |millis| QueueLimit::Time(Duration::from_millis(millis));
        let curve = Curve { min: time(1), max: time(3), ..curve() };
        assert_eq!(curve.thresholds(RATE), (500.0, 1500.0));
        // On this line, the thresholds are far below a byte, but an empty queue is still below the
        // minimum.
        let slow = Rate::from_bits_per_second(1);
        assert_eq!(curve.base_probability(0.0, slow), Some(0.0));
        assert_eq!(curve.base_probability(1.0, slow), None);
    }
}
