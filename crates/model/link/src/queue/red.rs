//! Random early detection (Floyd & Jacobson 1993, "Random Early Detection Gateways for Congestion
//! Avoidance"), with Floyd's "gentle" region (2000) and ECN (RFC 3168).

use netloom_units::{Probability, Rate, Size, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config::Discipline;
use super::limit::{QueueLimit, Room};
use super::schedule::{Backlog, Effects, Rejection, Schedule, Waiting};
use super::store::Store;
use crate::{DropReason, Frame, FrameInfo, Stream};

/// Parameters of `red`. The defaults are those of ns-2, after Floyd's "RED: Discussions of Setting
/// Parameters" (1997).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedConfig {
    /// Average queue length below which nothing is dropped: packets, bytes or time at the current
    /// rate (default `5packets`).
    pub min: QueueLimit,
    /// Average queue length at which `max_p` is reached, in the same unit as `min` (default
    /// `15packets`).
    pub max: QueueLimit,
    /// Probability of a drop as the average reaches `max` (default `10%`).
    pub max_p: Probability,
    /// Weight of the current length in the average, above 0 and at most 1 (default `0.002`).
    pub weight: f64,
    /// Above `max`: whether the probability rises from `max_p` to 1 between `max` and twice `max`
    /// (default `true`), or everything is dropped.
    pub gentle: bool,
    /// Size of a typical packet, for how fast the average falls while the line is idle (default
    /// `500B`).
    pub mean_packet: Size,
    /// Whether packets that take part in ECN are marked instead of dropped (default `true`).
    pub ecn: bool,
}

impl Default for RedConfig {
    fn default() -> Self {
        Self {
            min: QueueLimit::Packets(5),
            max: QueueLimit::Packets(15),
            max_p: Probability::new(0.1).expect("a tenth is a probability"),
            weight: 0.002,
            gentle: true,
            mean_packet: Size::from_bytes(500),
            ecn: true,
        }
    }
}

impl RedConfig {
    /// What is wrong with the parameters, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        let ordered = match (self.min, self.max) {
            (QueueLimit::Packets(min), QueueLimit::Packets(max)) => min < max,
            (QueueLimit::Bytes(min), QueueLimit::Bytes(max)) => min < max,
            (QueueLimit::Time(min), QueueLimit::Time(max)) => min < max,
            _ => {
                return Err(
                    "`min` and `max` of red are both in packets, both in bytes or both in \
                            time, like `min: 5packets` and `max: 15packets`"
                        .into(),
                );
            }
        };
        if !ordered {
            return Err(format!("`max` of red is above `min`, not {} and {}", self.max, self.min));
        }
        if !(self.weight > 0.0 && self.weight <= 1.0) {
            return Err(format!("`weight` of red is above 0 and at most 1, not {}", self.weight));
        }
        Ok(())
    }

    /// The thresholds in the unit of the average: wire frames or bytes on the line. A time is not
    /// rounded to whole bytes, so that the thresholds stay apart on the slowest line.
    fn thresholds(&self, rate: Option<Rate>) -> (f64, f64) {
        let value = |limit| match limit {
            QueueLimit::Packets(packets) => f64::from(packets),
            QueueLimit::Time(time) => {
                let bits = rate.map_or(f64::INFINITY, |rate| rate.bits_per_second() as f64);
                bits * time.as_nanos() as f64 / 8e9
            }
            QueueLimit::Bytes(size) => size.bytes() as f64,
            // `check` has no default among thresholds.
            QueueLimit::Default => f64::INFINITY,
        };
        (value(self.min), value(self.max))
    }

    fn counts_packets(&self) -> bool {
        matches!(self.min, QueueLimit::Packets(_) | QueueLimit::Default)
    }

    /// The queue's length in the unit of the average.
    fn length(&self, backlog: Backlog) -> f64 {
        if self.counts_packets() { backlog.frames as f64 } else { backlog.line_bytes as f64 }
    }

    /// The base probability p_b of the paper at an average of `average`.
    fn base_probability(&self, average: f64, rate: Option<Rate>) -> f64 {
        let (min, max) = self.thresholds(rate);
        let max_p = self.max_p.value();
        if average < min {
            0.0
        } else if average < max {
            max_p * (average - min) / (max - min)
        } else if self.gentle && average < 2.0 * max {
            max_p + (1.0 - max_p) * (average - max) / max
        } else {
            1.0
        }
    }
}

/// The queue.
#[derive(Debug)]
pub(super) struct Red<F> {
    config: RedConfig,
    store: Store<F>,
    average: Average,
    /// Arrivals since the last drop or mark, while the average is above `min`.
    count: u64,
    stream: Stream,
}

/// The exponentially weighted moving average of the queue's length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Average {
    value: f64,
    /// Since when the line is idle, if it is.
    idle_since: Time,
}

impl Average {
    /// An arrival finds the queue `length` long.
    fn update(&mut self, now: Time, length: f64, config: &RedConfig, room: Room) {
        if room.line_free {
            // As if m typical packets had found the queue empty while the line was idle.
            let typical = room.rate.map_or(0, |rate| rate.time_for(config.mean_packet).as_nanos());
            let packets = now.since(self.idle_since).as_nanos() as f64 / typical.max(1) as f64;
            self.value *= libm::pow(1.0 - config.weight, packets);
            self.idle_since = now;
        }
        self.value += config.weight * (length - self.value);
    }
}

