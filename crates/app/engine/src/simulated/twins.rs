//! What real hosts of a symbiotic run send to each other: kept until the simulation that has their
//! twins asks for it.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use netloom_sim::{InterfaceId, Sent};
use netloom_simulate::Joined;
use netloom_simulate::symbiosis::{Follower, Order, RealPipe, Shrunk};
use netloom_units::Time;

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
        Self { hosts, addresses, follower, zero: None, sent: VecDeque::new() }
    }

    /// Begins to note, at times that count from `zero` on.
    pub fn begin(&mut self, zero: Time) {
        self.zero = Some(zero);
    }

    /// A real host sends an IP packet now. It has a twin if it goes to another real host.
    pub fn note(&mut self, from: InterfaceId, now: Time, packet: &[u8]) {
        let Some(at) =
            self.zero.filter(|zero| *zero <= now).map(|zero| now - zero.since(Time::ZERO))
        else {
            return;
        };
        let host = self.hosts.get(&from.node);
        let sent = Sent::of(packet, at, from.interface);
        if let Some((host, sent)) = host.zip(sent)
            && self.addresses.get(&sent.ends[1]).is_some_and(|to| to != host)
        {
            self.sent.push_back((*host, sent));
        }
    }

    /// Takes what was sent before `until`.
    pub fn take(&mut self, until: Time) -> Vec<(u32, Sent)> {
        let count = self.sent.partition_point(|(_, sent)| sent.at < until);
        self.sent.drain(..count).collect()
    }

    /// Has small pipes do what `orders` say. What they had done by now.
    pub fn follow(&mut self, joined: &mut Joined, orders: &[Order]) -> Vec<RealPipe> {
        self.follower.apply(joined, orders)
    }
}
