//! What a monitor is told of the data plane as it happens: frames that leave late, frames lost outside
//! the model, times in which nobody looked at the devices. Each worker puts what is rare into a ring of its
//! own and counts what is common; it never waits, and nothing is locked. Not here: what to conclude.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use netloom_link::FrameInfo;
use netloom_units::{Duration, Time};
use rtrb::{Consumer, Producer, RingBuffer};

use crate::PipeId;
use crate::timing::Pauses;

/// Sightings that may wait in the ring of one worker. In 10 ms, an overloaded worker hands over some
/// thousands of frames, all late.
const BACKLOG: usize = 1 << 14;
/// Buckets to an octave of lateness.
const OCTAVE: usize = 4;
const BUCKETS: usize = 64 * OCTAVE;

/// Something rare that a monitor is to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    /// When it was seen.
    pub at: Time,
    /// What.
    pub what: Seen,
}

/// What was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Frames left the engine later than the tolerance after their scheduled release.
    Late {
        /// The pipe that they left.
        pipe: PipeId,
        /// How late.
        by: Duration,
        /// How many wire frames.
        frames: u64,
    },
    /// Frames were lost outside the model.
    Lost {
        /// The pipe that they were about to enter or had left.
        pipe: PipeId,
        /// Where.
        loss: Loss,
        /// How many wire frames.
        frames: u64,
    },
    /// The engine, or one of its workers, did not run for longer than a pause may be.
    Pause {
        /// How long.
        lasted: Duration,
    },
    /// Sightings that came faster than they were taken. They are missing; those of late and lost frames are
    /// in the counters of [`Timing`](crate::Timing).
    Untold {
        /// How many.
        sightings: u64,
    },
}

/// Where a frame was lost outside the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loss {
    /// The device had no room.
    DeviceFull,
    /// The device was gone.
    DeviceGone,
    /// The device did not accept the frame.
    Rejected,
    /// The frame that a node sent was not well-formed.
    Malformed,
    /// The frames in the data plane took all the memory they may.
    NoMemory,
}

/// From when on something is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How late a frame may leave and still count as punctual.
    pub tolerance: Duration,
    /// How long the engine may not run.
    pub pause: Duration,
}

/// A monitor's end.
#[derive(Debug)]
pub struct Watch {
    limits: Limits,
    workers: Vec<WorkerEnd>,
    pauses: Arc<Pauses>,
}

#[derive(Debug)]
struct WorkerEnd {
    sightings: Consumer<Sighting>,
    tally: Arc<Tally>,
    /// What of the tally was told.
    told: Box<[u64; BUCKETS]>,
    told_bytes: u64,
    told_untold: u64,
}

/// What was common since the last look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Common {
    /// How many wire frames left the engine within the tolerance, by how late they were at most (within a
    /// quarter of an octave).
    pub punctual: Vec<(Duration, u64)>,
    /// Bytes of all frames that left the engine for an interface, as Ethernet frames without FCS.
    pub bytes: u64,
}

/// A worker's end.
#[derive(Debug)]
pub(crate) struct Spotter {
    limits: Limits,
    sightings: Producer<Sighting>,
    tally: Arc<Tally>,
}

/// What a worker counts. Only the worker writes, so that no write needs a bus lock.
#[derive(Debug)]
struct Tally {
    punctual: [AtomicU64; BUCKETS],
    bytes: AtomicU64,
    untold: AtomicU64,
}

/// Both ends, for so many workers.
pub(crate) fn watch(limits: Limits, workers: usize, pauses: Arc<Pauses>) -> (Watch, Vec<Spotter>) {
    let (spotters, workers) = (0..workers)
        .map(|_| {
            let (sender, sightings) = RingBuffer::new(BACKLOG);
            let tally = Arc::new(Tally {
                punctual: [const { AtomicU64::new(0) }; BUCKETS],
                bytes: AtomicU64::new(0),
                untold: AtomicU64::new(0),
            });
            let spotter = Spotter { limits, sightings: sender, tally: Arc::clone(&tally) };
            let told = Box::new([0; BUCKETS]);
            (spotter, WorkerEnd { sightings, tally, told, told_bytes: 0, told_untold: 0 })
        })
        .unzip();
    (Watch { limits, workers, pauses }, spotters)
}

impl Spotter {
    /// Frames left `pipe` at `at`, so much after their scheduled release.
    #[inline]
    pub fn left(&mut self, pipe: PipeId, at: Time, late: Duration, info: &FrameInfo) {
        let frames = u64::from(info.frames());
        add(&self.tally.bytes, info.bytes());
        if late > self.limits.tolerance {
            self.tell(at, Seen::Late { pipe, by: late, frames });
        } else {
            add(&self.tally.punctual[bucket(late.as_nanos())], frames);
        }
    }

    /// Frames were lost outside the model.
    #[cold]
    pub fn lost(&mut self, pipe: PipeId, at: Time, loss: Loss, frames: u64) {
        self.tell(at, Seen::Lost { pipe, loss, frames });
    }

    /// Nobody looked at the devices for so long.
    #[inline]
    pub fn unattended(&mut self, at: Time, lasted: Duration) {
        if lasted > self.limits.pause {
            self.tell(at, Seen::Pause { lasted });
        }
    }

    #[cold]
    fn tell(&mut self, at: Time, what: Seen) {
        if self.sightings.push(Sighting { at, what }).is_err() {
            add(&self.tally.untold, 1);
        }
    }
}

