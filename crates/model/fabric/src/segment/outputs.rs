//! The output of a segment. `network` moves it into the next pipe.

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

use crate::Memory;

/// A frame on its way from a segment into a pipe.
#[derive(Debug)]
pub(crate) struct Hop<F> {
    /// The pipe's slot.
    pub slot: usize,
    /// Time at which it enters.
    pub at: Time,
    /// Longest time by which it may have been there earlier.
    pub uncertainty: Duration,
    /// The frame.
    pub frame: F,
}

/// The ports by which frames leave a segment.
#[derive(Debug)]
pub struct Outputs<'n, M: Memory> {
    /// The memory in which frames are created.
    pub memory: &'n mut M,
    /// Slot of the pipe that leads out of each port; `None` without a link.
    pub(crate) ways: &'n [Option<usize>],
    pub(crate) at: Time,
    pub(crate) uncertainty: Duration,
    pub(crate) hops: &'n mut VecDeque<Hop<M::Frame>>,
    /// Slots of pipes whose frames were lost for lack of memory.
    pub(crate) lost: &'n mut Vec<usize>,
}

impl<'n, M: Memory> Outputs<'n, M> {
    /// Returns the ports that have a link.
    #[inline]
    pub fn ports(&self) -> impl Iterator<Item = usize> + use<'n, M> {
        let ways = self.ways;
        (0..ways.len()).filter(move |port| ways[*port].is_some())
    }

    /// Forwards the frame that arrived. It enters the pipe out of `port` at the time at which it
    /// left the last one.
    #[inline]
    pub fn send(&mut self, port: usize, frame: M::Frame) {
        self.push(port, self.at, self.uncertainty, frame);
    }

    /// Returns how much earlier the frame that arrived may have been here.
    pub fn uncertainty(&self) -> Duration {
        self.uncertainty
    }

    /// Forwards a frame that arrived earlier and leaves at `at`. It may have left earlier by
    /// `uncertainty`.
    pub fn pass_on(&mut self, port: usize, at: Time, uncertainty: Duration, frame: M::Frame) {
        self.push(port, at, uncertainty, frame);
    }

    /// Sends a frame that the segment itself created at `at`.
    pub fn originate(&mut self, port: usize, at: Time, frame: M::Frame) {
        self.push(port, at, Duration::ZERO, frame);
    }

    /// Counts a frame that was to leave by `port` and was lost for lack of memory.
    #[cold]
    pub fn lose(&mut self, port: usize) {
        self.lost.extend(self.ways.get(port).copied().flatten());
    }

    #[inline]
    fn push(&mut self, port: usize, at: Time, uncertainty: Duration, mut frame: M::Frame) {
        match self.ways.get(port).copied().flatten() {
            Some(slot) if self.memory.admit(&mut frame) => {
                self.hops.push_back(Hop { slot, at, uncertainty, frame });
            }
            Some(_) => {
                self.lose(port);
                self.memory.recycle(frame);
            }
            None => self.memory.recycle(frame),
        }
    }
}
