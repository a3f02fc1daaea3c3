//! The simulation of a network, a state machine in virtual time. Not here: what nodes do with
//! packets (`forwarding`, `host`), what is sent (`sending`).

use std::sync::Arc;

use netloom_fabric::{Delivered, PipeId};
use netloom_link::{Direction, FrameEvent, Pipe, PipeChange, PipeConfig, PipeStatistics};
use netloom_tcp::Info;
use netloom_units::Time;

use crate::build::{Owners, Places};
use crate::flow::{FlowCounts, FlowSpec};
use crate::island::Island;
use crate::network::{Change, InterfaceId};
use crate::node::{Neighbours, Node, NodeCounts};
use crate::queue::{Due, Entity, Queue};
use crate::sending::Sender;
use crate::tcp::Connection;
use crate::{AddressBook, AddressId, Packet};

/// From this generation on, what happens at one time is a loop that never ends.
const MOST_GENERATIONS: u32 = 10_000;

/// A simulated network.
///
/// # Call order
/// [`advance`](Self::advance) to a time; then read what there is to read
/// ([`statistics`](Self::statistics), [`counts`](Self::counts)), collect what was logged
/// ([`take_log`](Self::take_log)), and advance further. What happens does not depend on the times
/// to which it is advanced.
#[derive(Debug)]
pub struct Cell {
    pub(crate) now: Time,
    pub(crate) queue: Queue,
    pub(crate) book: Arc<AddressBook>,
    pub(crate) neighbours: Arc<Neighbours>,
    pub(crate) wires: Vec<Wire>,
    pub(crate) islands: Vec<Island>,
    pub(crate) places: Places,
    pub(crate) nodes: Vec<Node>,
    pub(crate) flows: Vec<FlowSpec>,
    pub(crate) counts: Vec<FlowCounts>,
    pub(crate) senders: Vec<Sender>,
    pub(crate) connections: Vec<Connection>,
    /// Connections opened so far.
    pub(crate) opened: u32,
    pub(crate) seed: u64,
    /// Which nodes have which address.
    pub(crate) owners: Owners,
    pub(crate) timeline: Vec<Change>,
    pub(crate) next_change: usize,
    pub(crate) log: Vec<(PipeId, FrameEvent)>,
    pub(crate) work: Work,
}

/// A pipe between two nodes, and where it leads.
#[derive(Debug)]
pub(crate) struct Wire {
    pub id: PipeId,
    pub pipe: Pipe<Packet>,
    pub to: InterfaceId,
}

/// What the simulation has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Events.
    pub events: u64,
    /// Frames that came out of a pipe.
    pub packet_hops: u64,
}

