//! Connections begin: a flow opens them, and the receiver accepts. Not here: when flows open
//! connections (`working`).

use std::sync::Arc;

use netloom_link::Stream;
use netloom_tcp::{Config, Endpoint};

use super::Traffic;
use super::application::{Application, Service};
use super::connection::Connection;
use super::flows::{Flow, Kind};
use super::guest::Guest;
use crate::hosts::{Exit, Net};
use crate::packet::{Body, IP_HEADERS, Packet};

/// MTU of the loopback interface, limited to the longest length that an IP header can hold.
const LOOPBACK_MTU: u32 = 65_535;

/// Distance between the initial sequence numbers of a flow's connections (Knuth's multiplier, which
/// is odd).
const SEQUENCE_STEP: u32 = 2_654_435_761;

impl Traffic {
    /// Opens a connection of a flow to the receiver at place `to`. Returns `None` if there is no
    /// route.
    pub(super) fn open(
        &mut self,
        net: &mut Net,
        (number, flow): (u32, &Flow),
        connection: u32,
        to: usize,
        application: Application,
    ) -> Option<u32> {
        let opened = self.connect(net, (number, flow), connection, to, application);
        match opened {
            Some(opened) => self.pump(net, opened),
            None => {
                self.counts.entry(number).totals.refused += 1;
                self.senders[number].close(net.now());
            }
        }
        opened
    }

    /// Makes the opening end of a connection. Returns `None` if there is no route to its
    /// destination.
    fn connect(
        &mut self,
        net: &mut Net,
        (number, flow): (u32, &Flow),
        connection: u32,
        to: usize,
        application: Application,
    ) -> Option<u32> {
        let Flow { from: node, v6, traffic_class, .. } = *flow;
        let Kind::Tcp(tcp) = &flow.kind else { return None };
        let to = flow.to[to];
        let exit = net.hosts.exit(node, to);
        if matches!(exit, Exit::NoRoute | Exit::NoHost) {
            return None;
        }
        let local = net.hosts.source(node, exit, to, v6)?;
        let source_port = net.hosts.stack(node).free_port(to, tcp.port)?;
        let initial = self.first_sequence(&flow.name, connection);
        let config = fitted(net, &tcp.sender, node, exit, v6);
        Some(self.add_connection(
            net,
            Connection {
                node,
                local,
                peer: (to, tcp.port, source_port),
                v6,
                traffic_class,
                flow: number,
                begun: net.now(),
                is_many: tcp.is_many,
                left: false,
                application,
                endpoint: Box::new(Endpoint::connect(net.now(), config, initial)),
            },
        ))
    }

    /// Makes the accepting end of a connection, for a SYN from a node that is expected to open one.
    pub(super) fn accept(
        &mut self,
        net: &mut Net,
        node: u32,
        packet: &Packet,
        sequence: u32,
    ) -> Option<u32> {
        let is_foreign = matches!(packet.body, Body::Raw(_));
        let port = packet.destination_port;
        // Connections of any real node are accepted.
        let number = match is_foreign {
            true => net.hosts.stack(node).first_listener(port),
            false => net.hosts.listener(node, port, packet.source),
        }?;
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        let Kind::Tcp(tcp) = &flow.kind else { return None };
        let (local, remote, v6) = (packet.destination, packet.source, packet.is_v6());
        let to = flow.to.iter().position(|to| *to == local)?;
        let exit = net.hosts.exit(node, remote);
        let config = fitted(net, &tcp.receivers[to], node, exit, v6);
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
        Some(self.add_connection(
            net,
            Connection {
                node,
                local,
                peer: (remote, packet.source_port, packet.destination_port),
                v6,
                traffic_class: flow.traffic_class,
                flow: number,
                begun: net.now(),
                // Real nodes open and close connections as they like.
                is_many: tcp.is_many || is_foreign,
                left: false,
                application,
                endpoint: Box::new(Endpoint::listen(config, initial)),
            },
        ))
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

    /// Adds a connection of a host. Returns its number.
    pub(super) fn add_connection(&mut self, net: &mut Net, connection: Connection) -> u32 {
        let (node, peer) = (connection.node, connection.peer);
        let number = self.connections.add(connection);
        net.hosts.stack(node).connect(peer, number);
        number
    }
}

/// Returns a configuration with the IP header and the MTU of this path.
pub(super) fn fitted(net: &Net, config: &Config, node: u32, exit: Exit, v6: bool) -> Arc<Config> {
    let mtu = match exit {
        Exit::Out { interface, .. } => net.hosts.mtu(node, interface),
        Exit::Local | Exit::NoRoute | Exit::NoHost => LOOPBACK_MTU,
    };
    let mtu = u16::try_from(mtu).unwrap_or(u16::MAX);
    // The header is 20 or 40 bytes long.
    let network_header = IP_HEADERS[usize::from(v6)] as u16;
    Arc::new(Config { mtu, network_header, ..config.clone() })
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
