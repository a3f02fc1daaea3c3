//! Extra time that a frame holds the line: the empirical distribution of dummynet's `profile`
//! (Carbone & Rizzo 2009 §4), for contention and retries of a shared medium.
//! Not here: the format of dummynet's files (`dummynet`).

mod dummynet;

use std::sync::Arc;

use netloom_units::{Data, Duration, MAX_VALUES, Probability};
use serde::{Deserialize, Serialize};

use crate::Stream;

/// A point of the distribution function: with `probability`, the extra time is at most `time`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OverheadPoint {
    /// Cumulative probability.
    pub probability: Probability,
    /// Extra time on the line.
    pub time: Duration,
    /// Whether frames between the previous point and this one are lost after that time (default
    /// no).
    #[serde(default, skip_serializing_if = "is_false")]
    pub lost: bool,
}

fn is_false(lost: &bool) -> bool {
    !lost
}

/// The distribution function of the extra time. It is linear between its points. Below the first
/// point, the time is that of the first point. Where the function jumps, the longer time holds. If
/// the last point is below 100 %, the remaining frames are also lost to the medium, after the
/// longest time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<OverheadPoint>", into = "Vec<OverheadPoint>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<OverheadPoint>"))]
pub struct OverheadProfile {
    points: Vec<OverheadPoint>,
}

impl OverheadProfile {
    /// Creates a distribution through `points`. Without points there is no extra time.
    ///
    /// # Errors
    /// Probabilities or times decrease, or there are more than [`MAX_VALUES`] points.
    pub fn new(points: Vec<OverheadPoint>) -> Result<Self, String> {
        if points.len() > MAX_VALUES {
            return Err(format!("a profile has at most {MAX_VALUES} points, not {}", points.len()));
        }
        let back = points.windows(2).position(|pair| {
            pair[1].probability < pair[0].probability || pair[1].time < pair[0].time
        });
        match back {
            Some(index) => {
                let [before, point] = [&points[index], &points[index + 1]];
                Err(format!(
                    "the profile goes back from {} at {} to {} at {}; \
                     a longer time cannot be less probable",
                    before.probability, before.time, point.probability, point.time
                ))
            }
            None => Ok(Self { points }),
        }
    }

    /// The points, in order.
    pub fn points(&self) -> &[OverheadPoint] {
        &self.points
    }

    /// The inverse distribution function at `u`, from 0 to 1.
    fn at(&self, u: f64) -> Extra {
        let after = self.points.partition_point(|point| point.probability.value() <= u);
        let Some(upper) = self.points.get(after) else {
            // A frame that the medium loses holds it for the longest time.
            let time = self.points.last().map_or(Duration::ZERO, |point| point.time);
            return Extra { time, lost: true };
        };
        let (from, below) = match after.checked_sub(1) {
            Some(index) => (self.points[index].time, self.points[index].probability.value()),
            None => (upper.time, 0.0),
        };
        let share = (u - below) / (upper.probability.value() - below);
        let rise = (upper.time.as_nanos() - from.as_nanos()) as f64;
        Extra {
            time: from + Duration::from_nanos(libm::round(rise * share) as u64),
            lost: upper.lost,
        }
    }

    /// Mean extra time in ns, by the trapezoidal rule: the curve is linear between its points.
    fn mean_nanos(&self) -> f64 {
        let nanos = |point: &OverheadPoint| point.time.as_nanos() as f64;
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return 0.0;
        };
        let between = self.points.windows(2).map(|pair| {
            let width = pair[1].probability.value() - pair[0].probability.value();
            width * (nanos(&pair[0]) + nanos(&pair[1])) / 2.0
        });
        let below = first.probability.value() * nanos(first);
        let above = (1.0 - last.probability.value()) * nanos(last);
        below + between.sum::<f64>() + above
    }

    /// Whether there is no extra time.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// The draws of extra time of one pipe.
#[derive(Debug)]
pub(crate) struct Overhead {
    profile: Option<Arc<OverheadProfile>>,
    stream: Stream,
    /// Random stream for virtual frames, so they do not change the draws for offered frames.
    background: Stream,
}

/// The kind of frame for which a draw is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// An offered frame.
    Real,
    /// A virtual frame of the background.
    Virtual,
}

/// The effect of the medium on one frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extra {
    /// Extra time for which it holds the line.
    pub time: Duration,
    /// Whether it is lost after that time.
    pub lost: bool,
}

impl Overhead {
    pub fn new(profile: &Data<OverheadProfile>, stream: &Stream) -> Self {
        let background = stream.fork("background").fork("mac_overhead");
        let stream = stream.fork("mac_overhead");
        let mut overhead = Self { profile: None, stream, background };
        overhead.configure(profile);
        overhead
    }