impl Watch {
    /// From when on something is worth a word.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Everything that was seen since the last call: what is rare to `see`, in each worker's order; what is
    /// common is returned.
    pub fn look(&mut self, now: Time, mut see: impl FnMut(Sighting)) -> Common {
        let mut common = Common::default();
        let mut punctual = [0; BUCKETS];
        for worker in &mut self.workers {
            while let Ok(sighting) = worker.sightings.pop() {
                see(sighting);
            }
            let untold = since(&worker.tally.untold, &mut worker.told_untold);
            if untold > 0 {
                see(Sighting { at: now, what: Seen::Untold { sightings: untold } });
            }
            common.bytes += since(&worker.tally.bytes, &mut worker.told_bytes);
            let told = worker.told.iter_mut().zip(&worker.tally.punctual);
            for (sum, (told, count)) in punctual.iter_mut().zip(told) {
                *sum += since(count, told);
            }
        }
        for (at, lasted) in self.pauses.take() {
            if lasted > self.limits.pause {
                see(Sighting { at, what: Seen::Pause { lasted } });
            }
        }
        let counted = punctual.iter().enumerate().filter(|(_, frames)| **frames > 0);
        common.punctual = counted
            .map(|(bucket, frames)| {
                let at_most = Duration::from_nanos(longest_of(bucket));
                (at_most.min(self.limits.tolerance), *frames)
            })
            .collect();
        common
    }
}

/// Adds to a counter that only this thread writes.
#[inline]
fn add(counter: &AtomicU64, amount: u64) {
    counter.store(counter.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
}

/// What `counter` has grown by since it was `told`.
fn since(counter: &AtomicU64, told: &mut u64) -> u64 {
    let now = counter.load(Ordering::Relaxed);
    now - std::mem::replace(told, now)
}

/// The bucket of `nanos`: its octave, and the quarter of it.
#[inline]
fn bucket(nanos: u64) -> usize {
    let octave = nanos.checked_ilog2().unwrap_or(0) as usize;
    let quarter = if octave < 2 { 0 } else { (nanos >> (octave - 2)) as usize % OCTAVE };
    octave * OCTAVE + quarter
}

/// The longest time in a bucket, in ns.
fn longest_of(bucket: usize) -> u64 {
    let (octave, quarter) = (bucket / OCTAVE, (bucket % OCTAVE) as u128);
    let next = if octave < 2 { 2u128 << octave } else { (5 + quarter) << (octave - 2) };
    u64::try_from(next - 1).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { tolerance: Duration::from_millis(1), pause: Duration::from_millis(10) };
    const PIPE: PipeId = PipeId { link: 3, direction: 1 };

    fn ends() -> (Watch, Spotter) {
        let (watch, mut spotters) = watch(LIMITS, 1, Arc::default());
        (watch, spotters.remove(0))
    }

    fn seen(watch: &mut Watch) -> (Vec<Seen>, Common) {
        let mut seen = Vec::new();
        let common = watch.look(Time::ZERO, |sighting| seen.push(sighting.what));
        (seen, common)
    }

    #[test]
    fn a_bucket_holds_what_is_within_a_quarter_of_an_octave() {
        for exponent in 0..64 {
            for part in [0, 1, 2, 3] {
                let value = (1u64 << exponent) + part * ((1u64 << exponent) / 4);
                let longest = longest_of(bucket(value));
                assert!(longest >= value, "{value}");
                assert_eq!(bucket(longest), bucket(value), "{value}");
                assert!((longest - value) as f64 <= value as f64 / 4.0 + 1.0, "{value}");
            }
        }
        assert_eq!((bucket(0), longest_of(bucket(u64::MAX))), (0, u64::MAX));
    }

    #[test]
    fn late_frames_are_told_one_by_one_and_punctual_ones_counted() {
        let (mut watch, mut spotter) = ends();
        let at = Time::from_nanos(7);
        let two = FrameInfo::coalesced(2, 1000, 500);
        spotter.left(PIPE, at, Duration::from_micros(30), &FrameInfo::single(60));
        spotter.left(PIPE, at, LIMITS.tolerance, &two);
        let by = LIMITS.tolerance + Duration::from_nanos(1);
        spotter.left(PIPE, at, by, &two);
        let (rare, common) = seen(&mut watch);
        assert_eq!(rare, [Seen::Late { pipe: PIPE, by, frames: 2 }]);
        assert_eq!(common.bytes, 60 + 1500 + 1500);
        let frames: Vec<u64> = common.punctual.iter().map(|(_, frames)| *frames).collect();
        assert_eq!(frames, [1, 2]);
        assert_eq!(common.punctual[1].0, LIMITS.tolerance);
        assert_eq!(seen(&mut watch), (vec![], Common::default()));
    }

    #[test]
    fn losses_and_pauses_are_told_and_short_pauses_are_not() {
        let (mut watch, mut spotter) = ends();
        spotter.lost(PIPE, Time::ZERO, Loss::NoMemory, 9);
        spotter.unattended(Time::ZERO, LIMITS.pause);
        let lasted = LIMITS.pause + Duration::from_nanos(1);
        spotter.unattended(Time::ZERO, lasted);
        let lost = Seen::Lost { pipe: PIPE, loss: Loss::NoMemory, frames: 9 };
        assert_eq!(seen(&mut watch).0, [lost, Seen::Pause { lasted }]);
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let (mut watch, mut spotter) = ends();
        for _ in 0..BACKLOG + 5 {
            spotter.lost(PIPE, Time::ZERO, Loss::Rejected, 1);
        }
        let (rare, _) = seen(&mut watch);
        assert_eq!(rare.len(), BACKLOG + 1);
        assert_eq!(rare[BACKLOG], Seen::Untold { sightings: 5 });
    }
}
