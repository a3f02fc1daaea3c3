//! TCP connections of hosts. Each end is an endpoint of `netloom-tcp`; this module puts it between
//! the network and its application. Not here: what TCP does, and what applications do
//! (`application`).

use std::collections::btree_map::Entry;
use std::sync::Arc;

use netloom_link::Stream;
use netloom_tcp::{Config, Ecn, Endpoint, Info, SackBlocks, Segment, State, Transmit};
use netloom_units::Time;

use crate::AddressId;
use crate::application::{Application, Service};
use crate::cell::Cell;
use crate::foreign::Guest;
use crate::packet::{Body, Error, ErrorKind, Flags, Fragment, HOP_LIMIT, Packet, TcpHeader};
use crate::queue::Entity;
use crate::route::Exit;
use crate::sending::{Flow, IP_HEADERS, Kind};

const SYN: netloom_tcp::Flags = netloom_tcp::Flags::SYN;
const ACK: netloom_tcp::Flags = netloom_tcp::Flags::ACK;

/// The ECN field: the two low bits of the traffic class (RFC 3168).
const ECN: u8 = 3;
/// MTU of the loopback interface, limited to the longest length that an IP header can hold.
const LOOPBACK_MTU: u32 = 65_535;

/// Distance between the initial sequence numbers of a flow's connections (Knuth's multiplier, which
/// is odd).
const SEQUENCE_STEP: u32 = 2_654_435_761;

/// The other end of a connection: its address and port, and the own port.
pub(crate) type Peer = (AddressId, u16, u16);

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    pub node: u32,
    pub local: AddressId,
    pub peer: Peer,
    pub v6: bool,
    pub traffic_class: u8,
    pub flow: u32,
    /// Time at which it began.
    pub begun: Time,
    /// Whether it is one of many, which are forgotten when they end.
    pub is_many: bool,
    /// Whether its end has been reported to its flow.
    pub left: bool,
    pub application: Application,
    pub endpoint: Box<Endpoint>,
}

/// TCP_INFO of connections of a flow, at an end that sends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowInfo {
    /// The flow.
    pub flow: u32,
    /// The node that sends.
    pub node: u32,
    /// Number of connections: one, or all of those that have ended and were forgotten.
    pub connections: u32,
    /// TCP_INFO. For several connections, their counters are summed.
    pub info: Info,
}

impl Connection {
    /// Returns TCP_INFO if this end sends.
    pub fn sender_info(&self) -> Option<FlowInfo> {
        let Self { flow, node, .. } = *self;
        let info = || FlowInfo { flow, node, connections: 1, info: self.endpoint.info() };
        self.application.sends().then(info)
    }
}

impl FlowInfo {
    /// Adds the counters of a connection that has ended.
    fn add(&mut self, over: &Self) {
        self.connections += over.connections;
        let Info { bytes_acked, retransmitted, lost, delivered_ce, .. } = over.info;
        self.info.bytes_acked += bytes_acked;
        self.info.retransmitted += retransmitted;
        self.info.lost += lost;
        self.info.delivered_ce += delivered_ce;
    }
}

impl Cell {
    /// Stops the applications of a flow from writing more. What is written is still delivered.
    pub(crate) fn shut(&mut self, flow: u32) {
        for number in 0..self.connections.len() as u32 {
            let Some(connection) = &self.connections[number as usize] else { continue };
            let writes = matches!(connection.application, Application::Writes(_));
            if connection.flow == flow && writes {
                self.finish_writing(number);
            }
        }
    }

    /// Opens a connection of a flow to the receiver at place `to`. Returns `None` if there is no
    /// route.
    pub(crate) fn open(
        &mut self,
        (number, flow): (u32, &Flow),
        connection: u32,
        to: usize,
        application: Application,
    ) -> Option<u32> {
        let opened = self.connect((number, flow), connection, to, application);
        match opened {
            Some(opened) => self.pump(opened),
            None => {
                self.counts.entry(number).totals.refused += 1;
                self.senders[number].close(self.now);
            }
        }
        opened
    }

