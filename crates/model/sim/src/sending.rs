//! Traffic leaves: when each flow sends what. Not here: models of traffic, and what becomes of the
//! packets.

use std::num::NonZeroU32;
use std::sync::Arc;

use netloom_units::{Duration, Time};

use crate::cell::Cell;
use crate::flow::{Arrivals, FlowKind, FlowSpec, TcpFlow};
use crate::packet::{Body, Flags, Fragment, HOP_LIMIT, Packet, Stamp};
use crate::queue::Entity;
use crate::{AddressBook, AddressId};

/// How long after its last packet a flow still may have one under way.
const LINGER: Duration = Duration::from_secs(1);

/// Source ports of flows begin here (Linux's `ip_local_port_range`).
pub(crate) const FIRST_PORT: u32 = 32_768;
/// And so many there are.
pub(crate) const PORTS: u32 = 28_232;

/// Bytes of an IPv4 and of an IPv6 header.
pub(crate) const IP_HEADERS: [u32; 2] = [20, 40];
/// Bytes of the header of ICMP echo, and of UDP.
const UPPER_HEADER: u32 = 8;

/// A flow as all cells know it.
#[derive(Debug)]
pub(crate) struct Flow {
    pub name: String,
    pub from: u32,
    pub to_id: AddressId,
    pub v6: bool,
    pub kind: Kind,
    pub start: Time,
    pub until: Option<Time>,
    pub background: bool,
    pub traffic_class: u8,
    /// How many source ports the flows before it have.
    ports_before: u32,
}

/// What a flow sends, but for the model, which its sender has.
#[derive(Debug)]
pub(crate) enum Kind {
    Ping,
    Udp { port: u16 },
    Tcp(Box<TcpFlow>),
}

impl Flow {
    /// The source port of one of its connections, or of its datagrams.
    pub fn source_port(&self, connection: u32) -> u16 {
        (FIRST_PORT + self.ports_before.wrapping_add(connection) % PORTS) as u16
    }
}

/// Flows and their senders, in the same order.
pub(crate) fn described(flows: Vec<FlowSpec>, book: &mut AddressBook) -> (Vec<Flow>, Vec<Sender>) {
    let mut ports_before = 0u32;
    let described = flows.into_iter().map(|spec| {
        let FlowSpec { name, from, to, kind, start, until, background, traffic_class } = spec;
        let (kind, arrivals) = match kind {
            FlowKind::Ping { arrivals } => (Kind::Ping, Some(arrivals)),
            FlowKind::Udp { port, arrivals } => (Kind::Udp { port }, Some(arrivals)),
            FlowKind::Tcp(tcp) => (Kind::Tcp(tcp), None),
        };
        let open = match &kind {
            Kind::Tcp(tcp) => tcp.connections,
            Kind::Ping | Kind::Udp { .. } => 0,
        };
        let (to_id, v6) = (book.enter(to), to.is_ipv6());
        let flow = Flow {
            name,
            from,
            to_id,
            v6,
            kind,
            start,
            until,
            background,
            traffic_class,
            ports_before,
        };
        ports_before = ports_before.wrapping_add(open.max(1));
        (flow, Sender { arrivals, next: 0, due: None, ended: None, open })
    });
    described.unzip()
}

/// The end of a flow that sends.
#[derive(Debug)]
pub(crate) struct Sender {
    arrivals: Option<Box<dyn Arrivals>>,
    /// The number of the next packet.
    next: u32,
    /// The payload of the packet that is due.
    due: Option<u32>,
    /// When the last packet was sent, once there is none any more; of TCP, when all was delivered.
    ended: Option<Time>,
    /// Connections that have not ended yet.
    open: u32,
}

impl Sender {
    /// One of its connections has ended.
    pub fn close(&mut self, now: Time) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.ended.get_or_insert(now);
        }
    }

    /// When it ended, if it has.
    pub fn ended(&self) -> Option<Time> {
        self.ended
    }

    /// From when on nothing of it is under way any more, once all has been sent.
    pub fn over(&self) -> Option<Time> {
        // What a connection has sent is known to have come.
        let linger = if self.arrivals.is_some() { LINGER } else { Duration::ZERO };
        self.ended.map(|ended| ended + linger)
    }
}

impl Cell {
    /// Schedules the first packet of each flow and the first change.
    pub(crate) fn begin(&mut self) {
        self.schedule_change();
        let senders: Vec<u32> = self.senders.iter().map(|(number, _)| number).collect();
        senders.into_iter().for_each(|number| self.schedule_next(number));
        // Switches with spanning trees speak first.
        for (number, _) in self.islands.iter() {
            self.queue.set(Entity::Island(number), Some(Time::ZERO));
        }
    }

    /// A flow sends the packet that is due.
    pub(crate) fn send_next(&mut self, number: u32) {
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let sender = &mut self.senders[number];
        let Some(payload) = sender.due.take() else { return };
        if matches!(flow.kind, Kind::Tcp(_)) {
            return self.begin_or_end(number, flow);
        }
        let stamp = Stamp { flow: number, number: sender.next, sent: self.now };
        sender.next = sender.next.wrapping_add(1);
        let (ports, body) = match flow.kind {
            Kind::Udp { port } => ((flow.source_port(0), port), Body::Datagram(stamp)),
            Kind::Ping | Kind::Tcp(_) => ((0, 0), Body::EchoRequest(stamp)),
        };
        let Flow { from, to_id, v6, traffic_class, .. } = *flow;
        let exit = self.nodes[from].exit(to_id, &self.book, &self.neighbours);
        let counts = self.counts.entry(number);
        counts.sent.frames += 1;
        counts.sent.bytes += u64::from(payload);
        match self.nodes[from].source(exit, to_id, v6) {
            Some(source) => {
                let flags = Flags::DONT_FRAGMENT;
                let packet = Packet {
                    source,
                    destination: to_id,
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

    /// The connections of a flow begin; or their end has come, if they have one.
    fn begin_or_end(&mut self, number: u32, flow: &Flow) {
        let sender = &mut self.senders[number];
        if std::mem::replace(&mut sender.next, 1) == 0 {
            sender.due = flow.until.map(|_| 0);
            self.queue.set(Entity::Source(number), flow.until);
            self.open(number, flow);
        } else {
            self.shut(number);
        }
    }

    /// Asks a flow's model when it sends next.
    fn schedule_next(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        let sender = &mut self.senders[number];
        let next = match &flow.kind {
            Kind::Ping | Kind::Udp { .. } => {
                sender.arrivals.as_mut().and_then(|arrivals| arrivals.next())
            }
            Kind::Tcp(_) => Some((Duration::ZERO, 0)),
        };
        let next = next.map(|(after, payload)| (flow.start + after, payload));
        let next = next.filter(|(at, _)| flow.until.is_none_or(|until| *at < until));
        sender.due = next.map(|(_, payload)| payload);
        if next.is_none() {
            sender.ended = Some(self.now);
        }
        self.queue.set(Entity::Source(number), next.map(|(at, _)| at));
    }
}

/// A flow as error messages know it.
pub(crate) fn mark_of(flow: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(flow.wrapping_add(1))
}

/// The flow that an error message is about.
pub(crate) fn flow_of(mark: NonZeroU32) -> u32 {
    mark.get().wrapping_sub(1)
}
