//! Frames between cells: a pipe is in the cell of its sender, and what leaves its line is announced
//! to the cell of its receiver with the time of its release. Not here: who carries announcements.

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
    /// When it arrives there.
    pub release: Time,
    pub(crate) wire: u32,
    /// How often the pipe had been cut when it left the line.
    pub(crate) cuts: u32,
    pub(crate) packet: Packet,
}

/// A frame was announced that no pipe can bring: another network is simulated where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a frame was announced that cannot come here")]
pub struct Misdirected;

/// The far end of a pipe whose near end is in another cell.
#[derive(Debug)]
pub(crate) struct Inlet {
    to: InterfaceId,
    /// Frames on their way, by release, of equal ones in the order in which they left the line.
    coming: VecDeque<Coming>,
    /// How often the pipe has been cut. Its near end may be ahead or behind.
    cuts: u32,
    /// What a cut depends on, as the pipe has it.
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
    /// The far end of a pipe that runs on `config` at first.
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
        // It was under way when a cut came that has happened here already.
        if frame.cuts < self.cuts {
            return;
        }
        // Few overtake others, and by little.
        let later = |other: &&Coming| other.release > frame.release;
        let after = self.coming.iter().rev().take_while(later).count();
        self.coming.insert(self.coming.len() - after, frame);
    }

    /// The pipe changes; a cut takes the frames with it that are under way.
    pub fn change(&mut self, change: &PipeChange) {
        let was = self.config.state;
        change.apply_to(&mut self.config);
        if is_cut(was, &self.config) {
            self.cuts += 1;
            // What left the line after the cut, which came earlier at the near end, arrives.
            self.coming.retain(|frame| frame.cuts >= self.cuts);
        }
    }
}

/// Whether a pipe that was `before` drops what is in it as it becomes `after`.
pub(crate) fn is_cut(before: LinkState, after: &PipeConfig) -> bool {
    (before, after.state) == (LinkState::Up, LinkState::Down) && after.in_flight == InFlight::Drop
}

impl Cell {
    /// Takes the announcements to other cells that were made since this was last called.
    pub fn take_announcements(&mut self) -> impl Iterator<Item = Announcement> {
        self.announcements.drain(..)
    }

    /// Whether a frame that was announced can come here: by one of its pipes, at a time that has
    /// not come yet, and with addresses and flows that the network has.
    pub fn expects(&self, announced: &Announcement) -> bool {
        let Packet { source, destination, ref body, .. } = announced.packet;
        let is_flow = |flow: u32| (flow as usize) < self.flows.len();
        let (more, flow) = match body {
            // Packets of real nodes have no encoding, nor have their twins.
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

    /// A frame from another cell is on its way. It must not be due already.
    pub fn announce(&mut self, announcement: Announcement) {
        let Announcement { wire, release, cuts, packet, .. } = announcement;
        debug_assert!(release > self.now || self.now == Time::ZERO, "it comes too late");
        let inlet = &mut self.inlets[wire];
        inlet.announce(Coming { release, cuts, packet });
        let next = inlet.next_release();
        self.queue.set(Entity::Pipe(wire), next);
    }

    /// Frames of an inlet arrive.
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
