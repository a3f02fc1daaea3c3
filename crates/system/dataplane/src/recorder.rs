//! Counters and outputs of a worker for the frames in its part of the network: lateness, losses,
//! captures, the frame log, and reports to a monitor. Not here: the paths of frames
//! (`netloom-fabric`).

use netloom_fabric::{Loss as FabricLoss, Observer, PipeSlot};
use netloom_link::{
    CaptureDirection, CaptureNote, Delivery, DropReason, FrameEvent, FrameInfo, Occurrence,
    Passage, Pipe,
};
use netloom_units::{Duration, Time};

use crate::Clock;
use crate::capture::CaptureSink;
use crate::frame_log::LogSink;
use crate::pipe_frame::PipeFrame;
use crate::timing::Counters;
use crate::watch::{Loss, Origin, WatchWriter};

/// Captures of a pipe's frames.
#[derive(Debug, Default)]
pub(crate) struct Taps {
    /// Captures of frames that enter at the source.
    pub entry: Vec<CaptureSink>,
    /// Captures of frames that leave at the target.
    pub exit: Vec<CaptureSink>,
}

/// Records of one pipe, indexed by its slot.
#[derive(Debug, Default)]
struct Record {
    taps: Taps,
    /// Number of frames that entered the pipe since the last request. A super-frame that is not
    /// split counts as one.
    offered: u64,
    /// Number of the pipe in the frame log, if it is logged.
    logged_as: Option<u32>,
    /// For a pipe that begins on another machine.
    coming: Option<Box<FromAway>>,
}

/// When something came from another machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Came {
    /// When it reached this machine, if that is known.
    pub arrived: Option<Time>,
    /// When it was read.
    pub read: Time,
}

impl Came {
    /// Whether `release` was over before it came. If it only waited here, that is not so.
    fn missed(self, release: Time) -> bool {
        self.arrived.is_some_and(|arrived| release < arrived)
    }
}

/// A pipe that begins on another machine.
#[derive(Debug)]
struct FromAway {
    /// Whether it leads to a segment: a frame is late there if it comes after its release.
    to_segment: bool,
    /// How exactly the other machine's clock was known at the frames on their way: the worst among
    /// those that came lately, and among those that came before them.
    bounds: [Duration; 2],
    /// Release of the latest frame, and of the one that was the latest when the former began.
    latest: Time,
    until: Time,
    /// Latest release that was over before its frame came.
    missed: Option<Time>,
}

impl FromAway {
    fn new(to_segment: bool) -> Self {
        let (bounds, latest, until) = ([Duration::ZERO; 2], Time::ZERO, Time::ZERO);
        Self { to_segment, bounds, latest, until, missed: None }
    }

    /// Takes note of a frame.
    #[inline]
    fn note(&mut self, at: Came, release: Time, bound: Duration) {
        self.latest = self.latest.max(release);
        self.missed = self.missed.max(at.missed(release).then_some(release));
        if at.read > self.until {
            // What came before the last change of this kind has arrived.
            self.bounds = [Duration::ZERO, self.bounds[0]];
            self.until = self.latest;
        }
        self.bounds[0] = self.bounds[0].max(bound);
    }

    #[inline]
    fn bound(&self) -> Duration {
        self.bounds[0].max(self.bounds[1])
    }
}

#[derive(Debug)]
pub(crate) struct Recorder {
    clock: Clock,
    pub counters: Counters,
    /// Reports to a monitor, if there is one.
    pub watch_writer: Option<WatchWriter>,
    log: Option<LogSink>,
    records: Vec<Record>,
    /// Time at which the last frame left the network.
    left_at: Time,
}

