//! Frames between cells. A pipe is in the cell of its sender. A frame that leaves its line is
//! announced to the cell of the receiver, with the time of its release. Not here: the transport of
//! announcements.

use std::collections::VecDeque;

use netloom_link::{InFlight, LinkState, PipeChange, PipeConfig};
use netloom_units::Time;

use crate::cell::Cell;
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

/// A frame was announced that no pipe here can deliver: its sender simulates another network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame was announced that cannot come here")]
pub struct Misdirected;

/// The far end of a pipe whose near end is in another cell.
#[derive(Debug)]
pub(crate) struct Inlet {
    to: InterfaceId,
    /// Frames on their way, ordered by release. Equal ones stay in the order in which they left the
    /// line.
    coming: VecDeque<Coming>,
    /// Number of times that the pipe has been cut. The near end may be ahead of or behind this
    /// count.
    cuts: u32,
    /// The configuration of the pipe, which decides what a cut does.
    config: PipeConfig,
}

/// A frame on its way.
#[derive(Debug)]
struct Coming {
    release: Time,
    cuts: u32,
    packet: Packet,
}

impl Inlet {
    /// Returns the far end of a pipe that starts with `config`.
    pub fn new(to: InterfaceId, config: PipeConfig) -> Self {
        Self { to, coming: VecDeque::new(), cuts: 0, config }
    }

    pub fn next_release(&self) -> Option<Time> {
        self.coming.front().map(|coming| coming.release)
    }

    fn pop_due(&mut self, now: Time) -> Option<Packet> {
        let is_due = self.next_release()? <= now;
        if is_due { self.coming.pop_front().map(|coming| coming.packet) } else { None }
    }

    fn announce(&mut self, frame: Coming) {
        // The frame was on its way at a cut that this end has already applied.
        if frame.cuts < self.cuts {
            return;
        }
        // Few frames overtake others, and only a few places.
        let later = |other: &&Coming| other.release > frame.release;
        let after = self.coming.iter().rev().take_while(later).count();
        self.coming.insert(self.coming.len() - after, frame);
    }

    /// Changes the pipe. A cut drops the frames that are on their way.
    pub fn change(&mut self, change: &PipeChange) {
        let was = self.config.state;
        change.apply_to(&mut self.config);
        if is_cut(was, &self.config) {
            self.cuts += 1;
            // Frames that left the line after this cut, which the near end made earlier, still
            // arrive.
            self.coming.retain(|frame| frame.cuts >= self.cuts);
        }
    }
}

/// Whether a pipe drops the frames in it as it changes from the state `before` to the configuration
/// `after`.
pub(crate) fn is_cut(before: LinkState, after: &PipeConfig) -> bool {
    (before, after.state) == (LinkState::Up, LinkState::Down) && after.in_flight == InFlight::Drop
}

impl Cell {
    /// Takes the announcements to other cells that were made since the last call.
    pub fn take_announcements(&mut self) -> impl Iterator<Item = Announcement> {
        self.announcements.drain(..)
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
        let inlet = &mut self.inlets[wire];
        inlet.announce(Coming { release, cuts, packet });
        let next = inlet.next_release();
        self.queue.set(Entity::Pipe(wire), next);
    }

    /// Receives the frames of an inlet that are due.
    pub(crate) fn arrive(&mut self, wire: u32) {
        let now = self.now;
        let to = self.inlets[wire].to;
        while let Some(packet) = self.inlets[wire].pop_due(now) {
            self.work.packet_hops += 1;
            self.receive(to, packet);
        }
        let next = self.inlets[wire].next_release();
        self.queue.set(Entity::Pipe(wire), next);
    }
}
