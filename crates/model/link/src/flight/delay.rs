//! Propagation delay: its notation, and its value at a time.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use netloom_units::{Duration, Time, UnitError, text_or_table};
use serde::{Deserialize, Serialize};

/// How long frames propagate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delay {
    /// A constant delay.
    Constant(Duration),
    /// A delay that changes with time, as between satellites.
    Schedule(DelaySchedule),
}

impl Default for Delay {
    fn default() -> Self {
        Self::ZERO
    }
}

impl From<Duration> for Delay {
    fn from(delay: Duration) -> Self {
        Self::Constant(delay)
    }
}

impl PartialEq<Duration> for Delay {
    fn eq(&self, other: &Duration) -> bool {
        *self == Self::Constant(*other)
    }
}

impl Delay {
    /// No delay: frames arrive when they leave the line.
    pub const ZERO: Self = Self::Constant(Duration::ZERO);

    /// The delay for comparing paths: the constant one, or the first of a schedule.
    pub fn nominal(&self) -> Duration {
        match self {
            Self::Constant(delay) => *delay,
            Self::Schedule(schedule) => schedule.points[0].delay,
        }
    }

    /// The shortest delay at any time.
    pub fn least(&self) -> Duration {
        let Self::Schedule(schedule) = self else { return self.nominal() };
        schedule.points.iter().map(|point| point.delay).min().unwrap_or_default()
    }

    /// The longest delay at any time.
    pub fn most(&self) -> Duration {
        let Self::Schedule(schedule) = self else { return self.nominal() };
        schedule.points.iter().map(|point| point.delay).max().unwrap_or_default()
    }

    /// The delay of frames that leave the line `elapsed` after the delay was set.
    pub fn at(&self, elapsed: Duration) -> Duration {
        match self {
            Self::Constant(delay) => *delay,
            Self::Schedule(schedule) => schedule.at(elapsed),
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::Constant(_) => Some(self.to_string()),
            Self::Schedule(_) => None,
        }
    }
}

/// A delay that is given at points in time and interpolated linearly between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelaySchedule {
    /// The points in order of time, the first one at 0. Copies share them, because a satellite's
    /// links have many.
    points: Arc<[DelayPoint]>,
    repeat: Option<Duration>,
}

/// The delay at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DelayPoint {
    /// Time of the point, counted from when the delay was set.
    pub at: Duration,
    /// Delay of frames that leave the line then.
    pub delay: Duration,
}

impl DelaySchedule {
    /// Creates a schedule of `points` that starts again after `repeat`. Without `repeat`, the last
    /// delay stays.
    ///
    /// # Errors
    /// The schedule has no points, does not begin at 0, is not in increasing order of time, or
    /// repeats before its last point.
    pub fn new(points: Vec<DelayPoint>, repeat: Option<Duration>) -> Result<Self, String> {
        match points.first() {
            None => return Err("a schedule needs at least one point".into()),
            Some(first) if first.at != Duration::ZERO => {
                return Err("a schedule's first point must be `at: 0s`".into());
            }
            Some(_) => {}
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[1].at <= pair[0].at) {
            return Err(format!("the point at {} must come after {}", pair[1].at, pair[0].at));
        }
        let last = points[points.len() - 1].at;
        if repeat.is_some_and(|repeat| repeat <= last) {
            return Err(format!("`repeat` must be longer than the last point's {last}"));
        }
        Ok(Self { points: points.into(), repeat })
    }

    /// The points, in order of time.
    pub fn points(&self) -> &[DelayPoint] {
        &self.points
    }

    fn at(&self, elapsed: Duration) -> Duration {
        let elapsed = match self.repeat {
            Some(repeat) => Duration::from_nanos(elapsed.as_nanos() % repeat.as_nanos()),
            None => elapsed,
        };
        // The first point is at 0, so at least one point is not after `elapsed`.
        let next = self.points.partition_point(|point| point.at <= elapsed);
        let from = self.points[next - 1];
        let Some(to) = self.points.get(next) else { return from.delay };
        let nanos = |time: Duration| i128::from(time.as_nanos());
        let (passed, whole) = (nanos(elapsed) - nanos(from.at), nanos(to.at) - nanos(from.at));
        let change = (nanos(to.delay) - nanos(from.delay)) * passed / whole;
        // The result lies between the two delays.
        Duration::from_nanos(u64::try_from(nanos(from.delay) + change).unwrap_or(0))
    }
}

/// A delay, and the time at which it was set.
#[derive(Debug, Clone)]
pub(super) struct DelayClock {
    delay: Delay,
    set: Time,
}

