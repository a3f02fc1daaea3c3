//! The simulation of a part of a network: a state machine in virtual time. Not here: what happens
//! on links (`plant`), in nodes (`hosts`), and in traffic (`traffic`).

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_fabric::{AssociationEvent, PipeId};
use netloom_link::{FrameEvent, Pipe, PipeChange, PipeConfig, PipeStatistics, Window};
use netloom_units::{Duration, Time};

use crate::bytes::Refused;
use crate::flow::FlowTotals;
use crate::hosts::{Leaving, Net, NodeCounts};
use crate::network::{Change, InterfaceId, RouteChanged, RouteError};
use crate::packet::{Body, Packet, flow_of};
use crate::plant::{Announcement, Captured, Exits, MediumSample};
use crate::queue::{Due, Entity};
use crate::traffic::{FlowInfo, Traffic};

/// Events at one time that reach this generation are taken for an endless loop.
const MOST_GENERATIONS: u32 = 10_000;

/// A part of a simulated network, or all of it.
///
/// # Call order
/// 1. [`advance`](Self::advance) to a time up to which nothing more can arrive from other cells: a
///    [`Schedule`](crate::Schedule) computes it;
/// 2. hand the announcements that [`take_announcements`](Self::take_announcements) returns to the
///    cells that they are for ([`announce`](Self::announce));
/// 3. read results ([`statistics`](Self::statistics), [`counts`](Self::counts)), and collect the
///    log ([`take_log`](Self::take_log)).
///
/// Results depend neither on the times to which cells are advanced nor on the number of cells.
///
/// Neighbouring cells in memory are advanced on different CPUs. The alignment keeps them from
/// sharing a cache line, or a pair of lines that some CPUs fetch together.
#[derive(Debug)]
#[repr(align(128))]
pub struct Cell {
    pub(crate) net: Net,
    pub(crate) traffic: Traffic,
    timeline: Timeline,
    work: Work,
}

/// The changes of a network, and what has come of them.
#[derive(Debug)]
struct Timeline {
    changes: Arc<Vec<Change>>,
    /// Place of the next change.
    next: usize,
    /// The outcome of each change of a route, by the place of the change.
    routes: BTreeMap<usize, Result<RouteChanged, RouteError>>,
}

/// The amount of work that the simulation has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of events.
    pub events: u64,
    /// Number of frames that came out of a pipe.
    pub packet_hops: u64,
}

impl std::iter::Sum for Work {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |all, work| Self {
            events: all.events + work.events,
            packet_hops: all.packet_hops + work.packet_hops,
        })
    }
}

/// The simulation cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "at {at} frames follow each other without any time passing, through {through}: they go round \
     in a loop, or TCP sends as fast as answers come, which is at once; give one of these links a \
     delay or a rate, or let the switches of a loop run a spanning tree"
)]
pub struct EndlessLoop {
    /// Time of the loop.
    pub at: Time,
    /// Names of the links that the frames pass through.
    pub through: String,
}

/// How a cell goes on.
impl Cell {
    /// Returns a cell at time zero.
    pub(crate) fn new(net: Net, traffic: Traffic, changes: Arc<Vec<Change>>) -> Self {
        let timeline = Timeline { changes, next: 0, routes: BTreeMap::new() };
        Self { net, traffic, timeline, work: Work::default() }
    }

    /// Schedules the first events of the network, and the first change.
    pub(crate) fn begin_network(&mut self) {
        self.schedule_change();
        self.net.plant.begin(&mut self.net.queue);
    }

    /// Schedules the first packet of each flow, too.
    pub(crate) fn begin(&mut self) {
        self.begin_network();
        self.traffic.begin(&mut self.net);
    }

    /// Begins the traffic of a simulation that was made to wait for it, and restarts everything
    /// that changes by itself with time. All of it counts from `zero`. If that is past, flows count
    /// from now.
    pub fn begin_traffic(&mut self, zero: Time) {
        self.net.plant.restart(&mut self.net.queue, zero);
        let zero = zero.max(self.net.now());
        self.traffic.begin_at(&mut self.net, zero);
    }

