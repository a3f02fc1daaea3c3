//! Records what real hosts of a symbiotic run send to each other and receive, until the simulation
//! that has their twins takes the records.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;

use netloom_nodes::TcpSocket;
use netloom_scenario::TwinMethod;
use netloom_sim::{InterfaceId, Leaving, RealSegment, Sent};
use netloom_simulate::Joined;
use netloom_simulate::symbiosis::{Follower, Metadata, Order, RealPipe, ReceivedByHosts, Shrunk};
use netloom_units::{Duration, Time};

use super::connections::{Connections, hosts_of};

/// Records what real hosts send.
pub struct TwinWatch {
    /// The index of the host for each real node of the network.
    hosts: HashMap<u32, u32>,
    /// The addresses of real hosts, each with the index of its host.
    addresses: HashMap<IpAddr, u32>,
    /// Sets small pipes by the orders of the simulation.
    follower: Follower,
    /// Origin of times. Nothing is recorded before it.
    zero: Option<Time>,
    sent: VecDeque<(u32, Sent)>,
    /// TCP connections, if they have twins. Otherwise packets have twins.
    connections: Option<Connections>,
    period: Duration,
    /// Received packets, by the number of the period in which they arrived.
    received: BTreeMap<u64, ReceivedByHosts>,
}

impl TwinWatch {
    /// Makes the watch of the real hosts at the border of a small network.
    pub fn new(joined: &Joined, shrunk: &Shrunk, follower: Follower) -> Self {
        let of_border = joined.borders.iter().filter_map(|border| {
            let mut hosts = shrunk.hosts.iter().zip(0..);
            let (_, place) = hosts.find(|(host, _)| host.name == border.end.node)?;
            Some((border.at.node, place))
        });
        let (hosts, addresses) = (of_border.collect(), shrunk.addresses.clone());
        Self {
            hosts,
            addresses,
            follower,
            zero: None,
            sent: VecDeque::new(),
            connections: (shrunk.twins == TwinMethod::Connections).then(Connections::default),
            period: shrunk.period,
            received: BTreeMap::new(),
        }
    }

    /// Begins to record, at times relative to `zero`.
    pub fn begin(&mut self, zero: Time) {
        self.zero = Some(zero);
    }

    /// Records an IP packet that a real host sends now. It has a twin if it goes to another real
    /// host.
    pub fn note(&mut self, from: InterfaceId, now: Time, packet: &[u8]) {
        let Some(at) = self.since_zero(now) else { return };
        if let Some(connections) = &mut self.connections
            && let Some(segment) = RealSegment::of(packet)
            && let Some(hosts) = hosts_of(&segment, &self.addresses)
            && connections.note(hosts, at, &segment)
        {
            return;
        }
        let host = self.hosts.get(&from.node);
        let sent = Sent::of(packet, at, from.interface);
        if let Some((host, sent)) = host.zip(sent)
            && self.addresses.get(&sent.ends[1]).is_some_and(|to| to != host)
        {
            self.sent.push_back((*host, sent));
        }
    }

    /// Returns a time relative to the origin. `None` before the origin.
    fn since_zero(&self, now: Time) -> Option<Time> {
        self.zero.filter(|zero| *zero <= now).map(|zero| now - zero.since(Time::ZERO))
    }

    /// Sets the congestion control of a real host's connections that ask for none.
    pub fn note_algorithm(&mut self, host: u32, name: &str) {
        if let Some(connections) = &mut self.connections {
            connections.default_algorithm(host, name);
        }
    }

    /// Records the state of a real host's sockets, as its kernel reports it.
    pub fn note_sockets(&mut self, host: u32, now: Time, sockets: &[TcpSocket]) {
        let at = self.since_zero(now);
        if let Some((connections, at)) = self.connections.as_mut().zip(at) {
            connections.account(host, at, sockets);
        }
    }

    /// Returns congestion controls of real hosts that the simulation lacks.
    pub fn unknown_algorithms(&self) -> Vec<String> {
        self.connections.as_ref().map(Connections::unknown).unwrap_or_default()
    }

    /// Records a packet that has arrived at a real host. It counts if a host sent it, and that was
    /// recorded.
    pub fn note_received(&mut self, leaving: &Leaving) {
        let Some((zero, origin)) = self.zero.zip(leaving.origin) else { return };
        let host = |at: InterfaceId| self.hosts.get(&at.node).copied();
        if origin.at >= zero
            && let Some(ends) = host(origin.by).zip(host(leaving.at))
        {
            let period = leaving.time.since(zero).as_nanos() / self.period.as_nanos().max(1);
            let of_period = self.received.entry(period).or_default();
            let delay = leaving.time.since(origin.at);
            // IP packets are no longer than 64 KiB.
            of_period.entry(ends.into()).or_default().add(leaving.packet.len() as u32, delay);
        }
    }

    /// Takes the records of packets sent and received before `until`, which is the end of a period.
    pub fn take(&mut self, until: Time) -> Metadata {
        let count = self.sent.partition_point(|(_, sent)| sent.at < until);
        let sent = self.sent.drain(..count).collect();
        let next = until.as_nanos() / self.period.as_nanos().max(1);
        let later = self.received.split_off(&next);
        let mut received = ReceivedByHosts::new();
        // Packets that were delivered late belong to a period that was taken before.
        for (ends, one) in std::mem::replace(&mut self.received, later).into_values().flatten() {
            *received.entry(ends).or_default() += one;
        }
        let sockets = self.connections.as_mut().map(|all| all.take(until)).unwrap_or_default();
        Metadata { sent, sockets, received }
    }

    /// Sets small pipes according to `orders`. Returns their counts until now.
    pub fn follow(&mut self, joined: &mut Joined, orders: &[Order]) -> Vec<RealPipe> {
        self.follower.apply(joined, orders)
    }
}
