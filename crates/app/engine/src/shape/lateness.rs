//! Lateness of the frames of a claim, since it began.

use std::collections::BTreeMap;

use netloom_dataplane::{FrameCounts, Limits};
use netloom_units::Duration;

/// Lateness that makes a claim's verdict `invalid` if one frame in a hundred exceeds it, as in a
/// run.
pub const LATEST: Duration = Duration::from_millis(1);

/// Limits of the watch.
pub const LIMITS: Limits =
    Limits { tolerance: LATEST, needed: LATEST, pause: Duration::from_millis(10) };

/// Number of frames by the upper bound of their lateness.
#[derive(Debug, Clone, Default)]
pub struct Lateness(BTreeMap<Duration, u64>);

impl Lateness {
    /// Adds counts of frames.
    pub fn add(&mut self, counts: &FrameCounts) {
        for (at_most, frames) in &counts.by {
            *self.0.entry(*at_most).or_default() += frames;
        }
    }

    /// Returns the lateness that 99 of 100 frames did not exceed. `None` if there was no frame.
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
