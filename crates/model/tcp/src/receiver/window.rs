//! Decides how much the other end may send: the window grows with the data that arrives, and the
//! buffer with the data that the application reads in a round trip (Fisk and Feng 2001, "Dynamic
//! right-sizing in TCP"). Silly windows are avoided (RFC 9293 §3.8.6.2.2), and the window never
//! shrinks. Not here: when the window is advertised.

use netloom_units::{Duration, Time};

use crate::config::Config;

/// Smallest payload from which the path is estimated. Still to be recorded (docs/tcp.md).
const TELLING: u32 = 128;

/// The receive window.
#[derive(Debug)]
pub(crate) struct Window {
    /// Size of the receive buffer in bytes.
    buffer: u32,
    /// Upper bound of the window that the current buffer allows.
    clamp: u32,
    /// Upper bound that grows with arriving data, so that a burst of small segments cannot fill the
    /// buffer.
    growing: u32,
    /// Position and size of the window that was last advertised.
    base: u64,
    size: u32,
    pub shift: u8,
    /// Round-trip time as the receiver estimates it. Zero before the first sample.
    rtt: Duration,
    /// The latest echoed timestamp that gave a sample.
    sampled: u32,
    /// Without timestamps: the edge of a window that was granted, and the time.
    granted: Option<(u64, Time)>,
    /// Data read in a round trip: the position and the time at which the round trip began, and the
    /// most read in one so far.
    round: Option<(u64, Time)>,
    most_read: u32,
    fixed: bool,
}

impl Window {
    pub fn new(config: &Config) -> Self {
        let buffer = config.receive_buffer.unwrap_or(config.rmem.initial);
        Self {
            buffer,
            clamp: u32::MAX,
            growing: 0,
            base: 0,
            size: 0,
            shift: 0,
            rtt: Duration::ZERO,
            sampled: 0,
            granted: None,
            round: None,
            most_read: 0,
            fixed: config.receive_buffer.is_some() || !config.moderate_rcvbuf,
        }
    }

    /// Sets the window of a SYN: never scaled, in whole segments of `mss`.
    pub fn open(&mut self, config: &Config, mss: u32) {
        let bound = config.window_clamp.unwrap_or(u32::MAX);
        self.clamp = config.payload_of(self.buffer).min(bound);
        // The device's buffers have not been measured yet: half of them counts as payload.
        let first = (self.buffer / 2).min(bound).min(65_535);
        self.size = if first > mss { first / mss * mss } else { first };
        self.growing = self.size;
        self.most_read = self.size.min(10 * mss);
    }

    /// Makes the window begin at `next`.
    pub fn synchronize(&mut self, next: u64) {
        self.base = next;
    }

    /// Returns the position after the last byte that the other end may send.
    pub const fn edge(&self) -> u64 {
        self.base + self.size as u64
    }

    /// Returns the part of the advertised window that is left behind `next`.
    pub const fn left(&self, next: u64) -> u32 {
        self.edge().saturating_sub(next) as u32
    }

    /// Returns the position that was last acknowledged.
    pub const fn acknowledged(&self) -> u64 {
        self.base
    }

    pub const fn size(&self) -> u32 {
        self.size
    }

    /// Returns the size of the receive buffer in bytes.
    pub const fn buffer(&self) -> u32 {
        self.buffer
    }

    /// Returns the receiver's estimate of the round-trip time.
    pub const fn rtt(&self) -> Duration {
        self.rtt
    }

    /// Returns the window to advertise, with `buffered` bytes in the buffer.
    fn wanted(&self, config: &Config, next: u64, buffered: u64, mss: u32) -> u32 {
        let whole = config.payload_of(self.buffer).min(self.clamp);
        let free = u64::from(whole).saturating_sub(buffered) as u32;
        let mss = mss.min(whole);
        let left = self.left(next);
        if free < whole / 2 && (free < whole / 16 || free < mss) {
            return left;
        }
        let bounded = free.min(self.growing);
        let window = if self.shift > 0 {
            bounded.next_multiple_of(1 << self.shift)
        } else if left <= bounded.saturating_sub(mss) || left > bounded {
            bounded / mss.max(1) * mss.max(1)
        } else {
            left
        };
        // The window must not shrink: the other end may already have used what would be taken back.
        window.max(left.next_multiple_of(1 << self.shift))
    }

