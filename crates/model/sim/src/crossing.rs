//! Frames between cells. A pipe is in the cell of its sender. A frame that leaves its line is
//! announced to the cell of the receiver, with the time of its release. Not here: the transport of
//! announcements.
//!
//! Announcements are collected only after a cell has been advanced. So frames that leave their
//! lines cause no events: one pass over the pipes that may have sent some finds them all. What
//! happens in a pipe happens at its exact time, whenever the pipe is called.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_link::{Delivery, Inlet};
use netloom_units::Time;

use crate::cell::{Cell, Wire};
use crate::network::InterfaceId;
use crate::packet::{Body, Packet};
use crate::queue::Entity;
use crate::sending::flow_of;

/// A frame that another cell will receive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement {
    /// The cell that receives it.
    pub cell: u32,
    /// Time at which the frame arrives there.
    pub release: Time,
    pub(crate) wire: u32,
    /// Number of times that the pipe had been cut when the frame left its line.
    pub(crate) cuts: u32,
    pub(crate) packet: Packet,
}

/// The pipes to other cells that may have frames to announce.
#[derive(Debug, Default)]
pub(crate) struct Departures {
    /// Pipes that were used since the last pass, each once.
    used: Vec<u32>,
    /// Pipes with frames on or before their lines, by the time at which the next frame leaves. An
    /// entry is valid if it equals [`Wire::leaves`].
    on_line: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Departures {
    /// Notes that a pipe was used. Frames may have left its line, or may leave it at other times.
    #[inline]
    pub fn note(&mut self, number: u32, wire: &mut Wire) {
        if !std::mem::replace(&mut wire.is_used, true) {
            self.used.push(number);
        }
    }

    /// Returns the earliest time, not before `now`, at which a frame may leave a line.
    pub fn next(&self, now: Time) -> Option<Time> {
        if self.used.is_empty() {
            // An entry that is not valid any more may be too early, which does no harm.
            self.on_line.peek().map(|Reverse((at, _))| *at)
        } else {
            Some(now)
        }
    }
}

/// The far end of a pipe whose near end is in another cell, and the interface there.
#[derive(Debug)]
pub(crate) struct FarEnd {
    pub to: InterfaceId,
    pub inlet: Inlet<Packet>,
}

impl Cell {
    /// Takes the announcements to other cells that were made since the last call.
    pub fn take_announcements(&mut self) -> impl Iterator<Item = Announcement> {
        self.announcements.drain(..)
    }

    /// Announces the frames that have left their lines by `until`.
    pub(crate) fn announce_departures(&mut self, until: Time) {
        let Self { departures, wires, .. } = self;
        while let Some(Reverse((at, number))) = departures.on_line.peek().copied()
            && at <= until
        {
            departures.on_line.pop();
            let wire = &mut wires[number];
            if wire.leaves == Some(at) {
                departures.note(number, wire);
            }
        }
        let mut used = std::mem::take(&mut departures.used);
        for number in used.drain(..) {
            let leaves = self.announce_left(number, until);
            let wire = &mut self.wires[number];
            wire.is_used = false;
            if leaves != wire.leaves {
                wire.leaves = leaves;
                self.departures.on_line.extend(leaves.map(|at| Reverse((at, number))));
            }
        }
        // Returns the empty list, to reuse its memory.
        self.departures.used = used;
    }

    /// Announces the frames of a pipe that have left its line by `until`, if it leads to another
    /// cell, and counts those that have arrived there. Returns when the next one leaves the line.
    pub(crate) fn announce_left(&mut self, number: u32, until: Time) -> Option<Time> {
        let cell = self.wires[number].crosses?;
        self.wires[number].pipe.reach(until);
        self.collect_dropped(number);
        let Wire { pipe, meter, .. } = &mut self.wires[number];
        while let Some(sent) = pipe.poll_sent() {
            let Delivery { frame: packet, release, .. } = sent.delivery;
            if let Some(meter) = meter {
                meter.leaves(&packet, release);
            }
            let cuts = sent.cuts;
            self.announcements.push(Announcement { cell, release, wire: number, cuts, packet });
        }
        self.settle(number, until);
        self.wires[number].pipe.next_line_end()
    }

    /// Whether an announced frame can arrive here: through one of the cell's pipes, at a time in
    /// the future, and with addresses and flows that the network has.
    pub fn expects(&self, announced: &Announcement) -> bool {
        let Packet { source, destination, ref body, .. } = announced.packet;
        let is_flow = |flow: u32| (flow as usize) < self.flows.len();
        let (more, flow) = match body {
            // Packets of real nodes, and their twins, have no encoding.
            Body::Segment(_) | Body::Raw(_) | Body::Twin(_) => (None, None),
            Body::EchoRequest(stamp) | Body::EchoReply(stamp) | Body::Datagram(stamp) => {
                (None, Some(stamp.flow))
            }
            Body::Error(error) => (Some(error.destination), error.flow.map(flow_of)),
        };
        let mut addresses = [source, destination].into_iter().chain(more);
        self.inlets.get(announced.wire).is_some()
            && (announced.release > self.now || self.now == Time::ZERO)
            && addresses.all(|address| (address.0 as usize) < self.book.len())
            && flow.is_none_or(is_flow)
    }

    /// Takes note of a frame on its way from another cell. It must not be due already.
    pub fn announce(&mut self, announcement: Announcement) {
        let Announcement { wire, release, cuts, packet, .. } = announcement;
        debug_assert!(release > self.now || self.now == Time::ZERO, "it comes too late");
        let inlet = &mut self.inlets[wire].inlet;
        // A cut that this cell has already made may drop the frame.
        let _ = inlet.announce(release, cuts, packet);
        let next = inlet.next_release();
        self.queue.set(Entity::Pipe(wire), next);
    }

    /// Receives the frames of an inlet that are due.
    pub(crate) fn arrive(&mut self, wire: u32) {
        let now = self.now;
        let to = self.inlets[wire].to;
        while let Some(packet) = self.inlets[wire].inlet.pop_due(now) {
            self.work.packet_hops += 1;
            self.receive(to, packet);
        }
        let next = self.inlets[wire].inlet.next_release();
        self.queue.set(Entity::Pipe(wire), next);
    }
}
