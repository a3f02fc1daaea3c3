//! The simulation of a network: a state machine in virtual time. Not here: how nodes handle packets
//! (`forwarding`, `host`), and what is sent (`sending`).

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_fabric::{AssociationEvent, Delivered, PipeId};
use netloom_link::{Direction, FrameEvent, Pipe, PipeChange, PipeConfig, PipeStatistics, Window};
use netloom_symbiosis::Received;
use netloom_units::{Duration, Time};

use crate::border::Leaving;
use crate::build::{Owners, PipeLocations};
use crate::capture::{Captured, WireTaps};
use crate::crossing::{Announcement, Departures, FarEnd};
use crate::flow::{FlowCounts, FlowTotals};
use crate::island::Island;
use crate::meter::WireMeter;
use crate::network::{
    Change, InterfaceId, MediumAlteration, NodeChange, RouteChange, RouteChanged, RouteError,
};
use crate::node::{Neighbours, Node, NodeCounts};
use crate::own::Own;
use crate::queue::{Due, Entity, Queue};
use crate::sample::MediumSample;
use crate::sending::{Flow, Sender};
use crate::sockets::TwinSocket;
use crate::tcp::{Connection, FlowInfo};
use crate::{AddressBook, AddressId, Packet};

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
    pub(crate) now: Time,
    pub(crate) queue: Queue,
    pub(crate) book: Arc<AddressBook>,
    pub(crate) neighbours: Arc<Neighbours>,
    pub(crate) wires: Own<Wire>,
    pub(crate) inlets: Own<FarEnd>,
    pub(crate) islands: Own<Island>,
    pub(crate) places: Arc<PipeLocations>,
    pub(crate) nodes: Own<Node>,
    pub(crate) flows: Arc<Vec<Flow>>,
    pub(crate) counts: Own<FlowCounts>,
    pub(crate) senders: Own<Sender>,
    /// By number. A connection that has ended and is not kept leaves `None`.
    pub(crate) connections: Vec<Option<Box<Connection>>>,
    /// Counts of connections that were not kept, by flow and node.
    pub(crate) gone: BTreeMap<(u32, u32), FlowInfo>,
    pub(crate) owners: Arc<Owners>,
    pub(crate) seed: u64,
    pub(crate) timeline: Arc<Vec<Change>>,
    pub(crate) announcements: Vec<Announcement>,
    pub(crate) departures: Departures,
    pub(crate) next_change: usize,
    /// The outcome of each change of a route, by the place of the change in the timeline.
    pub(crate) routes: BTreeMap<usize, Result<RouteChanged, RouteError>>,
    /// Flows whose node had failed when they were due to begin.
    pub(crate) not_begun: Vec<u32>,
    pub(crate) log: Vec<(PipeId, FrameEvent)>,
    pub(crate) captured: Vec<Captured>,
    pub(crate) work: Work,
    /// Packets that have arrived at real nodes.
    pub(crate) leaving: Vec<Leaving>,
    /// Number of addresses that the network itself has.
    pub(crate) known_addresses: usize,
    /// Twins that have arrived, by their source and destination.
    pub(crate) received: BTreeMap<[AddressId; 2], Received>,
    /// Twins of connections, by the flow of their host and their number.
    pub(crate) sockets: BTreeMap<(u32, u32), TwinSocket>,
}

/// A pipe between two nodes, and where it leads.
#[derive(Debug)]
pub(crate) struct Wire {
    pub id: PipeId,
    pub pipe: Pipe<Packet>,
    pub to: InterfaceId,
    /// The cell that the pipe leads to, if it is another cell.
    pub crosses: Option<u32>,
    /// Whether the pipe leads to another cell and was used since its frames were last announced.
    pub is_used: bool,
    /// Time at which the next frame leaves the line to another cell, as of then.
    pub leaves: Option<Time>,
    /// Captures at the ends of the pipe.
    pub taps: Option<Box<WireTaps>>,
    /// Counts what the pipe does to twins.
    pub meter: Option<Box<WireMeter>>,
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

impl Cell {
    /// Processes all events up to and including `until`.
    ///
    /// # Errors
    /// If frames go round in circles without time passing.
    pub fn advance(&mut self, until: Time) -> Result<(), EndlessLoop> {
        while let Some(due) = self.queue.pop(until) {
            self.now = due.at;
            self.work.events += 1;
            if due.generation >= MOST_GENERATIONS {
                return Err(self.endless(due));
            }
            match due.entity {
                Entity::Timeline => self.change_next(),
                Entity::Pipe(wire) if self.wires.get(wire).is_some() => self.release(wire),
                Entity::Pipe(wire) => self.arrive(wire),
                Entity::Island(island) => self.poll_island(island)?,
                Entity::Timer(connection) => self.expire(connection),
                Entity::Source(flow) => self.send_next(flow),
            }
        }
        self.now = self.now.max(until);
        self.queue.reach(self.now);
        self.announce_departures(until);
        Ok(())
    }

