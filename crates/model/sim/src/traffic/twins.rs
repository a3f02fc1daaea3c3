//! Twins: packets that stand for those of real programs, which are sent outside the simulation. Not
//! here: how programs are observed.

use std::collections::VecDeque;
use std::net::IpAddr;

use netloom_units::Time;

use super::sockets::SocketEvent;
use crate::AddressBook;
use crate::bytes::{Headers, headers};
use crate::packet::{Body, Flags, Fragment, Packet, Twin};

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
        let Headers { ends, fields, protocol, ports, bytes } = headers(packet)?;
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
    pub(crate) fn twin(&self, book: &AddressBook) -> Option<Packet> {
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

/// The pending work of a flow of twins. Each queue is ordered by time.
#[derive(Debug, Default)]
pub(crate) struct TwinQueue {
    pub packets: VecDeque<Sent>,
    pub sockets: VecDeque<SocketEvent>,
}

impl TwinQueue {
    /// Time of the next thing to do.
    pub fn next(&self) -> Option<Time> {
        let packet = self.packets.front().map(|next| next.at);
        let socket = self.sockets.front().map(|next| next.at);
        packet.into_iter().chain(socket).min()
    }

    /// Takes the next packet that is due.
    pub fn due_packet(&mut self, now: Time) -> Option<Sent> {
        self.packets.front().is_some_and(|next| next.at <= now).then(|| self.packets.pop_front())?
    }

    /// Takes the next action on a connection that is due.
    pub fn due_socket(&mut self, now: Time) -> Option<SocketEvent> {
        self.sockets.front().is_some_and(|next| next.at <= now).then(|| self.sockets.pop_front())?
    }
}
