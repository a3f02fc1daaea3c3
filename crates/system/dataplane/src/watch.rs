//! Reports of the data plane to a monitor: frames that leave late, frames lost outside the model,
//! and times in which nobody checked the devices. Each worker puts rare events into a ring of its
//! own and counts frequent ones (`tally`). It never waits or locks. Not here: conclusions.

mod anomaly;
mod counting;
mod lateness;
mod slack;
mod tally;

use std::sync::Arc;

use netloom_fabric::PipeId;
use netloom_units::{Duration, Time};
use rtrb::{Consumer, RingBuffer};

use crate::wakeup::Pulse;
pub use anomaly::{Anomaly, AnomalyKind, Limits, Loss};
use counting::{BUCKETS, SLOT, SLOTS, longest_of, shortest_of, since, slot_of};
use lateness::ReadLateness;
pub use lateness::{FrameCounts, PipeLateness};
pub use slack::Slack;
use tally::Tally;
pub(crate) use tally::{Origin, WatchWriter};

/// Capacity of one worker's ring in anomalies. This many are reported individually between two
/// looks, which bounds the cost of a look. An overloaded worker delivers thousands of frames in
/// that time, all late.
const BACKLOG: usize = 1 << 10;

/// A monitor's end of the reports. The thread that detects pauses ends with it.
#[derive(Debug)]
pub struct Watch {
    limits: Limits,
    since: Time,
    workers: Vec<WorkerEnd>,
    pulse: Pulse,
    /// First slot whose traffic has not been reported.
    slot: u64,
    pulse_read: Duration,
    /// Time up to which slack was reported.
    slack_read: Time,
}

/// A monitor's end of one worker's reports.
#[derive(Debug)]
pub(crate) struct WorkerEnd {
    anomalies: Consumer<Anomaly>,
    /// The pipe in each slot, or `None` for an empty slot.
    pipes: Vec<Option<PipeId>>,
    tally: Arc<Tally>,
    read: Box<Reads>,
}

/// Counters of a tally that have been reported already.
#[derive(Debug)]
struct Reads {
    punctual: [u64; BUCKETS],
    bytes: [u64; SLOTS as usize],
    anomalies: u64,
    late: [u64; BUCKETS],
    lost: [u64; Loss::ALL.len()],
    pause: u64,
    /// Frames and bytes of each pipe.
    pipes: Vec<[u64; 2]>,
    lateness: Vec<ReadLateness>,
    cpu_time: Duration,
}

impl Reads {
    fn nothing(pipes: usize) -> Self {
        Self {
            punctual: [0; BUCKETS],
            bytes: [0; SLOTS as usize],
            anomalies: 0,
            late: [0; BUCKETS],
            lost: [0; Loss::ALL.len()],
            pause: 0,
            pipes: vec![[0; 2]; pipes],
            lateness: std::iter::repeat_with(ReadLateness::default).take(pipes).collect(),
            cpu_time: Duration::ZERO,
        }
    }
}

/// Counts of frequent events since the last look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Common {
    /// Number of wire frames that left the engine within the tolerance, by an upper bound of their
    /// lateness (within a quarter of an octave).
    pub punctual: Vec<(Duration, u64)>,
    /// Number of late wire frames beyond those that were reported individually, by a lower bound of
    /// their lateness (within a quarter of an octave).
    pub late: Vec<(Duration, u64)>,
    /// Number of frames lost outside the model beyond those that were reported individually.
    pub lost: Vec<(Loss, u64)>,
    /// Traffic that left the engine.
    pub traffic: Vec<Traffic>,
}

/// Traffic that left the engine for interfaces in an interval of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// End of the interval.
    pub until: Time,
    /// Length of the interval: 10 ms, unless nobody looked for so long that the exact time is
    /// unknown.
    pub over: Duration,
    /// Bytes of all frames, as Ethernet frames without FCS.
    pub bytes: u64,
}

/// Work of one worker since the last call of [`Watch::work`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// CPU time of the worker, including the kernel's work in its system calls.
    pub cpu_time: Duration,
    /// Work in each pipe that was used.
    pub pipes: Vec<PipeWork>,
}

