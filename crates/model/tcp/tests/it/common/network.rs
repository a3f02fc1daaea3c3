//! Two endpoints and, for each direction, a drop-tail queue before a line with a rate and a delay.
//! Losses are planned by the number of the packet, or by a function of it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use netloom_tcp::{Config, Ecn, Endpoint, Event, Flags, SackBlocks, Segment};
use netloom_units::{Duration, Time};

/// One packet on its way.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    pub segment: Segment,
    pub sack: SackBlocks,
}

/// A packet in the heap of arrivals, which is ordered by number.
struct Flying(Packet);

impl PartialEq for Flying {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Flying {}

impl PartialOrd for Flying {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Flying {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

/// The fate of a packet in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Drop,
    /// The packet arrives this much later, so that other packets overtake it.
    Late(Duration),
    Twice,
    Mark,
}

type Plan = Box<dyn FnMut(u64, &Segment) -> Fate>;

pub struct Line {
    /// Rate in bit/s. 0 for no limit.
    pub rate: u64,
    pub delay: Duration,
    /// Size of the queue in bytes, including the packet on the line.
    pub buffer: u64,
    /// Packets that find more than this many bytes waiting are marked.
    pub mark_above: u64,
    pub plan: Plan,
    /// Number of packets with payload that were offered.
    pub data_packets: u64,
    pub dropped: u64,
    pub offered: u64,
    busy_until: Time,
    waiting: VecDeque<(Time, u64)>,
    waiting_bytes: u64,
}

impl Line {
    pub fn new(rate: u64, delay: Duration, buffer: u64) -> Self {
        Self {
            rate,
            delay,
            buffer,
            mark_above: u64::MAX,
            plan: Box::new(|_, _| Fate::Pass),
            data_packets: 0,
            dropped: 0,
            offered: 0,
            busy_until: Time::ZERO,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
        }
    }

    pub fn queued_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Offers a packet. Returns the times at which it arrives, once, twice or never.
    fn offer(&mut self, now: Time, packet: &mut Packet) -> [Option<Time>; 2] {
        let number = self.data_packets;
        self.offered += 1;
        self.data_packets += u64::from(packet.segment.len > 0);
        let fate = (self.plan)(number, &packet.segment);
        if fate == Fate::Drop {
            self.dropped += 1;
            return [None, None];
        }
        while self.waiting.front().is_some_and(|(until, _)| *until <= now) {
            self.waiting_bytes -= self.waiting.pop_front().unwrap().1;
        }
        let bytes = packet.segment.packet_bytes(20) + 14;
        if let Some(nanos) = (bytes * 8_000_000_000).checked_div(self.rate) {
            if self.waiting_bytes + bytes > self.buffer {
                self.dropped += 1;
                return [None, None];
            }
            if self.waiting_bytes > self.mark_above && packet.segment.ecn != Ecn::NotEct {
                packet.segment.ecn = Ecn::Ce;
            }
            let begin = self.busy_until.max(now);
            self.busy_until = begin + Duration::from_nanos(nanos);
            self.waiting.push_back((self.busy_until, bytes));
            self.waiting_bytes += bytes;
        } else {
            self.busy_until = now;
        }
        let arrival = self.busy_until + self.delay;
        match fate {
            Fate::Late(more) => [Some(arrival + more), None],
            Fate::Twice => [Some(arrival), Some(arrival)],
            Fate::Mark => {
                if packet.segment.ecn != Ecn::NotEct {
                    packet.segment.ecn = Ecn::Ce;
                }
                [Some(arrival), None]
            }
            Fate::Pass | Fate::Drop => [Some(arrival), None],
        }
    }
}

/// One end with its application, which writes as much as it may and reads everything.
pub struct Host {
    pub endpoint: Endpoint,
    /// Number of bytes left to write.
    pub to_write: u64,
    /// Whether to shut down once everything is written.
    pub close: bool,
    /// Whether it reads.
    pub reads: bool,
    pub received: u64,
    pub events: Vec<Event>,
    /// Every segment sent, with its time.
    pub sent: Vec<(Time, Packet)>,
    pub keep: bool,
}

impl Host {
    fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            to_write: 0,
            close: false,
            reads: true,
            received: 0,
            events: Vec::new(),
            sent: Vec::new(),
            keep: true,
        }
    }

    fn run_application(&mut self, now: Time) {
        while let Some(event) = self.endpoint.poll_event() {
            self.events.push(event);
        }
        if self.reads {
            self.received += self.endpoint.read(now, u64::MAX);
        }
        if self.to_write > 0 {
            self.to_write -= self.endpoint.write(now, self.to_write);
        }
        if self.close && self.to_write == 0 && self.endpoint.state().synchronized() {
            self.close = false;
            self.endpoint.shutdown(now);
        }
    }
}

/// The network: host 0 connects, host 1 listens.
pub struct Network {
    pub now: Time,
    pub hosts: [Host; 2],
    /// The lines from host 0 and from host 1.
    pub lines: [Line; 2],
    /// Whether super-segments travel whole.
    pub whole: bool,
    flying: BinaryHeap<Reverse<(Time, u64, usize, Flying)>>,
    number: u64,
    /// Number of deadlines and arrivals handled without time passing. Too many of them are a loop,
    /// which is a failure.
    stuck: u32,
}

