//! What real hosts of a symbiotic run send to each other, and what comes: kept until the simulation
//! that has their twins asks for it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::IpAddr;

use netloom_nodes::TcpSocket;
use netloom_scenario::TwinMethod;
use netloom_sim::{InterfaceId, Leaving, RealSegment, Sent};
use netloom_simulate::Joined;
use netloom_simulate::symbiosis::{Follower, Metadata, Order, RealPipe, ReceivedByHosts, Shrunk};
use netloom_units::{Duration, Time};

use super::connections::{Connections, hosts_of};

/// Notes what real hosts send.
pub struct TwinWatch {
    /// The host, by place, of each node of the network that is real.
    hosts: HashMap<u32, u32>,
    /// The addresses of real hosts, each with the place of its host.
    addresses: HashMap<IpAddr, u32>,
    /// What has small pipes follow.
    follower: Follower,
    /// When times begin; nothing is noted before.
    zero: Option<Time>,
    sent: VecDeque<(u32, Sent)>,
    /// TCP connections, if these have twins; else their packets have.
    connections: Option<Connections>,
    period: Duration,
    /// What has come, by the number of the period in which it came.
    received: BTreeMap<u64, ReceivedByHosts>,
}

impl TwinWatch {
    /// Watches the real hosts at the border of a small network.
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

    /// Begins to note, at times that count from `zero` on.
    pub fn begin(&mut self, zero: Time) {
        self.zero = Some(zero);
    }

    /// A real host sends an IP packet now. It has a twin if it goes to another real host.
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

    /// When that is, counted from where times begin; nothing before.
    fn since_zero(&self, now: Time) -> Option<Time> {
        self.zero.filter(|zero| *zero <= now).map(|zero| now - zero.since(Time::ZERO))
    }

    /// Connections of a real host have this congestion control if nobody asks for another one.
    pub fn note_algorithm(&mut self, host: u32, name: &str) {
        if let Some(connections) = &mut self.connections {
            connections.default_algorithm(host, name);
        }
    }

    /// The kernel of a real host accounts for its sockets.
    pub fn note_sockets(&mut self, host: u32, now: Time, sockets: &[TcpSocket]) {
        let at = self.since_zero(now);
        if let Some((connections, at)) = self.connections.as_mut().zip(at) {
            connections.account(host, at, sockets);
        }
    }

    /// Congestion controls of real hosts that the simulation has not.
    pub fn unknown_algorithms(&self) -> Vec<String> {
        self.connections.as_ref().map(Connections::unknown).unwrap_or_default()
    }

    /// A packet has come to a real host. What a host sent itself counts, if that was noted.
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

    /// Takes what was sent, and what has come, before `until`, which is the end of a period.
    pub fn take(&mut self, until: Time) -> Metadata {
        let count = self.sent.partition_point(|(_, sent)| sent.at < until);
        let sent = self.sent.drain(..count).collect();
        let next = until.as_nanos() / self.period.as_nanos().max(1);
        let later = self.received.split_off(&next);
        let mut received = ReceivedByHosts::new();
        // What was handed out late belongs to a period that was taken before.
        for (ends, one) in std::mem::replace(&mut self.received, later).into_values().flatten() {
            *received.entry(ends).or_default() += one;
        }
        let sockets = self.connections.as_mut().map(|all| all.take(until)).unwrap_or_default();
        Metadata { sent, sockets, received }
    }

    /// Has small pipes do what `orders` say. What they had done by now.
    pub fn follow(&mut self, joined: &mut Joined, orders: &[Order]) -> Vec<RealPipe> {
        self.follower.apply(joined, orders)
    }
}
