//! Transmissions on the air, and their hearers.

use std::sync::Arc;

use netloom_link::FrameInfo;
use netloom_units::{Duration, Time};

use crate::FrameLoss;
use crate::StationId;
use crate::desk::Sniffed;
use crate::field::Channel;
use crate::mac::Ppdu;
use crate::rules::Bits;

/// A hearer of a transmission.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hearer {
    pub station: StationId,
    pub delay: Duration,
    /// Power that arrives there, in mW.
    pub power: f64,
    /// Distance from the sender, in m.
    pub distance: f64,
    /// Whether a signal that is strong enough can be decoded.
    pub can_decode: bool,
    /// Random losses.
    pub channel: Channel,
}

/// Description of the frame that a transmission carries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Carried {
    pub number: u64,
    pub info: FrameInfo,
    pub offered: Time,
}

/// Stages of the signal of a transmission at each of its hearers, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Arrives,
    Sensed,
    Ends,
}

/// A transmission.
#[derive(Debug)]
pub(crate) struct Transmission<F> {
    /// Number among all transmissions of the medium, from 0.
    pub order: u64,
    pub sender: StationId,
    /// Number among all transmissions of its sender, from 0.
    pub number: u64,
    pub ppdu: Ppdu,
    pub start: Time,
    /// Time at which its last bit leaves the sender.
    pub end: Time,
    /// Duration of its preamble and header.
    pub header: Duration,
    /// Bits of the transmission; `header_end` is the end at the sender.
    pub bits: Bits,
    /// Hearers, sorted by delay and number.
    pub hearers: Arc<[Hearer]>,
    /// Number of hearers that have come to each stage.
    pub passed: [usize; 3],
    /// Whether it is still being sent.
    pub is_sent: bool,
    /// Reason for which nobody receives it, if it was cut off.
    pub cut: Option<FrameLoss>,
    /// Description of the frame that it carries, if it carries one.
    pub carried: Option<Carried>,
    /// The frame, if it has left its station.
    pub frame: Option<F>,
    /// Reason for which the station that it is for did not receive it.
    pub loss: FrameLoss,
    /// Record for monitors, if transmissions are recorded.
    pub sniffed: Option<Box<Sniffed<F>>>,
}

impl<F> Transmission<F> {
    /// Returns the time at which the next hearer comes to `stage`.
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

    /// Returns whether the transmission has ended at the sender and at all hearers.
    pub fn is_over(&self) -> bool {
        self.is_sent && self.passed[Stage::Ends as usize] == self.hearers.len()
    }
}

/// All transmissions on the air.
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

    /// Returns all transmissions on the air.
    pub fn iter(&self) -> impl Iterator<Item = &Transmission<F>> {
        self.slots.iter().flatten()
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }
}