    /// Makes the opening end of a connection. Returns `None` if there is no route to its
    /// destination.
    fn connect(
        &mut self,
        (number, flow): (u32, &Flow),
        connection: u32,
        to: usize,
        application: Application,
    ) -> Option<u32> {
        let Flow { from: node, v6, traffic_class, .. } = *flow;
        let Kind::Tcp(tcp) = &flow.kind else { return None };
        let to = flow.to[to];
        let exit = self.nodes[node].exit(to, &self.book, &self.neighbours);
        if matches!(exit, Exit::NoRoute | Exit::NoHost) {
            return None;
        }
        let local = self.nodes[node].source(exit, to, v6)?;
        let source_port = self.nodes[node].stack.free_port(to, tcp.port)?;
        let initial = self.first_sequence(&flow.name, connection);
        let config = self.fitted(&tcp.sender, node, exit, v6);
        Some(self.add(Connection {
            node,
            local,
            peer: (to, tcp.port, source_port),
            v6,
            traffic_class,
            flow: number,
            begun: self.now,
            is_many: tcp.is_many,
            left: false,
            application,
            endpoint: Box::new(Endpoint::connect(self.now, config, initial)),
        }))
    }

    /// Makes the accepting end of a connection, for a SYN from a node that is expected to open one.
    fn accept(&mut self, node: u32, packet: &Packet, sequence: u32) -> Option<u32> {
        let owners = Arc::clone(&self.owners);
        let listeners = self.nodes[node].stack.listeners.get(&packet.destination_port)?;
        let from = || owners.of(packet.source).find_map(|from| listeners.get(&from).copied());
        let is_foreign = matches!(packet.body, Body::Raw(_));
        // Connections of any real node are accepted.
        let number = if is_foreign { listeners.values().next().copied() } else { from() }?;
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let Kind::Tcp(tcp) = &flow.kind else { return None };
        let (local, remote, v6) = (packet.destination, packet.source, packet.is_v6());
        let to = flow.to.iter().position(|to| *to == local)?;
        let exit = self.nodes[node].exit(remote, &self.book, &self.neighbours);
        let config = self.fitted(&tcp.receivers[to], node, exit, v6);
        let connection = self.number_of(&flow.name, sequence);
        let name = format!("traffic/{}/{connection}/server", flow.name);
        let initial = Stream::new(self.seed, &name).bits() as u32;
        let application = match &tcp.http {
            served if is_foreign => {
                let guest = Guest::new([sequence, initial], served.is_some());
                Application::Receives(Box::new(guest))
            }
            None => Application::Reads,
            Some((exchanges, persistent)) => Application::Serves(Box::new(Service::new(
                exchanges.clone(),
                connection,
                *persistent,
            ))),
        };
        Some(self.add(Connection {
            node,
            local,
            peer: (remote, packet.source_port, packet.destination_port),
            v6,
            traffic_class: flow.traffic_class,
            flow: number,
            begun: self.now,
            // Real nodes open and close connections as they like.
            is_many: tcp.is_many || is_foreign,
            left: false,
            application,
            endpoint: Box::new(Endpoint::listen(config, initial)),
        }))
    }

    /// Returns the initial sequence number of a flow's connection. The other end derives the number
    /// of the connection from it.
    fn first_sequence(&self, flow: &str, connection: u32) -> u32 {
        self.sequence_base(flow).wrapping_add(connection.wrapping_mul(SEQUENCE_STEP))
    }

    /// Returns the number of the connection that begins with a sequence number.
    fn number_of(&self, flow: &str, sequence: u32) -> u32 {
        sequence.wrapping_sub(self.sequence_base(flow)).wrapping_mul(inverse(SEQUENCE_STEP))
    }

    fn sequence_base(&self, flow: &str) -> u32 {
        Stream::new(self.seed, &format!("traffic/{flow}/client")).bits() as u32
    }

    /// Returns a configuration with the IP header and the MTU of this path.
    pub(crate) fn fitted(&self, config: &Config, node: u32, exit: Exit, v6: bool) -> Arc<Config> {
        let mtu = match exit {
            Exit::Out { interface, .. } => self.nodes[node].interfaces[interface as usize].mtu,
            Exit::Local | Exit::NoRoute | Exit::NoHost => LOOPBACK_MTU,
        };
        let mtu = u16::try_from(mtu).unwrap_or(u16::MAX);
        // The header is 20 or 40 bytes long.
        let network_header = IP_HEADERS[usize::from(v6)] as u16;
        Arc::new(Config { mtu, network_header, ..config.clone() })
    }

