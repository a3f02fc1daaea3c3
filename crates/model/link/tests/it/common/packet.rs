//! Packets with headers, and the outcome of sending a series of them through a pipe.

use netloom_link::{DropReason, Dscp, Ecn, Frame, FrameInfo, Header, Pipe, PipeStatistics, Stream};
use netloom_units::{Duration, Time};

use super::config;

/// A frame with the headers that queue disciplines use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    pub number: u64,
    /// Number of the flow in the test.
    pub flow: u16,
    pub header: Option<Header>,
}

impl Frame for Packet {
    fn header(&self) -> Option<Header> {
        self.header
    }
    fn mark_congestion(&mut self) {
        let header = self.header.as_mut().expect("only IP packets are marked");
        assert!(header.ecn.takes_part(), "only packets that take part are marked");
        header.ecn = Ecn::Congestion;
    }
    fn remark(&mut self, dscp: Dscp) {
        self.header.as_mut().expect("only IP packets are remarked").dscp = dscp.value();
    }
    fn flip_bits(&mut self, _bits: &[u64]) {}
    fn duplicate(&self) -> Self {
        *self
    }
}

impl Packet {
    pub fn is_marked(&self) -> bool {
        self.header.is_some_and(|header| header.ecn == Ecn::Congestion)
    }
}

/// Returns the headers of a flow: UDP from 10.0.0.1 to 10.0.1.1.
pub fn header(flow: u16) -> Header {
    Header {
        source: "10.0.0.1".parse().unwrap(),
        destination: "10.0.1.1".parse().unwrap(),
        protocol: 17,
        source_port: flow,
        destination_port: 9,
        dscp: 0,
        ecn: Ecn::NotCapable,
    }
}

/// A frame to offer, with its time.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    pub at: Time,
    pub bytes: u32,
    pub flow: u16,
    pub header: Option<Header>,
}

impl Arrival {
    pub fn new(at: Time, flow: u16, bytes: u32) -> Self {
        Self { at, bytes, flow, header: Some(header(flow)) }
    }

    pub fn ecn(self) -> Self {
        self.with(|header| header.ecn = Ecn::Capable0)
    }

    pub fn dscp(self, dscp: u8) -> Self {
        self.with(|header| header.dscp = dscp)
    }

    pub fn with(mut self, change: impl Fn(&mut Header)) -> Self {
        self.header.iter_mut().for_each(change);
        self
    }
}

/// Returns `count` frames of a flow, one every `step` from `start` on.
pub fn every(
    step: Duration,
    start: Time,
    count: u64,
    flow: u16,
    bytes: u32,
) -> impl Iterator<Item = Arrival> {
    (0..count).map(move |index| {
        let at = start + Duration::from_nanos(index * step.as_nanos());
        Arrival::new(at, flow, bytes)
    })
}

/// A frame that arrived at the far end.
#[derive(Debug, Clone, Copy)]
pub struct Delivered {
    pub packet: Packet,
    pub bytes: u64,
    pub offered: Time,
    pub started: Time,
    pub serialized: Time,
}

impl Delivered {
    pub fn wait(&self) -> Duration {
        self.started.since(self.offered)
    }
}

/// A frame that the queue dropped, on arrival or later.
#[derive(Debug, Clone, Copy)]
pub struct Lost {
    pub packet: Packet,
    pub reason: DropReason,
    pub at: Time,
}

/// The outcome of a series of arrivals.
#[derive(Debug)]
pub struct Outcome {
    /// Delivered frames, in the order in which they left the line.
    pub delivered: Vec<Delivered>,
    /// Lost frames, in the order of the drops.
    pub lost: Vec<Lost>,
    pub statistics: PipeStatistics,
}

impl Outcome {
    pub fn lost_to(&self, reason: DropReason) -> Vec<Lost> {
        self.lost.iter().copied().filter(|lost| lost.reason == reason).collect()
    }

    pub fn bytes_of(&self, flow: u16) -> u64 {
        self.of(flow).map(|delivered| delivered.bytes).sum()
    }

    pub fn of(&self, flow: u16) -> impl Iterator<Item = &Delivered> {
        self.delivered.iter().filter(move |delivered| delivered.packet.flow == flow)
    }
}

/// Returns a pipe for packets, with a fixed name and seed.
pub fn packet_pipe(text: &str) -> Pipe<Packet> {
    Pipe::new(config(text), Stream::new(1, "test/forward"), Time::ZERO)
}

/// Returns a pipe with this queue and 8 Mbit/s without framing, so 1000 bytes take 1 ms.
pub fn queue_pipe(queue: &str) -> Pipe<Packet> {
    packet_pipe(&format!(r#"{{"rate":"8Mbit/s","framing":"none","queue":{queue}}}"#))
}

/// Offers `arrivals`, sorted and numbered by time, and lets the pipe run until it is empty.
pub fn run(pipe: &mut Pipe<Packet>, arrivals: impl IntoIterator<Item = Arrival>) -> Outcome {
    run_until(pipe, arrivals, None)
}

/// Like [`run`], but stops at `end`.
pub fn run_until(
    pipe: &mut Pipe<Packet>,
    arrivals: impl IntoIterator<Item = Arrival>,
    end: Option<Time>,
) -> Outcome {
    let mut arrivals: Vec<_> = arrivals.into_iter().collect();
    arrivals.sort_by_key(|arrival| arrival.at);
    let (mut delivered, mut lost) = (Vec::new(), Vec::new());
    let mut now = Time::ZERO;
    for (number, arrival) in (0..).zip(&arrivals) {
        now = arrival.at;
        if end.is_some_and(|end| now > end) {
            break;
        }
        collect(pipe, now, &mut delivered, &mut lost);
        let packet = Packet { number, flow: arrival.flow, header: arrival.header };
        if let Err(rejected) = pipe.offer(now, FrameInfo::single(arrival.bytes), packet) {
            lost.push(Lost { packet, reason: rejected.reason, at: now });
        }
    }
    match end {
        Some(end) => collect(pipe, end, &mut delivered, &mut lost),
        None => {
            while let Some(deadline) = pipe.next_deadline() {
                now = deadline;
                collect(pipe, now, &mut delivered, &mut lost);
            }
        }
    }
    let statistics = pipe.statistics(end.unwrap_or(now));
    Outcome { delivered, lost, statistics }
}

fn collect(
    pipe: &mut Pipe<Packet>,
    now: Time,
    delivered: &mut Vec<Delivered>,
    lost: &mut Vec<Lost>,
) {
    while let Some(delivery) = pipe.poll(now) {
        let passage = delivery.passage;
        delivered.push(Delivered {
            packet: delivery.frame,
            bytes: delivery.info.bytes(),
            offered: passage.offered,
            started: passage.started,
            serialized: passage.serialized,
        });
    }
    while let Some(dropped) = pipe.poll_dropped() {
        lost.push(Lost { packet: dropped.frame, reason: dropped.reason, at: dropped.at });
    }
}