    /// Returns the time at which something happens next: the next event, or a frame leaves the line
    /// of a pipe to another cell.
    pub fn next_event(&mut self) -> Option<Time> {
        let leaves = self.departures.next(self.now);
        self.queue.next().into_iter().chain(leaves).min()
    }

    /// Returns the time at which a run that ends by itself may end, as far as this cell is
    /// concerned: a second after the last packet of its foreground traffic was sent, and after the
    /// last change. `None` while some of that traffic remains to be sent.
    pub fn done_at(&self) -> Option<Time> {
        let mut over = self.timeline.last().map_or(Time::ZERO, |change| change.at);
        for (number, sender) in self.senders.iter() {
            if !self.flows[number as usize].background {
                over = over.max(sender.over()?);
            }
        }
        Some(over)
    }

    /// Returns the configuration of a pipe. `None` if another cell has the pipe.
    pub fn config(&mut self, id: PipeId) -> Option<&PipeConfig> {
        match self.places.of(id) {
            PipeLocation::Wire(number) => Some(self.wires.get(number)?.pipe.config()),
            PipeLocation::Island(island) => Some(self.islands.get_mut(island)?.pipe(id).config()),
        }
    }

    /// Returns what a pipe has counted up to now, since it began or in `window`. `None` if another
    /// cell has the pipe. Everything that has happened in the pipe by now is then in the log.
    pub fn statistics(&mut self, id: PipeId, window: Option<Window>) -> Option<PipeStatistics> {
        let now = self.now;
        match self.places.of(id) {
            PipeLocation::Wire(number) => {
                self.wires.get(number)?;
                self.settle(number, now);
                let wire = &mut self.wires[number];
                let counted = counted(&mut wire.pipe, now, window);
                wire.log(&mut self.log);
                self.collect_dropped(number);
                Some(counted)
            }
            PipeLocation::Island(island) => {
                let island = self.islands.get_mut(island)?;
                let counted = counted(island.pipe(id), now, window);
                self.log.append(&mut island.observer().events);
                Some(counted)
            }
        }
    }

    /// Returns the counts of those ends of a flow that are in this cell.
    pub fn counts(&self, flow: u32) -> Option<FlowTotals> {
        self.counts.get(flow).map(FlowCounts::read)
    }

    /// Returns what TCP_INFO shows of the connections of each flow, at the ends that send. The
    /// counts of connections that have ended come last.
    pub fn connections(&self) -> impl Iterator<Item = FlowInfo> {
        let kept = self.connections.iter().flatten();
        kept.filter_map(|one| one.sender_info()).chain(self.gone.values().copied())
    }

    /// Returns the flows that were due to begin here while their node had failed, and never began.
    pub fn not_begun(&self) -> impl Iterator<Item = u32> {
        self.not_begun.iter().copied()
    }

    /// Returns the time at which all that a flow sends from here had been delivered, if the flow
    /// has an end and has reached it.
    pub fn delivered_at(&self, flow: u32) -> Option<Time> {
        self.senders.get(flow)?.ended()
    }

    /// Returns the packets that the cell's nodes did not pass on, counted together.
    pub fn node_counts(&self) -> NodeCounts {
        let mut all = NodeCounts::default();
        self.nodes.iter().for_each(|(_, node)| all += node.counts);
        all
    }

    /// Returns the work done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Returns the events of frames on logged links since the last call. The log is complete up to
    /// now for pipes whose statistics were read now.
    pub fn take_log(&mut self) -> Vec<(PipeId, FrameEvent)> {
        std::mem::take(&mut self.log)
    }

    /// Returns the frames that were captured since the last call. They are complete up to now for
    /// pipes whose statistics were read now.
    pub(crate) fn take_captured(&mut self) -> Vec<Captured> {
        let mut all = std::mem::take(&mut self.captured);
        for island in self.islands.iter_mut() {
            all.append(&mut island.observer().captured);
        }
        all
    }

    /// Returns the state of its shared media now.
    pub fn look_at_media(&mut self) -> Vec<MediumSample> {
        let now = self.now;
        self.islands.iter_mut().flat_map(|island| island.look_at_media(now)).collect()
    }

