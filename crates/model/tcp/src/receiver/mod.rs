//! The receiving half: the data that has arrived, in order or not, and the acknowledgements of it.
//! [`acks`] decides when acknowledgements are sent, [`window`] how much the other end may send.

pub(crate) mod acks;
mod sacks;
pub(crate) mod window;

use netloom_units::Time;

use crate::config::Config;
use crate::segment::{SackBlock, SackBlocks};
use crate::sequence::{SYN_AT, Sequence};
use acks::AckPolicy;
use sacks::Sacks;
use window::Window;

/// The place of a segment's payload in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The segment continues the data in order, and makes this many bytes readable.
    InOrder(u64),
    /// The segment leaves a gap.
    OutOfOrder,
    /// All of it had arrived already.
    Duplicate,
}

/// The state of one direction at its receiving end.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub sequence: Sequence,
    /// Position of the next expected byte (RCV.NXT).
    pub next: u64,
    /// Position of the next byte that the application reads.
    pub read: u64,
    /// Position of the other end's FIN, once it has arrived.
    pub fin: Option<u64>,
    /// Blocks that have arrived out of order: disjoint, not adjacent, sorted.
    waiting: Vec<(u64, u64)>,
    /// Number of sequence numbers in these blocks.
    waiting_bytes: u64,
    sacks: Sacks,
    pub window: Window,
    pub acks: AckPolicy,
}

impl Receiver {
    pub fn new(config: &Config) -> Self {
        Self {
            sequence: Sequence::default(),
            next: SYN_AT,
            read: SYN_AT + 1,
            fin: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
            sacks: Sacks::default(),
            window: Window::new(config),
            acks: AckPolicy::default(),
        }
    }

    /// Records the sequence number of the other end's SYN.
    pub fn synchronize(&mut self, initial: u32) {
        self.sequence = Sequence::new(initial);
        self.next = SYN_AT + 1;
        self.window.synchronize(self.next);
    }

    /// Returns the number of bytes that the application can read.
    pub fn readable(&self) -> u64 {
        let end = match self.fin {
            Some(fin) if self.next > fin => fin,
            _ => self.next,
        };
        end.saturating_sub(self.read)
    }

    /// Whether the other end's FIN has been reached.
    pub fn finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.next > fin)
    }

    pub fn has_gap(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns the number of bytes that take room in the receive buffer.
    pub fn buffered(&self) -> u64 {
        self.readable() + self.waiting_bytes
    }

    /// Takes payload (and FIN) from `start` up to `end`, which must not be empty.
    pub fn take(&mut self, start: u64, end: u64, dsack: bool) -> Arrival {
        if end <= self.next {
            self.duplicate(start, end, dsack);
            return Arrival::Duplicate;
        }
        if start > self.next {
            return self.take_out_of_order(start, end, dsack);
        }
        if start < self.next {
            self.duplicate(start, self.next, dsack);
        }
        let before = self.next;
        self.next = end;
        self.join_waiting();
        Arrival::InOrder(self.next - before)
    }

    /// Moves waiting blocks that are now continued into the data in order.
    fn join_waiting(&mut self) {
        let mut joined = 0;
        for (start, end) in &self.waiting {
            if *start > self.next {
                break;
            }
            joined += 1;
            self.next = self.next.max(*end);
        }
        self.waiting_bytes -=
            self.waiting.drain(..joined).map(|(start, end)| end - start).sum::<u64>();
        self.sacks.settle(self.next);
    }

    fn take_out_of_order(&mut self, start: u64, end: u64, dsack: bool) -> Arrival {
        let from = self.waiting.partition_point(|block| block.1 < start);
        let to = self.waiting.partition_point(|block| block.0 <= end);
        let overlapped = &self.waiting[from..to];
        if let Some((first, last)) = overlapped.first().zip(overlapped.last()) {
            if first.0 <= start && first.1 >= end {
                let block = *first;
                self.duplicate(start, end, dsack);
                self.sacks.report(block);
                return Arrival::Duplicate;
            }
            let merged = (start.min(first.0), end.max(last.1));
            let known: u64 = overlapped.iter().map(|(start, end)| end - start).sum();
            let twice = (start.max(first.0), end.min(first.1));
            if twice.0 < twice.1 {
                self.duplicate(twice.0, twice.1, dsack);
            }
            self.waiting_bytes += merged.1 - merged.0 - known;
            self.waiting[from] = merged;
            self.waiting.drain(from + 1..to);
            self.sacks.report(merged);
        } else {
            self.waiting.insert(from, (start, end));
            self.waiting_bytes += end - start;
            self.sacks.report((start, end));
        }
        Arrival::OutOfOrder
    }

    fn duplicate(&mut self, start: u64, end: u64, dsack: bool) {
        if dsack && start < end {
            self.sacks.duplicate = Some((start, end));
        }
    }

    /// Records a whole segment that lies before the window.
    pub fn see_old(&mut self, start: u64, end: u64, dsack: bool) {
        self.duplicate(start, end.min(self.next.max(start)), dsack);
    }

    /// Returns the number of SACK blocks of the next segment, which has room for `most`.
    pub fn sack_count(&self, most: u8) -> u8 {
        self.sacks.count().min(most)
    }

    /// Returns the SACK blocks of the segment that is sent: first one for a duplicate, which is
    /// reported once, then the most recent ones (RFC 2018 §4, RFC 2883 §4).
    pub fn take_sacks(&mut self, most: u8) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        let sequence = self.sequence;
        for (start, end) in self.sacks.take().take(usize::from(most)) {
            blocks.push(SackBlock { start: sequence.wire(start), end: sequence.wire(end) });
        }
        blocks
    }

    /// Returns the window of a segment that is sent, not scaled. The segment carries the pending
    /// acknowledgement.
    pub fn window_to_send(&mut self, config: &Config, mss: u32) -> u32 {
        let buffered = self.buffered();
        self.window.select(config, self.next, buffered, mss)
    }

    /// Reads up to `most` bytes for the application. Returns their number.
    pub fn read(&mut self, now: Time, most: u64, config: &Config, mss: u32) -> u64 {
        let taken = self.readable().min(most);
        self.read += taken;
        self.window.read(now, self.read, config, mss);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_in_any_order_make_one_stream() {
        let first = SYN_AT + 1;
        let mut receiver = Receiver::new(&Config::default());
        receiver.synchronize(1000);
        let mut state = 3u64;
        for _ in 0..3_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let start = first + (state >> 33) % 20_000;
            let end = start + 1 + (state >> 20) % 700;
            let before = receiver.next;
            let arrival = receiver.take(start, end, true);
            assert_eq!(matches!(arrival, Arrival::InOrder(_)), receiver.next > before);
            let waiting: u64 = receiver.waiting.iter().map(|(start, end)| end - start).sum();
            assert_eq!(receiver.waiting_bytes, waiting);
            assert!(receiver.waiting.windows(2).all(|pair| pair[0].1 < pair[1].0));
            assert!(receiver.waiting.first().is_none_or(|block| block.0 > receiver.next));
            let sacked = receiver.take_sacks(4);
            for block in sacked.as_slice() {
                assert!(block.start < block.end);
            }
        }
        // Fill the gaps that are left at the start.
        receiver.take(first, first + 20_000, true);
        assert!(receiver.next >= first + 20_000 && receiver.waiting.is_empty());
        assert_eq!(receiver.readable(), receiver.next - first);
    }
}