impl Recorder {
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            counters: Counters::default(),
            watch_writer: None,
            log: None,
            records: Vec::new(),
            left_at: Time::ZERO,
        }
    }

    /// Adds a link's pipe with its captures.
    pub fn open(&mut self, pipe: PipeSlot, taps: Taps) {
        if self.records.len() <= pipe.slot {
            self.records.resize_with(pipe.slot + 1, Record::default);
        }
        self.records[pipe.slot] = Record { taps, ..Record::default() };
    }

    /// Notes that a pipe begins on another machine, and whether it leads to a segment.
    pub fn comes_from_away(&mut self, pipe: PipeSlot, to_segment: bool) {
        self.records[pipe.slot].coming = Some(Box::new(FromAway::new(to_segment)));
    }

    /// Records that frames of a pipe have left its line for another machine.
    #[inline]
    pub fn sent(&mut self, pipe: PipeSlot, passage: &Passage, info: &FrameInfo) {
        if let Some(writer) = &mut self.watch_writer {
            writer.sent(pipe.slot, passage, info);
        }
    }

    /// Records that frames of a pipe have come from another machine. Their release and whatever
    /// depends on it are known within `bound`.
    #[inline]
    pub fn came(&mut self, pipe: PipeSlot, at: Came, bound: Duration, seen: &Delivery<PipeFrame>) {
        let Some(coming) = &mut self.records[pipe.slot].coming else { return };
        coming.note(at, seen.release, bound);
        if let (true, Some(writer)) = (coming.to_segment, &mut self.watch_writer) {
            let late = (at.read.since(seen.release), seen.passage.shift + bound);
            let (missed, frames) = (at.missed(seen.release), seen.info.frames().into());
            writer.came((pipe.slot, pipe.id), at.read, late, missed, frames);
        }
    }

    /// Records that frames from another machine, released at `release` and later, have waited for
    /// the word of a cut. Those that leave the network are late when they do.
    /// Those that enter a segment do so at their times, whenever that is: the first stands for all.
    #[cold]
    pub fn waited(&mut self, pipe: PipeSlot, at: Came, release: Time) {
        let Some(coming) = &mut self.records[pipe.slot].coming else { return };
        let missed = at.missed(release);
        coming.missed = coming.missed.max(missed.then_some(release));
        if let (true, Some(writer)) = (coming.to_segment, &mut self.watch_writer)
            && release < at.read
        {
            let late = (at.read.since(release), coming.bound());
            writer.came((pipe.slot, pipe.id), at.read, late, missed, 1);
        }
    }

    /// Removes a link's pipe, and returns its captures.
    pub fn close(&mut self, pipe: PipeSlot) -> Taps {
        std::mem::take(&mut self.records[pipe.slot]).taps
    }

    /// Returns the captures of a pipe's frames.
    pub fn taps(&mut self, pipe: PipeSlot) -> &mut Taps {
        &mut self.records[pipe.slot].taps
    }

    /// Returns the number of frames that entered the pipe since the last call.
    pub fn take_offered(&mut self, pipe: PipeSlot) -> u64 {
        std::mem::take(&mut self.records[pipe.slot].offered)
    }

    /// Whether there is a frame log.
    #[inline]
    pub fn has_log(&self) -> bool {
        self.log.is_some()
    }

    /// Begins a log, at first without pipes. Returns `false` if there is a log already.
    pub fn begin_log(&mut self, sink: LogSink) -> bool {
        let is_first = self.log.is_none();
        if is_first {
            self.log = Some(sink);
        }
        is_first
    }

    /// Logs the events of a pipe from now on.
    pub fn log_pipe(&mut self, pipe: PipeSlot, number: u32) {
        self.records[pipe.slot].logged_as = Some(number);
    }

    pub fn end_log(&mut self) {
        self.log = None;
        self.records.iter_mut().for_each(|record| record.logged_as = None);
    }

    /// Logs the result of a delivery that has left the network.
    pub fn log_hand_over(
        &mut self,
        pipe: PipeSlot,
        number: u64,
        info: &FrameInfo,
        outcome: Occurrence,
    ) {
        let logged_as = self.records[pipe.slot].logged_as;
        if let (Some(log), Some(logged_as)) = (&mut self.log, logged_as) {
            log.put(logged_as, FrameEvent::new(number, self.left_at, info, outcome));
        }
    }

    /// Counts frames that were lost between a device and a pipe, outside the model.
    #[cold]
    pub fn lost_at_device(&mut self, pipe: PipeSlot, loss: Loss, frames: u64) {
        self.counters.unmodelled.count(loss, frames);
        if let Some(writer) = &mut self.watch_writer {
            writer.lost(pipe.id, self.clock.now(), loss, frames);
        }
    }

    /// Captures a frame that leaves a pipe at `at`.
    #[inline]
    fn show_exit(&mut self, pipe: PipeSlot, at: Time, delivery: &Delivery<PipeFrame>) {
        let exit = &mut self.records[pipe.slot].taps.exit;
        if !exit.is_empty() {
            let note = mark(&delivery.passage);
            show(exit, at, CaptureDirection::Inbound, note, &delivery.frame);
        }
    }
}

impl Observer<PipeFrame> for Recorder {
    #[inline]
    fn entered(&mut self, pipe: PipeSlot, at: Time, frame: &PipeFrame) {
        let entry = &mut self.records[pipe.slot].taps.entry;
        if !entry.is_empty() {
            show(entry, at, CaptureDirection::Outbound, CaptureNote::None, frame);
        }
    }

