//! The links of a cell: a [`Plant`]. Wires are pipes that the event core drives directly; islands
//! are networks that the fabric drives. Not here: nodes (`hosts`).
//!
//! | module | contents |
//! |---|---|
//! | `wire` | pipes between two nodes: [`Wire`] |
//! | `crossing` | pipes between two cells: [`Announcement`] |
//! | `island`, `ethernet` | switched networks, and packets in Ethernet frames: [`Island`] |
//! | `places` | which pipe is where, and where interfaces lead: [`PipeLocations`] |
//! | `changes` | changes of links and media |
//! | `readings` | what pipes have counted, the log, captures, samples of media |
//! | `tape`, `capture` | what is recorded: the log and captured frames: [`Captured`] |
//! | `media` | samples of media: [`MediumSample`] |
//! | `meter`, `steering` | meters what pipes do to twins, and steers pipes from outside |

mod capture;
mod changes;
mod crossing;
mod ethernet;
mod island;
mod media;
mod meter;
mod places;
mod readings;
mod steering;
mod tape;
mod wire;

use std::sync::Arc;

use netloom_fabric::{Delivered, PortId};
use netloom_link::{Delivery, FrameSlots};
use netloom_units::Time;

use crate::Packet;
use crate::network::InterfaceId;
use crate::own::Own;
use crate::queue::{Entity, Queue};

pub(crate) use capture::{Captured, Taps, WireTaps, in_order};
pub use crossing::Announcement;
use crossing::Departures;
pub(crate) use crossing::FarEnd;
pub use ethernet::{EthernetFrame, FrameMemory};
pub(crate) use island::Island;
pub use media::{MOST_WATCHED, MediumSample, StationSample};
pub use meter::Metered;
pub(crate) use places::{PipeLocation, PipeLocations, Way, pipes_of};
pub use readings::Exits;
use tape::Tape;
pub(crate) use wire::Wire;

/// The links of a cell, as far as the cell has them. A pipe is in the cell of its sender.
#[derive(Debug)]
pub(crate) struct Plant {
    wires: Own<Wire>,
    /// Frames in plain wires.
    frames: FrameSlots<Packet>,
    inlets: Own<FarEnd>,
    islands: Own<Island>,
    places: Arc<PipeLocations>,
    departures: Departures,
    tape: Tape,
}

impl Plant {
    /// Returns a plant without links.
    pub fn new(places: Arc<PipeLocations>) -> Self {
        Self {
            wires: Own::default(),
            frames: FrameSlots::default(),
            inlets: Own::default(),
            islands: Own::default(),
            places,
            departures: Departures::default(),
            tape: Tape::default(),
        }
    }

    /// Makes room for pipes.
    pub fn reserve(&mut self, wires: usize) {
        self.wires.reserve(wires);
    }

    /// Adds a pipe between two nodes.
    pub fn add_wire(&mut self, number: u32, wire: Wire) {
        self.wires.put(number, wire);
    }

    /// Adds the far end of a pipe from another cell.
    pub fn add_inlet(&mut self, number: u32, inlet: FarEnd) {
        self.inlets.put(number, inlet);
    }

    /// Adds a switched network.
    pub fn add_island(&mut self, number: u32, island: Island) {
        self.islands.put(number, island);
    }

    /// Begins: switches with spanning trees send the first frames.
    pub fn begin(&mut self, queue: &mut Queue) {
        for (number, _) in self.islands.iter() {
            queue.set(Entity::Island(number), Some(Time::ZERO));
        }
    }

    /// Restarts everything that changes by itself with time, as if it were configured at `zero`,
    /// which may be a short time ago.
    pub fn restart(&mut self, queue: &mut Queue, zero: Time) {
        let wires: Vec<u32> = self.wires.iter().map(|(number, _)| number).collect();
        for number in wires {
            self.wires[number].pipe.begin(zero);
            self.finish(queue, number);
        }
        let islands: Vec<u32> = self.islands.iter().map(|(number, _)| number).collect();
        for number in islands {
            self.islands[number].network.begin(zero);
            queue.set(Entity::Island(number), Some(queue.now()));
        }
    }

    /// Offers a packet to a wire now. A packet that its pipe rejects is lost, and counted there.
    #[inline]
    pub fn offer(&mut self, queue: &mut Queue, number: u32, packet: Packet) {
        let now = queue.now();
        let Self { wires, frames, departures, tape, .. } = self;
        let wire = &mut wires[number];
        let before = wire.pipe.plain_deadline();
        if wire.is_tapped() {
            wire.offer_watched(frames, now, packet, &mut tape.captured);
        } else {
            let _ = wire.pipe.offer(frames, now, packet.info(), packet);
        }
        // Behind another frame, nothing else changes.
        if before.is_none() || wire.pipe.plain_deadline() != before {
            finish(wire, number, queue, departures, tape);
        }
    }

