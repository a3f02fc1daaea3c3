//! Frames at the beginnings of pipes: their shape is checked, they get tags, and super-frames are
//! split. Not here: what happens to them in a pipe.

use netloom_link::{FrameInfo, Tag, Vid};
use netloom_units::Time;

use super::{Network, Slot, occupied_mut};
use crate::{Frame, Loss, Malformed, Memory, Observer};

impl<M: Memory + 'static, O: Observer<M::Frame>> Network<M, O> {
    /// Enters a frame from a sub-interface with the tag of its VLAN.
    #[inline(never)]
    pub(super) fn enter_tagged(&mut self, slot: usize, vlan: Vid, now: Time, frame: M::Frame) {
        // Malformed data gets no tag, because a tag could make it a valid frame.
        let tagged = match frame.info() {
            Ok(_) => self.memory.push_tag(frame, Tag(vlan.number())),
            Err(Malformed) => Some(frame),
        };
        match tagged {
            Some(frame) => self.enter(slot, now, frame),
            None => self.lose(slot, Loss::NoMemory, 1),
        }
    }

    /// Enters a frame at the beginning of a pipe at `at`.
    #[inline]
    pub(super) fn enter(&mut self, slot: usize, at: Time, frame: M::Frame) {
        match frame.info() {
            Ok(info) => {
                self.observer.entered(self.slot(slot).id, at, &frame);
                if info.frames() > 1 {
                    self.enter_pieces(slot, at, info, frame);
                } else {
                    self.offer_to(slot, at, info, frame);
                }
            }
            Err(Malformed) => {
                self.lose(slot, Loss::Malformed, 1);
                self.memory.recycle(frame);
            }
        }
        self.unsettled.push_back((slot, at));
    }

    /// Enters a super-frame in pieces as large as the pipe allows.
    fn enter_pieces(&mut self, slot: usize, at: Time, info: FrameInfo, frame: M::Frame) {
        let Slot { pipe, leads_to_medium, .. } = self.slot_mut(slot);
        // A station sends each frame on its own.
        let together = if *leads_to_medium { 1 } else { pipe.coalesce(at, &info, &frame) };
        if together >= info.frames() {
            return self.offer_to(slot, at, info, frame);
        }
        let mut pieces = std::mem::take(&mut self.pieces);
        self.memory.split(frame, together, &mut pieces);
        for (info, piece) in pieces.drain(..) {
            match piece {
                Some(piece) => self.offer_to(slot, at, info, piece),
                None => self.lose(slot, Loss::NoMemory, info.frames().into()),
            }
        }
        self.pieces = pieces;
    }

    #[inline]
    fn offer_to(&mut self, slot: usize, at: Time, info: FrameInfo, frame: M::Frame) {
        let uncertainty = self.uncertainty;
        let Slot { id, pipe, .. } = occupied_mut(&mut self.slots, slot);
        self.observer.offered(*id, &info);
        if let Err(rejected) = pipe.offer_late(at, uncertainty, info, frame) {
            self.observer.dropped(*id, at, rejected.reason, &rejected.frame);
            self.memory.recycle(rejected.frame);
        }
    }
}
