//! TCP connections of hosts: each end is an endpoint of `netloom-tcp`; here are the wire, the
//! sockets and the application around it. Not here: what TCP does.

use std::sync::Arc;

use netloom_link::Stream;
use netloom_tcp::{Config, Ecn, Endpoint, Event, Info, SackBlocks, Segment, Transmit};

use crate::AddressId;
use crate::cell::Cell;
use crate::flow::TcpFlow;
use crate::packet::{Body, Error, ErrorKind, Flags, Fragment, HOP_LIMIT, Packet, TcpHeader};
use crate::queue::Entity;
use crate::route::Exit;
use crate::sending::{Flow, IP_HEADERS, Kind};

const SYN: netloom_tcp::Flags = netloom_tcp::Flags::SYN;
const ACK: netloom_tcp::Flags = netloom_tcp::Flags::ACK;

/// The two low bits of the traffic class (RFC 3168).
const ECN: u8 = 3;
/// The MTU of the loopback interface, cut to what a header can say.
const LOOPBACK_MTU: u32 = 65_535;

/// Who is at the other end of a connection: address, its port, the own port.
pub(crate) type Peer = (AddressId, u16, u16);

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Connection {
    node: u32,
    local: AddressId,
    peer: Peer,
    v6: bool,
    traffic_class: u8,
    flow: u32,
    application: Application,
    endpoint: Box<Endpoint>,
}

/// What is behind a connection.
#[derive(Debug)]
enum Application {
    /// Writes so many bytes more, and closes then; `None` for no end.
    Writes(Option<u64>),
    /// Reads all there is, and closes when the other end has.
    Reads,
}

impl Connection {
    /// The flow and what TCP_INFO would show, if this end sends.
    pub fn sender_info(&self) -> Option<(u32, Info)> {
        let sends = matches!(self.application, Application::Writes(_));
        sends.then(|| (self.flow, self.endpoint.info()))
    }
}

impl Cell {
    /// Opens the connections of a flow.
    pub(crate) fn open(&mut self, number: u32, flow: &Flow) {
        let Kind::Tcp(tcp) = &flow.kind else { return };
        for connection in 0..tcp.connections {
            match self.connect((number, flow), connection, tcp) {
                Some(opened) => self.pump(opened),
                None => {
                    self.counts.entry(number).refused += 1;
                    self.senders[number].close(self.now);
                }
            }
        }
    }

    /// Stops the application of a flow from writing more: what is written is still delivered.
    pub(crate) fn shut(&mut self, flow: u32) {
        for number in 0..self.connections.len() as u32 {
            let connection = &mut self.connections[number as usize];
            let writes = matches!(connection.application, Application::Writes(_));
            if connection.flow == flow && writes {
                connection.application = Application::Writes(Some(0));
                connection.endpoint.shutdown(self.now);
                self.pump(number);
            }
        }
    }

    /// The end of a connection that begins it; none if there is no way to its destination.
    fn connect(&mut self, of: (u32, &Flow), connection: u32, tcp: &TcpFlow) -> Option<u32> {
        let (number, flow) = of;
        let Flow { from: node, to_id: to, v6, traffic_class, .. } = *flow;
        let exit = self.nodes[node].exit(to, &self.book, &self.neighbours);
        if matches!(exit, Exit::NoRoute | Exit::NoHost) {
            return None;
        }
        let local = self.nodes[node].source(exit, to, v6)?;
        let initial = self.initial(&flow.name, connection, "client");
        let config = self.fitted(&tcp.sender, node, exit, v6);
        Some(self.add(Connection {
            node,
            local,
            peer: (to, tcp.port, flow.source_port(connection)),
            v6,
            traffic_class,
            flow: number,
            application: Application::Writes(tcp.bytes),
            endpoint: Box::new(Endpoint::connect(self.now, config, initial)),
        }))
    }

    /// The end of a connection that a segment opens, if one was awaited.
    fn accept(&mut self, node: u32, packet: &Packet) -> Option<u32> {
        let ports = (packet.source_port, packet.destination_port);
        let awaited = self.nodes[node].stack.awaited.get_mut(&ports)?;
        let (number, connection) = (!awaited.is_empty()).then(|| awaited.remove(0))?;
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let Kind::Tcp(tcp) = &flow.kind else { return None };
        let (local, remote, v6) = (packet.destination, packet.source, packet.is_v6());
        let exit = self.nodes[node].exit(remote, &self.book, &self.neighbours);
        let config = self.fitted(&tcp.receiver, node, exit, v6);
        let initial = self.initial(&flow.name, connection, "server");
        Some(self.add(Connection {
            node,
            local,
            peer: (remote, packet.source_port, packet.destination_port),
            v6,
            traffic_class: flow.traffic_class,
            flow: number,
            application: Application::Reads,
            endpoint: Box::new(Endpoint::listen(config, initial)),
        }))
    }

    /// The initial sequence number of an end of a connection.
    fn initial(&self, flow: &str, connection: u32, end: &str) -> u32 {
        Stream::new(self.seed, &format!("traffic/{flow}/{connection}/{end}")).bits() as u32
    }

