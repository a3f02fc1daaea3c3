//! Frames between cells: a pipe is in the cell of its sender, and what leaves its line is announced
//! to the cell of its receiver with the time of its release. Not here: who carries announcements.

use std::collections::BTreeMap;

use netloom_link::{InFlight, LinkState, PipeChange, PipeConfig};
use netloom_units::Time;

use crate::Packet;
use crate::cell::Cell;
use crate::network::InterfaceId;
use crate::queue::Entity;

/// A frame that another cell will receive.
#[derive(Debug)]
pub struct Announcement {
    /// The cell that receives it.
    pub cell: u32,
    pub(crate) wire: u32,
    pub(crate) release: Time,
    pub(crate) packet: Packet,
}

/// The far end of a pipe whose near end is in another cell.
#[derive(Debug)]
pub(crate) struct Inlet {
    to: InterfaceId,
    /// Frames on their way, by release, of equal ones in the order in which they left the line.
    coming: BTreeMap<(Time, u64), Packet>,
    next: u64,
    /// What a cut depends on, as the pipe has it.
    config: PipeConfig,
}

impl Inlet {
    /// The far end of a pipe that runs on `config` at first.
    pub fn new(to: InterfaceId, config: PipeConfig) -> Self {
        Self { to, coming: BTreeMap::new(), next: 0, config }
    }

    pub fn next_release(&self) -> Option<Time> {
        self.coming.keys().next().map(|(release, _)| *release)
    }

    /// The pipe changes; a cut takes the frames with it that are under way.
    pub fn change(&mut self, change: &PipeChange) {
        let was = self.config.state;
        change.apply_to(&mut self.config);
        if is_cut(was, &self.config) {
            self.coming.clear();
        }
    }
}

/// Whether a pipe that was `before` drops what is in it as it becomes `after`.
pub(crate) fn is_cut(before: LinkState, after: &PipeConfig) -> bool {
    (before, after.state) == (LinkState::Up, LinkState::Down) && after.in_flight == InFlight::Drop
}

impl Cell {
    /// Takes the announcements to other cells that were made since this was last called.
    pub fn take_announcements(&mut self) -> Vec<Announcement> {
        std::mem::take(&mut self.announcements)
    }

    /// A frame from another cell is on its way. It must not be due already.
    pub fn announce(&mut self, announcement: Announcement) {
        let Announcement { wire, release, packet, .. } = announcement;
        debug_assert!(release > self.now || self.now == Time::ZERO, "it comes too late");
        let inlet = &mut self.inlets[wire];
        inlet.coming.insert((release, inlet.next), packet);
        inlet.next += 1;
        let next = inlet.next_release();
        self.queue.set(Entity::Pipe(wire), next);
    }

    /// Frames of an inlet arrive.
    pub(crate) fn arrive(&mut self, wire: u32) {
        let now = self.now;
        loop {
            let inlet = &mut self.inlets[wire];
            let Some(first) = inlet.coming.first_entry().filter(|first| first.key().0 <= now)
            else {
                break;
            };
            let packet = first.remove();
            let to = inlet.to;
            self.work.packet_hops += 1;
            self.receive(to.node, packet);
        }
        let next = self.inlets[wire].next_release();
        self.queue.set(Entity::Pipe(wire), next);
    }
}