/// What happens to an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Pass,
    /// A random signal, by mark where possible.
    Signal,
    /// The average is beyond control: dropped in any case.
    Drop,
}

impl<F: Frame> Red<F> {
    pub fn new(config: RedConfig, stream: &Stream) -> Self {
        let (store, average) = (Store::default(), Average::default());
        Self { config, store, average, count: 0, stream: stream.fork("red") }
    }

    /// Whether the arrival is one of those to signal congestion by. The gaps between signals are
    /// uniform on 1 to 1/p_b (section 7, method 2): the n-th arrival after a signal is chosen with
    /// probability p_b / (1 - (n - 1)·p_b).
    fn judge(&mut self, rate: Option<Rate>) -> Verdict {
        let base = self.config.base_probability(self.average.value, rate);
        if base <= 0.0 {
            self.count = 0;
            return Verdict::Pass;
        }
        if base >= 1.0 {
            self.count = 0;
            return Verdict::Drop;
        }
        let left = 1.0 - self.count as f64 * base;
        if left <= 0.0 || self.stream.uniform() * left < base {
            self.count = 0;
            Verdict::Signal
        } else {
            self.count += 1;
            Verdict::Pass
        }
    }
}

impl<F: Frame> Schedule<F> for Red<F> {
    fn enqueue(
        &mut self,
        now: Time,
        mut waiting: Waiting<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        let backlog = self.store.backlog();
        self.average.update(now, self.config.length(backlog), &self.config, room);
        if !room.admits(backlog, &waiting) {
            self.count = 0;
            return Err((waiting, DropReason::QueueFull));
        }
        match self.judge(room.rate) {
            Verdict::Signal if self.config.ecn && effects.mark(&mut waiting) => {}
            Verdict::Pass => {}
            Verdict::Signal | Verdict::Drop => return Err((waiting, DropReason::Aqm)),
        }
        self.store.push(waiting);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, _effects: &mut Effects<F>) -> Option<Waiting<F>> {
        let next = self.store.pop();
        if next.is_none() {
            self.average.idle_since = now;
        }
        next
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }

    fn drain(&mut self, into: &mut Vec<Waiting<F>>) {
        self.store.drain(into);
    }

    fn adopt(&mut self, _now: Time, waiting: Waiting<F>) {
        self.store.push(waiting);
    }

    /// An average in packets says nothing in bytes: it starts again from zero with the unit.
    fn configure(&mut self, _now: Time, discipline: &Discipline) -> bool {
        let Discipline::Red(config) = discipline else { return false };
        if config.counts_packets() != self.config.counts_packets() {
            self.average = Average::default();
            self.count = 0;
        }
        self.config = *config;
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.store.reframe(line_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::limit::Bound;
    use super::*;

    const RATE: Option<Rate> = Rate::from_bits_per_second(4_000_000);

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn room(line_free: bool) -> Room {
        Room { bound: Bound { packets: 100, line_bytes: 0 }, rate: RATE, line_free }
    }

    /// Floyd & Jacobson, section 4: avg ← (1 - w)·avg + w·q.
    #[test]
    fn the_average_follows_the_length_with_its_weight() {
        let config = RedConfig { weight: 0.25, ..RedConfig::default() };
        let mut average = Average::default();
        let mut expected = 0.0;
        for length in [4.0, 8.0, 0.0, 20.0] {
            average.update(at(1), length, &config, room(false));
            expected = 0.75 * expected + 0.25 * length;
            assert_eq!(average.value, expected);
        }
    }

    /// Section 4: after an idle time, avg ← (1 - w)^m · avg with m = idle time / transmission time.
    #[test]
    fn the_average_falls_over_idle_time() {
        // 500 bytes at 4 Mbit/s take 1 ms.
        let config = RedConfig { weight: 0.25, ..RedConfig::default() };
        let mut average = Average { value: 16.0, idle_since: at(10) };
        average.update(at(12), 0.0, &config, room(true));
        let expected = 16.0 * 0.75 * 0.75 * 0.75;
        assert!((average.value - expected).abs() < 1e-12, "{}", average.value);
    }

    /// Section 4 and the gentle region: linear to `max_p` at `max`, linear to 1 at twice `max`.
    #[test]
    fn the_probability_is_linear_in_both_regions() {
        let config = RedConfig::default();
        let p = |average| config.base_probability(average, RATE);
        let about = |value: f64, expected: f64| (value - expected).abs() < 1e-12;
        assert_eq!((p(0.0), p(4.999), p(5.0)), (0.0, 0.0, 0.0));
        assert!(about(p(10.0), 0.05), "{}", p(10.0));
        assert!(about(p(15.0), 0.1) && about(p(22.5), 0.55), "{} {}", p(15.0), p(22.5));
        assert_eq!(p(30.0), 1.0);
        let hard = RedConfig { gentle: false, ..config };
        assert_eq!(hard.base_probability(15.0, RATE), 1.0);
    }

    #[test]
    fn thresholds_in_time_follow_the_rate() {
        let time = |millis| QueueLimit::Time(netloom_units::Duration::from_millis(millis));
        let config = RedConfig { min: time(1), max: time(3), ..RedConfig::default() };
        assert_eq!(config.thresholds(RATE), (500.0, 1500.0));
        // Far below a byte, an empty queue is still below the minimum.
        let slow = Rate::from_bits_per_second(1);
        assert_eq!(config.base_probability(0.0, slow), 0.0);
        assert_eq!(config.base_probability(1.0, slow), 1.0);
    }
}
