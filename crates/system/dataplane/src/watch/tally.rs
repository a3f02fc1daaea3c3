//! Counters of a worker for a monitor, and the ring for rare events. Only the worker writes, so
//! that no write needs a bus lock.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use netloom_fabric::PipeId;
use netloom_link::{FrameInfo, Passage};
use netloom_units::{Duration, Time};
use rtrb::Producer;

use super::anomaly::{Anomaly, AnomalyKind, Limits, Loss};
use super::counting::{BUCKETS, SLOTS, add, bucket, slot_of};
use super::lateness::LatenessTally;
use super::slack::SlackTally;
use crate::thread_clock::ThreadClock;

/// A worker's end of the reports.
#[derive(Debug)]
pub(crate) struct WatchWriter {
    limits: Limits,
    anomalies: Producer<Anomaly>,
    tally: Arc<Tally>,
}

#[derive(Debug)]
pub(crate) struct Tally {
    /// Wire frames within the tolerance, by lateness.
    pub punctual: [AtomicU64; BUCKETS],
    /// Bytes by the slot in which they left: slot `n` adds to counter `n % SLOTS`.
    pub bytes: [AtomicU64; SLOTS as usize],
    pub overflowed: Overflowed,
    /// Tallies of links that have numbers. (Links that are being joined are not counted yet.)
    pub lanes: Box<[LaneTally]>,
    pub slack: SlackTally,
    /// Clock of the worker's CPU time.
    pub time: OnceLock<ThreadClock>,
}

/// Events that found the ring full.
#[derive(Debug)]
pub(crate) struct Overflowed {
    /// Number of sightings.
    pub anomalies: AtomicU64,
    /// Late wire frames, by lateness.
    pub late: [AtomicU64; BUCKETS],
    /// Lost wire frames, by [`Loss`].
    pub lost: [AtomicU64; Loss::ALL.len()],
    /// Longest pause, in ns.
    pub pause: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct LaneTally {
    pub frames: AtomicU64,
    pub bytes: AtomicU64,
    pub lateness: LatenessTally,
}

impl Tally {
    pub fn new(lanes: usize) -> Self {
        Self {
            punctual: [const { AtomicU64::new(0) }; BUCKETS],
            bytes: [const { AtomicU64::new(0) }; SLOTS as usize],
            overflowed: Overflowed {
                anomalies: AtomicU64::new(0),
                late: [const { AtomicU64::new(0) }; BUCKETS],
                lost: [const { AtomicU64::new(0) }; Loss::ALL.len()],
                pause: AtomicU64::new(0),
            },
            lanes: std::iter::repeat_with(LaneTally::default).take(lanes).collect(),
            slack: SlackTally::new(),
            time: OnceLock::new(),
        }
    }
}

impl WatchWriter {
    pub fn new(limits: Limits, anomalies: Producer<Anomaly>, tally: Arc<Tally>) -> Self {
        Self { limits, anomalies, tally }
    }

    /// Registers the calling thread. Must be called by the worker, before everything else.
    pub fn begin(&self) {
        // Fails only for a second worker, which does not exist.
        let _ = self.tally.time.set(ThreadClock::of_this_thread());
    }

    /// Counts a frame that enters the pipe of `lane`. A super-frame counts as one.
    #[inline]
    pub fn handled(&mut self, lane: usize) {
        if let Some(tally) = self.tally.lanes.get(lane) {
            add(&tally.frames, 1);
        }
    }

    /// Counts frames that left `pipe`, of `lane`, for an interface at `at`, `late` after their
    /// scheduled release.
    #[inline]
    pub fn left(
        &mut self,
        (lane, pipe): (usize, PipeId),
        at: Time,
        late: Duration,
        passage: &Passage,
        info: &FrameInfo,
    ) {
        let frames = u64::from(info.frames());
        self.passed(lane, info);
        if let Some(tally) = self.tally.lanes.get(lane) {
            tally.lateness.count(late, passage, frames, self.limits.needed);
        }
        let late = late + passage.shift;
        add(&self.tally.bytes[(slot_of(at) % SLOTS) as usize], info.bytes());
        if late > self.limits.tolerance {
            self.tell(at, AnomalyKind::Late { pipe, by: late, frames });
        } else {
            add(&self.tally.punctual[bucket(late.as_nanos())], frames);
        }
    }

    /// Counts frames that left the pipe of `lane` for a switch or a medium. They do so at their
    /// exact times, but may have entered the pipe late.
    #[inline]
    pub fn forwarded(&mut self, lane: usize, passage: &Passage, info: &FrameInfo) {
        self.passed(lane, info);
        if let Some(tally) = self.tally.lanes.get(lane) {
            let frames = u64::from(info.frames());
            tally.lateness.count(Duration::ZERO, passage, frames, self.limits.needed);
        }
    }

    /// Counts the bytes of frames that left the pipe of `lane`.
    #[inline]
    pub fn passed(&mut self, lane: usize, info: &FrameInfo) {
        if let Some(tally) = self.tally.lanes.get(lane) {
            add(&tally.bytes, info.bytes());
        }
    }

    /// Reports frames that were lost outside the model.
    #[cold]
    pub fn lost(&mut self, pipe: PipeId, at: Time, loss: Loss, frames: u64) {
        self.tell(at, AnomalyKind::Lost { pipe, loss, frames });
    }

    /// Records that there is nothing to do at `now`, and that a deadline is too near to sleep.
    #[inline]
    pub fn waits_awake(&self, now: Time) {
        self.tally.slack.note(now);
    }

    /// Reports that nobody checked the devices for the time `lasted`, if it exceeds the limit.
    #[inline]
    pub fn unattended(&mut self, at: Time, lasted: Duration) {
        if lasted > self.limits.pause {
            self.tell(at, AnomalyKind::Pause { lasted });
        }
    }

    #[cold]
    fn tell(&mut self, at: Time, what: AnomalyKind) {
        if self.anomalies.push(Anomaly { at, what }).is_ok() {
            return;
        }
        let overflowed = &self.tally.overflowed;
        match what {
            AnomalyKind::Late { by, frames, .. } => {
                add(&overflowed.late[bucket(by.as_nanos())], frames)
            }
            AnomalyKind::Lost { loss, frames, .. } => add(&overflowed.lost[loss as usize], frames),
            AnomalyKind::Pause { lasted } => {
                let longest = overflowed.pause.load(Ordering::Relaxed).max(lasted.as_nanos());
                overflowed.pause.store(longest, Ordering::Relaxed);
            }
        }
        add(&overflowed.anomalies, 1);
    }
}