/// The simulation cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "at {at} frames go round without any time passing, through {through}: give one of the links of \
     that loop a delay or a rate, or let its switches run a spanning tree"
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
                Entity::Pipe(wire) => self.release(wire),
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

    /// When the run is over that ends by itself: a second after the last packet of all traffic in
    /// the foreground was sent, and after the last change. `None` while some is yet to be sent.
    pub fn done_at(&self) -> Option<Time> {
        let foreground = self.flows.iter().zip(&self.senders).filter(|(flow, _)| !flow.background);
        let mut over = self.timeline.last().map_or(Time::ZERO, |change| change.at);
        for (_, sender) in foreground {
            over = over.max(sender.over()?);
        }
        Some(over)
    }

    /// What a pipe runs on, and what it has counted up to now.
    ///
    /// # Panics
    /// If the network has no such link.
    pub fn statistics(&mut self, pipe: PipeId) -> (PipeConfig, PipeStatistics) {
        let now = self.now;
        match self.places.of(pipe) {
            Place::Wire(wire) => counted(&mut self.wires[wire].pipe, now),
            Place::Island(island) => self.islands[island].statistics(pipe, now),
        }
    }

    /// What was counted of a flow, by its place.
    pub fn counts(&self, flow: usize) -> &FlowCounts {
        &self.counts[flow]
    }

    /// What TCP_INFO shows of the connections of each flow, at the ends that send.
    pub fn connections(&self) -> impl Iterator<Item = (usize, Info)> {
        let senders = self.connections.iter().filter_map(Connection::sender_info);
        senders.map(|(flow, info)| (flow as usize, info))
    }

    /// When all of a flow had been delivered, if it has an end and that was reached.
    pub fn delivered_at(&self, flow: usize) -> Option<Time> {
        self.senders[flow].ended()
    }

    /// The first node that has an address.
    pub(crate) fn owner(&self, address: AddressId) -> Option<u32> {
        self.owners.of(address).next()
    }

    /// The flows, in their order.
    pub fn flows(&self) -> &[FlowSpec] {
        &self.flows
    }

    /// What all nodes together did not pass on.
    pub fn node_counts(&self) -> NodeCounts {
        let mut all = NodeCounts::default();
        self.nodes.iter().for_each(|node| all += node.counts);
        all
    }

    /// What the simulation has done so far.
    pub fn work(&self) -> Work {
        self.work
    }

    /// What has happened to frames on logged links since this was last called.
    pub fn take_log(&mut self) -> Vec<(PipeId, FrameEvent)> {
        for island in &mut self.islands {
            self.log.append(&mut island.observer().events);
        }
        std::mem::take(&mut self.log)
    }

    /// Time in this network.
    pub fn now(&self) -> Time {
        self.now
    }

    /// A pipe has something to release.
    fn release(&mut self, number: u32) {
        let now = self.now;
        while let Some(delivery) = self.wires[number as usize].pipe.poll(now) {
            self.work.packet_hops += 1;
            let to = self.wires[number as usize].to;
            self.receive(to.node, delivery.frame);
        }
        self.finish(number);
    }

    /// Takes back what a pipe dropped, and notes when it is to be polled next.
    pub(crate) fn finish(&mut self, number: u32) {
        let Wire { id, pipe, .. } = &mut self.wires[number as usize];
        while pipe.poll_dropped().is_some() {}
        if pipe.records_events() {
            while let Some(event) = pipe.poll_event() {
                self.log.push((*id, event));
            }
        }
        self.queue.set(Entity::Pipe(number), pipe.next_deadline());
    }

    fn poll_island(&mut self, number: u32) -> Result<(), EndlessLoop> {
        let now = self.now;
        let mut rounds = 0;
        loop {
            while let Some(Delivered { port, delivery, .. }) =
                self.islands[number as usize].network.poll(now)
            {
                let Some(to) = self.places.port(port) else { continue };
                let mac = self.nodes[to.node as usize].interfaces[to.interface as usize].mac;
                if let Some(packet) = delivery.frame.packet_for(mac) {
                    self.receive(to.node, packet);
                }
            }
            if !self.islands[number as usize].network.has_work() {
                break;
            }
            rounds += 1;
            if rounds >= MOST_GENERATIONS {
                let entity = Entity::Island(number);
                return Err(self.endless(Due { at: now, generation: rounds, entity }));
            }
        }
        let island = &mut self.islands[number as usize];
        self.work.packet_hops += std::mem::take(&mut island.observer().hops);
        let deadline = island.network.next_deadline();
        self.queue.set(Entity::Island(number), deadline);
        Ok(())
    }

    /// Makes the next changes of the timeline, all at once.
    fn change_next(&mut self) {
        let now = self.now;
        while self.timeline.get(self.next_change).is_some_and(|change| change.at <= now) {
            let change = self.timeline[self.next_change].clone();
            self.next_change += 1;
            self.change(&change.changes);
        }
        self.schedule_change();
    }

    pub(crate) fn schedule_change(&mut self) {
        let next = self.timeline.get(self.next_change).map(|change| change.at);
        self.queue.set(Entity::Timeline, next);
    }

    fn change(&mut self, changes: &[(PipeId, PipeChange)]) {
        let now = self.now;
        let mut of_islands = vec![Vec::new(); self.islands.len()];
        for (pipe, change) in changes {
            match self.places.of(*pipe) {
                Place::Wire(wire) => {
                    self.wires[wire].pipe.change(now, change);
                    // There are fewer pipes than that.
                    self.finish(wire as u32);
                }
                Place::Island(island) => of_islands[island].push((*pipe, change.clone())),
            }
        }
        for (number, changes) in (0..).zip(of_islands).filter(|(_, changes)| !changes.is_empty()) {
            let island: &mut Island = &mut self.islands[number as usize];
            island.network.change(now, &changes);
            self.queue.set(Entity::Island(number), Some(now));
        }
    }

    fn endless(&self, due: Due) -> EndlessLoop {
        let through = match due.entity {
            Entity::Pipe(wire) => self.places.link(self.wires[wire as usize].id.link).into(),
            Entity::Island(island) => {
                let links = self.islands[island as usize].network.links();
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
    Wire(usize),
    Island(usize),
}

/// What a pipe runs on, and what it has counted up to `now`.
pub(crate) fn counted<F: netloom_link::Frame>(
    pipe: &mut Pipe<F>,
    now: Time,
) -> (PipeConfig, PipeStatistics) {
    (pipe.config().clone(), pipe.statistics(now))
}

/// Both pipes of a link, in order.
pub(crate) fn pipes_of(link: netloom_fabric::LinkId) -> [PipeId; 2] {
    Direction::BOTH.map(|direction| PipeId { link, direction })
}