    pub(crate) fn add(&mut self, connection: Connection) -> u32 {
        // There are fewer connections than `u32` can number.
        let number = self.connections.len() as u32;
        let stack = &mut self.nodes[connection.node].stack;
        stack.connections.insert(connection.peer, number);
        self.connections.push(Some(Box::new(connection)));
        number
    }

    /// Forgets a connection that has ended, except for its counts.
    pub(crate) fn forget(&mut self, number: u32) {
        let Some(gone) = self.connections[number as usize].take() else { return };
        let known = &mut self.nodes[gone.node].stack.connections;
        if known.get(&gone.peer) == Some(&number) {
            known.remove(&gone.peer);
        }
        if let Application::Mirrors(program) = &gone.application {
            self.forget_socket(gone.flow, program, &gone.endpoint);
        }
        let Some(info) = gone.sender_info() else { return };
        match self.gone.entry((info.flow, info.node)) {
            Entry::Vacant(place) => {
                // A connection that has ended has nothing in flight and no window.
                let now = Info { cwnd: 0, ssthresh: None, in_flight: 0, ..info.info };
                place.insert(FlowInfo { info: Info { delivery_rate: 0, ..now }, ..info });
            }
            Entry::Occupied(mut sum) => sum.get_mut().add(&info),
        }
    }

    /// Removes all sockets of a node without notice to their peers. A peer that sends to them later
    /// gets an error.
    pub(crate) fn drop_sockets(&mut self, node: u32) {
        for number in 0..self.connections.len() as u32 {
            let connection = self.connections[number as usize].as_ref();
            if connection.is_some_and(|connection| connection.node == node) {
                self.queue.set(Entity::Timer(number), None);
                self.forget(number);
            }
        }
        let stack = &mut self.nodes[node].stack;
        stack.ports.clear();
        stack.listeners.clear();
        stack.parts.clear();
    }

    /// Delivers a segment to its host.
    pub(crate) fn segment(&mut self, node: u32, packet: &Packet) {
        let (segment, sack) = unwrapped(packet);
        self.take_segment(node, packet, (segment, sack), &[]);
    }

    /// Delivers a segment to its host, with bytes if a real node sent it.
    pub(crate) fn take_segment(
        &mut self,
        node: u32,
        packet: &Packet,
        (mut segment, sack): (Segment, SackBlocks),
        payload: &[u8],
    ) {
        segment.ecn = ecn_of(packet);
        let peer = (packet.source, packet.source_port, packet.destination_port);
        let found = self.nodes[node].stack.connections.get(&peer).copied();
        let opens = segment.flags.contains(SYN) && !segment.flags.contains(ACK);
        let accepted = || if opens { self.accept(node, packet, segment.seq) } else { None };
        let Some(number) = found.or_else(accepted) else {
            return self.reset(node, packet, &segment);
        };
        let now = self.now;
        let Some(connection) = &mut self.connections[number as usize] else { return };
        if segment.len > 0 && !connection.application.sends() {
            self.counts.entry(connection.flow).totals.received.frames += 1;
        }
        if let Application::Receives(guest) = &mut connection.application {
            guest.receive(segment.seq, payload);
        }
        connection.endpoint.handle_segment(now, &segment, &sack);
        if let Application::Mirrors(program) = &mut connection.application {
            program.go(now, &mut connection.endpoint);
        }
        self.pump(number);
    }

    /// Handles an expired timer of a connection.
    pub(crate) fn expire(&mut self, number: u32) {
        let now = self.now;
        if let Some(connection) = &mut self.connections[number as usize] {
            connection.endpoint.handle_timeout(now);
            self.pump(number);
        }
    }

    /// Lets a connection and its application do everything that they can do now.
    pub(crate) fn pump(&mut self, number: u32) {
        let now = self.now;
        loop {
            self.apply(number);
            let Some(connection) = &mut self.connections[number as usize] else { return };
            let Some(sent) = connection.endpoint.poll_transmit(now) else { break };
            self.transmit_segment(number, sent);
        }
        let Some(connection) = &self.connections[number as usize] else { return };
        let deadline = connection.endpoint.next_deadline();
        let is_over = connection.is_many && connection.endpoint.state() == State::Closed;
        self.queue.set(Entity::Timer(number), deadline.filter(|_| !is_over));
        if is_over {
            self.forget(number);
        }
    }

