//! The network: pipes, segments and ports, and the frames between them. `entering` puts frames into
//! pipes, `crossing` exchanges them with other networks, `joining` inserts and removes links, and
//! `media` has what concerns shared media. `netloom-link` implements pipes, and `segment` decides
//! where a switch sends a frame.

mod attachment;
mod crossing;
mod entering;
mod joining;
mod media;

use std::collections::{BTreeMap, VecDeque};

use netloom_link::{Announced, Cut, Delivery, FrameInfo, Inlet, Pipe, PipeChange, Vid};
use netloom_units::{Duration, Time};

use crate::segment::{Arrival, Hop, LinkView, Outputs};
use crate::timers::Timers;
use crate::{
    Frame, LinkId, Loss, Memory, Observer, PipeId, PipeSlot, PortId, Segment, SegmentEnd, SegmentId,
};
use attachment::{Attachment, Home, TrunkPorts};

/// Number of frames that may move through segments before [`Network::poll`] returns `None`. A
/// forwarding loop must not keep the caller from other work.
const HOP_BUDGET: usize = 1024;

/// A network of pipes and segments, a state machine in virtual time.
///
/// [`join`](Self::join) inserts links. After that, whenever a frame arrives at a port or
/// [`next_deadline`](Self::next_deadline) is reached:
///
/// 1. [`offer`](Self::offer) the frame, if there is one;
/// 2. [`poll`](Self::poll) until it returns `None`, and take the frames that it delivers; then, if
///    ends of links are away, [`poll_sent`](Self::poll_sent) and [`poll_cut`](Self::poll_cut)
///    likewise;
/// 3. if [`has_work`](Self::has_work), do so again soon, because frames can move on without an
///    event; otherwise wait until [`next_deadline`](Self::next_deadline) or the next frame.
///
/// A `now` may be earlier than the last one, at most by the caller's own lateness. The times of
/// polls do not affect the decisions of pipes. Only the times at which frames are offered do.
///
/// ```
/// use netloom_fabric::{Link, LinkEnd, LinkId, Network, PortId, testing::{TestFrame, TestMemory}};
/// use netloom_link::{Direction, Pipe, PipeChange, PipeConfig, Stream};
/// use netloom_units::{Duration, Time};
///
/// // Two ports, 5 ms apart.
/// let mut config = PipeConfig::default();
/// config.delay = Duration::from_millis(5).into();
/// let pipe = |direction| {
///     Pipe::new(config.clone(), Stream::of_pipe(1, "a-b", direction), Time::ZERO)
/// };
/// let mut network = Network::new(TestMemory::default(), ());
/// let ends = [LinkEnd::Port(PortId(0)), LinkEnd::Port(PortId(1))];
/// let link = Link { ends, pipes: Direction::BOTH.map(pipe) };
/// network.join(LinkId(0), link, Time::ZERO);
///
/// network.offer(PortId(0), Time::ZERO, TestFrame::of_bytes(&[0; 100]));
/// assert!(network.poll(Time::ZERO).is_none());
/// let due = network.next_deadline().unwrap();
/// assert_eq!(due, Time::ZERO + Duration::from_millis(5));
/// let delivered = network.poll(due).unwrap();
/// assert_eq!(delivered.port, PortId(1));
/// ```
#[derive(Debug)]
pub struct Network<M: Memory, O> {
    memory: M,
    observer: O,
    /// Slots 2k and 2k + 1 are the two directions of a link.
    slots: Vec<Option<Slot<M::Frame>>>,
    /// First slots of links that have been removed.
    free_slots: Vec<usize>,
    /// The first slot of each link.
    links: BTreeMap<LinkId, usize>,
    ports: Vec<Option<DevicePort>>,
    trunks: Vec<TrunkPorts>,
    free_trunks: Vec<usize>,
    segments: Vec<Option<Home<M>>>,
    free_segments: Vec<usize>,
    homes: BTreeMap<SegmentId, usize>,
    pipe_timers: Timers,
    segment_timers: Timers,
    /// Slots of pipes that may have frames to deliver, each with the time up to which they do.
    unsettled: VecDeque<(usize, Time)>,
    hops: VecDeque<Hop<M::Frame>>,
    /// Frames that have left the lines of pipes to ends that are away.
    sent: VecDeque<(PipeSlot, Announced<M::Frame>)>,
    /// Cuts of such pipes.
    cuts: VecDeque<(PipeSlot, Cut)>,
    /// Number of frames that may still hop before `poll` returns.
    hops_left: usize,
    uncertainty: Duration,
    /// Buffers that are kept to reuse their memory.
    pieces: Vec<(FrameInfo, Option<M::Frame>)>,
    lost: Vec<usize>,
}

