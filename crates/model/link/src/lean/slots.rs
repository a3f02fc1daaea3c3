//! The frames in plain pipes, all in one list. The place of a frame that has left is the next to be
//! used again, so few places are in use, and most of them are in caches. Not here: which frame is
//! where (`plain`).

use netloom_units::{Duration, Time};

use crate::{Delivery, Frame, FrameInfo, Passage};

/// No slot.
pub(super) const NONE: u32 = u32::MAX;

/// Frames in [lean pipes](super::LeanPipe) while these are plain. A pipe must always be given the
/// same ones; one thread's pipes may share them.
#[derive(Debug)]
pub struct FrameSlots<F> {
    slots: Vec<Slot<F>>,
    /// The first free slot.
    free: u32,
}

/// A frame in a pipe, or a free place.
#[derive(Debug)]
pub(super) struct Slot<F> {
    /// `None` in a free place.
    frame: Option<F>,
    pub release: Time,
    pub offered: Time,
    /// Time at which its serialization begins, or did.
    pub started: Time,
    /// Number of the arrival in its pipe, from 0.
    pub number: u64,
    pub bytes: u32,
    /// The next frame in the same pipe, or the next free place.
    pub next: u32,
}

impl<F> Default for FrameSlots<F> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: NONE }
    }
}

impl<F: Frame> FrameSlots<F> {
    /// Adds a frame.
    #[inline]
    pub(super) fn add(&mut self, frame: F, slot: Slot<F>) -> u32 {
        let slot = Slot { frame: Some(frame), ..slot };
        match self.slots.get_mut(self.free as usize) {
            Some(place) => std::mem::replace(&mut self.free, std::mem::replace(place, slot).next),
            None => {
                // A simulation has fewer frames than 32 bits can number.
                let place = self.slots.len() as u32;
                self.slots.push(slot);
                place
            }
        }
    }

    /// The place of the frame that is added next.
    pub(super) fn next_place(&self) -> u32 {
        if self.free == NONE { self.slots.len() as u32 } else { self.free }
    }

    #[inline]
    pub(super) fn get(&self, place: u32) -> &Slot<F> {
        &self.slots[place as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: u32) -> &mut Slot<F> {
        &mut self.slots[place as usize]
    }

    /// Takes out a frame whose propagation takes `delay`. Returns the place of the next one, too.
    #[inline]
    pub(super) fn take(&mut self, place: u32, delay: Duration) -> Option<(Delivery<F>, u32)> {
        let slot = &mut self.slots[place as usize];
        let frame = slot.frame.take()?;
        let (delivery, next) = (slot.delivery(frame, delay), slot.next);
        slot.next = std::mem::replace(&mut self.free, place);
        Some((delivery, next))
    }

    /// Returns a copy of a frame, whose propagation takes `delay`.
    pub(super) fn copy(&self, place: u32, delay: Duration) -> Option<Delivery<F>> {
        let slot = self.get(place);
        Some(slot.delivery(slot.frame.as_ref()?.duplicate(), delay))
    }
}

impl<F> Slot<F> {
    /// Returns a slot without its frame.
    #[inline]
    pub fn new(offered: Time, started: Time, release: Time, number: u64, bytes: u32) -> Self {
        Self { frame: None, release, offered, started, number, bytes, next: NONE }
    }

    #[inline]
    pub fn info(&self) -> FrameInfo {
        FrameInfo::single(self.bytes)
    }

    /// Time at which the last bit leaves the line, if its propagation takes `delay`.
    #[inline]
    pub fn serialized(&self, delay: Duration) -> Time {
        self.release - delay
    }

    #[inline]
    fn delivery(&self, frame: F, delay: Duration) -> Delivery<F> {
        let passage = Passage {
            number: self.number,
            offered: self.offered,
            started: self.started,
            serialized: self.serialized(delay),
            marked: false,
            shift: Duration::ZERO,
        };
        Delivery { frame, info: self.info(), passage, release: self.release }
    }
}
