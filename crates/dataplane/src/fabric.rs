//! What a worker owns: devices, pipes and switches, and the frames on their way between them.
//! How links come and go is in `joining`. Not here: waiting and commands (`worker`), what a pipe does to a
//! frame (`netloom-link`), where a switch sends it (`switch`), and everything about VLANs (`vlan`).

mod joining;

use std::collections::VecDeque;
use std::io;

use netloom_link::{
    Delivery, DropReason, Forward, FrameEvent, FrameInfo, LinkState, Occurrence, Passage, Pipe,
    PipeChange, Vid,
};
use netloom_ports::{
    Frame, FrameBuffer, FrameDevice, HEADER_BYTES, Pool, SendError, Shape, SuperFrame, split,
};
use netloom_units::{Duration, Time};

use crate::balance::{LinkLoad, Load};
use crate::capture::{CaptureDirection, CaptureNote, CaptureSink};
use crate::carried::Carried;
use crate::frame_log::LogSink;
use crate::switch::{NO_LANE, Switch};
use crate::timers::Timers;
use crate::timing::{Counters, DeviceFailure};
use crate::tree::{Admission, Trees};
use crate::vlan::{Interfaces, Tagged, VlanSwitch};
use crate::watch::{Loss, Spotter};
use crate::{Clock, PipeId};
use joining::Places;
pub(crate) use joining::{Parts, Refused};

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
    /// Whether there is a link; its place is kept for another one otherwise.
    pub live: bool,
    pub pipe: Pipe<Carried>,
    pub source: Place,
    pub target: Place,
    pub shown: Shown,
    /// Frames that entered the pipe, a super-frame that is not split as one, since that was last asked for.
    pub entered: u64,
}

/// Who sees the frames of a lane.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// What enters at the source.
    pub entry: Vec<CaptureSink>,
    /// What leaves at the target.
    pub exit: Vec<CaptureSink>,
}

/// What a lane begins or ends at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Device(usize),
    Switch {
        switch: usize,
        port: usize,
    },
    /// Where VLAN tags matter.
    Tagged(Tagged),
}

/// A device and the lane that its frames enter.
pub(crate) struct Port {
    pub device: Box<dyn FrameDevice>,
    pub lane: usize,
    /// The VLAN of a sub-interface.
    pub vlan: Option<Vid>,
    pub alive: bool,
}

/// A frame that left one pipe for another.
struct Hop {
    lane: usize,
    at: Time,
    /// How much earlier it might have been there.
    unseen: Duration,
    frame: Frame,
}

pub(crate) struct Fabric {
    pub lanes: Vec<Lane>,
    pub ports: Vec<Port>,
    pub interfaces: Vec<Interfaces>,
    pub switches: Vec<Switch>,
    pub vlan_switches: Vec<VlanSwitch>,
    /// Of switches that run one.
    pub trees: Trees,
    places: Places,
    pub timers: Timers,
    pub counters: Counters,
    log: Option<LogSink>,
    /// Tells a monitor.
    pub spotter: Option<Spotter>,
    pub clock: Clock,
    pub pool: Pool,
    buffer: FrameBuffer,
    hops: VecDeque<Hop>,
    /// For how long frames that enter a lane now may have been there unseen.
    pub unseen: Duration,
}