impl DelayClock {
    pub fn new(delay: &Delay, now: Time) -> Self {
        Self { delay: delay.clone(), set: now }
    }

    pub fn begin(&mut self, now: Time) {
        self.set = now;
    }

    /// The delay of frames that leave the line at `end`.
    #[inline]
    pub fn at(&self, end: Time) -> Duration {
        match &self.delay {
            Delay::Constant(delay) => *delay,
            schedule @ Delay::Schedule(_) => schedule.at(end.since(self.set)),
        }
    }

    /// Whether the delay is constant.
    #[inline]
    pub fn is_constant(&self) -> bool {
        matches!(self.delay, Delay::Constant(_))
    }

    pub fn least(&self) -> Duration {
        self.delay.least()
    }
}

/// The notation of delays that need a table.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VaryingDelay"))]
#[serde(deny_unknown_fields)]
struct DelayTable {
    /// Delays at points in time, counted from when the schedule is set. Each point has `at` and
    /// `delay`; the first one is at `0s`. Between points the delay is interpolated linearly.
    schedule: Vec<DelayPoint>,
    /// Time after which the schedule starts again (default: its last delay stays).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<Duration>,
}

impl TryFrom<DelayTable> for Delay {
    type Error = String;
    fn try_from(DelayTable { schedule, repeat }: DelayTable) -> Result<Self, String> {
        DelaySchedule::new(schedule, repeat).map(Self::Schedule)
    }
}

impl From<&Delay> for DelayTable {
    fn from(delay: &Delay) -> Self {
        match delay {
            Delay::Constant(delay) => {
                let point = DelayPoint { at: Duration::ZERO, delay: *delay };
                Self { schedule: vec![point], repeat: None }
            }
            Delay::Schedule(schedule) => {
                Self { schedule: schedule.points.to_vec(), repeat: schedule.repeat }
            }
        }
    }
}

impl FromStr for Delay {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        text.parse().map(Self::Constant)
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(delay) => delay.fmt(f),
            Self::Schedule(schedule) => f.pad(&format!("schedule of {}", schedule.points.len())),
        }
    }
}

text_or_table!(
    Delay,
    DelayTable,
    "a time with its unit, like `10ms`, or `{schedule: […]}`",
    "A time with its unit, or a delay that changes with time."
);

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn point(at: u64, delay: u64) -> DelayPoint {
        DelayPoint { at: ms(at), delay: ms(delay) }
    }

    #[test]
    fn between_points_a_delay_lies_on_a_line() {
        let points = vec![point(0, 10), point(100, 20), point(200, 5)];
        let once = Delay::Schedule(DelaySchedule::new(points.clone(), None).unwrap());
        for (at, delay) in [(0, 10), (50, 15), (100, 20), (120, 17), (200, 5), (1000, 5)] {
            assert_eq!(once.at(ms(at)), ms(delay), "at {at} ms");
        }
        assert_eq!((once.nominal(), once.least(), once.most()), (ms(10), ms(5), ms(20)));
        let again = Delay::Schedule(DelaySchedule::new(points, Some(ms(300))).unwrap());
        assert_eq!((again.at(ms(299)), again.at(ms(350))), (ms(5), ms(15)));
    }

    #[test]
    fn schedules_that_go_nowhere_are_refused() {
        let refused = |points, repeat| DelaySchedule::new(points, repeat).unwrap_err();
        assert_eq!(refused(vec![], None), "a schedule needs at least one point");
        assert_eq!(refused(vec![point(1, 1)], None), "a schedule's first point must be `at: 0s`");
        let back = vec![point(0, 1), point(5, 1), point(5, 2)];
        assert_eq!(refused(back, None), "the point at 5ms must come after 5ms");
        let early = refused(vec![point(0, 1), point(5, 1)], Some(ms(5)));
        assert_eq!(early, "`repeat` must be longer than the last point's 5ms");
    }

    #[test]
    fn delays_are_read_as_they_are_written() {
        let read = |text: &str| serde_json::from_str::<Delay>(text).map_err(|e| e.to_string());
        assert_eq!(read("\"5ms\"").unwrap(), ms(5));
        let schedule = read(r#"{"schedule": [{"at": "0s", "delay": "1ms"}]}"#).unwrap();
        let written = serde_json::to_string(&schedule).unwrap();
        assert_eq!(read(&written).unwrap(), schedule);
        assert!(read(r#"{"schedule": []}"#).unwrap_err().contains("at least one point"));
    }
}
