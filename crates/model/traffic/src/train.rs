//! Frames of bursts: each active burst sends a train of frames at one pace, and the trains are
//! merged.
//!
//! A burst collects bits at its pace and sends a frame when there are enough for it. It begins
//! somewhere in a frame: in one that is drawn by its length, at a uniform place. So the mean rate of
//! the frames is the pace from the first moment on, whatever the lengths (the stationary version of
//! a renewal process; Cox, Renewal Theory, 1962, §2.2).

use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use netloom_link::Stream;
use netloom_units::Time;

use crate::pace::PaceClock;
use crate::sizes::SizeLaw;
use crate::source::Bursts;
use crate::{Burst, Emission, Pace};

/// The frames of all bursts, in order of time.
#[derive(Debug, Clone)]
pub(crate) struct Trains {
    bursts: Bursts,
    /// The burst that begins next.
    next: Option<Burst>,
    /// How many trains have begun.
    begun: u64,
    active: BinaryHeap<Train>,
    pace: Pace,
    sizes: SizeLaw,
    lengths: Stream,
}

/// A burst at work: its next frame, which leaves at the time of its clock.
#[derive(Debug, Clone)]
struct Train {
    clock: PaceClock,
    bytes: u32,
    end: Time,
    number: u64,
}

impl Trains {
    /// Frames with `sizes` of `bursts` that send at `pace` each.
    pub fn new(mut bursts: Bursts, pace: Pace, sizes: SizeLaw, stream: &Stream) -> Self {
        let next = bursts.next();
        let lengths = stream.fork("sizes");
        Self { bursts, next, begun: 0, active: BinaryHeap::new(), pace, sizes, lengths }
    }

    /// The next frame.
    pub fn next(&mut self) -> Option<Emission> {
        while let Some(burst) = self.next {
            if self.active.peek().is_some_and(|first| first.clock.now() < burst.at) {
                break;
            }
            self.begin(burst);
            self.next = self.bursts.next();
        }
        let mut first = self.active.peek_mut()?;
        let frame = Emission { at: first.clock.now(), bytes: first.bytes };
        first.bytes = self.sizes.draw(&mut self.lengths);
        let bytes = first.bytes;
        first.clock.advance(bytes);
        if first.clock.now() >= first.end {
            PeekMut::pop(first);
        }
        Some(frame)
    }

    /// Starts the train of `burst`, unless it is over before its first frame.
    fn begin(&mut self, burst: Burst) {
        let bytes = self.sizes.draw_by_volume(&mut self.lengths);
        let mut clock = PaceClock::new(self.pace, burst.at);
        clock.advance_part(bytes, burst.phase);
        let (end, number) = (burst.end(), self.begun);
        self.begun += 1;
        if clock.now() < end {
            self.active.push(Train { clock, bytes, end, number });
        }
    }
}

/// The greatest train is the one whose frame leaves first; among equals, the one that began first.
impl Ord for Train {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |train: &Self| (train.clock.now(), train.number);
        key(other).cmp(&key(self))
    }
}

impl PartialOrd for Train {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Train {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Train {}