    /// Sends a segment from its host. Each packet of a super-segment is sent by itself.
    fn transmit_segment(&mut self, number: u32, Transmit { mut segment, sack }: Transmit) {
        while let Some(first) = segment.split_off(1) {
            self.transmit_packet(number, &first, &sack);
        }
        self.transmit_packet(number, &segment, &sack);
    }

    fn transmit_packet(&mut self, number: u32, segment: &Segment, sack: &SackBlocks) {
        let Some(connection) = &self.connections[number as usize] else { return };
        let Connection { node, local, peer, v6, traffic_class, flow, .. } = **connection;
        let mut packet = wrapped(segment, sack, (local, peer), v6, traffic_class);
        match &connection.application {
            Application::Receives(guest) => {
                let acked = connection.endpoint.info().bytes_acked;
                packet = guest.packet(packet, (segment, sack), acked, &self.book);
            }
            Application::Mirrors(_) => packet = twin(packet, self.now),
            _ => {}
        }
        if connection.application.sends() && segment.len > 0 {
            let counts = &mut self.counts.entry(flow).totals;
            counts.sent.frames += 1;
            counts.sent.bytes += u64::from(segment.len);
        }
        self.send(node, packet);
    }

    /// Answers a segment for which there is no connection.
    #[cold]
    fn reset(&mut self, node: u32, packet: &Packet, segment: &Segment) {
        self.nodes[node].counts.no_port += 1;
        let Some(reply) = segment.reset_reply() else { return };
        let ends =
            (packet.destination, (packet.source, packet.source_port, packet.destination_port));
        let reply = wrapped(&reply, &SackBlocks::NONE, ends, packet.is_v6(), 0);
        let reply = if packet.is_twin() { twin(reply, self.now) } else { reply };
        self.send(node, reply);
    }

    /// Handles an error message about a segment. Only the path MTU matters to a connection.
    pub(crate) fn heed_segment_error(&mut self, node: u32, error: &Error) {
        if error.kind != ErrorKind::TooBig {
            return;
        }
        let peer = (error.destination, error.destination_port, error.source_port);
        let found = self.nodes[node].stack.connections.get(&peer).copied();
        let Some(number) = found else { return };
        let mtu = u16::try_from(error.mtu).unwrap_or(u16::MAX);
        let now = self.now;
        if let Some(connection) = &mut self.connections[number as usize] {
            connection.endpoint.handle_mtu(now, mtu);
            self.pump(number);
        }
    }
}

/// Returns the inverse of an odd number modulo 2^32 (Newton's method: each step doubles the number
/// of correct bits).
const fn inverse(odd: u32) -> u32 {
    let (mut inverse, mut step) = (odd, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// Returns a packet that carries a segment. `ends` are its sender and the sender's peer.
fn wrapped(
    segment: &Segment,
    sack: &SackBlocks,
    (source, (destination, destination_port, source_port)): (AddressId, Peer),
    v6: bool,
    traffic_class: u8,
) -> Packet {
    let header = IP_HEADERS[usize::from(v6)] + segment.header_len();
    let ecn = match segment.ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    };
    let flags = Flags::DONT_FRAGMENT;
    Packet {
        source,
        destination,
        bytes: header + segment.len,
        source_port,
        destination_port,
        hop_limit: HOP_LIMIT,
        traffic_class: traffic_class & !ECN | ecn,
        flags: if v6 { flags.with(Flags::V6) } else { flags },
        fragment: Fragment::default(),
        body: Body::Segment(TcpHeader::new(segment, sack)),
    }
}

/// Marks a packet of a twin connection, which leaves now.
fn twin(mut packet: Packet, now: Time) -> Packet {
    packet.flags = packet.flags.with(Flags::TWIN);
    if let Body::Segment(header) = &mut packet.body {
        header.note_sent(now);
    }
    packet
}

/// The ECN field of a packet.
fn ecn_of(packet: &Packet) -> Ecn {
    match packet.traffic_class & ECN {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

/// Returns the segment in a packet, without its ECN field.
fn unwrapped(packet: &Packet) -> (Segment, SackBlocks) {
    let Body::Segment(header) = &packet.body else { return (Segment::EMPTY, SackBlocks::NONE) };
    let (mut segment, sack) = header.segment();
    segment.len = packet.bytes - packet.header_bytes() - segment.header_len();
    (segment, sack)
}
