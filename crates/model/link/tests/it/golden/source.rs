//! Senders that behave like TCP as far as a queue is concerned: additive increase and
//! multiplicative decrease of a window of packets, with an acknowledgement for each packet. Not
//! here: retransmission (lost packets are replaced by new ones, not sent again) and reordering,
//! which does not happen in these pipes.

use std::collections::VecDeque;

use netloom_link::{Dscp, Ecn, Frame, FrameInfo, Header, Pipe};
use netloom_units::{Duration, Time};

use crate::common::packet::{Packet, header};

/// Bytes of a data packet on Ethernet, without FCS.
pub const DATA_BYTES: u32 = 1514;
const ACK_BYTES: u32 = 66;
/// Number of later packets that must have arrived before a packet counts as lost (RFC 5681's three
/// duplicates).
const REORDERING: u64 = 3;
/// Silence after which everything outstanding counts as lost.
const TIMEOUT: Duration = Duration::from_secs(1);

/// An acknowledgement of one packet.
#[derive(Debug, Clone, Copy)]
pub struct Ack {
    flow: u16,
    number: u64,
    /// Whether the packet was marked.
    echo: bool,
}

impl Frame for Ack {
    fn header(&self) -> Option<Header> {
        None
    }
    fn mark_congestion(&mut self) {}
    fn remark(&mut self, _: Dscp) {}
    fn flip_bits(&mut self, _bits: &[u64]) {}
    fn duplicate(&self) -> Self {
        *self
    }
}

/// One sender.
#[derive(Debug)]
pub struct Source {
    flow: u16,
    header: Header,
    start: Time,
    window: f64,
    threshold: f64,
    outstanding: VecDeque<u64>,
    next: u64,
    /// Signals about packets before this one belong to a decrease that has already been made.
    recover: u64,
    last_ack: Time,
}

impl Source {
    pub fn new(flow: u16, start: Time, ecn: bool, dscp: u8) -> Self {
        let ecn = if ecn { Ecn::Capable0 } else { Ecn::NotCapable };
        Self {
            flow,
            header: Header { ecn, dscp, ..header(flow) },
            start,
            window: 10.0,
            threshold: f64::INFINITY,
            outstanding: VecDeque::new(),
            next: 0,
            recover: 0,
            last_ack: start,
        }
    }

    /// Sends the packets that the window allows.
    fn send(&mut self, now: Time, pipe: &mut Pipe<Packet>) {
        while now >= self.start && (self.outstanding.len() as f64) < self.window.floor() {
            let packet = Packet { number: self.next, flow: self.flow, header: Some(self.header) };
            if self.outstanding.is_empty() {
                self.last_ack = now;
            }
            self.outstanding.push_back(self.next);
            self.next += 1;
            // A packet that the queue rejects is detected like any other loss: by the packets
            // behind it.
            let _ = pipe.offer(now, FrameInfo::single(DATA_BYTES), packet);
        }
    }

    fn acknowledged(&mut self, now: Time, ack: Ack) {
        self.last_ack = now;
        while let Some(oldest) = self.outstanding.front().copied()
            && oldest + REORDERING <= ack.number
        {
            self.outstanding.pop_front();
            self.congested(oldest);
        }
        if let Ok(place) = self.outstanding.binary_search(&ack.number) {
            self.outstanding.remove(place);
        }
        if ack.echo {
            self.congested(ack.number);
        } else if self.window < self.threshold {
            self.window += 1.0;
        } else {
            self.window += 1.0 / self.window;
        }
    }

    /// Halves the window, once for each window of packets.
    fn congested(&mut self, number: u64) {
        if number >= self.recover {
            self.recover = self.next;
            self.threshold = (self.window / 2.0).max(2.0);
            self.window = self.threshold;
        }
    }

    /// Time at which to act if no acknowledgement arrives.
    fn deadline(&self) -> Time {
        if self.next == 0 { self.start } else { self.last_ack + TIMEOUT }
    }

    fn timeout(&mut self, now: Time) {
        if self.next > 0 && now >= self.deadline() {
            self.outstanding.clear();
            self.threshold = (self.window / 2.0).max(2.0);
            self.window = 1.0;
            self.recover = self.next;
            self.last_ack = now;
        }
    }
}

/// A data packet that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrived {
    pub flow: u16,
    /// Time for which it waited for the line.
    pub waited: Duration,
}

/// Runs `sources` over `data`, with acknowledgements over `acks`, from `now` until `end`. Calls
/// `arrived` for every packet that arrives.
pub fn drive(
    sources: &mut [Source],
    data: &mut Pipe<Packet>,
    acks: &mut Pipe<Ack>,
    mut now: Time,
    end: Time,
    mut arrived: impl FnMut(Arrived),
) {
    while now < end {
        while let Some(delivery) = data.poll(now) {
            let packet = delivery.frame;
            let passage = delivery.passage;
            arrived(Arrived { flow: packet.flow, waited: passage.started.since(passage.offered) });
            let ack = Ack { flow: packet.flow, number: packet.number, echo: packet.is_marked() };
            acks.offer(now, FrameInfo::single(ACK_BYTES), ack)
                .expect("nothing limits the way back");
        }
        while data.poll_dropped().is_some() {}
        while let Some(delivery) = acks.poll(now) {
            let ack = delivery.frame;
            sources[usize::from(ack.flow)].acknowledged(now, ack);
        }
        for source in &mut *sources {
            source.timeout(now);
            source.send(now, data);
        }
        let timers = sources.iter().map(|source| source.deadline());
        let pipes = data.next_deadline().into_iter().chain(acks.next_deadline());
        // A pipe's deadline may come without anything being due, so at least a nanosecond passes.
        let next = timers.chain(pipes).min().unwrap_or(end);
        now = next.max(now + Duration::from_nanos(1)).min(end);
    }
}
