//! Traffic at the senders: the packets of each flow and their times. Not here: models of traffic,
//! and the path of the packets through the network.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;

use netloom_tcp::Config;
use netloom_traffic::Exchanges;
use netloom_units::{Duration, Time};

use crate::cell::Cell;
use crate::flow::{Arrival, Arrivals, FlowKind, FlowSpec, TcpFlow, TcpWork};
use crate::packet::{Body, Flags, Fragment, HOP_LIMIT, Packet, Stamp};
use crate::queue::Entity;
use crate::twins::TwinQueue;
use crate::workload::Workload;
use crate::{AddressBook, AddressId};

/// Time after a flow's last packet during which one may still be under way.
const LINGER: Duration = Duration::from_secs(1);

/// First source port of flows (Linux's `ip_local_port_range`).
pub(crate) const FIRST_PORT: u32 = 32_768;
/// Number of these source ports.
pub(crate) const PORTS: u32 = 28_232;

/// Length of an IPv4 and of an IPv6 header, in bytes.
pub(crate) const IP_HEADERS: [u32; 2] = [20, 40];
/// Length of the header of ICMP echo and of UDP, in bytes.
const UPPER_HEADER: u32 = 8;

/// The data of a flow that all cells share.
#[derive(Debug)]
pub(crate) struct Flow {
    pub name: String,
    pub from: u32,
    pub to: Vec<AddressId>,
    pub v6: bool,
    pub kind: Kind,
    pub start: Time,
    pub until: Option<Time>,
    pub background: bool,
    pub traffic_class: u8,
    /// Source port of the flow's datagrams.
    source_port: u16,
}

/// The kind of traffic of a flow. The traffic model is not here: the flow's sender has it.
#[derive(Debug)]
pub(crate) enum Kind {
    Ping,
    Udp { port: u16 },
    Tcp(Box<Tcp>),
    Twins(Box<Config>),
}

/// The data that both ends of a flow's connections share.
#[derive(Debug)]
pub(crate) struct Tcp {
    pub port: u16,
    pub sender: Config,
    pub receivers: Vec<Config>,
    /// Whether connections that have ended are forgotten.
    pub is_many: bool,
    /// The requests to the servers, and whether all go over one connection.
    pub http: Option<(Exchanges, bool)>,
}

impl Tcp {
    fn new(flow: TcpFlow) -> (Self, Workload) {
        let TcpFlow { port, work, sender, receivers } = flow;
        let http = match &work {
            TcpWork::Http { exchanges, persistent, .. } => Some((exchanges.clone(), *persistent)),
            TcpWork::Bulk { .. } | TcpWork::Transfers { .. } => None,
        };
        let workload = Workload::new(work);
        (Self { port, sender, receivers, is_many: workload.is_many(), http }, workload)
    }
}

/// Returns flows and their senders, in the same order.
pub(crate) fn described(flows: Vec<FlowSpec>, book: &mut AddressBook) -> (Vec<Flow>, Vec<Sender>) {
    let described = (0..).zip(flows).map(|(number, spec)| {
        let FlowSpec { name, from, to, kind, start, until, background, traffic_class } = spec;
        let (kind, work) = match kind {
            FlowKind::Ping { arrivals } => (Kind::Ping, Work::Packets(arrivals)),
            FlowKind::Twins(tcp) => (Kind::Twins(tcp), Work::Twins(Box::default())),
            FlowKind::Udp { port, arrivals } => (Kind::Udp { port }, Work::Packets(arrivals)),
            FlowKind::Tcp(tcp) => {
                let (tcp, workload) = Tcp::new(*tcp);
                (Kind::Tcp(Box::new(tcp)), Work::Tcp(workload))
            }
        };
        let v6 = to.iter().any(IpAddr::is_ipv6);
        let to = to.into_iter().map(|to| book.enter(to)).collect();
        let source_port = (FIRST_PORT + number % PORTS) as u16;
        let flow =
            Flow { name, from, to, v6, kind, start, until, background, traffic_class, source_port };
        (flow, Sender { work, next: 0, due: None, ended: None, open: 0, more: true })
    });
    described.unzip()
}

/// The sending end of a flow.
#[derive(Debug)]
pub(crate) struct Sender {
    pub work: Work,
    /// Number of the next packet.
    next: u32,
    /// The packet that is due next.
    due: Option<Arrival>,
    /// Time at which the last packet was sent; for TCP, at which everything was delivered. `None`
    /// until then.
    ended: Option<Time>,
    /// Number of connections that have not ended yet.
    pub open: u32,
    /// Whether more connections will begin.
    pub more: bool,
}

/// The work of a sender.
#[derive(Debug)]
pub(crate) enum Work {
    Packets(Box<dyn Arrivals>),
    Tcp(Workload),
    Twins(Box<TwinQueue>),
}

