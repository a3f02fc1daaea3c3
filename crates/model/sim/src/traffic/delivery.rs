//! Hosts receive packets that are addressed to them: they answer echo requests, and count datagrams
//! and error messages. Not here: connections (`tcp`), and fragments (`hosts::stack`).

use super::Traffic;
use crate::bytes::{Answer, TCP, UDP, answer, segment_of};
use crate::hosts::Net;
use crate::packet::{
    Body, Error, ErrorKind, Flags, HOP_LIMIT, Packet, RawBody, Stamp, UPPER_HEADER, flow_of,
};

impl Traffic {
    /// Delivers a packet to the node that it is addressed to.
    pub fn deliver(&mut self, net: &mut Net, node: u32, packet: Packet) {
        let Some(packet) = net.hosts.stack(node).whole(packet) else { return };
        match packet.body {
            Body::Segment(ref header) => {
                if let Some(sent) = header.sent().filter(|_| packet.is_twin()) {
                    self.receive_twin(net.now(), &packet, sent);
                }
                self.segment(net, node, &packet);
            }
            Body::EchoRequest(stamp) => self.reply(net, node, &packet, stamp),
            Body::EchoReply(stamp) => self.count(net, node, &packet, stamp),
            Body::Datagram(stamp) => {
                if net.hosts.stack(node).has_port(packet.destination_port) {
                    self.count(net, node, &packet, stamp);
                } else {
                    self.refuse(net, node, &packet, ErrorKind::NoPort);
                }
            }
            Body::Error(error) => self.heed(net, node, error, packet.is_v6()),
            Body::Raw(ref raw) => self.deliver_raw(net, node, &packet, raw),
            // The program that would receive it answers outside the simulation, and that answer has
            // its own twin.
            Body::Twin(twin) => self.receive_twin(net.now(), &packet, twin.sent),
        }
    }

    /// Answers an echo request, from the address that it was sent to.
    fn reply(&mut self, net: &mut Net, node: u32, request: &Packet, stamp: Stamp) {
        // Linux allows its replies to be fragmented (`IP_PMTUDISC_DONT`).
        let flags = if request.is_v6() { request.flags } else { Flags::default() };
        let reply = Packet {
            source: request.destination,
            destination: request.source,
            hop_limit: HOP_LIMIT,
            flags,
            body: Body::EchoReply(stamp),
            ..request.clone()
        };
        self.send(net, node, reply);
    }

    fn count(&mut self, net: &Net, node: u32, packet: &Packet, stamp: Stamp) {
        let payload = packet.bytes - packet.header_bytes() - UPPER_HEADER;
        let counts = self.counts.entry(stamp.flow);
        counts.receive(node, stamp.number, stamp.sent, net.now(), payload);
    }

    fn heed(&mut self, net: &mut Net, node: u32, error: Error, v6: bool) {
        if error.kind == ErrorKind::TooBig {
            net.hosts.stack(node).learn_path_mtu(&error, v6);
        }
        if error.protocol == TCP {
            return self.heed_segment_error(net, node, &error);
        }
        let flow = error.flow.map(flow_of);
        if let Some(flow) = flow.filter(|flow| self.flows[*flow as usize].from == node) {
            self.counts.entry(flow).totals.errors += 1;
        }
    }

    /// Delivers a packet of a real node to the host that it is addressed to.
    #[cold]
    fn deliver_raw(&mut self, net: &mut Net, node: u32, packet: &Packet, raw: &RawBody) {
        match raw.protocol() {
            TCP => {
                if let Some((segment, sack, payload)) = segment_of(raw) {
                    self.take_segment(net, node, packet, (segment, sack), &payload);
                }
                return;
            }
            // A flow receives on this port.
            UDP if net.hosts.stack(node).has_port(packet.destination_port) => return,
            _ => {}
        }
        match answer(packet, raw, net.hosts.book()) {
            Answer::Packet(reply) => self.send(net, node, reply),
            Answer::Complaint(kind) => self.refuse(net, node, packet, kind),
            Answer::Nothing => {}
        }
    }

    /// Answers a packet for which no socket is open with an error message.
    fn refuse(&mut self, net: &mut Net, node: u32, packet: &Packet, kind: ErrorKind) {
        net.hosts.count_no_port(node);
        if let Some(message) = net.complain(node, packet, kind, 0) {
            self.deliver(net, node, message);
        }
    }
}
