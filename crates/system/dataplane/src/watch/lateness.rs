//! Lateness of each pipe's frames that left for an interface: the worker counts it, and the
//! monitor's end reads it. A monitor's statements about a pipe depend on it, so every frame is
//! counted.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use netloom_fabric::PipeId;
use netloom_link::Passage;
use netloom_units::Duration;

use super::counting::{self, add, bucket, longest_of};

/// First bucket and number of buckets that are kept: a quarter of an octave each, from 4 µs to more
/// than an hour. Lower and higher values count in the first and the last bucket.
const FIRST: usize = 4 * 12;
const KEPT: usize = 4 * 30;

/// Lateness of the frames of a pipe since the last report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipeLateness {
    /// Identity of the pipe.
    pub pipe: PipeId,
    /// Delay after the scheduled release.
    pub late: FrameCounts,
    /// Delay after the earliest possible release, if every frame had been read when it arrived: an
    /// upper bound.
    pub at_most: FrameCounts,
    /// Time for which they were on the line.
    pub busy: Duration,
    /// Time for which the line may have been idle although a frame had arrived that was not read
    /// yet.
    pub lost: Duration,
}

/// Wire frames by lateness.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FrameCounts {
    /// Number of frames for each upper bound of lateness, without those of the entry before.
    pub by: Vec<(Duration, u64)>,
    /// Number of frames later than [`Limits::needed`](super::anomaly::Limits::needed).
    pub beyond: u64,
}

/// Counters of one pipe. They wrap around; only differences are read.
#[derive(Debug)]
pub(crate) struct LatenessTally {
    late: Counters,
    at_most: Counters,
    busy: AtomicU64,
    lost: AtomicU64,
    /// Time by which the last frame could have been released earlier, in ns.
    shift: AtomicU64,
}

#[derive(Debug)]
struct Counters {
    by: [AtomicU32; KEPT],
    beyond: AtomicU64,
    frames: AtomicU64,
}

/// Counters of a tally that have been reported already.
#[derive(Debug)]
pub(crate) struct ReadLateness {
    late: ReadCounters,
    at_most: ReadCounters,
    busy: u64,
    lost: u64,
}

#[derive(Debug)]
struct ReadCounters {
    by: [u32; KEPT],
    beyond: u64,
    frames: u64,
}

impl Default for LatenessTally {
    fn default() -> Self {
        let counters = || Counters {
            by: [const { AtomicU32::new(0) }; KEPT],
            beyond: AtomicU64::new(0),
            frames: AtomicU64::new(0),
        };
        Self {
            late: counters(),
            at_most: counters(),
            busy: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            shift: AtomicU64::new(0),
        }
    }
}

impl Default for ReadLateness {
    fn default() -> Self {
        let counters = || ReadCounters { by: [0; KEPT], beyond: 0, frames: 0 };
        Self { late: counters(), at_most: counters(), busy: 0, lost: 0 }
    }
}

impl LatenessTally {
    /// Counts frames that left this long after their release, which could have been `early` before
    /// it.
    #[inline]
    pub fn count(&self, late: Duration, early: Duration, frames: u64, needed: Duration) {
        self.late.count(late, frames, needed);
        self.at_most.count(late + early, frames, needed);
    }

    /// Counts the time for which a frame was on the line. If the shift of a frame is larger than
    /// that of the frame before, the line was idle for the difference.
    #[inline]
    pub fn count_line(&self, passage: &Passage) {
        add(&self.busy, passage.serialized.since(passage.started).as_nanos());
        let shift = passage.shift.as_nanos();
        let before = self.shift.load(Ordering::Relaxed);
        if shift != before {
            self.shift.store(shift, Ordering::Relaxed);
            add(&self.lost, shift.saturating_sub(before));
        }
    }

    /// Returns the lateness since the counters were `read`, or `None` if there were no frames. Of a
    /// pipe between two machines, one has counted the frames that left, and the other one the line.
    pub fn since(&self, pipe: PipeId, read: &mut ReadLateness) -> Option<PipeLateness> {
        let same = |counter: &AtomicU64, read| counter.load(Ordering::Relaxed) == read;
        if same(&self.late.frames, read.late.frames)
            && same(&self.busy, read.busy)
            && same(&self.lost, read.lost)
        {
            return None;
        }
        Some(PipeLateness {
            pipe,
            late: self.late.since(&mut read.late),
            at_most: self.at_most.since(&mut read.at_most),
            busy: Duration::from_nanos(counting::since(&self.busy, &mut read.busy)),
            lost: Duration::from_nanos(counting::since(&self.lost, &mut read.lost)),
        })
    }
}