impl Network {
    pub fn new(config: Config, lines: [Line; 2]) -> Self {
        Self::with_configs(config.clone(), config, lines)
    }

    pub fn with_configs(first: Config, second: Config, lines: [Line; 2]) -> Self {
        // Clocks of timestamps begin at the initial sequence number, far from each other.
        Self::with_sequences(first, second, lines, 0x4d4d_0077)
    }

    /// A network whose server begins with the sequence number `server`.
    pub fn with_sequences(first: Config, second: Config, lines: [Line; 2], server: u32) -> Self {
        let client = Endpoint::connect(Time::ZERO, Arc::new(first), 0xffff_f000);
        let server = Endpoint::listen(Arc::new(second), server);
        let hosts = [Host::new(client), Host::new(server)];
        let flying = BinaryHeap::new();
        let whole = false;
        let mut network =
            Self { now: Time::ZERO, hosts, lines, whole, flying, number: 0, stuck: 0 };
        network.settle(0);
        network
    }

    /// A symmetric network with `rate` bit/s, `delay` in each direction, and buffers of `buffer`
    /// bytes.
    pub fn symmetric(config: Config, rate: u64, delay: Duration, buffer: u64) -> Self {
        let line = || Line::new(rate, delay, buffer);
        Self::new(config, [line(), line()])
    }

    /// Lets the application and the endpoint of `host` do everything that they can now.
    pub fn settle(&mut self, host: usize) {
        let now = self.now;
        self.hosts[host].run_application(now);
        while let Some(transmit) = self.hosts[host].endpoint.poll_transmit(now) {
            let mut rest = transmit.segment;
            while !self.whole
                && let Some(first) = rest.split_off(1)
            {
                self.offer(host, Packet { segment: first, sack: transmit.sack });
            }
            self.offer(host, Packet { segment: rest, sack: transmit.sack });
        }
    }

    pub fn offer(&mut self, host: usize, mut packet: Packet) {
        if self.hosts[host].keep {
            self.hosts[host].sent.push((self.now, packet));
        }
        let arrivals = self.lines[host].offer(self.now, &mut packet);
        for arrival in arrivals.into_iter().flatten() {
            self.number += 1;
            self.flying.push(Reverse((arrival, self.number, 1 - host, Flying(packet))));
        }
    }

    /// Handles the next event, if it comes by `until`. Returns whether there was one.
    pub fn step(&mut self, until: Time) -> bool {
        let arrives = self.flying.peek().map(|Reverse((at, ..))| *at);
        let deadline = (0..2)
            .filter_map(|host| self.hosts[host].endpoint.next_deadline().map(|at| (at, host)))
            .min();
        let due = arrives.into_iter().chain(deadline.map(|(at, _)| at)).min();
        let Some(due) = due.filter(|due| *due <= until) else {
            self.now = self.now.max(until);
            return false;
        };
        self.stuck = if due > self.now { 0 } else { self.stuck + 1 };
        assert!(self.stuck < 100_000, "time stands still at {}", self.now);
        self.now = self.now.max(due);
        if arrives == Some(due) {
            let Reverse((_, _, host, Flying(packet))) = self.flying.pop().unwrap();
            let endpoint = &mut self.hosts[host].endpoint;
            endpoint.handle_segment(self.now, &packet.segment, &packet.sack);
            self.settle(host);
        } else {
            let host = deadline.unwrap().1;
            self.hosts[host].endpoint.handle_timeout(self.now);
            self.settle(host);
        }
        true
    }

    pub fn run(&mut self, until: Time) {
        while self.step(until) {}
    }

    pub fn run_while(&mut self, until: Time, mut condition: impl FnMut(&Self) -> bool) {
        while condition(self) && self.step(until) {}
    }

    /// Connects, and runs until both ends are established.
    pub fn connect(&mut self) {
        use netloom_tcp::State::Established;
        let until = self.now + Duration::from_secs(100);
        self.run_while(until, |network| {
            network.hosts.iter().any(|host| host.endpoint.state() != Established)
        });
    }

    /// Makes host 0 send `bytes`.
    pub fn send(&mut self, bytes: u64) {
        self.hosts[0].to_write += bytes;
        self.settle(0);
    }
}

/// Returns the payload packets that `host` sent: time, first sequence number relative to its SYN,
/// length.
pub fn data_of(network: &Network, host: usize) -> Vec<(Time, u32, u32)> {
    let isn = network.hosts[host].sent[0].1.segment.seq;
    let sent = network.hosts[host].sent.iter();
    sent.filter(|(_, packet)| packet.segment.len > 0)
        .map(|(at, packet)| {
            (*at, packet.segment.seq.wrapping_sub(isn).wrapping_sub(1), packet.segment.len)
        })
        .collect()
}

/// Returns the pure acknowledgements that `host` sent.
pub fn acks_of(network: &Network, host: usize) -> Vec<(Time, Packet)> {
    let pure = |packet: &Packet| packet.segment.len == 0 && packet.segment.flags == Flags::ACK;
    network.hosts[host].sent.iter().filter(|(_, packet)| pure(packet)).copied().collect()
}