impl Sender {
    /// Records that one of its connections has ended.
    pub fn close(&mut self, now: Time) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 && !self.more {
            self.ended.get_or_insert(now);
        }
    }

    /// Records that nothing more will begin.
    pub fn end(&mut self, now: Time) {
        self.more = false;
        if self.open == 0 {
            self.ended.get_or_insert(now);
        }
    }

    /// Stops the sender, because its node has failed: nothing more is sent or delivered.
    fn stop(&mut self, now: Time) {
        self.due = None;
        self.open = 0;
        self.end(now);
    }

    /// Time at which it ended, if it has.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// Time from which nothing of the flow is under way, once everything has been sent.
    pub fn over(&self) -> Option<Time> {
        // What a connection has sent has been acknowledged.
        let linger = match self.work {
            Work::Packets(_) | Work::Twins(_) => LINGER,
            Work::Tcp(_) => Duration::ZERO,
        };
        self.ended.map(|ended| ended + linger)
    }
}

impl Cell {
    /// Schedules the first packet of each flow and the first change.
    pub(crate) fn begin(&mut self) {
        self.begin_network();
        self.begin_senders();
    }

    /// Begins the traffic of a simulation that was made to wait for it. All times of flows count
    /// from `zero`, which must not be in the past.
    pub fn begin_traffic(&mut self, zero: Time) {
        let since = |time: Time| zero + time.since(Time::ZERO);
        // In a simulation of one cell, no other cell shares the flows.
        for flow in Arc::get_mut(&mut self.flows).into_iter().flatten() {
            flow.start = since(flow.start);
            flow.until = flow.until.map(since);
        }
        self.begin_senders();
    }

    fn begin_senders(&mut self) {
        let senders: Vec<u32> = self.senders.iter().map(|(number, _)| number).collect();
        senders.into_iter().for_each(|number| self.schedule_next(number));
    }

    /// Schedules the first change.
    pub(crate) fn begin_network(&mut self) {
        self.schedule_change();
        // Switches with spanning trees send the first frames.
        for (number, _) in self.islands.iter() {
            self.queue.set(Entity::Island(number), Some(Time::ZERO));
        }
    }

    /// Ends all traffic that a node sends, for good. Traffic that begins later is not affected.
    pub(crate) fn stop_senders(&mut self, node: u32) {
        let flows = Arc::clone(&self.flows);
        let now = self.now;
        let begun = (0..).zip(flows.iter()).filter(|(_, of)| of.from == node && of.start <= now);
        begun.for_each(|(number, _)| self.stop_sender(number));
    }

    fn stop_sender(&mut self, number: u32) {
        self.senders[number].stop(self.now);
        self.queue.set(Entity::Source(number), None);
    }

    /// Sends what a flow has due.
    pub(crate) fn send_next(&mut self, number: u32) {
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        if self.nodes[flow.from].has_failed {
            self.not_begun.push(number);
            return self.stop_sender(number);
        }
        if matches!(flow.kind, Kind::Twins(_)) {
            return self.send_twins(number);
        }
        let sender = &mut self.senders[number];
        let Some(Arrival { payload, to, .. }) = sender.due.take() else {
            return self.do_work(number);
        };
        let stamp = Stamp { flow: number, number: sender.next, sent: self.now };
        sender.next = sender.next.wrapping_add(1);
        let (ports, body) = match flow.kind {
            Kind::Udp { port } => ((flow.source_port, port), Body::Datagram(stamp)),
            Kind::Ping | Kind::Tcp(_) | Kind::Twins(_) => ((0, 0), Body::EchoRequest(stamp)),
        };
        let Flow { from, v6, traffic_class, .. } = *flow;
        let to = flow.to[to as usize];
        let exit = self.nodes[from].exit(to, &self.book, &self.neighbours);
        let counts = &mut self.counts.entry(number).totals;
        counts.sent.frames += 1;
        counts.sent.bytes += u64::from(payload);
        match self.nodes[from].source(exit, to, v6) {
            Some(source) => {
                let flags = Flags::DONT_FRAGMENT;
                let packet = Packet {
                    source,
                    destination: to,
                    bytes: IP_HEADERS[usize::from(v6)] + UPPER_HEADER + payload,
                    source_port: ports.0,
                    destination_port: ports.1,
                    hop_limit: HOP_LIMIT,
                    traffic_class,
                    flags: if v6 { flags.with(Flags::V6) } else { flags },
                    fragment: Fragment::default(),
                    body,
                };
                self.send(from, packet);
            }
            None => counts.refused += 1,
        }
        self.schedule_next(number);
    }

    /// Asks a flow's model for its next packet, and schedules it.
    fn schedule_next(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        let sender = &mut self.senders[number];
        let Work::Packets(arrivals) = &mut sender.work else {
            return self.schedule_workload(number);
        };
        sender.due = arrivals.next().filter(|next| flow.allows(flow.start + next.after));
        let next = sender.due.map(|next| flow.start + next.after);
        if next.is_none() {
            sender.end(self.now);
        }
        self.queue.set(Entity::Source(number), next);
    }
}

/// Returns the mark that identifies a flow in error messages.
pub(crate) fn mark_of(flow: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(flow.wrapping_add(1))
}

/// Returns the flow that an error message is about.
pub(crate) fn flow_of(mark: NonZeroU32) -> u32 {
    mark.get().wrapping_sub(1)
}