/// A pipe and its ends.
#[derive(Debug)]
struct Slot<F> {
    id: PipeSlot,
    /// The pipe. If its beginning is away, it only has the configuration.
    pipe: Pipe<F>,
    /// The far end of the pipe, if its beginning is away.
    inlet: Option<Box<Inlet<Delivery<F>>>>,
    source: Attachment,
    target: Attachment,
    /// Whether neither end is a segment.
    is_alone: bool,
    /// Whether a shared medium is at the far end.
    leads_to_medium: bool,
    /// Whether the interface at its beginning is down.
    is_source_down: bool,
}

/// A port of the network.
#[derive(Debug, Clone, Copy)]
struct DevicePort {
    /// The slot of the pipe that its frames enter.
    slot: usize,
    /// The VLAN of a sub-interface.
    vlan: Option<Vid>,
}

/// A frame that leaves the network.
#[derive(Debug)]
pub struct Delivered<F> {
    /// The port by which it leaves.
    pub port: PortId,
    /// The pipe that it comes out of.
    pub pipe: PipeSlot,
    /// The frame, and the details of its delivery.
    pub delivery: Delivery<F>,
}

impl<M: Memory + 'static, O: Observer<M::Frame>> Network<M, O> {
    /// Creates an empty network.
    pub fn new(memory: M, observer: O) -> Self {
        Self {
            memory,
            observer,
            slots: Vec::new(),
            free_slots: Vec::new(),
            links: BTreeMap::new(),
            ports: Vec::new(),
            trunks: Vec::new(),
            free_trunks: Vec::new(),
            segments: Vec::new(),
            free_segments: Vec::new(),
            homes: BTreeMap::new(),
            pipe_timers: Timers::default(),
            segment_timers: Timers::default(),
            unsettled: VecDeque::new(),
            hops: VecDeque::new(),
            sent: VecDeque::new(),
            cuts: VecDeque::new(),
            hops_left: HOP_BUDGET,
            uncertainty: Duration::ZERO,
            pieces: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Returns the memory that holds its frames.
    pub fn memory(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Returns the observer.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Returns the observer for a change.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Sets the uncertainty of arrivals: from now on, a frame may have reached its port up to
    /// `uncertainty` before it is offered. Pipes report how much of a delivery's lateness comes
    /// from it.
    pub fn set_uncertainty(&mut self, uncertainty: Duration) {
        self.uncertainty = uncertainty;
    }

    /// Returns the longest time before its offer at which a frame may have reached its port.
    pub fn uncertainty(&self) -> Duration {
        self.uncertainty
    }

    /// Returns whether frames wait between pipes and can move on without an event.
    #[inline]
    pub fn has_work(&self) -> bool {
        !self.hops.is_empty() || !self.unsettled.is_empty()
    }

    /// Returns the next time at which an event is due.
    #[inline]
    pub fn next_deadline(&mut self) -> Option<Time> {
        let pipes = self.pipe_timers.next();
        match self.segment_timers.next() {
            None => pipes,
            segments => pipes.into_iter().chain(segments).min(),
        }
    }

    /// Returns the pipe that frames from `port` enter.
    ///
    /// # Panics
    /// If no link has that port.
    #[inline]
    pub fn pipe_from(&self, port: PortId) -> PipeSlot {
        self.slot(self.port(port).slot).id
    }

    /// Returns the time at which to ask again if the pipe that frames from `port` enter makes them
    /// wait. It is at the latest the time at which its line takes the next frame. Returns `None` if
    /// the pipe accepts more frames or drops them.
    ///
    /// # Panics
    /// If no link has that port.
    #[inline]
    pub fn waits_for(&mut self, port: PortId, now: Time) -> Option<Time> {
        let slot = self.port(port).slot;
        let pipe = &mut self.slot_mut(slot).pipe;
        if !pipe.is_full(now) {
            return None;
        }
        pipe.next_line_end()
    }

    /// Offers a frame that arrives at `port`, which belongs to a link.
    #[inline]
    pub fn offer(&mut self, port: PortId, now: Time, frame: M::Frame) {
        let DevicePort { slot, vlan } = *self.port(port);
        match vlan {
            None => self.enter(slot, now, frame),
            Some(vlan) => self.enter_tagged(slot, vlan, now, frame),
        }
    }

    /// Returns the next frame that leaves the network at `now`. Returns `None` if nothing more is
    /// due. Also returns `None` after many frames have moved through segments, so that the caller
    /// can do other work; then there [is work](Self::has_work). Call it until it returns `None`
    /// before you offer the next frame.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Delivered<M::Frame>> {
        loop {
            if let Some((slot, at)) = self.unsettled.front().copied() {
                match self.settle(slot, at) {
                    None => self.unsettled.pop_front(),
                    delivered => return delivered,
                };
            } else if !self.hops.is_empty() {
                if !self.hop() {
                    return None;
                }
            } else if !self.wake_next(now) {
                self.hops_left = HOP_BUDGET;
                return None;
            }
        }
    }

    /// Runs the first pipe or segment that is due by `now`. Returns `false` if none is due.
    ///
    /// Each event happens at its own time and in order, however late it is polled. A frame enters a
    /// pipe behind a segment exactly when it left the last one, and in that order.
    #[inline]
    fn wake_next(&mut self, now: Time) -> bool {
        let segment = self.segment_timers.next();
        if segment.is_some_and(|at| self.pipe_timers.next().is_none_or(|pipe| at < pipe))
            && let Some((at, segment)) = self.segment_timers.pop_due(now)
        {
            self.with_segment(segment, (at, Duration::ZERO), |segment, out| {
                segment.handle_timeout(at, out);
            });
            return true;
        }
        let Some((at, slot)) = self.pipe_timers.pop_due(now) else { return false };
        // Nothing else enters a pipe between two ports meanwhile, so all due frames leave at once.
        let at = if self.slot(slot).is_alone { now } else { at };
        self.unsettled.push_back((slot, at));
        true
    }

    /// Applies `changes` at `now`, all of them before any frame moves. Ignores pipes that are not
    /// in this network.
    pub fn change(&mut self, now: Time, changes: &[(PipeId, PipeChange)]) {
        let mut changed = Vec::with_capacity(changes.len());
        for (pipe, change) in changes {
            let Some(first) = self.links.get(&pipe.link) else { continue };
            let slot = first + pipe.direction.index();
            self.change_pipe(slot, now, change);
            changed.push(slot);
        }
        for slot in changed {
            self.notify_segments(slot & !1, now);
            self.unsettled.push_back((slot, now));
        }
    }

    /// Sets the MTU of the interface at the far end of a pipe, if the pipe is in this network.
    pub fn set_receiver_mtu(&mut self, now: Time, pipe: PipeId, mtu: Option<u32>) {
        let Some(first) = self.links.get(&pipe.link) else { return };
        let slot = first + pipe.direction.index();
        self.slot_mut(slot).pipe.set_receiver_mtu(mtu);
        self.unsettled.push_back((slot, now));
    }

    /// Notes at `now` that the interface at end `end` of a link is up or down. A segment at the
    /// other end handles the link as one that is cut while it is down.
    pub fn set_end(&mut self, now: Time, link: LinkId, end: usize, up: bool) {
        let Some(first) = self.links.get(&link).copied() else { return };
        self.slot_mut(first + end).is_source_down = !up;
        self.notify_segments(first, now);
    }

    /// Restarts everything that changes by itself with time, as if it were configured at `now`. A
    /// run counts from this time.
    pub fn begin(&mut self, now: Time) {
        for index in 0..self.slots.len() {
            let Some(slot) = &mut self.slots[index] else { continue };
            slot.pipe.begin(now);
            self.unsettled.push_back((index, now));
        }
        for index in 0..self.segments.len() {
            self.with_segment(index, (now, Duration::ZERO), |segment, out| segment.begin(now, out));
        }
    }

    /// Records in the pipe's statistics that a device did not accept a delivered frame.
    pub fn not_taken(&mut self, pipe: PipeSlot, info: &FrameInfo, release: Time) {
        self.slot_mut(pipe.slot).pipe.not_taken(info, release);
    }

    /// Shows the observer the events in a pipe so far.
    pub fn show_events(&mut self, pipe: PipeSlot) {
        let Slot { id, pipe, .. } = occupied_mut(&mut self.slots, pipe.slot);
        self.observer.settled(*id, pipe);
    }

    /// Returns all pipes whose slots are at `from` or beyond, in the order of their slots.
    pub fn pipes(&mut self, from: usize) -> impl Iterator<Item = (PipeSlot, &mut Pipe<M::Frame>)> {
        let slots = self.slots.iter_mut().skip(from).flatten();
        slots.map(|slot| (slot.id, &mut slot.pipe))
    }

    /// Returns a pipe, if its link is in this network.
    pub fn pipe(&mut self, id: PipeId) -> Option<(PipeSlot, &mut Pipe<M::Frame>)> {
        let first = *self.links.get(&id.link)?;
        let slot = self.slot_mut(first + id.direction.index());
        Some((slot.id, &mut slot.pipe))
    }

    /// Returns the number of slots. All slots are below it.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Returns the ends of links that are ports of segments, with their states.
    pub fn segment_ends(&self) -> impl Iterator<Item = SegmentEnd> {
        self.segments.iter().flatten().flat_map(|home| {
            let ways = home.ways.iter().enumerate();
            ways.filter_map(|(port, way)| {
                // The pipe out of a port begins at the end of the link that is this port.
                let PipeId { link, direction } = self.slot((*way)?).id.id;
                let status = home.segment.port_status(port);
                Some(SegmentEnd { link, end: direction.index(), status })
            })
        })
    }

    /// Takes the due frames from a pipe, up to the first one that leaves the network. Sets the
    /// pipe's timer anew after the last one.
    #[inline]
    fn settle(&mut self, slot: usize, now: Time) -> Option<Delivered<M::Frame>> {
        // The link may have been removed meanwhile.
        let Slot { id, target, .. } = self.slots.get(slot)?.as_ref()?;
        let (id, target) = (*id, *target);
        while let Some(delivery) = self.slot_mut(slot).poll(now) {
            match target {
                Attachment::Port(port) => {
                    self.observer.delivered(id, &delivery);
                    return Some(Delivered { port, pipe: id, delivery });
                }
                Attachment::Segment { segment, port } => self.forward(id, segment, port, delivery),
                Attachment::Trunk(trunk) => {
                    self.observer.delivered(id, &delivery);
                    if let Some(delivered) = self.untag(id, trunk, delivery) {
                        return Some(delivered);
                    }
                }
                // The other network delivers a copy, which was announced to it.
                Attachment::Away { .. } => self.memory.recycle(delivery.frame),
            }
        }
        self.finish(slot);
        None
    }

    /// Takes back the frames that a pipe dropped, and shows its events to the observer.
    #[inline]
    fn finish(&mut self, slot: usize) {
        let Slot { id, pipe, .. } = occupied_mut(&mut self.slots, slot);
        while let Some(dropped) = pipe.poll_dropped() {
            self.observer.dropped(*id, dropped.at, dropped.reason, &dropped.frame);
            self.memory.recycle(dropped.frame);
        }
        self.observer.settled(*id, pipe);
        while let Some(announced) = pipe.poll_sent() {
            self.sent.push_back((*id, announced));
        }
        if let Some(deadline) = self.slot(slot).next_deadline() {
            self.pipe_timers.schedule(slot, deadline);
        }
    }

    /// Passes a frame to a segment.
    fn forward(&mut self, id: PipeSlot, segment: usize, port: usize, arrived: Delivery<M::Frame>) {
        self.observer.forwarded(id, &arrived);
        let Delivery { frame, info, release: at, passage } = arrived;
        self.with_segment(segment, (at, passage.shift), |segment, out| {
            segment.receive(port, Arrival { at, frame, info }, out);
        });
    }

    /// Calls a segment and carries out its requests. Frames leave the segment at the given time,
    /// and could have left earlier by the given shift.
    #[inline]
    fn with_segment(
        &mut self,
        segment: usize,
        (at, uncertainty): (Time, Duration),
        call: impl FnOnce(&mut dyn Segment<M>, &mut Outputs<'_, M>),
    ) {
        let Some(home) = self.segments[segment].as_mut() else { return };
        let Home { segment: state, ways, .. } = home;
        let mut out = Outputs {
            memory: &mut self.memory,
            ways,
            at,
            uncertainty,
            hops: &mut self.hops,
            lost: &mut self.lost,
        };
        call(&mut **state, &mut out);
        if let Some(deadline) = state.next_deadline() {
            self.segment_timers.schedule(segment, deadline);
        }
        while let Some(slot) = self.lost.pop() {
            self.lose(slot, Loss::NoMemory, 1);
        }
    }

    /// Moves the next frame that waits between pipes into its pipe. Returns `false` if there is
    /// none, or if enough have moved.
    fn hop(&mut self) -> bool {
        let hop = if self.hops_left > 0 { self.hops.pop_front() } else { None };
        let Some(Hop { slot, at, uncertainty, frame }) = hop else {
            self.hops_left = HOP_BUDGET;
            return false;
        };
        self.hops_left -= 1;
        let of_ports = std::mem::replace(&mut self.uncertainty, uncertainty);
        self.enter(slot, at, frame);
        self.uncertainty = of_ports;
        true
    }

    /// Delivers a frame that has left its link at a trunk. Its tag determines the port by which it
    /// leaves.
    #[inline(never)]
    fn untag(
        &mut self,
        pipe: PipeSlot,
        trunk: usize,
        delivery: Delivery<M::Frame>,
    ) -> Option<Delivered<M::Frame>> {
        let trunk = &self.trunks[trunk];
        let tag = delivery.frame.tag().map(|tag| tag.vlan());
        let vlan = trunk.vlans.iter().find(|(vlan, _)| Some(vlan.number()) == tag);
        let Some((_, port)) = vlan.copied() else {
            return Some(Delivered { port: trunk.untagged, pipe, delivery });
        };
        let Delivery { frame, info, passage, release } = delivery;
        match self.memory.set_tag(frame, None) {
            Some(frame) => {
                let delivery = Delivery { frame, info, passage, release };
                Some(Delivered { port, pipe, delivery })
            }
            None => {
                self.lose(pipe.slot, Loss::NoMemory, 1);
                None
            }
        }
    }

    /// Notifies the segments at the ends of the link at slots `first` and `first + 1` of its state.
    fn notify_segments(&mut self, first: usize, now: Time) {
        use netloom_link::LinkState::Down;
        let pair = [first, first + 1];
        let is_cut = pair.iter().all(|slot| self.slot(*slot).pipe.config().state == Down);
        for slot in pair {
            let Slot { source, target, pipe, .. } = self.slot(slot);
            let Attachment::Segment { segment, port } = *source else { continue };
            let rate = pipe.config().rate.nominal().map(|rate| rate.bits_per_second());
            let leads_to_segment = matches!(
                target,
                Attachment::Segment { .. } | Attachment::Away { is_segment: true }
            );
            // The other end is where the other pipe begins.
            let is_cut = is_cut || self.slot(slot ^ 1).is_source_down;
            let view = LinkView { is_cut, rate, leads_to_segment };
            self.with_segment(segment, (now, Duration::ZERO), |segment, out| {
                segment.link_changed(now, port, view, out);
            });
        }
    }

    #[cold]
    fn lose(&mut self, slot: usize, loss: Loss, frames: u64) {
        let id = self.slot(slot).id;
        self.observer.lost(id, loss, frames);
    }

    #[inline]
    fn port(&self, port: PortId) -> &DevicePort {
        let found = self.ports.get(port.index()).and_then(Option::as_ref);
        found.expect("a port is offered frames only while a link has it")
    }

    #[inline]
    fn slot(&self, slot: usize) -> &Slot<M::Frame> {
        self.slots[slot].as_ref().expect("slots are looked up only while their link is here")
    }

    #[inline]
    fn slot_mut(&mut self, slot: usize) -> &mut Slot<M::Frame> {
        occupied_mut(&mut self.slots, slot)
    }
}

#[inline]
fn occupied_mut<F>(slots: &mut [Option<Slot<F>>], slot: usize) -> &mut Slot<F> {
    slots[slot].as_mut().expect("slots are looked up only while their link is here")
}