    /// Returns the state of its shared media now, and what has happened there since the last call.
    pub fn sample_media(&mut self) -> Vec<MediumSample> {
        let now = self.now;
        self.islands.iter_mut().flat_map(|island| island.sample_media(now)).collect()
    }

    /// Returns which stations joined or left access points since the last call, by medium.
    pub(crate) fn take_associations(&mut self) -> Vec<(u32, AssociationEvent)> {
        let islands = self.islands.iter_mut();
        let taken = islands.flat_map(|island| island.network.take_associations());
        taken.map(|(medium, event)| (medium.0, event)).collect()
    }

    /// Returns the current time in this network.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Releases what a pipe has due.
    fn release(&mut self, number: u32) {
        let now = self.now;
        let Wire { to, crosses, ref taps, .. } = self.wires[number];
        let is_captured = taps.is_some();
        while let Some(delivery) = self.wires[number].pipe.poll(now) {
            if is_captured {
                self.show_left(number, &delivery);
            }
            if let Some(meter) = self.wires[number].meter.as_mut().filter(|_| crosses.is_none()) {
                meter.left(&delivery.frame);
            }
            // A frame to another cell was announced to that cell, which counts the hop.
            if crosses.is_none() {
                self.work.packet_hops += 1;
                self.receive(to, delivery.frame);
            }
        }
        self.finish(number);
    }

    /// Takes back what a pipe dropped, and schedules the next poll of the pipe. A pipe to another
    /// cell needs none: arrivals are the other cell's business, and frames are announced and
    /// counted once the cell has been advanced. If such a pipe is watched, each release must still
    /// be recorded in turn.
    #[inline]
    pub(crate) fn finish(&mut self, number: u32) {
        self.collect_dropped(number);
        let wire = &mut self.wires[number];
        if wire.crosses.is_some() {
            self.departures.note(number, wire);
            if !wire.is_watched() {
                return;
            }
        }
        wire.log(&mut self.log);
        let deadline = wire.pipe.next_deadline();
        self.queue.set(Entity::Pipe(number), deadline);
    }

    /// Counts the frames that have left a pipe to another cell by `until`.
    pub(crate) fn settle(&mut self, number: u32, until: Time) {
        let wire = &mut self.wires[number];
        if wire.crosses.is_some() && !wire.is_watched() {
            while wire.pipe.poll(until).is_some() {}
        }
    }

    fn poll_island(&mut self, number: u32) -> Result<(), EndlessLoop> {
        let now = self.now;
        let mut rounds = 0;
        loop {
            while let Some(Delivered { port, delivery, .. }) =
                self.islands[number].network.poll(now)
            {
                let Some(to) = self.places.port(port) else { continue };
                let mac = self.nodes[to.node].interfaces[to.interface as usize].mac;
                if let Some(packet) = delivery.frame.packet_for(mac) {
                    self.receive(to, packet);
                }
            }
            if !self.islands[number].network.has_work() {
                break;
            }
            rounds += 1;
            if rounds >= MOST_GENERATIONS {
                let entity = Entity::Island(number);
                return Err(self.endless(Due { at: now, generation: rounds, entity }));
            }
        }
        let island = &mut self.islands[number];
        self.work.packet_hops += std::mem::take(&mut island.observer().hops);
        let deadline = island.network.next_deadline();
        self.queue.set(Entity::Island(number), deadline);
        Ok(())
    }

    /// Makes the next changes of the timeline: all of those that are due.
    fn change_next(&mut self) {
        let now = self.now;
        while self.timeline.get(self.next_change).is_some_and(|change| change.at <= now) {
            let number = self.next_change;
            let change = self.timeline[number].clone();
            self.next_change += 1;
            self.change(&change.changes);
            self.change_media(&change.media);
            if let Some((node, change)) = &change.route {
                self.change_route(number, *node, change);
            }
            if let Some((node, change)) = change.node {
                self.change_node(node, change);
            }
            if let Some(source) = &change.routes {
                self.nodes.iter_mut().for_each(|node| node.reroute(source));
            }
        }
        self.schedule_change();
    }

    /// Changes shared media, where they are in this cell.
    fn change_media(&mut self, media: &[MediumAlteration]) {
        let now = self.now;
        for MediumAlteration { medium, link, change } in media {
            let pipe = PipeId { link: *link, direction: Direction::Forward };
            let PipeLocation::Island(number) = self.places.of(pipe) else { continue };
            let Some(island) = self.islands.get_mut(number) else { continue };
            // The channel has already been found able to work with the change by whoever described
            // it.
            let _ = island.network.change_medium(now, *medium, change);
            self.queue.set(Entity::Island(number), Some(now));
        }
    }