    /// Advertises a window at `next`. Returns it.
    pub fn select(&mut self, config: &Config, next: u64, buffered: u64, mss: u32) -> u32 {
        let bound = u32::from(u16::MAX) << self.shift;
        self.size = self.wanted(config, next, buffered, mss).min(bound);
        self.base = next;
        self.size
    }

    /// Whether reading has opened the window so far that it is worth a segment.
    pub fn worth_update(&self, config: &Config, next: u64, buffered: u64, mss: u32) -> bool {
        let left = self.left(next);
        if 2 * u64::from(left) > u64::from(self.clamp) {
            return false;
        }
        let wanted = self.wanted(config, next, buffered, mss);
        wanted > 0 && u64::from(wanted) >= 2 * u64::from(left)
    }

    /// Lets the window grow by two segments for each packet, after `len` bytes arrived in order.
    pub fn grow(&mut self, config: &Config, len: u32, buffered: u64, mss: u32) {
        if len < TELLING {
            return;
        }
        let whole = config.payload_of(self.buffer).min(self.clamp);
        let free = u64::from(whole).saturating_sub(buffered) as u32;
        let room = whole.min(self.clamp).saturating_sub(self.growing);
        if free > self.growing || room > 0 {
            let packets = len.div_ceil(mss.max(1)).max(1);
            self.growing += room.min(2 * mss * packets);
        }
    }

    /// Takes a sample of the round-trip time from the timestamp that the other end echoed, in
    /// milliseconds. Each echoed value gives one sample.
    pub fn sample_rtt(&mut self, now_ms: u32, echo: u32) {
        if echo == 0 || echo == self.sampled {
            return;
        }
        self.sampled = echo;
        let passed = now_ms.wrapping_sub(echo);
        if passed < 1 << 24 {
            self.smooth(Duration::from_millis(u64::from(passed.max(1))), false);
        }
    }

    /// Without timestamps, takes the time from granting a window until it was used as an upper
    /// bound of the round-trip time.
    pub fn sample_window(&mut self, now: Time, next: u64) {
        match self.granted {
            Some((until, _)) if next < until => {}
            Some((_, since)) => {
                self.smooth(now.since(since), true);
                self.granted = Some((self.edge(), now));
            }
            None => self.granted = Some((self.edge(), now)),
        }
    }

    fn smooth(&mut self, sample: Duration, bound: bool) {
        let (old, new) = (self.rtt.as_nanos(), sample.as_nanos());
        let rtt = match (old, bound) {
            (0, _) => new,
            (_, true) => old.min(new),
            (_, false) => old - old / 8 + new / 8,
        };
        self.rtt = Duration::from_nanos(rtt);
    }

    /// Handles that the application has read up to `position`. The buffer should hold twice what
    /// the application reads in a round trip, and more while that grows.
    pub fn read(&mut self, now: Time, position: u64, config: &Config, mss: u32) {
        let Some((from, since)) = self.round else {
            self.round = Some((position, now));
            return;
        };
        if self.rtt == Duration::ZERO || now.since(since) < self.rtt {
            return;
        }
        self.round = Some((position, now));
        let copied = (position - from) as u32;
        if copied <= self.most_read {
            return;
        }
        let grown = u64::from(copied - self.most_read);
        self.most_read = copied;
        if self.fixed {
            return;
        }
        let twice = 2 * u64::from(copied) + 16 * u64::from(mss);
        let window = twice + 2 * (twice * grown / u64::from(copied).saturating_sub(grown).max(1));
        let buffer = config.buffer_for(window).min(u64::from(config.rmem.max)) as u32;
        if buffer > self.buffer {
            self.buffer = buffer;
            let bound = config.window_clamp.unwrap_or(u32::MAX);
            self.clamp = config.payload_of(buffer).min(bound);
        }
    }
}