    /// Processes all events up to and including `until`.
    ///
    /// # Errors
    /// If frames go round in circles without time passing.
    pub fn advance(&mut self, until: Time) -> Result<(), EndlessLoop> {
        while let Some(due) = self.net.queue.pop(until) {
            self.work.events += 1;
            if due.generation >= MOST_GENERATIONS {
                return Err(self.endless(due));
            }
            match due.entity {
                Entity::Timeline => self.change_next(),
                Entity::Pipe(wire) => self.release(wire),
                Entity::Island(island) => self.release_frames(island)?,
                Entity::Timer(connection) => self.traffic.expire(&mut self.net, connection),
                Entity::Source(flow) => self.traffic.send_next(&mut self.net, flow),
            }
        }
        self.net.queue.reach(until);
        self.net.plant.announce_departures(until);
        Ok(())
    }

    /// Releases what a pipe between two nodes has due.
    fn release(&mut self, number: u32) {
        let now = self.now();
        let Some(wire) = self.net.plant.wire(number) else { return self.arrive(number) };
        let (to, crosses, is_tapped) = (wire.to, wire.crosses.is_some(), wire.is_tapped());
        // Each packet is moved once, from its pipe to its receiver.
        while let Some(delivery) = self.net.plant.poll_wire(now, number) {
            if is_tapped {
                self.net.plant.watch_left(now, number, &delivery);
            }
            // A frame to another cell was announced to that cell, which counts the hop.
            if !crosses {
                self.work.packet_hops += 1;
                self.receive(to, delivery.frame);
            }
        }
        self.net.plant.finish(&mut self.net.queue, number);
    }

    /// Receives what arrives from another cell.
    fn arrive(&mut self, number: u32) {
        let now = self.now();
        let to = self.net.plant.inlet(number).to;
        while let Some(packet) = self.net.plant.inlet(number).inlet.pop_due(now) {
            self.work.packet_hops += 1;
            self.receive(to, packet);
        }
        self.net.plant.finish_inlet(&mut self.net.queue, number);
    }

    /// Releases what a switched network has due.
    fn release_frames(&mut self, island: u32) -> Result<(), EndlessLoop> {
        let now = self.now();
        let mut rounds = 0;
        loop {
            while let Some((to, frame)) = self.net.plant.poll_island(now, island) {
                if let Some(packet) = frame.packet_for(self.net.hosts.mac(to)) {
                    self.receive(to, packet);
                }
            }
            if !self.net.plant.has_work(island) {
                break;
            }
            rounds += 1;
            if rounds >= MOST_GENERATIONS {
                let entity = Entity::Island(island);
                return Err(self.endless(Due { at: now, generation: rounds, entity }));
            }
        }
        self.work.packet_hops += self.net.plant.finish_island(&mut self.net.queue, island);
        Ok(())
    }

    /// Receives a packet at a node, and delivers what is for the node itself.
    #[inline]
    fn receive(&mut self, at: InterfaceId, packet: Packet) {
        if let Some(packet) = self.net.receive(at, packet) {
            self.traffic.deliver(&mut self.net, at.node, packet);
        }
    }

    fn endless(&self, due: Due) -> EndlessLoop {
        let through = self.net.plant.names(due.entity).unwrap_or_else(|| "traffic".to_owned());
        EndlessLoop { at: due.at, through }
    }

    /// Makes the next changes of the timeline: all of those that are due.
    fn change_next(&mut self) {
        let changes = Arc::clone(&self.timeline.changes);
        let due = changes[self.timeline.next..].iter().take_while(|change| change.at <= self.now());
        for change in due.collect::<Vec<_>>() {
            self.make(change);
        }
        self.schedule_change();
    }

