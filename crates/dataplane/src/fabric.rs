//! What a worker owns: devices, pipes and switches, and the frames on their way between them.
//! Not here: waiting and commands (`worker`), what a pipe does to a frame (`netloom-link`), and where
//! a switch sends it (`switch`).

use std::collections::VecDeque;
use std::io;

use netloom_link::{Delivery, Forward, FrameInfo, LinkState, Pipe, PipeChange};
use netloom_ports::{
    Frame, FrameBuffer, FrameDevice, HEADER_BYTES, Pool, SendError, Shape, SuperFrame, split,
};
use netloom_units::Time;

use crate::capture::{CaptureDirection, CaptureSink};
use crate::carried::Carried;
use crate::switch::Switch;
use crate::timers::Timers;
use crate::timing::{Counters, DeviceFailure};
use crate::{Clock, PipeId};

/// Frames and bytes read from one device before the others have their turn: some 20 µs of small
/// frames, some 40 µs of super-frames.
const READ_FRAMES: usize = 16;
const READ_BYTES: usize = 256 << 10;
/// Frames moved through switches before devices have their turn: a forwarding loop must not keep
/// a worker from everything else.
const HOP_BUDGET: usize = 1024;

/// A pipe and where it leads. Lanes 2k and 2k + 1 are the two directions of a link.
pub(crate) struct Lane {
    pub id: PipeId,
    pub pipe: Pipe<Carried>,
    pub source: Place,
    pub target: Place,
    /// Who sees what enters at the source.
    pub entry: Vec<CaptureSink>,
    /// Who sees what leaves at the target.
    pub exit: Vec<CaptureSink>,
}

/// What a lane begins or ends at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Device(usize),
    Switch { switch: usize, port: usize },
}

/// A device and the lane that its frames enter.
pub(crate) struct Port {
    pub device: Box<dyn FrameDevice>,
    pub lane: usize,
    pub link: usize,
    pub end: usize,
    pub alive: bool,
}

/// A frame that left one pipe for another.
struct Hop {
    lane: usize,
    at: Time,
    frame: Frame,
}

pub(crate) struct Fabric {
    pub lanes: Vec<Lane>,
    pub ports: Vec<Port>,
    pub switches: Vec<Switch>,
    pub timers: Timers,
    pub counters: Counters,
    clock: Clock,
    pool: Pool,
    buffer: FrameBuffer,
    hops: VecDeque<Hop>,
}

impl Fabric {
    pub fn new(
        clock: Clock,
        frame_memory: usize,
        lanes: Vec<Lane>,
        ports: Vec<Port>,
        switches: Vec<Switch>,
    ) -> Self {
        Self {
            timers: Timers::new(lanes.len()),
            lanes,
            ports,
            switches,
            counters: Counters::default(),
            clock,
            pool: Pool::new(frame_memory),
            buffer: FrameBuffer::default(),
            hops: VecDeque::new(),
        }
    }

    /// Whether frames wait that need no event to go on.
    pub fn has_work(&self) -> bool {
        !self.hops.is_empty()
    }

