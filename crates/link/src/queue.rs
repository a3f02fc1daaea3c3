//! Where frames wait for the line: first in, first out, with a limit (drop-tail).
//! Not here: the line itself; the frame on it does not count as waiting.

use std::collections::VecDeque;

use netloom_units::{Duration, Rate, Time};

use crate::{FrameInfo, Framing, QueueConfig, QueueLimit, RateLimit};

/// The default limit in time, and the packets it never goes below.
const DEFAULT_TIME: Duration = Duration::from_millis(100);
const DEFAULT_PACKETS: u64 = 50;

/// A frame between its arrival and the end of its serialization.
#[derive(Debug)]
pub(crate) struct Waiting<F> {
    pub frame: F,
    pub info: FrameInfo,
    pub line_bytes: u64,
    pub offered: Time,
}

/// Drop-tail queue.
#[derive(Debug)]
pub(crate) struct Fifo<F> {
    waiting: VecDeque<Waiting<F>>,
    /// What waits: wire frames, their bytes, and those on the line.
    pub frames: u64,
    pub bytes: u64,
    line_bytes: u64,
    bound: Bound,
}

/// A frame is admitted if either bound leaves room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bound {
    packets: u64,
    line_bytes: u64,
}

impl<F> Fifo<F> {
    pub fn new(config: QueueConfig, rate: RateLimit) -> Self {
        let bound = Bound::of(config.limit, rate);
        Self { waiting: VecDeque::new(), frames: 0, bytes: 0, line_bytes: 0, bound }
    }

    /// Whether `info` would be admitted now.
    #[inline]
    pub fn has_room(&self, info: &FrameInfo, line_bytes: u64) -> bool {
        self.frames + u64::from(info.frames()) <= self.bound.packets
            || self.line_bytes + line_bytes <= self.bound.line_bytes
    }

    pub fn push(&mut self, waiting: Waiting<F>) {
        self.frames += u64::from(waiting.info.frames());
        self.bytes += waiting.info.bytes();
        self.line_bytes += waiting.line_bytes;
        self.waiting.push_back(waiting);
    }

    pub fn pop(&mut self) -> Option<Waiting<F>> {
        let waiting = self.waiting.pop_front()?;
        self.frames -= u64::from(waiting.info.frames());
        self.bytes -= waiting.info.bytes();
        self.line_bytes -= waiting.line_bytes;
        Some(waiting)
    }

    /// New limits for frames to come; what waits stays, even above them.
    pub fn configure(&mut self, config: QueueConfig, rate: RateLimit) {
        self.bound = Bound::of(config.limit, rate);
    }

    /// New framing for everything that still waits.
    pub fn reframe(&mut self, framing: Framing) {
        for waiting in &mut self.waiting {
            waiting.line_bytes = waiting.info.line_bytes(framing);
        }
        self.line_bytes = self.waiting.iter().map(|waiting| waiting.line_bytes).sum();
    }
}

impl Bound {
    fn of(limit: QueueLimit, rate: RateLimit) -> Self {
        match limit {
            QueueLimit::Default => {
                Self { packets: DEFAULT_PACKETS, line_bytes: bytes_in(rate, DEFAULT_TIME) }
            }
            QueueLimit::Packets(packets) => Self { packets: packets.into(), line_bytes: 0 },
            QueueLimit::Bytes(size) => Self { packets: 0, line_bytes: size.bytes() },
            QueueLimit::Time(time) => Self { packets: 0, line_bytes: bytes_in(rate, time) },
        }
    }
}

/// What a line sends in `time`; without a rate, anything.
fn bytes_in(rate: RateLimit, time: Duration) -> u64 {
    match rate {
        RateLimit::Unlimited => u64::MAX,
        RateLimit::Limited(rate) => Rate::bytes_in(rate, time).bytes(),
    }
}

#[cfg(test)]
mod tests {
    use netloom_units::Size;

    use super::*;

    fn admitted(limit: QueueLimit, rate: &str, length: u32) -> u64 {
        let mut queue =
            Fifo::new(QueueConfig { limit, ..QueueConfig::default() }, rate.parse().unwrap());
        let info = FrameInfo::single(length);
        let line_bytes = info.line_bytes(Framing::None);
        while queue.frames < 1_000_000 && queue.has_room(&info, line_bytes) {
            queue.push(Waiting { frame: (), info, line_bytes, offered: Time::ZERO });
        }
        queue.frames
    }

    #[test]
    fn each_kind_of_limit_admits_exactly_what_it_says() {
        assert_eq!(admitted(QueueLimit::Packets(7), "1Mbit/s", 1500), 7);
        assert_eq!(admitted(QueueLimit::Bytes(Size::from_bytes(4500)), "1Mbit/s", 1500), 3);
        assert_eq!(admitted(QueueLimit::Bytes(Size::from_bytes(4499)), "1Mbit/s", 1500), 2);
        // 1500 bytes take 12 ms at 1 Mbit/s.
        let time = |millis| QueueLimit::Time(Duration::from_millis(millis));
        assert_eq!(admitted(time(36), "1Mbit/s", 1500), 3);
        assert_eq!(admitted(time(35), "1Mbit/s", 1500), 2);
        assert_eq!(admitted(time(0), "1Mbit/s", 1500), 0);
    }

    #[test]
    fn the_default_is_100_ms_or_50_packets_whichever_is_larger() {
        assert_eq!(admitted(QueueLimit::Default, "1Mbit/s", 1500), 50);
        assert_eq!(admitted(QueueLimit::Default, "100Mbit/s", 1500), 833);
        assert_eq!(admitted(QueueLimit::Default, "1Mbit/s", 60), 208);
    }
}
