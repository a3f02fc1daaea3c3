//! The sending half: data written, data sent, and the other end's window. Not here: what the
//! congestion window allows (`send`).

use crate::config::{Config, LEAST_MSS};
use crate::sent::SentQueue;
use crate::sequence::{SYN_AT, Sequence};

/// Memory that the kernel needs beside a packet's payload: for headers, before the sum is rounded
/// up to a power of two, and for its descriptor. Together with the payload this is 2304 bytes at
/// 1460. Recorded (benches/tcp/loopback.py): send buffers at the start, for payloads from 88 to
/// 8948 bytes.
const OVERHEAD: u32 = 576;
const DESCRIPTOR: u32 = 256;

/// The state of one direction at its sending end.
#[derive(Debug)]
pub(crate) struct Sender {
    pub sequence: Sequence,
    /// Position of the first byte that is not acknowledged (SND.UNA).
    pub una: u64,
    /// Position of the next byte to send (SND.NXT).
    pub nxt: u64,
    /// Position after the last byte written.
    pub end: u64,
    /// Whether no more will be written, so that a FIN follows.
    pub closing: bool,
    /// Whether the FIN has been sent.
    pub fin_sent: bool,
    /// The other end's window in bytes, and the largest that it ever was.
    pub window: u32,
    pub largest_window: u32,
    /// Positions of the segment that gave the window: its sequence number and its acknowledgement.
    pub window_seq: u64,
    pub window_ack: u64,
    /// Shift of the other end's window.
    pub shift: u8,
    /// Largest segment that the other end takes and that the path takes, without options.
    pub peer_mss: u32,
    pub path_mss: u32,
    /// Payload of a full packet in bytes.
    pub mss: u32,
    pub sent: SentQueue,
    /// Without SACK: number of packets that duplicate acknowledgements stand for.
    pub duplicates: u32,
    /// Position after the last packet that was not full (Minshall's variant of Nagle's algorithm).
    pub small_end: u64,
    /// Size of the send buffer in bytes.
    pub buffer: u64,
    /// Whether a write found the buffer full.
    pub blocked: bool,
    pub packets_sent: u64,
    /// Whether the SYN must be sent, for the first time or again.
    pub syn_due: bool,
    /// Whether a tail-loss probe must be sent, whatever the window.
    pub probe_due: bool,
    /// Whether a probe of the other end's window must be sent.
    pub force: bool,
}

impl Sender {
    pub fn new(config: &Config, initial: u32) -> Self {
        let mss = u32::from(config.announced_mss());
        let buffer = config.send_buffer.unwrap_or(config.wmem.initial);
        Self {
            sequence: Sequence::new(initial),
            una: SYN_AT,
            nxt: SYN_AT,
            end: SYN_AT + 1,
            closing: false,
            fin_sent: false,
            window: 0,
            largest_window: 0,
            window_seq: 0,
            window_ack: 0,
            shift: 0,
            peer_mss: 536,
            path_mss: mss,
            mss,
            sent: SentQueue::default(),
            duplicates: 0,
            small_end: SYN_AT,
            buffer: u64::from(buffer),
            blocked: false,
            packets_sent: 0,
            syn_due: false,
            probe_due: false,
            force: false,
        }
    }

    /// Sets the payload of a full packet, which has `options` bytes of options.
    pub fn size_packets(&mut self, options: u32) {
        let whole = self.peer_mss.min(self.path_mss).max(u32::from(LEAST_MSS));
        let mss = whole.saturating_sub(options).max(1);
        // Two packets have to fit into the largest window, so that acknowledgements are not
        // delayed: Fs = 1/2 (RFC 9293 §3.8.6.2.1).
        let half = self.largest_window / 2;
        self.mss = if half > 0 { mss.min(half.max(u32::from(LEAST_MSS))) } else { mss };
    }

    /// Applies a window of `window` bytes that the other end grants. `options` is the bytes of
    /// options of a packet.
    pub fn grant(&mut self, window: u32, options: u32) {
        self.window = window;
        if window > self.largest_window {
            let small = self.largest_window < 2 * self.path_mss;
            self.largest_window = window;
            if small {
                self.size_packets(options);
            }
        }
    }

    /// Returns the bytes written and not yet sent.
    pub const fn unsent(&self) -> u64 {
        // The FIN comes after the last byte, so `nxt` may exceed `end`.
        self.end.saturating_sub(self.nxt)
    }

    /// Whether there is anything to send for the first time, including the FIN.
    pub const fn has_unsent(&self) -> bool {
        self.unsent() > 0 || (self.closing && !self.fin_sent)
    }

    /// Returns the position after the last byte that the other end's window takes.
    pub const fn window_end(&self) -> u64 {
        self.una + self.window as u64
    }

    /// Returns the bytes acknowledged, without SYN and FIN.
    pub fn bytes_acknowledged(&self) -> u64 {
        self.una.min(self.end).saturating_sub(SYN_AT + 1)
    }

    /// Returns the bytes of the buffer in use: written and not acknowledged.
    fn buffered(&self) -> u64 {
        self.end.saturating_sub(self.una.max(SYN_AT + 1))
    }

    /// Returns the number of bytes that may be written.
    pub fn room(&self, config: &Config) -> u64 {
        let lowat = u64::from(config.notsent_lowat).saturating_sub(self.unsent());
        self.buffer.saturating_sub(self.buffered()).min(lowat)
    }

    /// Takes up to `bytes` bytes, and returns how many.
    pub fn write(&mut self, config: &Config, bytes: u64) -> u64 {
        let taken = bytes.min(self.room(config));
        self.blocked |= taken < bytes;
        self.end += taken;
        taken
    }

    /// Whether to wake a writer that found no room, because a third of the buffer is free. Recorded
    /// (benches/tcp/loopback.py).
    pub fn unblock(&mut self, config: &Config) -> bool {
        let free = self.room(config);
        let enough = self.blocked && free > 0 && 2 * free >= self.buffered();
        self.blocked &= !enough;
        enough
    }

    /// Grows the buffer with the congestion window, so that it holds `windows` windows. Recorded:
    /// `tb` and `cwnd` of ss (benches/tcp/sockets.py).
    pub fn tune_buffer(&mut self, config: &Config, cwnd: u32, windows: u32) {
        if config.send_buffer.is_some() {
            return;
        }
        let packet = (self.mss.max(self.peer_mss.min(self.path_mss)) + OVERHEAD)
            .next_power_of_two()
            + DESCRIPTOR;
        let packets = cwnd.max(config.initial_window);
        let wanted = u64::from(windows) * u64::from(packets) * u64::from(packet);
        if wanted > self.buffer {
            self.buffer = wanted.min(u64::from(config.wmem.max));
        }
    }

    pub fn in_flight(&self) -> u32 {
        self.sent.in_flight().saturating_sub(self.duplicates)
    }

    /// Limits the packets that duplicates stand for to those that are neither acknowledged nor
    /// lost.
    pub fn bound_duplicates(&mut self) {
        self.duplicates = self.duplicates.min(self.sent.len() - self.sent.lost());
    }

    /// Returns the number of packets that arrived out of order, as far as acknowledgements show.
    pub fn sacked(&self) -> u32 {
        self.sent.sacked() + self.duplicates
    }

    /// Forgets everything that is to be sent.
    pub fn forget(&mut self) {
        self.sent = SentQueue::default();
        self.duplicates = 0;
        self.end = self.nxt;
        self.closing = false;
    }
}
