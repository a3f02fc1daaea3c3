//! Twins: packets that stand for those of real programs, which are sent outside the simulation. Not
//! here: how programs are observed.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use netloom_symbiosis::Received;
use netloom_units::Time;

use crate::cell::Cell;
use crate::packet::{Body, Flags, Fragment, Packet, Twin};
use crate::queue::Entity;
use crate::raw::{self, Headers};
use crate::sending::Work;
use crate::sockets::SocketEvent;
use crate::{AddressBook, Simulation};

/// A packet that a real program sent: its headers without the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Time at which it was sent.
    pub at: Time,
    /// Number of the interface through which it left its node.
    pub interface: u32,
    /// Source and destination.
    pub ends: [IpAddr; 2],
    /// Bytes of the whole packet, IP header included.
    pub bytes: u32,
    /// IP protocol of the packet. For IPv6, the first next header.
    pub protocol: u8,
    /// Source and destination port, or 0 if the protocol has none.
    pub ports: [u16; 2],
    /// Number of nodes that may forward it.
    pub hop_limit: u8,
    /// DSCP and ECN.
    pub traffic_class: u8,
    /// Whether routers may not fragment it.
    pub dont_fragment: bool,
    /// The fragment that it is, or a whole packet.
    pub fragment: Fragment,
}

impl Sent {
    /// Parses an IP packet. Returns `None` if it is not a complete one.
    pub fn of(packet: &[u8], at: Time, interface: u32) -> Option<Self> {
        let Headers { ends, fields, protocol, ports, bytes } = raw::headers(packet)?;
        Some(Self {
            at,
            interface,
            ends,
            bytes,
            protocol,
            ports,
            hop_limit: fields.hop_limit,
            traffic_class: fields.traffic_class,
            dont_fragment: fields.flags.has(Flags::DONT_FRAGMENT),
            fragment: fields.fragment,
        })
    }

    /// Returns its twin, or `None` if the network lacks one of its addresses.
    fn twin(&self, book: &AddressBook) -> Option<Packet> {
        let [source, destination] = self.ends;
        let v6 = if destination.is_ipv6() { Flags::V6 } else { Flags::default() };
        let whole = if self.dont_fragment { Flags::DONT_FRAGMENT } else { Flags::default() };
        Some(Packet {
            source: book.find(source)?,
            destination: book.find(destination)?,
            bytes: self.bytes,
            source_port: self.ports[0],
            destination_port: self.ports[1],
            hop_limit: self.hop_limit,
            traffic_class: self.traffic_class,
            flags: Flags::TWIN.with(v6).with(whole),
            fragment: self.fragment,
            body: Body::Twin(Twin { protocol: self.protocol, sent: self.at }),
        })
    }
}

impl Simulation {
    /// Queues `packets` for a flow of twins, to be sent at their times. Times must not decrease,
    /// and none may be in the past.
    pub fn bring_twins(&mut self, flow: u32, packets: impl IntoIterator<Item = Sent>) {
        if let Some(cell) = self.cells.iter_mut().find(|cell| cell.senders.get(flow).is_some()) {
            cell.queue_twins(flow, |queue| queue.packets.extend(packets));
        }
    }

    /// Takes the twins that have arrived at nodes since the last call, by source and destination.
    pub fn take_received_twins(&mut self) -> BTreeMap<[IpAddr; 2], Received> {
        let mut all: BTreeMap<_, Received> = BTreeMap::new();
        for cell in &mut self.cells {
            for (ends, received) in std::mem::take(&mut cell.received) {
                *all.entry(ends.map(|end| cell.book.address(end))).or_default() += received;
            }
        }
        all
    }
}

impl Cell {
    /// Adds to the queue of a flow of twins.
    pub(crate) fn queue_twins(&mut self, flow: u32, add: impl FnOnce(&mut TwinQueue)) {
        if let Work::Twins(queue) = &mut self.senders[flow].work {
            add(queue);
            let next = queue.next();
            self.queue.set(Entity::Source(flow), next);
        }
    }

    /// Sends what a flow of twins has due.
    pub(crate) fn send_twins(&mut self, flow: u32) {
        let (now, node) = (self.now, self.flows[flow as usize].from);
        while let Some(event) = self.twin_queue(flow).and_then(|queue| queue.due_socket(now)) {
            self.act(flow, &event);
        }
        while let Some(sent) = self.twin_queue(flow).and_then(|queue| queue.due_packet(now)) {
            let interfaces = self.nodes[node].interfaces.len();
            let twin = sent.twin(&self.book).filter(|_| (sent.interface as usize) < interfaces);
            if let Some(twin) = twin {
                let counts = &mut self.counts.entry(flow).totals;
                counts.sent.frames += 1;
                counts.sent.bytes += u64::from(sent.bytes);
                // On a link between two nodes the Ethernet address of the other end does not
                // matter.
                self.transmit(node, sent.interface, [0; 6], twin);
            }
        }
        let next = self.twin_queue(flow).and_then(|queue| queue.next());
        self.queue.set(Entity::Source(flow), next);
    }

    /// Counts a twin that left at `sent` and has arrived at its destination.
    pub(crate) fn receive_twin(&mut self, packet: &Packet, sent: Time) {
        let ends = [packet.source, packet.destination];
        let delay = self.now.since(sent);
        self.received.entry(ends).or_default().add(packet.bytes, delay);
    }

    fn twin_queue(&mut self, flow: u32) -> Option<&mut TwinQueue> {
        match &mut self.senders[flow].work {
            Work::Twins(queue) => Some(queue),
            Work::Packets(_) | Work::Tcp(_) => None,
        }
    }
}

/// The pending work of a flow of twins. Each queue is ordered by time.
#[derive(Debug, Default)]
pub(crate) struct TwinQueue {
    pub packets: VecDeque<Sent>,
    pub sockets: VecDeque<SocketEvent>,
}

impl TwinQueue {
    /// Time of the next thing to do.
    fn next(&self) -> Option<Time> {
        let packet = self.packets.front().map(|next| next.at);
        let socket = self.sockets.front().map(|next| next.at);
        packet.into_iter().chain(socket).min()
    }

    fn due_packet(&mut self, now: Time) -> Option<Sent> {
        self.packets.front().is_some_and(|next| next.at <= now).then(|| self.packets.pop_front())?
    }

    fn due_socket(&mut self, now: Time) -> Option<SocketEvent> {
        self.sockets.front().is_some_and(|next| next.at <= now).then(|| self.sockets.pop_front())?
    }
}
