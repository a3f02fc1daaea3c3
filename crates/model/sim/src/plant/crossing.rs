//! Frames between cells. A pipe is in the cell of its sender. A frame that leaves its line is
//! announced to the cell of the receiver, with the time of its release. Not here: the transport of
//! announcements.
//!
//! Announcements are collected only after a cell has been advanced. So frames that leave their
//! lines cause no events: one pass over the pipes that may have sent some finds them all. What
//! happens in a pipe happens at its exact time, whenever the pipe is called.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_link::{Delivery, FrameSlots, Inlet};
use netloom_units::Time;

use super::capture::Captured;
use super::wire::Wire;
use crate::Packet;
use crate::network::InterfaceId;
use crate::own::Own;

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

/// The pipes to other cells that may have frames to announce, and the announcements.
#[derive(Debug, Default)]
pub(crate) struct Departures {
    /// Announcements that have not been taken yet.
    pub announcements: Vec<Announcement>,
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

    /// Notes the pipes whose next frame leaves the line by `until`.
    fn reach(&mut self, until: Time, wires: &mut Own<Wire>) {
        while let Some(Reverse((at, number))) = self.on_line.peek().copied()
            && at <= until
        {
            self.on_line.pop();
            let wire = &mut wires[number];
            if wire.leaves == Some(at) {
                self.note(number, wire);
            }
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

    /// Announces the frames that have left their lines by `until`.
    pub fn announce(
        &mut self,
        until: Time,
        wires: &mut Own<Wire>,
        frames: &mut FrameSlots<Packet>,
        captured: &mut Vec<Captured>,
    ) {
        self.reach(until, wires);
        let mut used = std::mem::take(&mut self.used);
        for number in used.drain(..) {
            let wire = &mut wires[number];
            let leaves = self.announce_left(number, wire, frames, until, captured);
            wire.is_used = false;
            if leaves != wire.leaves {
                wire.leaves = leaves;
                self.on_line.extend(leaves.map(|at| Reverse((at, number))));
            }
        }
        // Returns the empty list, to reuse its memory.
        self.used = used;
    }

    /// Announces the frames of a pipe that have left its line by `until`, if it leads to another
    /// cell, and counts those that have arrived there. Returns when the next one leaves the line.
    fn announce_left(
        &mut self,
        number: u32,
        wire: &mut Wire,
        frames: &mut FrameSlots<Packet>,
        until: Time,
        captured: &mut Vec<Captured>,
    ) -> Option<Time> {
        let cell = wire.crosses?;
        wire.pipe.reach(frames, until);
        wire.collect_dropped(captured);
        while let Some(sent) = wire.pipe.poll_sent(frames) {
            let Delivery { frame: packet, release, .. } = sent.delivery;
            if let Some(meter) = &mut wire.meter {
                meter.leaves(&packet, release);
            }
            let cuts = sent.cuts;
            self.announcements.push(Announcement { cell, release, wire: number, cuts, packet });
        }
        wire.settle(frames, until);
        wire.pipe.next_line_end(frames)
    }
}

/// The far end of a pipe whose near end is in another cell, and the interface there.
#[derive(Debug)]
pub(crate) struct FarEnd {
    pub to: InterfaceId,
    pub inlet: Inlet<Packet>,
}