    pub fn configure(&mut self, profile: &Data<OverheadProfile>) {
        self.profile = profile.values().filter(|profile| !profile.is_empty()).cloned();
    }

    /// Whether frames take extra time.
    #[inline]
    pub fn is_some(&self) -> bool {
        self.profile.is_some()
    }

    /// Mean extra time, in ns.
    pub fn mean_nanos(&self) -> f64 {
        self.profile.as_ref().map_or(0.0, |profile| profile.mean_nanos())
    }

    /// Draws the effect on the next frame.
    pub fn draw(&mut self, kind: Served) -> Extra {
        let none = Extra { time: Duration::ZERO, lost: false };
        let stream = match kind {
            Served::Real => &mut self.stream,
            Served::Virtual => &mut self.background,
        };
        self.profile.as_ref().map_or(none, |profile| profile.at(stream.uniform()))
    }
}

impl TryFrom<Vec<OverheadPoint>> for OverheadProfile {
    type Error = String;
    fn try_from(points: Vec<OverheadPoint>) -> Result<Self, String> {
        Self::new(points)
    }
}

impl From<OverheadProfile> for Vec<OverheadPoint> {
    fn from(profile: OverheadProfile) -> Self {
        profile.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a source from points of probability in percent, time in ns, and loss.
    fn profile(points: &[(f64, u64, bool)]) -> Overhead {
        let point = |(percent, time, lost): &(f64, u64, bool)| OverheadPoint {
            probability: Probability::new(percent / 100.0).unwrap(),
            time: Duration::from_nanos(*time),
            lost: *lost,
        };
        let profile = OverheadProfile::new(points.iter().map(point).collect()).unwrap();
        Overhead::new(&Data::inline(profile), &Stream::new(1, "overhead"))
    }

    fn at(overhead: &Overhead, u: f64) -> (u64, bool) {
        let extra = overhead.profile.as_ref().unwrap().at(u);
        (extra.time.as_nanos(), extra.lost)
    }

    #[test]
    fn the_curve_is_linear_between_points_and_jumps_at_doubled_ones() {
        let overhead = profile(&[(20.0, 100, false), (50.0, 200, false), (50.0, 300, false)]);
        assert_eq!(at(&overhead, 0.0), (100, false));
        assert_eq!(at(&overhead, 0.1), (100, false));
        assert_eq!(at(&overhead, 0.35), (150, false));
        assert_eq!(at(&overhead, 0.5), (300, true));
        assert_eq!(at(&overhead, 0.999), (300, true));
    }

    #[test]
    fn frames_at_a_point_marked_as_lost_take_its_time() {
        let overhead = profile(&[(0.0, 0, false), (80.0, 800, false), (100.0, 1000, true)]);
        assert_eq!(at(&overhead, 0.4), (400, false));
        assert_eq!(at(&overhead, 0.9), (900, true));
    }

    #[test]
    fn no_points_take_no_time() {
        assert!(!profile(&[]).is_some());
    }

    #[test]
    fn points_that_go_back_are_refused() {
        let point = |probability, time| OverheadPoint {
            probability: Probability::new(probability).unwrap(),
            time: Duration::from_millis(time),
            lost: false,
        };
        let error = OverheadProfile::new(vec![point(0.5, 2), point(1.0, 1)]).unwrap_err();
        assert!(error.contains("50% at 2ms to 100% at 1ms"), "{error}");
    }

    /// Checks the share of lost frames, and the distribution of the others (Kolmogorov-Smirnov, 99
    /// %).
    #[test]
    fn draws_follow_the_curve() {
        let mut overhead = profile(&[(0.0, 1000, false), (90.0, 10_000, false)]);
        let draws: Vec<Extra> = (0..50_000).map(|_| overhead.draw(Served::Real)).collect();
        let mut times: Vec<f64> = draws
            .iter()
            .filter(|extra| !extra.lost)
            .map(|extra| (extra.time.as_nanos() as f64 - 1000.0) / 9000.0)
            .collect();
        let lost = (draws.len() - times.len()) as f64;
        assert!((lost - 5000.0).abs() < 2.576 * (5000.0f64 * 0.9).sqrt(), "{lost}");
        times.sort_by(f64::total_cmp);
        let n = times.len() as f64;
        let distance = |(index, u): (usize, &f64)| (u - (index as f64 + 0.5) / n).abs() + 0.5 / n;
        let largest = times.iter().enumerate().map(distance).fold(0.0, f64::max);
        assert!(largest < 1.628 / n.sqrt(), "{largest}");
    }
}
