//! The address family of traffic between nodes.

use std::net::IpAddr;

use netloom_scenario::{IpFamily, Traffic};

use crate::Plan;

impl Plan {
    /// The primary address of a node in a family.
    pub fn known_as(&self, node: &str, family: IpFamily) -> Option<IpAddr> {
        let mut known = self.node(node)?.primary.iter().copied();
        known.find(|address| address.is_ipv6() == (family == IpFamily::Ipv6))
    }

    /// The family of a traffic entry: the one that it requires, otherwise IPv4 if all receivers
    /// have it, or IPv6 if all receivers have that. `None` if neither is the case.
    pub fn family(&self, traffic: &Traffic) -> Option<IpFamily> {
        let wanted = match traffic.family {
            Some(family) => vec![family],
            None => vec![IpFamily::Ipv4, IpFamily::Ipv6],
        };
        let have = |family: &IpFamily| {
            traffic.to.iter().all(|node| self.known_as(node, *family).is_some())
        };
        wanted.into_iter().find(have)
    }
}