impl Counters {
    #[inline]
    fn count(&self, late: Duration, frames: u64, needed: Duration) {
        let bucket = bucket(late.as_nanos()).saturating_sub(FIRST).min(KEPT - 1);
        let counter = &self.by[bucket];
        let more = counter.load(Ordering::Relaxed).wrapping_add(frames as u32);
        counter.store(more, Ordering::Relaxed);
        if late > needed {
            add(&self.beyond, frames);
        }
        add(&self.frames, frames);
    }

    fn since(&self, read: &mut ReadCounters) -> FrameCounts {
        // In the reverse order of counting, so that no frame counts as late that is not counted as
        // a frame.
        counting::since(&self.frames, &mut read.frames);
        let beyond = counting::since(&self.beyond, &mut read.beyond);
        let mut by = Vec::new();
        for (index, (counter, read)) in self.by.iter().zip(&mut read.by).enumerate() {
            let now = counter.load(Ordering::Relaxed);
            let frames = now.wrapping_sub(std::mem::replace(read, now));
            if frames > 0 {
                let at_most = Duration::from_nanos(longest_of(FIRST + index));
                by.push((at_most, u64::from(frames)));
            }
        }
        FrameCounts { by, beyond }
    }
}

#[cfg(test)]
mod tests {
    use netloom_fabric::LinkId;
    use netloom_link::Direction;
    use netloom_units::Time;
    use proptest::prelude::*;

    use super::*;

    const PIPE: PipeId = PipeId { link: LinkId(0), direction: Direction::Forward };
    const NEEDED: Duration = Duration::from_millis(1);

    fn passage(shift: u64) -> Passage {
        let at = Time::from_nanos;
        let (started, serialized) = (at(50), at(1050));
        let shift = Duration::from_nanos(shift);
        Passage { number: 0, offered: at(0), started, serialized, marked: false, shift }
    }

    /// Whether, for any limit, at least as many of `times` as of `counts` are within it.
    fn is_upper_bound(counts: &FrameCounts, times: &[u64]) -> bool {
        let within = |limit: u64| times.iter().filter(|time| **time <= limit).count() as u64;
        let mut seen = 0;
        counts.by.iter().all(|(at_most, frames)| {
            seen += frames;
            seen <= within(at_most.as_nanos())
        })
    }

    proptest! {
        #[test]
        fn all_frames_are_reported_and_never_as_more_punctual(
            frames in prop::collection::vec((0u64..100_000_000, 0u64..5_000_000), 1..200),
            split in 0usize..200,
        ) {
            let (tally, mut read) = (LatenessTally::default(), ReadLateness::default());
            let (first, second) = frames.split_at(split.min(frames.len()));
            for part in [first, second] {
                for (late, shift) in part {
                    let passage = passage(*shift);
                    tally.count(Duration::from_nanos(*late), passage.shift, 1, NEEDED);
                    tally.count_line(&passage);
                }
                let Some(seen) = tally.since(PIPE, &mut read) else {
                    prop_assert!(part.is_empty());
                    continue;
                };
                let late: Vec<u64> = part.iter().map(|(late, _)| *late).collect();
                let at_most: Vec<u64> = part.iter().map(|(late, shift)| late + shift).collect();
                for (counts, times) in [(&seen.late, &late), (&seen.at_most, &at_most)] {
                    let all: u64 = counts.by.iter().map(|(_, frames)| frames).sum();
                    prop_assert_eq!(all, times.len() as u64);
                    prop_assert!(is_upper_bound(counts, times));
                    let beyond = times.iter().filter(|time| **time > NEEDED.as_nanos()).count();
                    prop_assert_eq!(counts.beyond, beyond as u64);
                }
                prop_assert_eq!(seen.busy, Duration::from_nanos(1000 * part.len() as u64));
            }
        }
    }

    #[test]
    fn time_lost_by_a_line_is_the_sum_of_increases_of_the_shift() {
        let (tally, mut read) = (LatenessTally::default(), ReadLateness::default());
        for shift in [0, 500, 500, 200, 300, 0, 50] {
            tally.count_line(&passage(shift));
        }
        let lost = tally.since(PIPE, &mut read).map(|seen| seen.lost);
        assert_eq!(lost, Some(Duration::from_nanos(500 + 100 + 50)));
        assert_eq!(tally.since(PIPE, &mut read), None);
    }
}
