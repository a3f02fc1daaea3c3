//! What is on the air: transmissions, and who hears them.

use std::sync::Arc;

use netloom_link::FrameInfo;
use netloom_units::{Duration, Time};

use crate::FrameLoss;
use crate::StationId;
use crate::desk::Sniffed;
use crate::field::Channel;
use crate::mac::Ppdu;
use crate::rules::Bits;

/// One who hears a transmission.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hearer {
    pub station: StationId,
    pub delay: Duration,
    /// Power that arrives, in mW.
    pub power: f64,
    /// How far it is from the sender, in m.
    pub distance: f64,
    /// Whether a signal that is strong enough can be decoded.
    pub can_decode: bool,
    /// What is lost by chance.
    pub channel: Channel,
}

/// What is said of the frame that a transmission carries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carried {
    pub number: u64,
    pub info: FrameInfo,
    pub offered: Time,
}

/// What happens to the signal of a transmission at each of its hearers, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Arrives,
    Sensed,
    Ends,
}

/// Something on the air.
#[derive(Debug)]
pub(crate) struct Transmission<F> {
    /// Its place among all transmissions of the medium, from 0.
    pub order: u64,
    pub sender: StationId,
    /// Its place among all transmissions of its sender, from 0.
    pub number: u64,
    pub ppdu: Ppdu,
    pub start: Time,
    /// When its last bit leaves the sender.
    pub end: Time,
    /// Length of its preamble and header.
    pub header: Duration,
    /// Its bits; `header_end` is that of the sender.
    pub bits: Bits,
    /// In the order of their delays, and of their numbers.
    pub hearers: Arc<[Hearer]>,
    /// How many hearers have come to each stage.
    pub passed: [usize; 3],
    /// Whether it is still being sent.
    pub is_sent: bool,
    /// Why nobody receives it, if it was cut off.
    pub cut: Option<FrameLoss>,
    /// The frame that it carries, if that is one.
    pub carried: Option<Carried>,
    /// The frame, if it has left its station.
    pub frame: Option<F>,
    /// Why the station that it is for did not receive it.
    pub loss: FrameLoss,
    /// What is heard of it, if anybody listens.
    pub sniffed: Option<Box<Sniffed<F>>>,
}

impl<F> Transmission<F> {
    /// When the next of its hearers comes to `stage`.
    pub fn next(&self, stage: Stage, cca: Duration) -> Option<Time> {
        let hearer = self.hearers.get(self.passed[stage as usize])?;
        let from = match stage {
            Stage::Arrives => self.start,
            Stage::Sensed => self.start + cca,
            Stage::Ends => self.end,
        };
        Some(from + hearer.delay)
    }

    /// Takes the hearers that come to `stage` together.
    pub fn pass(&mut self, stage: Stage) -> std::ops::Range<usize> {
        let first = self.passed[stage as usize];
        let delay = self.hearers[first].delay;
        let together = self.hearers[first..].iter().take_while(|hearer| hearer.delay == delay);
        let last = first + together.count();
        self.passed[stage as usize] = last;
        first..last
    }

    /// Whether nothing more comes of it.
    pub fn is_over(&self) -> bool {
        self.is_sent && self.passed[Stage::Ends as usize] == self.hearers.len()
    }
}

/// The transmissions that are on the air.
#[derive(Debug)]
pub(crate) struct Air<F> {
    slots: Vec<Option<Transmission<F>>>,
    free: Vec<u32>,
}

impl<F> Default for Air<F> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<F> Air<F> {
    /// Puts a transmission on the air and returns its slot.
    pub fn add(&mut self, transmission: Transmission<F>) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = Some(transmission);
            return slot;
        }
        self.slots.push(Some(transmission));
        (self.slots.len() - 1) as u32
    }

    pub fn remove(&mut self, slot: u32) -> Option<Transmission<F>> {
        self.free.push(slot);
        self.slots[slot as usize].take()
    }

    pub fn get(&self, slot: u32) -> Option<&Transmission<F>> {
        self.slots[slot as usize].as_ref()
    }

    pub fn get_mut(&mut self, slot: u32) -> Option<&mut Transmission<F>> {
        self.slots[slot as usize].as_mut()
    }

    /// All that is on the air.
    pub fn iter(&self) -> impl Iterator<Item = &Transmission<F>> {
        self.slots.iter().flatten()
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }
}
