//! How late the frames of a claim were, since it began.

use std::collections::BTreeMap;

use netloom_dataplane::{FrameCounts, Limits};
use netloom_units::Duration;

/// Later than this, one frame in a hundred makes a claim's verdict `invalid`; as in a run.
pub const LATEST: Duration = Duration::from_millis(1);

/// What is watched for.
pub const LIMITS: Limits =
    Limits { tolerance: LATEST, needed: LATEST, pause: Duration::from_millis(10) };

/// Frames by how late they left, at most.
#[derive(Debug, Clone, Default)]
pub struct Lateness(BTreeMap<Duration, u64>);

impl Lateness {
    /// Counts more frames.
    pub fn add(&mut self, counts: &FrameCounts) {
        for (at_most, frames) in &counts.by {
            *self.0.entry(*at_most).or_default() += frames;
        }
    }

    /// How late 99 of 100 frames were at most; nothing if there was none.
    pub fn p99(&self) -> Option<Duration> {
        let all: u64 = self.0.values().sum();
        let mut seen = 0;
        let mut within = self.0.iter().map(|(at_most, frames)| {
            seen += frames;
            (*at_most, seen)
        });
        within.find(|(_, seen)| *seen * 100 >= all * 99 && all > 0).map(|(at_most, _)| at_most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_frame_in_a_hundred_is_no_part_of_the_rest() {
        let mut late = Lateness::default();
        assert_eq!(late.p99(), None);
        let [punctual, behind] = [10, 5000].map(Duration::from_micros);
        late.add(&FrameCounts { by: vec![(punctual, 99), (behind, 1)], beyond: 1 });
        assert_eq!(late.p99(), Some(punctual));
        late.add(&FrameCounts { by: vec![(behind, 1)], beyond: 1 });
        assert_eq!(late.p99(), Some(behind));
    }
}
