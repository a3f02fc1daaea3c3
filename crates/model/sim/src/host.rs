//! How a host handles packets that are addressed to it: it reassembles fragments, answers echo
//! requests, and counts datagrams and error messages. Not here: connections (`tcp`).

use crate::cell::Cell;
use crate::node::Parts;
use crate::packet::{Body, Error, ErrorKind, Flags, Fragment, HOP_LIMIT, Packet, Stamp};
use crate::sending::flow_of;

/// The protocol number of TCP.
const TCP: u8 = 6;

/// Bytes of the header of ICMP echo and of UDP.
const UPPER_HEADER: u32 = 8;

impl Cell {
    /// Delivers a packet to the node that it is addressed to.
    pub(crate) fn deliver(&mut self, node: u32, packet: Packet) {
        let Some(packet) = self.whole(node, packet) else { return };
        match packet.body {
            Body::Segment(ref header) => {
                if let Some(sent) = header.sent().filter(|_| packet.is_twin()) {
                    self.receive_twin(&packet, sent);
                }
                self.segment(node, &packet);
            }
            Body::EchoRequest(stamp) => self.reply(node, &packet, stamp),
            Body::EchoReply(stamp) => self.count(node, &packet, stamp),
            Body::Datagram(stamp) => {
                let state = &mut self.nodes[node];
                if state.stack.ports.contains(&packet.destination_port) {
                    self.count(node, &packet, stamp);
                } else {
                    state.counts.no_port += 1;
                    self.complain(node, &packet, ErrorKind::NoPort, 0);
                }
            }
            Body::Error(error) => self.heed(node, error, packet.is_v6()),
            Body::Raw(ref raw) => self.deliver_raw(node, &packet, raw),
            // The program that would receive it answers outside the simulation, and that answer has
            // its own twin.
            Body::Twin(twin) => self.receive_twin(&packet, twin.sent),
        }
    }

    /// Returns the packet, once all its fragments have arrived. Fragments of twins are not
    /// reassembled: each counts by itself, as the fragments of real packets do.
    #[inline]
    fn whole(&mut self, node: u32, packet: Packet) -> Option<Packet> {
        let is_piece = packet.fragment.is_part() && !matches!(packet.body, Body::Twin(_));
        if is_piece { self.put_together(node, packet) } else { Some(packet) }
    }

    #[cold]
    fn put_together(&mut self, node: u32, packet: Packet) -> Option<Packet> {
        let Fragment { ident, .. } = packet.fragment;
        let key = (packet.source, packet.destination, ident);
        let (header, offset) = (packet.header_bytes(), packet.fragment.offset());
        let data = packet.bytes - header;
        let parts = &mut self.nodes[node].stack.parts;
        let Parts { pieces, whole, bytes } = parts.entry(key).or_default();
        if !pieces.contains(&(offset, data)) {
            pieces.push((offset, data));
            if let Body::Raw(raw) = &packet.body {
                bytes.insert(offset, raw.carried(&packet).to_vec());
            }
        }
        if !packet.fragment.more() {
            *whole = Some(offset + data);
        }
        let come: u32 = pieces.iter().map(|(_, length)| length).sum();
        let whole = whole.filter(|whole| *whole == come)?;
        let bytes = std::mem::take(bytes);
        parts.remove(&key);
        let header = if packet.is_v6() { 40 } else { 20 };
        let body = match packet.body {
            Body::Raw(raw) => {
                let all: Vec<u8> = bytes.into_values().flatten().collect();
                Body::Raw(Box::new(raw.with(&all)))
            }
            body => body,
        };
        Some(Packet { bytes: header + whole, fragment: Fragment::default(), body, ..packet })
    }

    /// Answers an echo request, from the address that it was sent to.
    fn reply(&mut self, node: u32, request: &Packet, stamp: Stamp) {
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
        self.send(node, reply);
    }

    fn count(&mut self, node: u32, packet: &Packet, stamp: Stamp) {
        let payload = packet.bytes - packet.header_bytes() - UPPER_HEADER;
        let counts = self.counts.entry(stamp.flow);
        counts.receive(node, stamp.number, stamp.sent, self.now, payload);
    }

    fn heed(&mut self, node: u32, error: Error, v6: bool) {
        if error.kind == ErrorKind::TooBig {
            self.learn_path_mtu(node, &error, v6);
        }
        if error.protocol == TCP {
            return self.heed_segment_error(node, &error);
        }
        let flow = error.flow.map(flow_of);
        if let Some(flow) = flow.filter(|flow| self.flows[*flow as usize].from == node) {
            self.counts.entry(flow).totals.errors += 1;
        }
    }
}