    fn make(&mut self, change: &Change) {
        let Net { queue, plant, hosts } = &mut self.net;
        let Timeline { next, routes, .. } = &mut self.timeline;
        plant.change(queue, &change.changes);
        plant.change_media(queue, &change.media);
        if let Some((node, change)) = &change.route {
            let earlier = |place| routes.get(&place)?.clone().ok();
            if let Some(changed) = hosts.change_route(*node, change, earlier) {
                routes.insert(*next, changed);
            }
        }
        *next += 1;
        if let Some((node, change)) = change.node
            && hosts.change(node, change)
        {
            self.traffic.fail(&mut self.net, node);
        }
        if let Some(source) = &change.routes {
            self.net.hosts.reroute(source);
        }
    }

    fn schedule_change(&mut self) {
        let next = self.timeline.changes.get(self.timeline.next).map(|change| change.at);
        self.net.schedule(Entity::Timeline, next);
    }

    /// Changes links now, all at once.
    pub fn change(&mut self, changes: &[(PipeId, PipeChange)]) {
        self.net.plant.change(&mut self.net.queue, changes);
    }

    /// Applies `order` to a pipe now. Does nothing if the pipe is in another cell, or if the event
    /// core does not drive it.
    pub fn steer<T>(
        &mut self,
        pipe: PipeId,
        order: impl FnOnce(&mut Pipe<Packet>, Time) -> T,
    ) -> Option<T> {
        self.net.plant.steer(&mut self.net.queue, pipe, order)
    }
}

/// Frames of other cells and packets of real nodes.
impl Cell {
    /// Takes the announcements to other cells that were made since the last call.
    pub fn take_announcements(&mut self) -> impl Iterator<Item = Announcement> {
        self.net.plant.announcements().drain(..)
    }

    /// Whether an announced frame can arrive here: through one of the cell's pipes, at a time in
    /// the future, and with addresses and flows that the network has.
    pub fn expects(&self, announced: &Announcement) -> bool {
        let Packet { source, destination, ref body, .. } = announced.packet;
        let is_flow = |flow: u32| (flow as usize) < self.traffic.flows();
        let (more, flow) = match body {
            // Packets of real nodes, and their twins, have no encoding.
            Body::Segment(_) | Body::Raw(_) | Body::Twin(_) => (None, None),
            Body::EchoRequest(stamp) | Body::EchoReply(stamp) | Body::Datagram(stamp) => {
                (None, Some(stamp.flow))
            }
            Body::Error(error) => (Some(error.destination), error.flow.map(flow_of)),
        };
        let mut addresses = [source, destination].into_iter().chain(more);
        self.net.plant.is_inlet(announced.wire)
            && self.is_to_come(announced)
            && addresses.all(|address| (address.0 as usize) < self.net.hosts.book().len())
            && flow.is_none_or(is_flow)
    }

    /// Takes note of a frame on its way from another cell. It must not be due already.
    pub fn announce(&mut self, announcement: Announcement) {
        debug_assert!(self.is_to_come(&announcement), "it comes too late");
        self.net.plant.announce(&mut self.net.queue, announcement);
    }

    fn is_to_come(&self, announced: &Announcement) -> bool {
        announced.release > self.now() || self.now() == Time::ZERO
    }

    /// Lets a real node send an IP packet now through its interface `at`, to the Ethernet address
    /// `to`.
    ///
    /// # Errors
    /// The reason why the packet goes nowhere.
    pub fn enter(&mut self, at: InterfaceId, to: [u8; 6], packet: &[u8]) -> Result<(), Refused> {
        self.net.enter(at, to, packet)
    }

    /// Takes the packets that have arrived at real nodes, in order.
    pub fn take_leaving(&mut self) -> Vec<Leaving> {
        self.net.hosts.take_leaving()
    }

    /// Returns the wires and islands through which packets reach real nodes.
    pub fn exits(&self) -> Exits {
        self.net.exits()
    }

    /// Earliest time at which a packet may arrive at a real node, if nothing else happens before.
    pub fn next_leaving(&mut self, exits: &Exits) -> Option<Time> {
        self.net.plant.next_at(exits)
    }
}

