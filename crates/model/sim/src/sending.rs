//! Traffic leaves: when each flow sends what. Not here: models of traffic, and what becomes of the
//! packets.

use std::num::NonZeroU32;

use netloom_units::{Duration, Time};

use crate::cell::Cell;
use crate::flow::{FlowKind, FlowSpec};
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

/// The end of a flow that sends.
#[derive(Debug)]
pub(crate) struct Sender {
    pub to: AddressId,
    v6: bool,
    source_port: u16,
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
    /// The sender of the flow at place `number`.
    pub fn new(flow: &FlowSpec, number: u32, book: &mut AddressBook) -> Self {
        let port = FIRST_PORT + number % PORTS;
        Self {
            to: book.enter(flow.to),
            v6: flow.to.is_ipv6(),
            source_port: port as u16,
            next: 0,
            due: None,
            ended: None,
            open: match &flow.kind {
                FlowKind::Tcp(tcp) => tcp.connections,
                FlowKind::Ping { .. } | FlowKind::Udp { .. } => 0,
            },
        }
    }

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
        self.ended.map(|ended| ended + LINGER)
    }
}

impl Cell {
    /// Schedules the first packet of each flow and the first change.
    pub(crate) fn begin(&mut self) {
        self.timeline.sort_by_key(|change| change.at);
        self.schedule_change();
        for number in 0..self.senders.len() as u32 {
            self.schedule_next(number);
        }
        for number in 0..self.islands.len() as u32 {
            // Switches with spanning trees speak first.
            self.queue.set(Entity::Island(number), Some(Time::ZERO));
        }
    }

    /// A flow sends the packet that is due.
    pub(crate) fn send_next(&mut self, number: u32) {
        let flow = &self.flows[number as usize];
        let sender = &mut self.senders[number as usize];
        let Some(payload) = sender.due.take() else { return };
        if matches!(flow.kind, FlowKind::Tcp(_)) {
            return self.begin_or_end(number);
        }
        let stamp = Stamp { flow: number, number: sender.next, sent: self.now };
        sender.next = sender.next.wrapping_add(1);
        let (ports, body) = match flow.kind {
            FlowKind::Ping { .. } => ((0, 0), Body::EchoRequest(stamp)),
            FlowKind::Udp { port, .. } => ((sender.source_port, port), Body::Datagram(stamp)),
            FlowKind::Tcp(_) => return,
        };
        let (node, to, v6, traffic_class) = (flow.from, sender.to, sender.v6, flow.traffic_class);
        let exit = self.nodes[node as usize].exit(to, &self.book, &self.neighbours);
        let counts = &mut self.counts[number as usize];
        counts.sent.frames += 1;
        counts.sent.bytes += u64::from(payload);
        match self.nodes[node as usize].source(exit, to, v6) {
            Some(source) => {
                let packet = Packet {
                    source,
                    destination: to,
                    bytes: IP_HEADERS[usize::from(v6)] + UPPER_HEADER + payload,
                    source_port: ports.0,
                    destination_port: ports.1,
                    hop_limit: HOP_LIMIT,
                    traffic_class,
                    flags: if v6 {
                        Flags::V6.with(Flags::DONT_FRAGMENT)
                    } else {
                        Flags::DONT_FRAGMENT
                    },
                    fragment: Fragment::default(),
                    body,
                };
                self.send(node, packet);
            }
            None => counts.refused += 1,
        }
        self.schedule_next(number);
    }

    /// The connections of a flow begin; or their end has come, if they have one.
    fn begin_or_end(&mut self, number: u32) {
        let sender = &mut self.senders[number as usize];
        if std::mem::replace(&mut sender.next, 1) == 0 {
            let until = self.flows[number as usize].until;
            sender.due = until.map(|_| 0);
            self.queue.set(Entity::Source(number), until);
            self.open(number);
        } else {
            self.shut(number);
        }
    }

    /// Asks a flow's model when it sends next.
    fn schedule_next(&mut self, number: u32) {
        let flow = &mut self.flows[number as usize];
        let sender = &mut self.senders[number as usize];
        let next = match &mut flow.kind {
            FlowKind::Ping { interval, count, payload } => {
                let more = count.is_none_or(|count| sender.next < count);
                let after = interval.as_nanos().saturating_mul(u64::from(sender.next));
                more.then_some((Duration::from_nanos(after), *payload))
            }
            FlowKind::Udp { arrivals, .. } => arrivals.next(),
            FlowKind::Tcp(_) => Some((Duration::ZERO, 0)),
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
pub(crate) fn flow_of(mark: NonZeroU32) -> usize {
    mark.get().wrapping_sub(1) as usize
}