impl Fabric {
    /// Without any link.
    pub fn new(clock: Clock, frame_memory: usize) -> Self {
        Self {
            timers: Timers::default(),
            lanes: Vec::new(),
            ports: Vec::new(),
            interfaces: Vec::new(),
            switches: Vec::new(),
            vlan_switches: Vec::new(),
            trees: Trees::default(),
            places: Places::default(),
            counters: Counters::default(),
            log: None,
            spotter: None,
            clock,
            pool: Pool::new(frame_memory),
            buffer: FrameBuffer::default(),
            hops: VecDeque::new(),
            unseen: Duration::ZERO,
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
        let (lane, vlan) = (self.ports[port].lane, self.ports[port].vlan);
        for index in 0..READ_FRAMES {
            if bytes >= READ_BYTES {
                break;
            }
            match self.ports[port].device.receive(&mut self.buffer) {
                Ok(true) => {
                    let arrival = if index == 0 { seen } else { self.clock.now() };
                    bytes += self.buffer.filled();
                    self.arrived(lane, vlan, arrival);
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
        self.grow_trees(now);
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
            self.tell_trees(*lane & !1, now);
            self.settle(*lane, now);
        }
    }

    /// Logs from now on what happens to the frames in `lanes`; `false` if there is a log already.
    pub fn log(&mut self, lanes: &[usize], sink: LogSink) -> bool {
        let first = self.log.is_none();
        if first {
            lanes.iter().for_each(|lane| self.lanes[*lane].pipe.record_events(true));
            self.log = Some(sink);
        }
        first
    }

    /// What links have given to do since this was last asked.
    pub fn take_load(&mut self) -> Load {
        let may_move =
            |place: &Place| matches!(place, Place::Device(port) if self.ports[*port].alive);
        let links =
            self.lanes.chunks_exact(2).filter(|lanes| lanes[0].live).map(|lanes| LinkLoad {
                link: lanes[0].id.link,
                frames: lanes.iter().map(|lane| lane.entered).sum(),
                may_move: may_move(&lanes[0].source) && may_move(&lanes[0].target),
            });
        let load = Load { links: links.collect(), logs: self.log.is_some() };
        self.lanes.iter_mut().for_each(|lane| lane.entered = 0);
        load
    }

    /// Logs no more; what has happened so far is in the log.
    pub fn end_log(&mut self) {
        for lane in 0..self.lanes.len() {
            self.log_events(lane);
            self.lanes[lane].pipe.record_events(false);
        }
        self.log = None;
    }

    /// What is in the device buffer enters `lane`, with a tag if it comes from a sub-interface.
    #[inline]
    fn arrived(&mut self, lane: usize, vlan: Option<Vid>, now: Time) {
        if self.buffer.filled() < HEADER_BYTES {
            return self.lost(lane, Loss::Malformed, 1);
        }
        match (self.pool.take(&mut self.buffer), vlan) {
            (Some(frame), None) => self.enter(lane, now, now, frame),
            (Some(frame), Some(vlan)) => self.enter_tagged(lane, vlan, now, frame),
            (None, _) => self.lost(lane, Loss::NoMemory, 1),
        }
    }

    /// `frame` enters `lane` at `at`, which may be a little before `now`.
    pub fn enter(&mut self, lane: usize, at: Time, now: Time, frame: Frame) {
        let shape = frame.shape();
        if shape.is_ok() && !self.lanes[lane].shown.entry.is_empty() {
            show(
                &mut self.lanes[lane].shown.entry,
                at,
                CaptureDirection::Outbound,
                CaptureNote::None,
                &frame,
            );
        }
        match shape {
            Ok(Shape::Single(length)) => self.offer(lane, at, FrameInfo::single(length), frame),
            Ok(Shape::Super(layout)) => self.enter_super(lane, at, &layout, frame),
            Err(_) => {
                self.lost(lane, Loss::Malformed, 1);
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
                None => self.lost(lane, Loss::NoMemory, count.into()),
            }
        }
        self.pool.recycle(frame);
    }

    #[inline]
    fn offer(&mut self, lane: usize, at: Time, info: FrameInfo, frame: Frame) {
        if let Some(spotter) = &mut self.spotter {
            spotter.handled(lane);
        }
        self.lanes[lane].entered += 1;
        let (pipe, unseen) = (&mut self.lanes[lane].pipe, self.unseen);
        if let Err(rejected) = pipe.offer_late(at, unseen, info, Carried(frame)) {
            self.dropped(lane, at, rejected.reason, rejected.frame.0);
        }
    }

    /// Takes from `lane` what has arrived or was dropped, and sets its timer anew.
    #[inline]
    fn settle(&mut self, lane: usize, now: Time) {
        while let Some(delivery) = self.lanes[lane].pipe.poll(now) {
            match self.lanes[lane].target {
                Place::Device(port) => self.hand_over(lane, port, delivery),
                Place::Switch { switch, port } => self.forward(lane, switch, port, delivery),
                Place::Tagged(place) => self.arrive(lane, place, delivery),
            }
        }
        while let Some(dropped) = self.lanes[lane].pipe.poll_dropped() {
            self.dropped(lane, dropped.at, dropped.reason, dropped.frame.0);
        }
        if self.log.is_some() {
            self.log_events(lane);
        }
        if let Some(deadline) = self.lanes[lane].pipe.next_deadline() {
            self.timers.schedule(lane, deadline);
        }
    }

    /// A frame goes to the interface at the end of its link.
    #[inline]
    fn hand_over(&mut self, lane: usize, port: usize, delivery: Delivery<Carried>) {
        let now = self.leave(lane, &delivery);
        self.send(lane, port, now, delivery);
    }

    /// A frame leaves its link, now. It is late by what it left after its release, and by what that was
    /// late because frames were seen late.
    #[inline(always)]
    pub fn leave(&mut self, lane: usize, delivery: &Delivery<Carried>) -> Time {
        let now = self.clock.now();
        let late = now.since(delivery.release) + delivery.passage.shift;
        let frames = delivery.info.frames();
        self.counters.lateness.record(late, frames.into());
        if let Some(spotter) = &mut self.spotter {
            spotter.left(lane, self.lanes[lane].id, now, late, &delivery.info);
        }
        self.show_exit(lane, now, delivery);
        now
    }

    /// A frame that has left its link is written to a device.
    #[inline(always)]
    pub fn send(&mut self, lane: usize, port: usize, now: Time, delivery: Delivery<Carried>) {
        let Delivery { frame: Carried(frame), info, passage, release } = delivery;
        let frames = u64::from(info.frames());
        let mut outcome = Occurrence::HandedOver;
        if !self.ports[port].alive {
            self.lost(lane, Loss::DeviceGone, frames);
            outcome = Occurrence::Refused;
        } else if let Err(error) = self.ports[port].device.send(&frame) {
            self.refused(lane, port, frames, &error);
            outcome = Occurrence::Refused;
        }
        if outcome == Occurrence::Refused {
            self.lanes[lane].pipe.not_taken(&info, release);
        }
        if self.log.is_some() {
            self.log_hand_over(lane, &FrameEvent::new(passage.number, now, &info, outcome));
        }
        self.pool.recycle(frame);
    }

    /// The pipe of `lane` dropped a frame.
    #[inline]
    fn dropped(&mut self, lane: usize, at: Time, reason: DropReason, frame: Frame) {
        let shown = &mut self.lanes[lane].shown;
        if !shown.entry.is_empty() || !shown.exit.is_empty() {
            let note = CaptureNote::Dropped(reason);
            show(&mut shown.entry, at, CaptureDirection::Outbound, note, &frame);
            show(&mut shown.exit, at, CaptureDirection::Inbound, note, &frame);
        }
        self.pool.recycle(frame);
    }

    /// Takes over what has happened in `lane`.
    #[cold]
    fn log_events(&mut self, lane: usize) {
        let (Some(log), lane) = (&mut self.log, &mut self.lanes[lane]) else { return };
        while let Some(event) = lane.pipe.poll_event() {
            log.put(lane.id.index() as u32, event);
        }
    }

    /// How a delivery of `lane` went, after all that the pipe did before.
    #[cold]
    fn log_hand_over(&mut self, lane: usize, event: &FrameEvent) {
        self.log_events(lane);
        if let (Some(log), true) = (&mut self.log, self.lanes[lane].pipe.records_events()) {
            log.put(self.lanes[lane].id.index() as u32, *event);
        }
    }

    /// Frames on their way into or out of `lane` are lost outside the model.
    #[cold]
    pub fn lost(&mut self, lane: usize, loss: Loss, frames: u64) {
        self.counters.unmodelled.count(loss, frames);
        if let Some(spotter) = &mut self.spotter {
            spotter.lost(self.lanes[lane].id, self.clock.now(), loss, frames);
        }
    }

    #[cold]
    fn refused(&mut self, lane: usize, port: usize, frames: u64, error: &SendError) {
        match error {
            SendError::Full => self.lost(lane, Loss::DeviceFull, frames),
            SendError::InterfaceDown => self.counters.interface_down += frames,
            SendError::Rejected(_) => self.lost(lane, Loss::Rejected, frames),
            SendError::Gone(source) => {
                self.lost(lane, Loss::DeviceGone, frames);
                self.fail(port, source);
            }
        }
    }

    #[cold]
    fn fail(&mut self, port: usize, error: &io::Error) {
        let port = &mut self.ports[port];
        if port.alive {
            port.alive = false;
            // What a device sends enters the lane that begins at its end of the link.
            let PipeId { link, direction: end } = self.lanes[port.lane].id;
            let at = self.clock.now();
            self.counters.failures.push(DeviceFailure { link, end, at, error: error.to_string() });
        }
    }

    /// A frame reaches a switch. It enters the next pipe at the time it left the last, so that
    /// the engine's lateness does not add up from hop to hop.
    fn forward(&mut self, lane: usize, switch: usize, port: usize, delivery: Delivery<Carried>) {
        let unseen = self.pass(lane, &delivery);
        let Delivery { frame: Carried(frame), info, release, .. } = delivery;
        let tree = self.switches[switch].tree;
        let admission = match tree {
            Some(tree) => self.admit(tree, port, release, (&frame, &info)),
            None => Admission::Forwarded,
        };
        if admission == Admission::Kept {
            return self.pool.recycle(frame);
        }
        // The shape was checked on entry: there is an Ethernet header.
        let forward = self.switches[switch].decide(release, port, frame.start());
        if admission == Admission::Learned {
            return self.pool.recycle(frame);
        }
        let is_open = |trees: &Trees, out| tree.is_none_or(|tree| trees.forwards(tree, out));
        match forward {
            Forward::Port(out) if is_open(&self.trees, out) => {
                self.send_on(self.switches[switch].lane(out), release, unseen, frame);
            }
            Forward::Flood => {
                for out in (0..self.switches[switch].ports()).filter(|out| *out != port) {
                    let lane = self.switches[switch].lane(out);
                    if lane != NO_LANE && is_open(&self.trees, out) {
                        self.send_on(lane, release, unseen, frame.duplicate());
                    }
                }
                self.pool.recycle(frame);
            }
            Forward::Port(_) | Forward::Filter => self.pool.recycle(frame),
        }
    }

    /// A frame leaves its link for a switch, at the time of its release; how much earlier it might have.
    #[inline(always)]
    pub fn pass(&mut self, lane: usize, delivery: &Delivery<Carried>) -> Duration {
        if let Some(spotter) = &mut self.spotter {
            spotter.passed(lane, &delivery.info);
        }
        self.show_exit(lane, delivery.release, delivery);
        delivery.passage.shift
    }

    /// Captures see what leaves `lane` at `at`.
    #[inline(always)]
    fn show_exit(&mut self, lane: usize, at: Time, delivery: &Delivery<Carried>) {
        if !self.lanes[lane].shown.exit.is_empty() {
            let (sinks, note) = (&mut self.lanes[lane].shown.exit, mark(&delivery.passage));
            show(sinks, at, CaptureDirection::Inbound, note, &delivery.frame.0);
        }
    }

    /// `frame` is to enter `lane` at `at`; it might have been there earlier by the time that it was `unseen`.
    pub fn send_on(&mut self, lane: usize, at: Time, unseen: Duration, mut frame: Frame) {
        if self.pool.admit(&mut frame) {
            self.hops.push_back(Hop { lane, at, unseen, frame });
        } else {
            self.lost(lane, Loss::NoMemory, 1);
            self.pool.recycle(frame);
        }
    }

    fn hop(&mut self, now: Time) {
        let of_devices = self.unseen;
        for _ in 0..HOP_BUDGET {
            let Some(Hop { lane, at, unseen, frame }) = self.hops.pop_front() else { break };
            self.unseen = unseen;
            self.enter(lane, at, now, frame);
        }
        self.unseen = of_devices;
    }

    /// A switch forgets what is behind a link whose both directions (`lane` and the next) are
    /// down.
    fn forget_if_cut(&mut self, lane: usize) {
        let pair = &self.lanes[lane..=lane + 1];
        if pair.iter().all(|lane| lane.pipe.config().state == LinkState::Down) {
            for place in [pair[0].source, pair[1].source] {
                match place {
                    Place::Switch { switch, port } => self.switches[switch].forget(port),
                    Place::Tagged(Tagged::Port { switch, port }) => {
                        self.vlan_switches[switch].forget(port);
                    }
                    Place::Device(_) | Place::Tagged(Tagged::Interfaces(_)) => {}
                }
            }
        }
    }
}

/// Shows `frame` to every reader, and forgets readers that have gone.
#[cold]
fn show(
    sinks: &mut Vec<CaptureSink>,
    time: Time,
    direction: CaptureDirection,
    note: CaptureNote,
    frame: &Frame,
) {
    sinks.retain(|sink| sink.copy(time, direction, note, frame));
}

/// What a capture says of a frame that arrives.
fn mark(passage: &Passage) -> CaptureNote {
    if passage.marked { CaptureNote::Marked } else { CaptureNote::None }
}