/// What can be read of a cell.
impl Cell {
    /// Returns the current time in this network.
    pub fn now(&self) -> Time {
        self.net.now()
    }

    /// Returns the time at which something happens next: the next event, or a frame leaves the line
    /// of a pipe to another cell.
    pub fn next_event(&mut self) -> Option<Time> {
        let leaves = self.net.plant.next_departure(self.now());
        self.net.queue.next().into_iter().chain(leaves).min()
    }

    /// Returns the time at which a run that ends by itself may end, as far as this cell is
    /// concerned: a second after the last packet of its foreground traffic was sent, and after the
    /// last change. `None` while some of that traffic remains to be sent.
    pub fn done_at(&self) -> Option<Time> {
        let changed = self.timeline.changes.last().map_or(Time::ZERO, |change| change.at);
        Some(changed.max(self.traffic.over()?))
    }

    /// Returns the configuration of a pipe. `None` if another cell has the pipe.
    pub fn config(&mut self, id: PipeId) -> Option<&PipeConfig> {
        self.net.plant.config(id)
    }

    /// Returns what a pipe has counted up to now, since it began or in `window`. `None` if another
    /// cell has the pipe. Everything that has happened in the pipe by now is then in the log.
    pub fn statistics(&mut self, id: PipeId, window: Option<Window>) -> Option<PipeStatistics> {
        self.net.plant.statistics(self.net.queue.now(), id, window)
    }

    /// Returns the current backlog of a pipe, as time.
    pub fn backlog(&mut self, pipe: PipeId) -> Option<Duration> {
        self.net.plant.backlog(self.net.queue.now(), pipe)
    }

    /// Returns the counts of those ends of a flow that are in this cell.
    pub fn counts(&self, flow: u32) -> Option<FlowTotals> {
        self.traffic.counts(flow)
    }

    /// Returns what TCP_INFO shows of the connections of each flow, at the ends that send. The
    /// counts of connections that have ended come last.
    pub fn connections(&self) -> impl Iterator<Item = FlowInfo> {
        self.traffic.connections()
    }

    /// Returns the flows that were due to begin here while their node had failed, and never began.
    pub fn not_begun(&self) -> impl Iterator<Item = u32> {
        self.traffic.not_begun()
    }

    /// Returns the time at which all that a flow sends from here had been delivered, if the flow
    /// has an end and has reached it.
    pub fn delivered_at(&self, flow: u32) -> Option<Time> {
        self.traffic.delivered_at(flow)
    }

    /// Returns the packets that the cell's nodes did not pass on, counted together.
    pub fn node_counts(&self) -> NodeCounts {
        self.net.hosts.counts()
    }

    /// Returns the work done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Returns the outcomes of the timeline's changes of routes so far, by the place of the change.
    pub(crate) fn routes_changed(
        &self,
    ) -> impl Iterator<Item = (usize, &Result<RouteChanged, RouteError>)> {
        self.timeline.routes.iter().map(|(place, outcome)| (*place, outcome))
    }

    /// Returns the events of frames on logged links since the last call. The log is complete up to
    /// now for pipes whose statistics were read now.
    pub fn take_log(&mut self) -> Vec<(PipeId, FrameEvent)> {
        self.net.plant.take_log()
    }

    /// Returns the frames that were captured since the last call. They are complete up to now for
    /// pipes whose statistics were read now.
    pub(crate) fn take_captured(&mut self) -> Vec<Captured> {
        self.net.plant.take_captured()
    }

    /// Returns the state of its shared media now.
    pub fn look_at_media(&mut self) -> Vec<MediumSample> {
        self.net.plant.look_at_media(self.net.queue.now())
    }

    /// Returns the state of its shared media now, and what has happened there since the last call.
    pub fn sample_media(&mut self) -> Vec<MediumSample> {
        self.net.plant.sample_media(self.net.queue.now())
    }

    /// Returns which stations joined or left access points since the last call, by medium.
    pub(crate) fn take_associations(&mut self) -> Vec<(u32, AssociationEvent)> {
        self.net.plant.take_associations()
    }
}
