//! The sending half: what is written, what is sent, and how much the other end takes. Not here:
//! what the congestion window allows (`send`).

use crate::config::{Config, LEAST_MSS};
use crate::sent::SentQueue;
use crate::sequence::{SYN_AT, Sequence};

/// What the kernel needs beside a packet's payload for headers, before rounding up to a power of
/// two, and for its descriptor: together 2304 bytes at 1460. Recorded (benches/tcp/loopback.py):
/// send buffers at the start, for payloads from 88 to 8948 bytes.
const OVERHEAD: u32 = 576;
const DESCRIPTOR: u32 = 256;

/// Everything that one direction keeps where it begins.
#[derive(Debug)]
pub(crate) struct Sender {
    pub sequence: Sequence,
    /// Position of the first byte that is not acknowledged (SND.UNA).
    pub una: u64,
    /// Position of the next byte to send (SND.NXT).
    pub nxt: u64,
    /// Position after the last byte that was written.
    pub end: u64,
    /// No more will be written: a FIN follows.
    pub closing: bool,
    /// The FIN has been sent.
    pub fin_sent: bool,
    /// The other end's window in bytes, and the largest it ever was.
    pub window: u32,
    pub largest_window: u32,
    /// Positions of the segment that gave the window: its number, its acknowledgement.
    pub window_seq: u64,
    pub window_ack: u64,
    /// Shift of the other end's window.
    pub shift: u8,
    /// Maximum segment size without options: what the other end takes, what the path takes.
    pub peer_mss: u32,
    pub path_mss: u32,
    /// Payload of a full packet.
    pub mss: u32,
    pub sent: SentQueue,
    /// Without SACK: packets that duplicate acknowledgements stand for.
    pub duplicates: u32,
    /// Position after the last packet that was not full (Minshall's variant of Nagle).
    pub small_end: u64,
    /// Bytes of the send buffer.
    pub buffer: u64,
    /// A write found the buffer full.
    pub blocked: bool,
    pub packets_sent: u64,
    /// The SYN is to go out, for the first time or again.
    pub syn_due: bool,
    /// A tail-loss probe is to go out, whatever the window.
    pub probe_due: bool,
    /// A probe of the other end's window is to go out.
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

    /// Sets the payload of a full packet, beside `options` bytes of options.
    pub fn size_packets(&mut self, options: u32) {
        let whole = self.peer_mss.min(self.path_mss).max(u32::from(LEAST_MSS));
        let mss = whole.saturating_sub(options).max(1);
        // Two packets fit into the largest window, so that acknowledgements need not wait: Fs = 1/2
        // (RFC 9293 §3.8.6.2.1).
        let half = self.largest_window / 2;
        self.mss = if half > 0 { mss.min(half.max(u32::from(LEAST_MSS))) } else { mss };
    }

    /// The other end grants `window` bytes; `options` as for packets.
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

    /// Bytes written and not yet sent.
    pub const fn unsent(&self) -> u64 {
        // Once the FIN is sent, it stands behind the last byte.
        self.end.saturating_sub(self.nxt)
    }

    /// Whether there is something to send for the first time, the FIN included.
    pub const fn has_unsent(&self) -> bool {
        self.unsent() > 0 || (self.closing && !self.fin_sent)
    }

    /// The position after the last byte that the other end takes.
    pub const fn window_end(&self) -> u64 {
        self.una + self.window as u64
    }

    /// Bytes acknowledged, without SYN and FIN.
    pub fn bytes_acknowledged(&self) -> u64 {
        self.una.min(self.end).saturating_sub(SYN_AT + 1)
    }

    /// Bytes of the buffer in use: written and not acknowledged.
    fn buffered(&self) -> u64 {
        self.end.saturating_sub(self.una.max(SYN_AT + 1))
    }

    /// Bytes that may be written.
    pub fn room(&self, config: &Config) -> u64 {
        let lowat = u64::from(config.notsent_lowat).saturating_sub(self.unsent());
        self.buffer.saturating_sub(self.buffered()).min(lowat)
    }

    /// Takes up to `bytes` bytes.
    pub fn write(&mut self, config: &Config, bytes: u64) -> u64 {
        let taken = bytes.min(self.room(config));
        self.blocked |= taken < bytes;
        self.end += taken;
        taken
    }

    /// Whether a writer that found no room is to be woken: a third of the buffer is free. Recorded
    /// (benches/tcp/loopback.py).
    pub fn unblock(&mut self, config: &Config) -> bool {
        let free = self.room(config);
        let enough = self.blocked && free > 0 && 2 * free >= self.buffered();
        self.blocked &= !enough;
        enough
    }

    /// The buffer grows with the congestion window, so that it holds `windows` of it. Recorded:
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

    /// No more packets are overtaken than are neither acknowledged nor lost.
    pub fn bound_duplicates(&mut self) {
        self.duplicates = self.duplicates.min(self.sent.len() - self.sent.lost());
    }

    /// Packets that arrived out of order, as far as known.
    pub fn sacked(&self) -> u32 {
        self.sent.sacked() + self.duplicates
    }

    /// Nothing more will be sent.
    pub fn forget(&mut self) {
        self.sent = SentQueue::default();
        self.duplicates = 0;
        self.end = self.nxt;
        self.closing = false;
    }
}
