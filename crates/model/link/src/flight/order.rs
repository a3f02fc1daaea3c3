//! Frames in the order of their release. Not here: the decision about the release.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use netloom_units::Time;

use crate::{FrameInfo, Passage};

/// A frame in flight.
#[derive(Debug)]
pub(crate) struct Flying<F> {
    pub frame: F,
    pub info: FrameInfo,
    pub passage: Passage,
    pub release: Time,
}

/// Frames in flight, in the order of release. Frames with the same release keep the order in which
/// they came.
///
/// A frame that is released after all others is appended to a list in constant time. Only frames
/// that overtake go into a heap, so traffic in order never pays for the heap.
#[derive(Debug)]
pub(super) struct ReleaseOrder<F> {
    /// Frames of which each is released no earlier than the one in front of it.
    in_turn: VecDeque<Flying<F>>,
    /// Frames whose release was earlier than that of the last frame of `in_turn` when they came.
    overtaking: BinaryHeap<Overtaking<F>>,
    /// Number of frames that have ever overtaken.
    overtaken: u64,
}

/// A frame that overtakes. The greatest one is released first.
#[derive(Debug)]
struct Overtaking<F> {
    flying: Flying<F>,
    /// Number of the frame among those that overtook, counted from 0.
    number: u64,
}

impl<F> ReleaseOrder<F> {
    pub fn new() -> Self {
        Self { in_turn: VecDeque::new(), overtaking: BinaryHeap::new(), overtaken: 0 }
    }

    #[inline]
    pub fn push(&mut self, flying: Flying<F>) {
        match self.in_turn.back() {
            Some(last) if flying.release < last.release => {
                self.overtaking.push(Overtaking { flying, number: self.overtaken });
                self.overtaken += 1;
            }
            _ => self.in_turn.push_back(flying),
        }
    }

    /// Time at which the first frame is released.
    #[inline]
    pub fn next_release(&self) -> Option<Time> {
        let first = self.in_turn.front()?.release;
        Some(
            self.overtaking.peek().map_or(first, |overtaking| first.min(overtaking.flying.release)),
        )
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Flying<F>> {
        // While the heap holds a frame, `in_turn` ends with a later release. So `in_turn` is never
        // empty before the heap. Where both have a frame with the same release, the one in
        // `in_turn` came earlier.
        let first = self.in_turn.front()?.release;
        match self.overtaking.peek() {
            Some(overtaking) if overtaking.flying.release < first => {
                self.overtaking.pop().map(|overtaking| overtaking.flying)
            }
            _ => self.in_turn.pop_front(),
        }
    }
}

impl<F> Overtaking<F> {
    fn key(&self) -> (Time, u64) {
        (self.flying.release, self.number)
    }
}

impl<F> Ord for Overtaking<F> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<F> PartialOrd for Overtaking<F> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<F> PartialEq for Overtaking<F> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<F> Eq for Overtaking<F> {}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;

    use super::*;
    use crate::{FrameInfo, Passage, Stream};

    fn flying(frame: u64, release: u64) -> Flying<u64> {
        let at = Time::ZERO;
        let passage = Passage {
            number: frame,
            offered: at,
            started: at,
            serialized: at,
            marked: false,
            shift: Duration::ZERO,
        };
        let release = Time::from_nanos(release);
        Flying { frame, info: FrameInfo::single(100), passage, release }
    }

    /// Compares the order with a list that is sorted anew each time.
    #[test]
    fn frames_leave_by_release_and_then_by_arrival() {
        let (mut order, mut naive) = (ReleaseOrder::new(), Vec::new());
        let mut stream = Stream::new(1, "order");
        for frame in 0..20_000 {
            // There are few different releases, so many are equal.
            let release = frame / 10 + stream.below(8);
            order.push(flying(frame, release));
            naive.push((release, frame));
            while naive.len() > 12 || stream.chance(0.4) {
                naive.sort_unstable();
                assert_eq!(order.next_release().map(Time::as_nanos), naive.first().map(|n| n.0));
                let left = order.pop().map(|flying| (flying.release.as_nanos(), flying.frame));
                assert_eq!(left, (!naive.is_empty()).then(|| naive.remove(0)));
            }
        }
    }
}