    /// Makes a node fail or recover, if it is in this cell.
    fn change_node(&mut self, node: u32, change: NodeChange) {
        let Some(here) = self.nodes.get_mut(node) else { return };
        let has_failed = change == NodeChange::Fails;
        if std::mem::replace(&mut here.has_failed, has_failed) != has_failed && has_failed {
            self.stop_senders(node);
            self.drop_sockets(node);
        }
    }

    /// Changes a route of a node, if the node is in this cell.
    fn change_route(&mut self, number: usize, node: u32, change: &RouteChange) {
        let Some(node) = self.nodes.get_mut(node) else { return };
        let table = node.table();
        let changed = match change {
            RouteChange::Add(route) => table.insert(route),
            RouteChange::Replace(route) => table.replace(route),
            RouteChange::Remove(to) => table.remove(*to),
            RouteChange::TakeBack(earlier) => match self.routes.get(earlier) {
                Some(Ok(earlier)) => table.take_back(earlier),
                _ => Err(RouteError::NotMade),
            },
        };
        self.routes.insert(number, changed);
    }

    pub(crate) fn schedule_change(&mut self) {
        let next = self.timeline.get(self.next_change).map(|change| change.at);
        self.queue.set(Entity::Timeline, next);
    }

    /// Changes links now, all at once.
    pub fn change(&mut self, changes: &[(PipeId, PipeChange)]) {
        let now = self.now;
        let mut of_islands: BTreeMap<u32, Vec<(PipeId, PipeChange)>> = BTreeMap::new();
        for (pipe, change) in changes {
            match self.places.of(*pipe) {
                PipeLocation::Wire(number) => self.change_wire(number, change),
                PipeLocation::Island(island) => {
                    of_islands.entry(island).or_default().push((*pipe, change.clone()));
                }
            }
        }
        for (number, changes) in of_islands {
            if let Some(island) = self.islands.get_mut(number) {
                island.network.change(now, &changes);
                self.queue.set(Entity::Island(number), Some(now));
            }
        }
    }

    /// Changes a pipe, or its far end, if it is in this cell. A frame that arrives at the time of a
    /// cut is dropped.
    fn change_wire(&mut self, number: u32, change: &PipeChange) {
        let now = self.now;
        let before = now - Duration::from_nanos(1);
        if self.wires.get(number).is_some() {
            self.settle(number, before);
            self.wires[number].pipe.change(now, change);
            self.finish(number);
        } else if let Some(FarEnd { inlet, .. }) = self.inlets.get_mut(number) {
            drop(inlet.change(before, change));
            self.queue.set(Entity::Pipe(number), inlet.next_release());
        }
    }

    fn endless(&self, due: Due) -> EndlessLoop {
        let through = match due.entity {
            Entity::Pipe(wire) => self.places.link(self.wires[wire].id.link).into(),
            Entity::Island(island) => {
                let links = self.islands[island].network.links();
                let names = links.map(|(link, _)| format!("`{}`", self.places.link(link)));
                names.take(8).collect::<Vec<_>>().join(", ")
            }
            Entity::Timeline | Entity::Timer(_) | Entity::Source(_) => "traffic".to_owned(),
        };
        EndlessLoop { at: due.at, through }
    }
}

/// The location of a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PipeLocation {
    Wire(u32),
    Island(u32),
}

impl Wire {
    /// Whether each frame of the pipe is logged or captured.
    #[inline]
    fn is_watched(&self) -> bool {
        self.pipe.records_events() || self.taps.is_some()
    }

    /// Moves events of frames into the log.
    #[inline]
    fn log(&mut self, log: &mut Vec<(PipeId, FrameEvent)>) {
        if self.pipe.records_events() {
            while let Some(event) = self.pipe.poll_event() {
                log.push((self.id, event));
            }
        }
    }
}

/// Returns what a pipe has counted up to `now`, since it began or in `window`.
fn counted<F: netloom_link::Frame>(
    pipe: &mut Pipe<F>,
    now: Time,
    window: Option<Window>,
) -> PipeStatistics {
    match window {
        None => pipe.statistics(now),
        Some(window) => pipe.recent_statistics(now, window),
    }
}

/// Returns both pipes of a link, forward first.
pub(crate) fn pipes_of(link: netloom_fabric::LinkId) -> [PipeId; 2] {
    Direction::BOTH.map(|direction| PipeId { link, direction })
}