    /// Offers a frame to an island now, at a port.
    pub fn offer_frame(
        &mut self,
        queue: &mut Queue,
        (island, port): (u32, PortId),
        frame: EthernetFrame,
    ) {
        let now = queue.now();
        self.islands[island].network.offer(port, now, frame);
        queue.set(Entity::Island(island), Some(now));
    }

    /// Returns a wire, if its sender is in this cell.
    #[inline]
    pub fn wire(&mut self, number: u32) -> Option<&mut Wire> {
        self.wires.get_mut(number)
    }

    /// Takes the next packet that comes out of a wire now.
    #[inline]
    pub fn poll_wire(&mut self, now: Time, number: u32) -> Option<Delivery<Packet>> {
        self.wires[number].pipe.poll(&mut self.frames, now)
    }

    /// Captures and counts a packet that leaves a wire.
    #[cold]
    pub fn watch_left(&mut self, now: Time, number: u32, delivery: &Delivery<Packet>) {
        self.wires[number].watch_left(now, delivery, &mut self.tape.captured);
    }

    /// Returns the far end of a wire whose sender is in another cell.
    #[inline]
    pub fn inlet(&mut self, number: u32) -> &mut FarEnd {
        &mut self.inlets[number]
    }

    /// Schedules the next arrival at the far end of a wire.
    #[inline]
    pub fn finish_inlet(&mut self, queue: &mut Queue, number: u32) {
        queue.set(Entity::Pipe(number), self.inlets[number].inlet.next_release());
    }

    /// Schedules the next poll of a wire that was polled or changed.
    #[inline]
    pub fn finish(&mut self, queue: &mut Queue, number: u32) {
        let Self { wires, departures, tape, .. } = self;
        finish(&mut wires[number], number, queue, departures, tape);
    }

    /// Takes the next frame that comes out of an island now, and the interface that receives it.
    #[inline]
    pub fn poll_island(&mut self, now: Time, number: u32) -> Option<(InterfaceId, EthernetFrame)> {
        let network = &mut self.islands[number].network;
        loop {
            let Delivered { port, delivery, .. } = network.poll(now)?;
            if let Some(to) = self.places.port(port) {
                return Some((to, delivery.frame));
            }
        }
    }

    /// Whether an island has more to do now.
    pub fn has_work(&self, number: u32) -> bool {
        self.islands[number].network.has_work()
    }

    /// Schedules the next poll of an island. Returns the number of frames that have come out of its
    /// pipes since the last call.
    pub fn finish_island(&mut self, queue: &mut Queue, number: u32) -> u64 {
        let island = &mut self.islands[number];
        queue.set(Entity::Island(number), island.network.next_deadline());
        std::mem::take(&mut island.observer().hops)
    }

    /// Announcements to other cells that have not been taken yet.
    pub fn announcements(&mut self) -> &mut Vec<Announcement> {
        &mut self.departures.announcements
    }

    /// Announces the frames that have left their lines by `until`.
    #[inline]
    pub fn announce_departures(&mut self, until: Time) {
        let Self { wires, frames, departures, tape, .. } = self;
        departures.announce(until, wires, frames, &mut tape.captured);
    }

    /// Returns the earliest time, not before `now`, at which a frame may leave the line of a pipe
    /// to another cell.
    pub fn next_departure(&self, now: Time) -> Option<Time> {
        self.departures.next(now)
    }

    /// Whether frames of another cell arrive here through a pipe.
    pub fn is_inlet(&self, number: u32) -> bool {
        self.inlets.get(number).is_some()
    }

    /// Takes note of a frame on its way from another cell.
    pub fn announce(&mut self, queue: &mut Queue, announcement: Announcement) {
        let Announcement { wire, release, cuts, packet, .. } = announcement;
        // Cells announce the frames of a pipe as they left its line. A cut that this cell has
        // already made may drop the frame.
        let _ = self.inlets[wire].inlet.announce(release, 0, cuts, packet);
        self.finish_inlet(queue, wire);
    }
}

/// Takes back what a wire dropped, and schedules the next poll of the wire. A wire to another cell
/// needs none: arrivals are the other cell's business, and frames are announced and counted once
/// the cell has been advanced. If such a wire is watched, each release must still be recorded in
/// turn.
#[inline]
fn finish(
    wire: &mut Wire,
    number: u32,
    queue: &mut Queue,
    departures: &mut Departures,
    tape: &mut Tape,
) {
    wire.collect_dropped(&mut tape.captured);
    if wire.crosses.is_some() {
        departures.note(number, wire);
        if !wire.is_watched() {
            return;
        }
    }
    wire.log(&mut tape.log);
    queue.set(Entity::Pipe(number), wire.pipe.next_deadline());
}
