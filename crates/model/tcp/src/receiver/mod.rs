//! The receiving half: what has arrived, in order or not, and what an acknowledgement says of it.
//! [`acks`] decides when acknowledgements go out, [`window`] how much the other end may send.

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

/// What became of a segment's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It continues what was there, and made so many bytes readable.
    InOrder(u64),
    /// It leaves a gap.
    OutOfOrder,
    /// All of it was there already.
    Duplicate,
}

/// Everything that one direction keeps where it ends.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub sequence: Sequence,
    /// Position of the next byte that is expected (RCV.NXT).
    pub next: u64,
    /// Position of the next byte that the application reads.
    pub read: u64,
    /// Position of the other end's FIN, once it is known.
    pub fin: Option<u64>,
    /// What has arrived out of order: disjoint, not adjacent, in order.
    waiting: Vec<(u64, u64)>,
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
            sacks: Sacks::default(),
            window: Window::new(config),
            acks: AckPolicy::default(),
        }
    }

    /// The other end's SYN has this number.
    pub fn synchronize(&mut self, initial: u32) {
        self.sequence = Sequence::new(initial);
        self.next = SYN_AT + 1;
        self.window.synchronize(self.next);
    }

    /// Bytes that the application can read.
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

    /// Bytes that wait for what comes before them.
    fn waiting_bytes(&self) -> u64 {
        self.waiting.iter().map(|(start, end)| end - start).sum()
    }

    /// Bytes that take room in the receive buffer.
    pub fn buffered(&self) -> u64 {
        let waiting = if self.waiting.is_empty() { 0 } else { self.waiting_bytes() };
        self.readable() + waiting
    }

    /// Takes payload (and FIN) from `start` up to `end`, which is not empty.
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
        self.join_waiting(dsack);
        Arrival::InOrder(self.next - before)
    }

    /// What waited and is now continued is in order, too.
    fn join_waiting(&mut self, dsack: bool) {
        let mut joined = 0;
        for (start, end) in &self.waiting {
            if *start > self.next {
                break;
            }
            joined += 1;
            self.next = self.next.max(*end);
        }
        if joined > 0 {
            let first = self.waiting[0];
            if dsack && first.0 < self.next && first.1 <= self.next {
                self.sacks.settle(self.next);
            }
            self.waiting.drain(..joined);
        }
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
            let twice = (start.max(first.0), end.min(first.1));
            if twice.0 < twice.1 {
                self.duplicate(twice.0, twice.1, dsack);
            }
            self.waiting[from] = merged;
            self.waiting.drain(from + 1..to);
            self.sacks.report(merged);
        } else {
            self.waiting.insert(from, (start, end));
            self.sacks.report((start, end));
        }
        Arrival::OutOfOrder
    }

    fn duplicate(&mut self, start: u64, end: u64, dsack: bool) {
        if dsack && start < end {
            self.sacks.duplicate = Some((start, end));
        }
    }

    /// A whole segment arrived that lies before the window.
    pub fn see_old(&mut self, start: u64, end: u64, dsack: bool) {
        self.duplicate(start, end.min(self.next.max(start)), dsack);
    }

    /// How many SACK blocks the next segment has, if there is room for `most`.
    pub fn sack_count(&self, most: u8) -> u8 {
        self.sacks.count().min(most)
    }

    /// The SACK blocks of the segment that goes out: one for a duplicate first, which is reported
    /// once, then the most recent ones (RFC 2018 §4, RFC 2883 §4).
    pub fn take_sacks(&mut self, most: u8) -> SackBlocks {
        let mut blocks = SackBlocks::NONE;
        let sequence = self.sequence;
        for (start, end) in self.sacks.take().take(usize::from(most)) {
            blocks.push(SackBlock { start: sequence.wire(start), end: sequence.wire(end) });
        }
        blocks
    }

    /// The window field of a segment that goes out at `now`, not scaled; the acknowledgement that
    /// goes with it is sent.
    pub fn window_to_send(&mut self, config: &Config, mss: u32) -> u32 {
        let buffered = self.buffered();
        self.window.select(config, self.next, buffered, mss)
    }

    /// The application reads up to `most` bytes.
    pub fn read(&mut self, now: Time, most: u64, config: &Config, mss: u32) -> u64 {
        let taken = self.readable().min(most);
        self.read += taken;
        self.window.read(now, self.read, config, mss);
        taken
    }
}
