//! The first step of a node's packets to an address, according to the plan. Not here: routes that
//! are made by services or the timeline.

use std::net::IpAddr;

use netloom_scenario::MacAddress;

use crate::{InterfacePlan, Plan};

/// The first step of packets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way<'p> {
    /// Interface by which they leave.
    pub interface: &'p InterfacePlan,
    /// Ethernet address of the next hop.
    pub next: MacAddress,
}

impl Plan {
    /// Returns the first step of a node's packets to `address`; `None` if the plan has no route, or
    /// the next hop does not belong to a node.
    pub fn way(&self, node: &str, address: IpAddr) -> Option<Way<'_>> {
        let place = *self.places.get(node)?;
        let interfaces = &self.nodes[place].interfaces;
        let near = |address: IpAddr| {
            interfaces.iter().find(|one| one.addresses.iter().any(|own| own.contains(address)))
        };
        let (interface, neighbour) = match near(address) {
            Some(interface) => (interface, address),
            None => {
                let routes = self.routes(place).into_iter();
                let fitting = routes.filter(|route| route.to.contains(address));
                let best = fitting
                    .min_by_key(|route| (std::cmp::Reverse(route.to.length()), route.metric()))?;
                let named = best
                    .interface
                    .as_deref()
                    .and_then(|name| interfaces.iter().find(|interface| interface.name == name));
                let neighbour = best.via.unwrap_or(address);
                (named.or_else(|| near(neighbour))?, neighbour)
            }
        };
        let next = self.neighbour(node, &interface.name, neighbour)?;
        Some(Way { interface, next })
    }

    /// Returns the Ethernet address of the interface that has `address` and is on the same segment.
    fn neighbour(&self, node: &str, interface: &str, address: IpAddr) -> Option<MacAddress> {
        let is_here =
            |end: &&netloom_scenario::Endpoint| end.node == node && end.interface == interface;
        let segment = self.segments.iter().find(|ends| ends.iter().any(|end| is_here(&end)))?;
        let others = segment.iter().filter(|end| !is_here(end));
        let planned = others.filter_map(|end| {
            let mut interfaces = self.node(&end.node)?.interfaces.iter();
            interfaces.find(|interface| interface.name == end.interface)
        });
        let mut owners = planned
            .filter(|interface| interface.addresses.iter().any(|own| own.address() == address));
        owners.next().map(|interface| interface.mac)
    }
}