    /// A configuration with the header and the MTU that packets have here.
    fn fitted(&self, config: &Config, node: u32, exit: Exit, v6: bool) -> Arc<Config> {
        let mtu = match exit {
            Exit::Out { interface, .. } => self.nodes[node].interfaces[interface as usize].mtu,
            Exit::Local | Exit::NoRoute | Exit::NoHost => LOOPBACK_MTU,
        };
        let mtu = u16::try_from(mtu).unwrap_or(u16::MAX);
        // 20 or 40.
        let network_header = IP_HEADERS[usize::from(v6)] as u16;
        Arc::new(Config { mtu, network_header, ..config.clone() })
    }

    fn add(&mut self, connection: Connection) -> u32 {
        // There are fewer connections than that.
        let number = self.connections.len() as u32;
        let stack = &mut self.nodes[connection.node].stack;
        stack.connections.insert(connection.peer, number);
        self.connections.push(connection);
        number
    }

    /// A segment reaches its host.
    pub(crate) fn segment(&mut self, node: u32, packet: Packet) {
        let peer = (packet.source, packet.source_port, packet.destination_port);
        let found = self.nodes[node].stack.connections.get(&peer).copied();
        let (segment, sack) = unwrapped(&packet);
        let opens = segment.flags.contains(SYN) && !segment.flags.contains(ACK);
        let accepted = || if opens { self.accept(node, &packet) } else { None };
        let Some(number) = found.or_else(accepted) else {
            return self.reset(node, &packet, &segment);
        };
        let now = self.now;
        if segment.len > 0 {
            let flow = self.connections[number as usize].flow;
            self.counts.entry(flow).received.frames += 1;
        }
        self.connections[number as usize].endpoint.handle_segment(now, &segment, &sack);
        self.pump(number);
    }

    /// A timer of a connection is due.
    pub(crate) fn expire(&mut self, number: u32) {
        let now = self.now;
        self.connections[number as usize].endpoint.handle_timeout(now);
        self.pump(number);
    }

    /// Lets a connection and its application do what they can now.
    fn pump(&mut self, number: u32) {
        let now = self.now;
        loop {
            self.apply(number);
            let Some(sent) = self.connections[number as usize].endpoint.poll_transmit(now) else {
                break;
            };
            self.transmit_segment(number, sent);
        }
        let deadline = self.connections[number as usize].endpoint.next_deadline();
        self.queue.set(Entity::Timer(number), deadline);
    }

    /// The application reacts to what its connection has to say.
    fn apply(&mut self, number: u32) {
        let now = self.now;
        let connection = &mut self.connections[number as usize];
        let Connection { endpoint, application, flow, .. } = connection;
        let counts = self.counts.entry(*flow);
        while let Some(event) = endpoint.poll_event() {
            match (event, &mut *application) {
                (Event::Connected | Event::Writable, Application::Writes(left)) => {
                    let taken = endpoint.write(now, left.unwrap_or(u64::MAX));
                    if let Some(left) = left {
                        *left -= taken;
                        if *left == 0 {
                            endpoint.shutdown(now);
                        }
                    }
                }
                (Event::Readable, Application::Reads) => {
                    counts.received.bytes += endpoint.read(now, u64::MAX);
                }
                (Event::Finished, Application::Reads) => {
                    counts.received.bytes += endpoint.read(now, u64::MAX);
                    endpoint.close(now);
                }
                (Event::Delivered | Event::Closed(_), Application::Writes(_)) => {
                    self.senders[*flow].close(now);
                }
                _ => {}
            }
        }
    }

    /// A segment leaves its host, each packet of a super-segment by itself.
    fn transmit_segment(&mut self, number: u32, Transmit { mut segment, sack }: Transmit) {
        while let Some(first) = segment.split_off(1) {
            self.transmit_packet(number, &first, &sack);
        }
        self.transmit_packet(number, &segment, &sack);
    }

    fn transmit_packet(&mut self, number: u32, segment: &Segment, sack: &SackBlocks) {
        let connection = &self.connections[number as usize];
        let Connection { node, local, peer, v6, traffic_class, flow, .. } = *connection;
        if matches!(connection.application, Application::Writes(_)) && segment.len > 0 {
            let counts = self.counts.entry(flow);
            counts.sent.frames += 1;
            counts.sent.bytes += u64::from(segment.len);
        }
        let packet = wrapped(segment, sack, (local, peer), v6, traffic_class);
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
        self.send(node, reply);
    }

    /// An error message is about a segment: only the path MTU matters to a connection.
    pub(crate) fn heed_segment_error(&mut self, node: u32, error: &Error) {
        if error.kind != ErrorKind::TooBig {
            return;
        }
        let peer = (error.destination, error.destination_port, error.source_port);
        let found = self.nodes[node].stack.connections.get(&peer).copied();
        let Some(number) = found else { return };
        let mtu = u16::try_from(error.mtu).unwrap_or(u16::MAX);
        let now = self.now;
        self.connections[number as usize].endpoint.handle_mtu(now, mtu);
        self.pump(number);
    }
}

/// A segment as a packet; `ends` are who sends it, and its peer.
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

/// The segment in a packet.
fn unwrapped(packet: &Packet) -> (Segment, SackBlocks) {
    let Body::Segment(header) = &packet.body else { return (Segment::EMPTY, SackBlocks::NONE) };
    let (mut segment, sack) = header.segment();
    segment.ecn = match packet.traffic_class & ECN {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    };
    segment.len = packet.bytes - packet.header_bytes() - segment.header_len();
    (segment, sack)
}
