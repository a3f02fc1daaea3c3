//! The simulation of a network, a state machine in virtual time. Not here: what nodes do with
//! packets (`forwarding`, `host`), what is sent (`sending`).

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_fabric::{AssociationEvent, Delivered, PipeId};
use netloom_link::{Direction, FrameEvent, Pipe, PipeChange, PipeConfig, PipeStatistics, Window};
use netloom_symbiosis::Received;
use netloom_units::{Duration, Time};

use crate::border::Leaving;
use crate::build::{Owners, Places};
use crate::capture::{Captured, WireTaps};
use crate::crossing::{Announcement, Inlet, is_cut};
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

/// From this generation on, what happens at one time is a loop that never ends.
const MOST_GENERATIONS: u32 = 10_000;

/// A part of a simulated network, or all of it.
///
/// # Call order
/// 1. [`advance`](Self::advance) to a time up to which nothing more comes from other cells: a
///    [`Schedule`](crate::Schedule) knows it;
/// 2. hand what [`take_announcements`](Self::take_announcements) gives to the cells that it is for
///    ([`announce`](Self::announce));
/// 3. read what there is to read ([`statistics`](Self::statistics), [`counts`](Self::counts)), and
///    collect what was logged ([`take_log`](Self::take_log)).
///
/// What happens depends neither on the times to which cells are advanced nor on how many there
/// are.
///
/// Cells that lie side by side are advanced on different CPUs: they share no line of a cache, nor
/// the pair of lines that some CPUs fetch together.
#[derive(Debug)]
#[repr(align(128))]
pub struct Cell {
    pub(crate) now: Time,
    pub(crate) queue: Queue,
    pub(crate) book: Arc<AddressBook>,
    pub(crate) neighbours: Arc<Neighbours>,
    pub(crate) wires: Own<Wire>,
    pub(crate) inlets: Own<Inlet>,
    pub(crate) islands: Own<Island>,
    pub(crate) places: Arc<Places>,
    pub(crate) nodes: Own<Node>,
    pub(crate) flows: Arc<Vec<Flow>>,
    pub(crate) counts: Own<FlowCounts>,
    pub(crate) senders: Own<Sender>,
    /// By number; those that are over and not kept have left their place.
    pub(crate) connections: Vec<Option<Box<Connection>>>,
    /// What was counted of those that are not kept, by flow and node.
    pub(crate) gone: BTreeMap<(u32, u32), FlowInfo>,
    pub(crate) owners: Arc<Owners>,
    pub(crate) seed: u64,
    pub(crate) timeline: Arc<Vec<Change>>,
    pub(crate) announcements: Vec<Announcement>,
    pub(crate) next_change: usize,
    /// What became of the routes that the timeline changed, by the place of the change.
    pub(crate) routes: BTreeMap<usize, Result<RouteChanged, RouteError>>,
    /// Flows whose node had failed when they were to begin.
    pub(crate) not_begun: Vec<u32>,
    pub(crate) log: Vec<(PipeId, FrameEvent)>,
    pub(crate) captured: Vec<Captured>,
    pub(crate) work: Work,
    /// What has come to real nodes.
    pub(crate) leaving: Vec<Leaving>,
    /// How many addresses the network has itself.
    pub(crate) known_addresses: usize,
    /// What has come of twins, by where they were from and for.
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
    /// The cell that it leads to, if that is another one.
    pub crosses: Option<u32>,
    /// How often it has been cut.
    pub cuts: u32,
    /// Captures at its ends.
    pub taps: Option<Box<WireTaps>>,
    /// What counts what it does to twins.
    pub meter: Option<Box<WireMeter>>,
}

/// What the simulation has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Events.
    pub events: u64,
    /// Frames that came out of a pipe.
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
    /// When.
    pub at: Time,
    /// Names of the links that are concerned.
    pub through: String,
}