    #[inline]
    fn offered(&mut self, pipe: PipeSlot, _info: &FrameInfo) {
        self.records[pipe.slot].offered += 1;
        if let Some(writer) = &mut self.watch_writer {
            writer.handled(pipe.slot);
        }
    }

    #[inline]
    fn dropped(&mut self, pipe: PipeSlot, at: Time, reason: DropReason, frame: &PipeFrame) {
        let Taps { entry, exit } = &mut self.records[pipe.slot].taps;
        if !entry.is_empty() || !exit.is_empty() {
            let note = CaptureNote::Dropped(reason);
            show(entry, at, CaptureDirection::Outbound, note, frame);
            show(exit, at, CaptureDirection::Inbound, note, frame);
        }
    }

    /// Records that a frame leaves now. Its lateness is the time since its release, plus the part
    /// that its pipe attributes to frames that were read late.
    #[inline]
    fn delivered(&mut self, pipe: PipeSlot, delivery: &Delivery<PipeFrame>) {
        let now = self.clock.now();
        self.left_at = now;
        let late = now.since(delivery.release);
        let Delivery { passage, info, .. } = delivery;
        let coming = &self.records[pipe.slot].coming;
        let bound = coming.as_ref().map_or(Duration::ZERO, |coming| coming.bound());
        let early = passage.shift + bound;
        self.counters.lateness.record(late + early, info.frames().into());
        if let Some(writer) = &mut self.watch_writer {
            let origin = match coming {
                None => Origin::Line(passage),
                Some(coming) => Origin::Tunnel { in_time: coming.missed < Some(delivery.release) },
            };
            writer.left((pipe.slot, pipe.id), now, (late, early), origin, info);
        }
        self.show_exit(pipe, now, delivery);
    }

    #[inline]
    fn forwarded(&mut self, pipe: PipeSlot, delivery: &Delivery<PipeFrame>) {
        if let Some(writer) = &mut self.watch_writer {
            match &self.records[pipe.slot].coming {
                None => writer.forwarded(pipe.slot, &delivery.passage, &delivery.info),
                // Its lateness was recorded as it came.
                Some(_) => writer.passed(pipe.slot, &delivery.info),
            }
        }
        self.show_exit(pipe, delivery.release, delivery);
    }

    #[inline]
    fn settled(&mut self, slot: PipeSlot, pipe: &mut Pipe<PipeFrame>) {
        if let Some(log) = &mut self.log
            && let Some(number) = self.records[slot.slot].logged_as
        {
            while let Some(event) = pipe.poll_event() {
                log.put(number, event);
            }
        }
    }

    #[cold]
    fn lost(&mut self, pipe: PipeSlot, loss: FabricLoss, frames: u64) {
        let loss = match loss {
            FabricLoss::Malformed => Loss::Malformed,
            FabricLoss::NoMemory => Loss::NoMemory,
            FabricLoss::Unplugged => Loss::DeviceGone,
        };
        self.lost_at_device(pipe, loss, frames);
    }
}

/// Sends `frame` to all captures, and removes those whose readers are gone.
#[cold]
fn show(
    sinks: &mut Vec<CaptureSink>,
    time: Time,
    direction: CaptureDirection,
    note: CaptureNote,
    frame: &PipeFrame,
) {
    sinks.retain(|sink| sink.copy(time, direction, note, &frame.0));
}

/// Returns the note of a capture about a frame that arrives.
fn mark(passage: &Passage) -> CaptureNote {
    if passage.marked { CaptureNote::Marked } else { CaptureNote::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_as_uncertain_as_its_clock_was_when_it_came() {
        let (at, micros) = (Time::from_nanos, Duration::from_micros);
        let came = |now| Came { arrived: None, read: at(now) };
        let mut coming = FromAway::new(false);
        // It is released at 50,000; meanwhile the clock is known better.
        coming.note(came(10), at(50_000), micros(200));
        for now in (1000..50_000).step_by(1000) {
            coming.note(came(now), at(now + 40_000), micros(50));
            assert_eq!(coming.bound(), micros(200), "{now}");
        }
        for now in (60_000..400_000).step_by(1000) {
            coming.note(came(now), at(now + 40_000), micros(50));
        }
        assert_eq!(coming.bound(), micros(50));
    }

    #[test]
    fn a_frame_that_only_waited_here_has_not_missed_its_release() {
        let at = Time::from_nanos;
        let mut coming = FromAway::new(false);
        for (arrived, missed) in [(None, None), (Some(at(100)), None), (Some(at(101)), Some(100))] {
            coming.note(Came { arrived, read: at(500) }, at(100), Duration::ZERO);
            assert_eq!(coming.missed, missed.map(at), "{arrived:?}");
        }
    }
}