/// Work in one pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeWork {
    /// Identity of the pipe.
    pub pipe: PipeId,
    /// Number of frames that entered it. A super-frame that is not split counts as one.
    pub frames: u64,
    /// Bytes of frames that left it, as Ethernet frames without FCS.
    pub bytes: u64,
}

/// Creates both ends of the reports, for a worker with these pipes in its slots.
pub(crate) fn ends(limits: Limits, pipes: Vec<Option<PipeId>>) -> (WorkerEnd, WatchWriter) {
    let (sender, anomalies) = RingBuffer::new(BACKLOG);
    let tally = Arc::new(Tally::new(pipes.len()));
    let writer = WatchWriter::new(limits, sender, Arc::clone(&tally));
    let read = Box::new(Reads::nothing(pipes.len()));
    (WorkerEnd { anomalies, pipes, tally, read }, writer)
}

impl Watch {
    /// Creates the watch over all workers, beginning at `now`.
    pub(crate) fn new(limits: Limits, workers: Vec<WorkerEnd>, pulse: Pulse, now: Time) -> Self {
        let (slot, pulse_read) = (slot_of(now), Duration::ZERO);
        Self { limits, since: now, workers, pulse, slot, pulse_read, slack_read: now }
    }

    /// Returns the time at which it began.
    pub fn since(&self) -> Time {
        self.since
    }

    /// Returns the limits beyond which events are reported individually.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Reports everything since the last call: rare events are passed to `report`, in the order of
    /// each worker; counts of frequent ones are returned. Traffic is reported up to the last full
    /// 10 ms, or completely if this is the `last` look.
    pub fn look(&mut self, now: Time, last: bool, mut report: impl FnMut(Anomaly)) -> Common {
        let mut common = Common::default();
        let mut punctual = [0; BUCKETS];
        for worker in &mut self.workers {
            while let Ok(anomaly) = worker.anomalies.pop() {
                report(anomaly);
            }
            worker.look_at_overflowed(now, &self.limits, &mut common, &mut report);
            let read = worker.read.punctual.iter_mut().zip(&worker.tally.punctual);
            for (sum, (read, count)) in punctual.iter_mut().zip(read) {
                *sum += since(count, read);
            }
        }
        for (at, lasted) in self.pulse.take() {
            report(Anomaly { at, what: AnomalyKind::Pause { lasted } });
        }
        let at_most = |bucket| Duration::from_nanos(longest_of(bucket)).min(self.limits.tolerance);
        // Reserve once: the list would grow step by step.
        common.punctual.reserve(BUCKETS);
        common.punctual.extend(counted(&punctual, at_most));
        common.traffic = self.traffic(now, last);
        common
    }

    fn traffic(&mut self, now: Time, last: bool) -> Vec<Traffic> {
        let (first, open) = (self.slot, slot_of(now).max(self.slot));
        self.slot = open;
        let start = |slot: u64| Time::from_nanos(slot * SLOT.as_nanos());
        let mut traffic = Vec::with_capacity((open - first).min(SLOTS) as usize + 1);
        let mut add = |until: Time, over, bytes| {
            if bytes > 0 {
                traffic.push(Traffic { until, over, bytes });
            }
        };
        let known = open - first < SLOTS;
        if known {
            for slot in first..open {
                add(start(slot + 1), SLOT, self.bytes_in(slot));
            }
        }
        // The slot that is open has been there before, unless it is the last look that counts it.
        if last || !known {
            let from = start(if known { open } else { first });
            let bytes: u64 = (open..open + SLOTS).map(|slot| self.bytes_in(slot)).sum();
            add(now, now.since(from), bytes);
        }
        traffic
    }

    /// Returns bytes that were counted in a slot, or in one that shares its counter, and have not
    /// been reported.
    fn bytes_in(&mut self, slot: u64) -> u64 {
        let place = (slot % SLOTS) as usize;
        let count = |worker: &mut WorkerEnd| {
            since(&worker.tally.bytes[place], &mut worker.read.bytes[place])
        };
        self.workers.iter_mut().map(count).sum()
    }

