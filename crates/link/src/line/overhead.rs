//! Extra time that a frame holds the line: the empirical distribution of dummynet's `profile`
//! (Carbone & Rizzo 2009 §4), for contention and retries of a shared medium.

use std::sync::Arc;

use netloom_units::{Duration, Probability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Stream;
use crate::config::{Data, DataError, DataFormat};

/// A point of the distribution: with `probability` the extra time is at most `time`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverheadPoint {
    /// Cumulative probability.
    pub probability: Probability,
    /// Extra time on the line.
    pub time: Duration,
}

/// The distribution function of the extra time, linear between its points. What its last point
/// leaves to 100 % is the share of frames lost to the medium (dummynet's `loss-level`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<OverheadPoint>", into = "Vec<OverheadPoint>")]
#[schemars(with = "Vec<OverheadPoint>")]
pub struct OverheadProfile {
    points: Vec<OverheadPoint>,
}

impl OverheadProfile {
    /// A distribution through `points`; without any there is no extra time.
    ///
    /// # Errors
    /// Probabilities or times go back.
    pub fn new(points: Vec<OverheadPoint>) -> Result<Self, String> {
        for (index, pair) in points.windows(2).enumerate() {
            if pair[1].probability < pair[0].probability || pair[1].time < pair[0].time {
                let number = index + 2;
                return Err(format!("point {number} of the profile goes back; sort the points"));
            }
        }
        Ok(Self { points })
    }

    /// The points, in order.
    pub fn points(&self) -> &[OverheadPoint] {
        &self.points
    }

    /// The inverse distribution function at `u`, 0 to 1.
    fn at(&self, u: f64) -> Extra {
        let after = self.points.partition_point(|point| point.probability.value() <= u);
        let Some(upper) = self.points.get(after) else {
            // A frame that the medium loses has held it as long as the longest.
            let time = self.points.last().map_or(Duration::ZERO, |point| point.time);
            return Extra { time, lost: true };
        };
        let (from, below) = match after.checked_sub(1) {
            Some(index) => (self.points[index].time, self.points[index].probability.value()),
            None => (upper.time, 0.0),
        };
        let share = (u - below) / (upper.probability.value() - below);
        let rise = (upper.time.as_nanos() - from.as_nanos()) as f64;
        Extra { time: from + Duration::from_nanos((rise * share) as u64), lost: false }
    }

    /// Whether there is no extra time.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// The draws of one pipe.
#[derive(Debug)]
pub(crate) struct Overhead {
    profile: Option<Arc<OverheadProfile>>,
    stream: Stream,
}

/// What one frame meets on the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extra {
    /// How much longer it holds the line.
    pub time: Duration,
    /// Whether it is lost in the end.
    pub lost: bool,
}

impl Overhead {
    pub fn new(profile: &Data<OverheadProfile>, stream: &Stream) -> Self {
        let mut overhead = Self { profile: None, stream: stream.fork("mac_overhead") };
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

    /// Draws for the next frame.
    pub fn draw(&mut self) -> Extra {
        let none = Extra { time: Duration::ZERO, lost: false };
        self.profile.as_ref().map_or(none, |profile| profile.at(self.stream.uniform()))
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

impl Default for Data<OverheadProfile> {
    fn default() -> Self {
        Self::inline(OverheadProfile::default())
    }
}

impl DataFormat for OverheadProfile {
    const WHAT: &'static str = "dummynet profile";

    fn parse(_text: &str) -> Result<Self, DataError> {
        Err(DataError::Whole("profiles are not read yet".into()))
    }
}