impl Cell {
    /// Lets everything happen up to and including `until`.
    ///
    /// # Errors
    /// If frames go round in circles in no time.
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
        Ok(())
    }

    /// When something happens next.
    pub fn next_event(&mut self) -> Option<Time> {
        self.queue.next()
    }

    /// When the run is over that ends by itself, as far as this cell is concerned: a second after
    /// the last packet of its traffic in the foreground was sent, and after the last change. `None`
    /// while some is yet to be sent.
    pub fn done_at(&self) -> Option<Time> {
        let mut over = self.timeline.last().map_or(Time::ZERO, |change| change.at);
        for (number, sender) in self.senders.iter() {
            if !self.flows[number as usize].background {
                over = over.max(sender.over()?);
            }
        }
        Some(over)
    }

    /// What a pipe runs on; nothing if it is another cell's.
    pub fn config(&mut self, id: PipeId) -> Option<&PipeConfig> {
        match self.places.of(id) {
            Place::Wire(number) => Some(self.wires.get(number)?.pipe.config()),
            Place::Island(island) => Some(self.islands.get_mut(island)?.pipe(id).config()),
        }
    }

    /// What a pipe has counted up to now, since it began or in `window`; nothing if it is another
    /// cell's. What had happened in it by now is logged then.
    pub fn statistics(&mut self, id: PipeId, window: Option<Window>) -> Option<PipeStatistics> {
        let now = self.now;
        match self.places.of(id) {
            Place::Wire(number) => {
                self.wires.get(number)?;
                self.settle(number, now);
                let wire = &mut self.wires[number];
                let counted = counted(&mut wire.pipe, now, window);
                wire.log(&mut self.log);
                self.collect_dropped(number);
                Some(counted)
            }
            Place::Island(island) => {
                let island = self.islands.get_mut(island)?;
                let counted = counted(island.pipe(id), now, window);
                self.log.append(&mut island.observer().events);
                Some(counted)
            }
        }
    }

    /// What was counted of a flow at those of its ends that are in this cell.
    pub fn counts(&self, flow: u32) -> Option<FlowTotals> {
        self.counts.get(flow).map(FlowCounts::read)
    }

    /// What TCP_INFO shows of the connections of each flow, at the ends that send; last what was
    /// counted of those that are over.
    pub fn connections(&self) -> impl Iterator<Item = FlowInfo> {
        let kept = self.connections.iter().flatten();
        kept.filter_map(|one| one.sender_info()).chain(self.gone.values().copied())
    }

    /// Flows that were to begin here while their node had failed, and never did.
    pub fn not_begun(&self) -> impl Iterator<Item = u32> {
        self.not_begun.iter().copied()
    }

    /// When all of a flow that is sent here had been delivered, if it has an end and that was
    /// reached.
    pub fn delivered_at(&self, flow: u32) -> Option<Time> {
        self.senders.get(flow)?.ended()
    }

    /// What its nodes together did not pass on.
    pub fn node_counts(&self) -> NodeCounts {
        let mut all = NodeCounts::default();
        self.nodes.iter().for_each(|(_, node)| all += node.counts);
        all
    }

    /// What it has done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// What has happened to frames on logged links since this was last called. Complete up to now
    /// for pipes whose statistics were read now.
    pub fn take_log(&mut self) -> Vec<(PipeId, FrameEvent)> {
        std::mem::take(&mut self.log)
    }

    /// What captures have seen since this was last called. Complete up to now for pipes whose
    /// statistics were read now.
    pub(crate) fn take_captured(&mut self) -> Vec<Captured> {
        let mut all = std::mem::take(&mut self.captured);
        for island in self.islands.iter_mut() {
            all.append(&mut island.observer().captured);
        }
        all
    }

    /// What is on its shared media now.
    pub fn look_at_media(&mut self) -> Vec<MediumSample> {
        let now = self.now;
        self.islands.iter_mut().flat_map(|island| island.look_at_media(now)).collect()
    }

    /// What is on its shared media now, and has happened there since this was last called.
    pub fn sample_media(&mut self) -> Vec<MediumSample> {
        let now = self.now;
        self.islands.iter_mut().flat_map(|island| island.sample_media(now)).collect()
    }

    /// Who came to access points or left them since this was last called, by medium.
    pub(crate) fn take_associations(&mut self) -> Vec<(u32, AssociationEvent)> {
        let islands = self.islands.iter_mut();
        let taken = islands.flat_map(|island| island.network.take_associations());
        taken.map(|(medium, event)| (medium.0, event)).collect()
    }

    /// Time in this network.
    pub fn now(&self) -> Time {
        self.now
    }

    /// A pipe has something to release, or to announce.
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
            // Another cell has been announced it, and counts the hop.
            if crosses.is_none() {
                self.work.packet_hops += 1;
                self.receive(to, delivery.frame);
            }
        }
        self.finish(number);
    }

    /// Takes back what a pipe dropped, announces what has left its line, and notes when it is to be
    /// polled next.
    #[inline]
    pub(crate) fn finish(&mut self, number: u32) {
        self.collect_dropped(number);
        let wire = &mut self.wires[number];
        wire.log(&mut self.log);
        let mut deadline = wire.pipe.next_deadline();
        if let Some(cell) = wire.crosses {
            while let Some((packet, release)) = wire.pipe.poll_sent() {
                let cuts = wire.cuts;
                if let Some(meter) = &mut wire.meter {
                    meter.leaves(&packet, release);
                }
                let announcement = Announcement { cell, wire: number, release, cuts, packet };
                self.announcements.push(announcement);
            }
            let leaves = wire.pipe.next_line_end();
            // What arrives is another cell's. Unless somebody wants to see each frame leave the
            // pipe in its turn, that they have left is noted when somebody asks how many.
            deadline =
                if wire.is_watched() { deadline.into_iter().chain(leaves).min() } else { leaves };
        }
        self.queue.set(Entity::Pipe(number), deadline);
    }

    /// Notes what has left a pipe to another cell by then.
    fn settle(&mut self, number: u32, until: Time) {
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

    /// Makes the next changes of the timeline, all at once.
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

    /// Changes shared media, those that are here.
    fn change_media(&mut self, media: &[MediumAlteration]) {
        let now = self.now;
        for MediumAlteration { medium, link, change } in media {
            let pipe = PipeId { link: *link, direction: Direction::Forward };
            let Place::Island(number) = self.places.of(pipe) else { continue };
            let Some(island) = self.islands.get_mut(number) else { continue };
            // Whoever describes a change has seen that the channel can work with it.
            let _ = island.network.change_medium(now, *medium, change);
            self.queue.set(Entity::Island(number), Some(now));
        }
    }

    /// Has a node fail or recover, if it is here.
    fn change_node(&mut self, node: u32, change: NodeChange) {
        let Some(here) = self.nodes.get_mut(node) else { return };
        let has_failed = change == NodeChange::Fails;
        if std::mem::replace(&mut here.has_failed, has_failed) != has_failed && has_failed {
            self.stop_senders(node);
            self.drop_sockets(node);
        }
    }

    /// Changes a route of a node, if that is here.
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
                Place::Wire(number) => self.change_wire(number, change),
                Place::Island(island) => {
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

    /// Changes a pipe, or the far end of one, if it is here.
    fn change_wire(&mut self, number: u32, change: &PipeChange) {
        let now = self.now;
        if self.wires.get(number).is_some() {
            self.settle(number, now - Duration::from_nanos(1));
            let wire = &mut self.wires[number];
            let was = wire.pipe.config().state;
            wire.pipe.change(now, change);
            if is_cut(was, wire.pipe.config()) {
                // What has just left the line does not arrive.
                while wire.pipe.poll_sent().is_some() {}
                wire.cuts += 1;
            }
            self.finish(number);
        } else if let Some(inlet) = self.inlets.get_mut(number) {
            inlet.change(change);
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

/// Where a pipe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Wire(u32),
    Island(u32),
}

impl Wire {
    /// Whether each of its frames is logged or captured.
    #[inline]
    fn is_watched(&self) -> bool {
        self.pipe.records_events() || self.taps.is_some()
    }

    /// Moves what has happened to frames into the log.
    #[inline]
    fn log(&mut self, log: &mut Vec<(PipeId, FrameEvent)>) {
        if self.pipe.records_events() {
            while let Some(event) = self.pipe.poll_event() {
                log.push((self.id, event));
            }
        }
    }
}

/// What a pipe has counted up to `now`, since it began or in `window`.
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

/// Both pipes of a link, in order.
pub(crate) fn pipes_of(link: netloom_fabric::LinkId) -> [PipeId; 2] {
    Direction::BOTH.map(|direction| PipeId { link, direction })
}