    /// Reads what the device of `port` has, up to a budget, and moves it on. Frames that come due
    /// meanwhile are released.
    ///
    /// The device was `seen` to have something at that time: its first frame arrived then at the
    /// latest, and what it costs to read it is not the link's. All others arrive when they are read.
    ///
    /// # Errors
    /// The device failed; it is not alive any more.
    pub fn read(&mut self, port: usize, seen: Time) -> Result<(), io::Error> {
        let mut bytes = 0;
        for index in 0..READ_FRAMES {
            if bytes >= READ_BYTES {
                break;
            }
            match self.ports[port].device.receive(&mut self.buffer) {
                Ok(true) => {
                    let arrival = if index == 0 { seen } else { self.clock.now() };
                    bytes += self.buffer.filled();
                    self.arrived(self.ports[port].lane, arrival);
                    self.release(arrival);
                }
                Ok(false) => break,
                Err(error) => {
                    self.fail(port, &error);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Delivers every frame that is due at `now`, and moves on what waits between pipes.
    #[inline]
    pub fn release(&mut self, now: Time) {
        while let Some(lane) = self.timers.pop_due(now) {
            self.settle(lane, now);
        }
        if !self.hops.is_empty() {
            self.hop(now);
        }
    }

    /// Applies `changes` at `now`, all of them before any frame moves.
    pub fn change(&mut self, now: Time, changes: &[(usize, PipeChange)]) {
        for (lane, change) in changes {
            self.lanes[*lane].pipe.change(now, change);
        }
        for (lane, _) in changes {
            self.forget_if_cut(*lane & !1);
            self.settle(*lane, now);
        }
    }

    /// What is in the device buffer enters `lane`.
    fn arrived(&mut self, lane: usize, now: Time) {
        if self.buffer.filled() < HEADER_BYTES {
            self.counters.unmodelled.malformed += 1;
            return;
        }
        match self.pool.take(&mut self.buffer) {
            Some(frame) => self.enter(lane, now, now, frame),
            None => self.counters.unmodelled.no_memory += 1,
        }
    }

    /// `frame` enters `lane` at `at`, which may be a little before `now`.
    fn enter(&mut self, lane: usize, at: Time, now: Time, frame: Frame) {
        let shape = frame.shape();
        if shape.is_ok() && !self.lanes[lane].entry.is_empty() {
            show(&mut self.lanes[lane].entry, at, CaptureDirection::Outbound, &frame);
        }
        match shape {
            Ok(Shape::Single(length)) => self.offer(lane, at, FrameInfo::single(length), frame),
            Ok(Shape::Super(layout)) => self.enter_super(lane, at, &layout, frame),
            Err(_) => {
                self.counters.unmodelled.malformed += 1;
                self.pool.recycle(frame);
            }
        }
        self.settle(lane, now);
    }

    /// A super-frame enters in as large pieces as the pipe allows.
    fn enter_super(&mut self, lane: usize, at: Time, layout: &SuperFrame, frame: Frame) {
        let (frames, full, last) = (layout.frames(), layout.full(), layout.last());
        let info = FrameInfo::coalesced(frames, full, last);
        let together = self.lanes[lane].pipe.coalesce(at, &info);
        if together >= frames {
            return self.offer(lane, at, info, frame);
        }
        for first in (0..frames).step_by(together as usize) {
            let count = together.min(frames - first);
            let length = if first + count == frames { last } else { full };
            match split(&frame, layout, first, count, &mut self.pool) {
                Some(piece) => {
                    self.offer(lane, at, FrameInfo::coalesced(count, full, length), piece);
                }
                None => self.counters.unmodelled.no_memory += u64::from(count),
            }
        }
        self.pool.recycle(frame);
    }

    #[inline]
    fn offer(&mut self, lane: usize, at: Time, info: FrameInfo, frame: Frame) {
        if let Err(rejected) = self.lanes[lane].pipe.offer(at, info, Carried(frame)) {
            self.pool.recycle(rejected.frame.0);
        }
    }

    /// Takes from `lane` what has arrived or was dropped, and sets its timer anew.
    #[inline]
    fn settle(&mut self, lane: usize, now: Time) {
        while let Some(delivery) = self.lanes[lane].pipe.poll(now) {
            match self.lanes[lane].target {
                Place::Device(port) => self.hand_over(lane, port, delivery),
                Place::Switch { switch, port } => self.forward(lane, switch, port, delivery),
            }
        }
        while let Some(dropped) = self.lanes[lane].pipe.poll_dropped() {
            self.pool.recycle(dropped.frame.0);
        }
        if let Some(deadline) = self.lanes[lane].pipe.next_deadline() {
            self.timers.schedule(lane, deadline);
        }
    }

    /// A frame goes to the interface at the end of its link.
    #[inline]
    fn hand_over(&mut self, lane: usize, port: usize, delivery: Delivery<Carried>) {
        let now = self.clock.now();
        let Delivery { frame: Carried(frame), info, release, .. } = delivery;
        let frames = u64::from(info.frames());
        self.counters.lateness.record(now.since(release), frames);
        if !self.lanes[lane].exit.is_empty() {
            show(&mut self.lanes[lane].exit, now, CaptureDirection::Inbound, &frame);
        }
        if !self.ports[port].alive {
            self.counters.unmodelled.device_gone += frames;
        } else if let Err(error) = self.ports[port].device.send(&frame) {
            self.refused(port, frames, &error);
        }
        self.pool.recycle(frame);
    }

    #[cold]
    fn refused(&mut self, port: usize, frames: u64, error: &SendError) {
        match error {
            SendError::Full => self.counters.unmodelled.device_full += frames,
            SendError::InterfaceDown => self.counters.interface_down += frames,
            SendError::Rejected(_) => self.counters.unmodelled.rejected += frames,
            SendError::Gone(source) => {
                self.counters.unmodelled.device_gone += frames;
                self.fail(port, source);
            }
        }
    }

    #[cold]
    fn fail(&mut self, port: usize, error: &io::Error) {
        let port = &mut self.ports[port];
        if port.alive {
            port.alive = false;
            let (link, end, at) = (port.link, port.end, self.clock.now());
            self.counters.failures.push(DeviceFailure { link, end, at, error: error.to_string() });
        }
    }

    /// A frame reaches a switch. It enters the next pipe at the time it left the last, so that
    /// the engine's lateness does not add up from hop to hop.
    fn forward(&mut self, lane: usize, switch: usize, port: usize, delivery: Delivery<Carried>) {
        let Delivery { frame: Carried(frame), release, .. } = delivery;
        if !self.lanes[lane].exit.is_empty() {
            show(&mut self.lanes[lane].exit, release, CaptureDirection::Inbound, &frame);
        }
        // The shape was checked on entry: there is an Ethernet header.
        match self.switches[switch].decide(release, port, frame.start()) {
            Forward::Port(out) => self.send_on(self.switches[switch].lane(out), release, frame),
            Forward::Flood => {
                for out in (0..self.switches[switch].ports()).filter(|out| *out != port) {
                    self.send_on(self.switches[switch].lane(out), release, frame.duplicate());
                }
                self.pool.recycle(frame);
            }
            Forward::Filter => self.pool.recycle(frame),
        }
    }

    /// `frame` is to enter `lane` at `at`.
    fn send_on(&mut self, lane: usize, at: Time, mut frame: Frame) {
        if self.pool.admit(&mut frame) {
            self.hops.push_back(Hop { lane, at, frame });
        } else {
            self.counters.unmodelled.no_memory += 1;
            self.pool.recycle(frame);
        }
    }

    fn hop(&mut self, now: Time) {
        for _ in 0..HOP_BUDGET {
            let Some(Hop { lane, at, frame }) = self.hops.pop_front() else { return };
            self.enter(lane, at, now, frame);
        }
    }

    /// A switch forgets what is behind a link whose both directions (`lane` and the next) are
    /// down.
    fn forget_if_cut(&mut self, lane: usize) {
        let pair = &self.lanes[lane..=lane + 1];
        if pair.iter().all(|lane| lane.pipe.config().state == LinkState::Down) {
            for place in [pair[0].source, pair[1].source] {
                if let Place::Switch { switch, port } = place {
                    self.switches[switch].forget(port);
                }
            }
        }
    }
}

/// Shows `frame` to every reader, and forgets readers that have gone.
#[cold]
fn show(sinks: &mut Vec<CaptureSink>, time: Time, direction: CaptureDirection, frame: &Frame) {
    sinks.retain(|sink| sink.copy(time, direction, frame));
}
