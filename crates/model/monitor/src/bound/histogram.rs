//! Distribution of the lateness of frames over a run.

use std::collections::BTreeMap;

use netloom_units::Duration;

use super::{LateFrames, Lateness, share};

/// Numbers of wire frames by an upper bound of their lateness.
#[derive(Debug, Clone, Default)]
pub(super) struct Histogram {
    by: BTreeMap<Duration, u64>,
    beyond: u64,
}

impl Histogram {
    /// Adds frames. Returns how many of them were later than `delay`.
    pub fn add(&mut self, frames: &LateFrames, delay: Duration) -> u64 {
        for (late, frames) in &frames.by {
            *self.by.entry(*late).or_default() += frames;
        }
        let beyond = frames.beyond(delay);
        self.beyond += beyond;
        beyond
    }

    pub fn frames(&self) -> u64 {
        self.by.values().sum()
    }

    pub fn lateness(&self) -> Lateness {
        Lateness {
            p50: self.quantile(0.5),
            p99: self.quantile(0.99),
            p999: self.quantile(0.999),
            max: self.by.last_key_value().map_or(Duration::ZERO, |(late, _)| *late),
            beyond: self.beyond,
            share: share(self.beyond, self.frames()),
        }
    }

    /// A lateness that at least this part of the frames did not exceed.
    fn quantile(&self, part: f64) -> Duration {
        let wanted = (self.frames() as f64 * part).ceil() as u64;
        let mut seen = 0;
        let found = self.by.iter().find(|(_, frames)| {
            seen += **frames;
            seen >= wanted
        });
        found.map_or(Duration::ZERO, |(late, _)| *late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    #[test]
    fn percentiles_are_of_all_frames_and_the_share_is_exact() {
        let mut all = Histogram::default();
        let by = vec![(micros(10), 989), (micros(900), 9), (micros(1200), 2)];
        // One of the two frames in the last bucket was within the tolerance.
        let frames = LateFrames { by, beyond: 1, tolerance: micros(1000) };
        assert_eq!(all.add(&frames, micros(1000)), 1);
        let late = all.lateness();
        let percentiles = [late.p50, late.p99, late.p999, late.max];
        assert_eq!(percentiles, [10, 900, 1200, 1200].map(micros));
        assert_eq!((late.beyond, late.share), (1, 0.001));
        // By another tolerance, a bucket that reaches beyond it counts in full.
        assert_eq!(frames.beyond(micros(1100)), 2);
    }
}
