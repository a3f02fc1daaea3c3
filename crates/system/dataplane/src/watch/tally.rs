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

/// Where frames that leave a pipe have come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// The pipe's own line.
    Line(&'a Passage),
    /// Another machine, and whether in time for their release, as far as is known.
    Tunnel { in_time: bool },
}

#[derive(Debug)]
pub(crate) struct Tally {
    /// Wire frames within the tolerance, by lateness.
    pub punctual: [AtomicU64; BUCKETS],
    /// Bytes by the slot in which they left: slot `n` adds to counter `n % SLOTS`.
    pub bytes: [AtomicU64; SLOTS as usize],
    pub overflowed: Overflowed,
    /// Tallies of links that have numbers. (Links that are being joined are not counted yet.)
    pub pipes: Box<[PipeTally]>,
    pub slack: SlackTally,
    /// Clock of the worker's CPU time.
    pub time: OnceLock<ThreadClock>,
}

/// Events that found the ring full.
#[derive(Debug)]
pub(crate) struct Overflowed {
    /// Number of anomalies.
    pub anomalies: AtomicU64,
    /// Late wire frames, by lateness.
    pub late: [AtomicU64; BUCKETS],
    /// Lost wire frames, by [`Loss`].
    pub lost: [AtomicU64; Loss::ALL.len()],
    /// Longest pause, in ns.
    pub pause: AtomicU64,
}

#[derive(Debug, Default)]
pub(crate) struct PipeTally {
    pub frames: AtomicU64,
    pub bytes: AtomicU64,
    pub lateness: LatenessTally,
}

impl Tally {
    pub fn new(pipes: usize) -> Self {
        Self {
            punctual: [const { AtomicU64::new(0) }; BUCKETS],
            bytes: [const { AtomicU64::new(0) }; SLOTS as usize],
            overflowed: Overflowed {
                anomalies: AtomicU64::new(0),
                late: [const { AtomicU64::new(0) }; BUCKETS],
                lost: [const { AtomicU64::new(0) }; Loss::ALL.len()],
                pause: AtomicU64::new(0),
            },
            pipes: std::iter::repeat_with(PipeTally::default).take(pipes).collect(),
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

    /// Counts a frame that enters the pipe in `slot`. A super-frame counts as one.
    #[inline]
    pub fn handled(&mut self, slot: usize) {
        if let Some(tally) = self.tally.pipes.get(slot) {
            add(&tally.frames, 1);
        }
    }

    /// Counts frames that left `pipe`, in `slot`, for an interface at `at`, `late` after their
    /// scheduled release, which could have been `early` before.
    #[inline]
    pub fn left(
        &mut self,
        (slot, pipe): (usize, PipeId),
        at: Time,
        (late, early): (Duration, Duration),
        origin: Origin<'_>,
        info: &FrameInfo,
    ) {
        let frames = u64::from(info.frames());
        self.passed(slot, info);
        if let Some(tally) = self.tally.pipes.get(slot) {
            tally.lateness.count(late, early, frames, self.limits.needed);
            if let Origin::Line(passage) = origin {
                tally.lateness.count_line(passage);
            }
        }
        let late = late + early;
        add(&self.tally.bytes[(slot_of(at) % SLOTS) as usize], info.bytes());
        if late > self.limits.tolerance {
            let by_tunnel = matches!(origin, Origin::Tunnel { in_time: false });
            self.report(at, AnomalyKind::Late { pipe, by: late, frames, by_tunnel });
        } else {
            add(&self.tally.punctual[bucket(late.as_nanos())], frames);
        }
    }

    /// Counts frames that left the pipe in `slot` for a switch or a medium. They do so at their
    /// exact times, but may have entered the pipe late.
    #[inline]
    pub fn forwarded(&mut self, slot: usize, passage: &Passage, info: &FrameInfo) {
        self.passed(slot, info);
        if let Some(tally) = self.tally.pipes.get(slot) {
            let frames = u64::from(info.frames());
            tally.lateness.count(Duration::ZERO, passage.shift, frames, self.limits.needed);
            tally.lateness.count_line(passage);
        }
    }

    /// Counts frames that left the line of the pipe in `slot` for another machine.
    #[inline]
    pub fn sent(&mut self, slot: usize, passage: &Passage, info: &FrameInfo) {
        self.passed(slot, info);
        if let Some(tally) = self.tally.pipes.get(slot) {
            tally.lateness.count_line(passage);
        }
    }

    /// Counts frames of `pipe`, in `slot`, that came from another machine at `at`, on their way to
    /// a switch or a medium: `late` after their scheduled release, which could have been `early`
    /// before.
    #[inline]
    pub fn came(
        &mut self,
        (slot, pipe): (usize, PipeId),
        at: Time,
        (late, early): (Duration, Duration),
        by_tunnel: bool,
        frames: u64,
    ) {
        if let Some(tally) = self.tally.pipes.get(slot) {
            tally.lateness.count(late, early, frames, self.limits.needed);
        }
        if late > self.limits.tolerance {
            self.report(at, AnomalyKind::Late { pipe, by: late, frames, by_tunnel });
        }
    }

    /// Counts the bytes of frames that left the pipe in `slot`.
    #[inline]
    pub fn passed(&mut self, slot: usize, info: &FrameInfo) {
        if let Some(tally) = self.tally.pipes.get(slot) {
            add(&tally.bytes, info.bytes());
        }
    }

    /// Reports frames that were lost outside the model.
    #[cold]
    pub fn lost(&mut self, pipe: PipeId, at: Time, loss: Loss, frames: u64) {
        self.report(at, AnomalyKind::Lost { pipe, loss, frames });
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
            self.report(at, AnomalyKind::Pause { lasted });
        }
    }

    #[cold]
    fn report(&mut self, at: Time, what: AnomalyKind) {
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
