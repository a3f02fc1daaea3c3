//! Twins are sent and counted: packets that stand for those of real programs, and connections both
//! of whose ends are in the simulation. These write what real programs wrote, when they wrote it,
//! and react to the simulated network by themselves. Not here: how programs are observed.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_link::Stream;
use netloom_symbiosis::Received;
use netloom_tcp::Endpoint;
use netloom_units::Time;

use super::Traffic;
use super::application::Application;
use super::connection::Connection;
use super::flows::Kind;
use super::opening::fitted;
use super::sockets::{Program, SocketAction, SocketEnds, SocketEvent, SocketTotals, TwinSocket};
use super::twins::TwinQueue;
use crate::AddressId;
use crate::hosts::{Exit, Net};
use crate::packet::Packet;
use crate::queue::Entity;

impl Traffic {
    /// Adds to the queue of a flow of twins.
    pub fn queue_twins(&mut self, net: &mut Net, flow: u32, add: impl FnOnce(&mut TwinQueue)) {
        if let Some(queue) = self.senders[flow].twins() {
            add(queue);
            net.schedule(Entity::Source(flow), queue.next());
        }
    }

    /// Sends what a flow of twins has due.
    pub(super) fn send_twins(&mut self, net: &mut Net, flow: u32) {
        let (now, node) = (net.now(), self.flows[flow as usize].from);
        while let Some(event) = self.senders[flow].twins().and_then(|queue| queue.due_socket(now)) {
            self.act(net, flow, &event);
        }
        while let Some(sent) = self.senders[flow].twins().and_then(|queue| queue.due_packet(now)) {
            let interfaces = net.hosts.interfaces(node);
            let twin =
                sent.twin(net.hosts.book()).filter(|_| (sent.interface as usize) < interfaces);
            if let Some(twin) = twin {
                let counts = &mut self.counts.entry(flow).totals;
                counts.sent.frames += 1;
                counts.sent.bytes += u64::from(sent.bytes);
                // On a link between two nodes the Ethernet address of the other end does not
                // matter.
                net.transmit(node, sent.interface, [0; 6], twin);
            }
        }
        let next = self.senders[flow].twins().and_then(|queue| queue.next());
        net.schedule(Entity::Source(flow), next);
    }

    /// Counts a twin that left at `sent` and has arrived at its destination.
    pub(super) fn receive_twin(&mut self, now: Time, packet: &Packet, sent: Time) {
        let ends = [packet.source, packet.destination];
        let delay = now.since(sent);
        self.received.entry(ends).or_default().add(packet.bytes, delay);
    }

    /// Carries out an action of a host on a connection.
    fn act(&mut self, net: &mut Net, flow: u32, event: &SocketEvent) {
        let SocketEvent { connection, action, .. } = *event;
        let number = match action {
            SocketAction::Connect(ends) => self.mirror(net, flow, connection, &ends, true),
            SocketAction::Await(ends) => self.mirror(net, flow, connection, &ends, false),
            _ => match self.sockets.get(&(flow, connection)) {
                Some(TwinSocket::Open(number)) => Some(*number),
                Some(TwinSocket::Over(_)) | None => None,
            },
        };
        let now = net.now();
        let Some(number) = number else { return };
        let Some(found) = self.connections.get_mut(number) else { return };
        if let Application::Mirrors(program) = &mut found.application {
            program.heed(action);
            program.go(now, &mut found.endpoint);
        }
        self.pump(net, number);
    }

    /// Makes one end of a connection's twin. Returns `None` if the network has no route.
    fn mirror(
        &mut self,
        net: &mut Net,
        flow: u32,
        connection: u32,
        ends: &SocketEnds,
        begins: bool,
    ) -> Option<u32> {
        self.sockets.insert((flow, connection), TwinSocket::Over(SocketTotals::default()));
        let flows = Arc::clone(&self.flows);
        let host = &flows[flow as usize];
        let Kind::Twins(config) = &host.kind else { return None };
        let local = net.hosts.book().find(ends.local.ip())?;
        let remote = net.hosts.book().find(ends.remote.ip())?;
        let (node, v6) = (host.from, ends.local.is_ipv6());
        let exit = net.hosts.exit(node, remote);
        if matches!(exit, Exit::NoRoute | Exit::NoHost) {
            return None;
        }
        let peer = (remote, ends.remote.port(), ends.local.port());
        // The ports of a connection that has ended are used again.
        if let Some(before) = net.hosts.stack(node).connection(&peer) {
            net.schedule(Entity::Timer(before), None);
            self.forget(net, before);
        }
        let mut config = config.as_ref().clone();
        config.congestion_control = ends.algorithm.unwrap_or(config.congestion_control);
        config.max_segment = ends.mss.or(config.max_segment);
        let config = fitted(net, &config, node, exit, v6);
        let name = format!("{}/{connection}", host.name);
        let initial = Stream::new(self.seed, &name).bits() as u32;
        let endpoint = match begins {
            true => Endpoint::connect(net.now(), config, initial),
            false => Endpoint::listen(config, initial),
        };
        let program = Program::new(connection);
        let number = self.add_connection(
            net,
            Connection {
                node,
                local,
                peer,
                v6,
                traffic_class: 0,
                flow,
                begun: net.now(),
                is_many: true,
                left: false,
                application: Application::Mirrors(Box::new(program)),
                endpoint: Box::new(endpoint),
            },
        );
        self.sockets.insert((flow, connection), TwinSocket::Open(number));
        Some(number)
    }

    /// Keeps the counts of a twin's end that is forgotten.
    pub(super) fn forget_socket(&mut self, flow: u32, program: &Program, endpoint: &Endpoint) {
        let over = TwinSocket::Over(program.totals(endpoint));
        self.sockets.insert((flow, program.connection()), over);
    }

    fn totals_of(&self, socket: &TwinSocket) -> SocketTotals {
        let number = match socket {
            TwinSocket::Over(totals) => return *totals,
            TwinSocket::Open(number) => *number,
        };
        match self.connections.get(number) {
            Some(Connection { application: Application::Mirrors(program), endpoint, .. }) => {
                program.totals(endpoint)
            }
            _ => SocketTotals::default(),
        }
    }

    /// Returns the bytes that twins of connections have written and read, by the flow of their host
    /// and their number.
    pub fn socket_totals(&self) -> impl Iterator<Item = ((u32, u32), SocketTotals)> {
        self.sockets.iter().map(|(whose, socket)| (*whose, self.totals_of(socket)))
    }

    /// Takes the twins that have arrived, by their source and destination.
    pub fn take_received(&mut self) -> BTreeMap<[AddressId; 2], Received> {
        std::mem::take(&mut self.received)
    }
}
