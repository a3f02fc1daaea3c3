//! Forwarding by a plan's tables as in the kernels: longest prefix match, hop by hop.

use std::collections::HashMap;
use std::net::IpAddr;

use netloom_scenario::{IpPrefix, NodeKind};

use crate::{NodePlan, Plan, RoutePlan};

pub struct Forwarder<'a> {
    plan: &'a Plan,
    owners: HashMap<IpAddr, Vec<&'a str>>,
    /// Tables in the order of the plan's nodes.
    tables: Vec<Vec<RoutePlan>>,
}

/// Returns the whole table of a node.
pub fn routes(plan: &Plan, name: &str) -> Vec<RoutePlan> {
    plan.routes(plan.nodes.iter().position(|node| node.name == name).unwrap())
}

impl<'a> Forwarder<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let mut owners: HashMap<IpAddr, Vec<&str>> = HashMap::new();
        for node in &plan.nodes {
            for address in addresses(node) {
                owners.entry(address).or_default().push(&node.name);
            }
        }
        let tables = (0..plan.nodes.len()).map(|node| plan.routes(node)).collect();
        Self { plan, owners, tables }
    }

    /// Returns the nodes that a packet from `source` to `destination` visits, both included.
    pub fn path(&self, source: &'a str, destination: IpAddr) -> Result<Vec<&'a str>, String> {
        let mut path = vec![source];
        loop {
            let at = path[path.len() - 1];
            let index = self.plan.nodes.iter().position(|node| node.name == at).unwrap();
            let node = &self.plan.nodes[index];
            if addresses(node).contains(&destination) {
                return Ok(path);
            }
            if path.len() > 1 && node.kind != NodeKind::Router {
                return Err(format!("{path:?}: {} does not forward to {destination}", node.name));
            }
            if path.len() > self.plan.nodes.len() {
                return Err(format!("{path:?}: circle on the way to {destination}"));
            }
            path.push(self.next(index, destination).map_err(|why| format!("{path:?}: {why}"))?);
        }
    }

    fn next(&self, index: usize, destination: IpAddr) -> Result<&'a str, String> {
        let node = &self.plan.nodes[index];
        let connected = node.interfaces.iter().flat_map(|i| &i.addresses);
        let connected = connected.map(|prefix| (*prefix, None));
        let routes = self.tables[index].iter().map(|route| (route.to, route.via));
        let (_, via) = connected
            .chain(routes)
            .filter(|(prefix, _)| prefix.contains(destination))
            .max_by_key(|(prefix, via)| (length(*prefix), via.is_none()))
            .ok_or_else(|| format!("{} has no route to {destination}", node.name))?;
        let hop = via.unwrap_or(destination);
        match self.owners.get(&hop).map(Vec::as_slice) {
            Some([owner]) => Ok(owner),
            owners => Err(format!("{hop} is owned by {owners:?}")),
        }
    }
}

pub fn addresses(node: &NodePlan) -> Vec<IpAddr> {
    let prefixes = node.interfaces.iter().flat_map(|i| &i.addresses).chain(&node.loopback);
    prefixes.map(|prefix| crate::cidr::Cidr::from(*prefix).address()).collect()
}

pub fn length(prefix: IpPrefix) -> u8 {
    crate::cidr::Cidr::from(prefix).length
}
