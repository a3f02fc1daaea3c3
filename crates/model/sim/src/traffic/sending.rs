//! Flows send packets: echo requests and datagrams. Not here: work over TCP (`working`), twins
//! (`mirroring`), and the path of the packets through the network.

use std::sync::Arc;

use netloom_units::Time;

use super::Traffic;
use super::flows::{Flow, Kind};
use super::sender::Work;
use crate::flow::Arrival;
use crate::hosts::{Net, Sending};
use crate::packet::{Body, Flags, Fragment, HOP_LIMIT, IP_HEADERS, Packet, Stamp, UPPER_HEADER};
use crate::queue::Entity;

impl Traffic {
    /// Schedules the first packet of each flow.
    pub fn begin(&mut self, net: &mut Net) {
        let senders: Vec<u32> = self.senders.iter().map(|(number, _)| number).collect();
        senders.into_iter().for_each(|number| self.schedule_next(net, number));
    }

    /// Begins traffic that was made to wait. All times of flows count from `zero`, which must not
    /// be in the past.
    pub fn begin_at(&mut self, net: &mut Net, zero: Time) {
        let since = |time: Time| zero + time.since(Time::ZERO);
        // In a simulation of one cell, no other cell shares the flows.
        for flow in Arc::get_mut(&mut self.flows).into_iter().flatten() {
            flow.start = since(flow.start);
            flow.until = flow.until.map(since);
        }
        self.begin(net);
    }

    /// Sends a packet of a node's own. One that is for the node itself arrives at once.
    pub(super) fn send(&mut self, net: &mut Net, node: u32, packet: Packet) {
        match net.send(node, packet) {
            Sending::Left => {}
            Sending::Local(packet) => self.deliver(net, node, packet),
            Sending::Unreachable(packet) => {
                if let Body::Datagram(stamp) | Body::EchoRequest(stamp) = packet.body {
                    self.counts.entry(stamp.flow).totals.refused += 1;
                }
            }
        }
    }

    /// Ends all that a node sends and all its connections, because it has failed.
    pub fn fail(&mut self, net: &mut Net, node: u32) {
        self.stop_senders(net, node);
        self.drop_sockets(net, node);
    }

    /// Ends all traffic that a node sends, for good. Traffic that begins later is not affected.
    fn stop_senders(&mut self, net: &mut Net, node: u32) {
        let flows = Arc::clone(&self.flows);
        let now = net.now();
        let begun = (0..).zip(flows.iter()).filter(|(_, of)| of.from == node && of.start <= now);
        begun.for_each(|(number, _)| self.stop_sender(net, number));
    }

    fn stop_sender(&mut self, net: &mut Net, number: u32) {
        self.senders[number].stop(net.now());
        net.schedule(Entity::Source(number), None);
    }

    /// Sends what a flow has due.
    pub fn send_next(&mut self, net: &mut Net, number: u32) {
        let flows = Arc::clone(&self.flows);
        let flow = &flows[number as usize];
        if net.hosts.has_failed(flow.from) {
            self.not_begun.push(number);
            return self.stop_sender(net, number);
        }
        if matches!(flow.kind, Kind::Twins(_)) {
            return self.send_twins(net, number);
        }
        let sender = &mut self.senders[number];
        let Some(Arrival { payload, to, .. }) = sender.due.take() else {
            return self.do_work(net, number);
        };
        let stamp = Stamp { flow: number, number: sender.next, sent: net.now() };
        sender.next = sender.next.wrapping_add(1);
        let (ports, body) = match flow.kind {
            Kind::Udp { port } => ((flow.source_port, port), Body::Datagram(stamp)),
            Kind::Ping | Kind::Tcp(_) | Kind::Twins(_) => ((0, 0), Body::EchoRequest(stamp)),
        };
        let Flow { from, v6, traffic_class, .. } = *flow;
        let to = flow.to[to as usize];
        let exit = net.hosts.exit(from, to);
        let counts = &mut self.counts.entry(number).totals;
        counts.sent.frames += 1;
        counts.sent.bytes += u64::from(payload);
        match net.hosts.source(from, exit, to, v6) {
            Some(source) => {
                let flags = Flags::DONT_FRAGMENT;
                let packet = Packet {
                    source,
                    destination: to,
                    bytes: IP_HEADERS[usize::from(v6)] + UPPER_HEADER + payload,
                    source_port: ports.0,
                    destination_port: ports.1,
                    hop_limit: HOP_LIMIT,
                    traffic_class,
                    flags: if v6 { flags.with(Flags::V6) } else { flags },
                    fragment: Fragment::default(),
                    body,
                };
                self.send(net, from, packet);
            }
            None => counts.refused += 1,
        }
        self.schedule_next(net, number);
    }

    /// Asks a flow's model for its next packet, and schedules it.
    fn schedule_next(&mut self, net: &mut Net, number: u32) {
        let flow = &self.flows[number as usize];
        let sender = &mut self.senders[number];
        let Work::Packets(arrivals) = &mut sender.work else {
            return self.schedule_workload(net, number);
        };
        sender.due = arrivals.next().filter(|next| flow.allows(flow.start + next.after));
        let next = sender.due.map(|next| flow.start + next.after);
        if next.is_none() {
            sender.end(net.now());
        }
        net.schedule(Entity::Source(number), next);
    }
}