    /// Returns the CPUs on which workers waited awake since the last call.
    pub fn slack(&mut self) -> Vec<Slack> {
        let since = self.slack_read;
        let slack = slack::merged(self.workers.iter().flat_map(|end| end.tally.slack.since(since)));
        self.slack_read = slack.iter().map(|slack| slack.last).max().unwrap_or(since);
        slack
    }

    /// Returns the work of each worker since the last call.
    pub fn work(&mut self) -> impl Iterator<Item = Work> {
        self.workers.iter_mut().map(WorkerEnd::work)
    }

    /// Returns how late the frames of each pipe were since the last call, for pipes that frames
    /// left.
    pub fn lateness(&mut self) -> impl Iterator<Item = PipeLateness> {
        self.workers.iter_mut().flat_map(WorkerEnd::lateness)
    }

    /// Returns the CPU time of detecting pauses since the last call. Takes a system call.
    pub fn take_spent(&mut self) -> Duration {
        let now = self.pulse.cpu_time().max(self.pulse_read);
        now.saturating_sub(std::mem::replace(&mut self.pulse_read, now))
    }
}

impl WorkerEnd {
    /// Reports events that found the ring full.
    fn look_at_overflowed(
        &mut self,
        now: Time,
        limits: &Limits,
        common: &mut Common,
        report: &mut impl FnMut(Anomaly),
    ) {
        let (overflowed, read) = (&self.tally.overflowed, &mut *self.read);
        if since(&overflowed.anomalies, &mut read.anomalies) == 0 {
            return;
        }
        let late: Vec<u64> = read
            .late
            .iter_mut()
            .zip(&overflowed.late)
            .map(|(read, count)| since(count, read))
            .collect();
        let least = limits.tolerance + Duration::from_nanos(1);
        let at_least = |bucket| Duration::from_nanos(shortest_of(bucket)).max(least);
        common.late.extend(counted(&late, at_least));
        for (loss, (read, count)) in
            Loss::ALL.into_iter().zip(read.lost.iter_mut().zip(&overflowed.lost))
        {
            let frames = since(count, read);
            common.lost.extend((frames > 0).then_some((loss, frames)));
        }
        if since(&overflowed.pause, &mut read.pause) > 0 {
            let lasted = Duration::from_nanos(read.pause);
            report(Anomaly { at: now, what: AnomalyKind::Pause { lasted } });
        }
    }

    fn lateness(&mut self) -> impl Iterator<Item = PipeLateness> {
        let tallies = self.tally.pipes.iter().zip(&mut self.read.lateness);
        let pipes = self.pipes.iter().zip(tallies);
        pipes.filter_map(|(pipe, (tally, read))| tally.lateness.since((*pipe)?, read))
    }

    fn work(&mut self) -> Work {
        let cpu_time = self.tally.time.get().and_then(|clock| clock.read());
        let cpu_time = cpu_time.unwrap_or(self.read.cpu_time).max(self.read.cpu_time);
        let before = std::mem::replace(&mut self.read.cpu_time, cpu_time);
        let tallies = self.tally.pipes.iter().zip(&mut self.read.pipes);
        let pipes = self.pipes.iter().zip(tallies).filter_map(|(pipe, (tally, read))| {
            let [frames, bytes] = read;
            let (frames, bytes) = (since(&tally.frames, frames), since(&tally.bytes, bytes));
            let pipe = (*pipe).filter(|_| frames + bytes > 0)?;
            Some(PipeWork { pipe, frames, bytes })
        });
        Work { cpu_time: cpu_time.saturating_sub(before), pipes: pipes.collect() }
    }
}

/// Returns the buckets with frames, each with the time that represents it.
fn counted(
    frames: &[u64],
    time_of: impl Fn(usize) -> Duration,
) -> impl Iterator<Item = (Duration, u64)> {
    let counted = frames.iter().enumerate().filter(|(_, frames)| **frames > 0);
    counted.map(move |(bucket, frames)| (time_of(bucket), *frames))
}

#[cfg(test)]
mod tests;
