//! Connections send and receive segments, until they end. Not here: how they begin (`opening`), and
//! what TCP does (`netloom-tcp`).

use netloom_tcp::{SackBlocks, Segment, State, Transmit};

use super::Traffic;
use super::application::Application;
use super::connection::Connection;
use super::segments::{ecn_of, twin, unwrapped, wrapped};
use crate::hosts::Net;
use crate::packet::{Error, ErrorKind, Packet};
use crate::queue::Entity;

const SYN: netloom_tcp::Flags = netloom_tcp::Flags::SYN;
const ACK: netloom_tcp::Flags = netloom_tcp::Flags::ACK;

impl Traffic {
    /// Stops the applications of a flow from writing more. What is written is still delivered.
    pub(super) fn shut(&mut self, net: &mut Net, flow: u32) {
        for number in self.connections.numbers() {
            let Some(connection) = self.connections.get(number) else { continue };
            let writes = matches!(connection.application, Application::Writes(_));
            if connection.flow == flow && writes {
                self.finish_writing(net, number);
            }
        }
    }

    /// Forgets a connection that has ended, except for its counts.
    pub(super) fn forget(&mut self, net: &mut Net, number: u32) {
        let Some(gone) = self.connections.forget(number) else { return };
        net.hosts.stack(gone.node).disconnect(&gone.peer, number);
        if let Application::Mirrors(program) = &gone.application {
            self.forget_socket(gone.flow, program, &gone.endpoint);
        }
    }

    /// Removes all sockets of a node without notice to their peers. A peer that sends to them later
    /// gets an error.
    pub(super) fn drop_sockets(&mut self, net: &mut Net, node: u32) {
        for number in self.connections.numbers() {
            let connection = self.connections.get(number);
            if connection.is_some_and(|connection| connection.node == node) {
                net.schedule(Entity::Timer(number), None);
                self.forget(net, number);
            }
        }
        net.hosts.stack(node).close();
    }

    /// Delivers a segment to its host.
    pub(super) fn segment(&mut self, net: &mut Net, node: u32, packet: &Packet) {
        let (segment, sack) = unwrapped(packet);
        self.take_segment(net, node, packet, (segment, sack), &[]);
    }

    /// Delivers a segment to its host, with bytes if a real node sent it.
    pub(super) fn take_segment(
        &mut self,
        net: &mut Net,
        node: u32,
        packet: &Packet,
        (mut segment, sack): (Segment, SackBlocks),
        payload: &[u8],
    ) {
        segment.ecn = ecn_of(packet);
        let peer = (packet.source, packet.source_port, packet.destination_port);
        let found = net.hosts.stack(node).connection(&peer);
        let opens = segment.flags.contains(SYN) && !segment.flags.contains(ACK);
        let number = match found {
            None if opens => self.accept(net, node, packet, segment.seq),
            found => found,
        };
        let Some(number) = number else { return self.reset(net, node, packet, &segment) };
        let now = net.now();
        let Some(connection) = self.connections.get_mut(number) else { return };
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
        self.pump(net, number);
    }

    /// Handles an expired timer of a connection.
    pub fn expire(&mut self, net: &mut Net, number: u32) {
        let now = net.now();
        if let Some(connection) = self.connections.get_mut(number) {
            connection.endpoint.handle_timeout(now);
            self.pump(net, number);
        }
    }

    /// Lets a connection and its application do everything that they can do now.
    pub(super) fn pump(&mut self, net: &mut Net, number: u32) {
        let now = net.now();
        loop {
            self.apply(net, number);
            let Some(connection) = self.connections.get_mut(number) else { return };
            let Some(sent) = connection.endpoint.poll_transmit(now) else { break };
            self.transmit_segment(net, number, sent);
        }
        let Some(connection) = self.connections.get(number) else { return };
        let deadline = connection.endpoint.next_deadline();
        let is_over = connection.is_many && connection.endpoint.state() == State::Closed;
        net.schedule(Entity::Timer(number), deadline.filter(|_| !is_over));
        if is_over {
            self.forget(net, number);
        }
    }

    /// Sends a segment from its host. Each packet of a super-segment is sent by itself.
    fn transmit_segment(
        &mut self,
        net: &mut Net,
        number: u32,
        Transmit { mut segment, sack }: Transmit,
    ) {
        while let Some(first) = segment.split_off(1) {
            self.transmit_packet(net, number, &first, &sack);
        }
        self.transmit_packet(net, number, &segment, &sack);
    }

    fn transmit_packet(
        &mut self,
        net: &mut Net,
        number: u32,
        segment: &Segment,
        sack: &SackBlocks,
    ) {
        let Some(connection) = self.connections.get(number) else { return };
        let Connection { node, local, peer, v6, traffic_class, flow, .. } = *connection;
        let mut packet = wrapped(segment, sack, (local, peer), v6, traffic_class);
        match &connection.application {
            Application::Receives(guest) => {
                let acked = connection.endpoint.info().bytes_acked;
                packet = guest.packet(packet, (segment, sack), acked, net.hosts.book());
            }
            Application::Mirrors(_) => packet = twin(packet, net.now()),
            _ => {}
        }
        if connection.application.sends() && segment.len > 0 {
            let counts = &mut self.counts.entry(flow).totals;
            counts.sent.frames += 1;
            counts.sent.bytes += u64::from(segment.len);
        }
        self.send(net, node, packet);
    }

    /// Answers a segment for which there is no connection.
    #[cold]
    fn reset(&mut self, net: &mut Net, node: u32, packet: &Packet, segment: &Segment) {
        net.hosts.count_no_port(node);
        let Some(reply) = segment.reset_reply() else { return };
        let ends =
            (packet.destination, (packet.source, packet.source_port, packet.destination_port));
        let reply = wrapped(&reply, &SackBlocks::NONE, ends, packet.is_v6(), 0);
        let reply = if packet.is_twin() { twin(reply, net.now()) } else { reply };
        self.send(net, node, reply);
    }

    /// Handles an error message about a segment. Only the path MTU matters to a connection.
    pub(super) fn heed_segment_error(&mut self, net: &mut Net, node: u32, error: &Error) {
        if error.kind != ErrorKind::TooBig {
            return;
        }
        let peer = (error.destination, error.destination_port, error.source_port);
        let found = net.hosts.stack(node).connection(&peer);
        let Some(number) = found else { return };
        let mtu = u16::try_from(error.mtu).unwrap_or(u16::MAX);
        let now = net.now();
        if let Some(connection) = self.connections.get_mut(number) {
            connection.endpoint.handle_mtu(now, mtu);
            self.pump(net, number);
        }
    }
}
