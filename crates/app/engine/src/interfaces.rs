//! States, counters and addresses of nodes' interfaces, as the kernel reports them.

use std::collections::HashMap;
use std::net::IpAddr;

use anyhow::Result;
use netloom_nodes::{InterfaceAddress, InterfaceState, Network};
use netloom_plan::{InterfacePlan, NodePlan};
use netloom_scenario::{Endpoint, IpPrefix};

/// States of interfaces at one moment.
pub type InterfaceStates = HashMap<Endpoint, InterfaceState>;

/// Returns the states of some interfaces now.
pub fn states(network: &Network, interfaces: &[Endpoint]) -> Result<InterfaceStates> {
    let mut nodes: Vec<&str> = interfaces.iter().map(|i| i.node.as_str()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let states = network.counters().interfaces(nodes)?;
    let states = states.into_iter().map(|state| (endpoint(&state), state));
    Ok(states.filter(|(endpoint, _)| interfaces.contains(endpoint)).collect())
}

fn endpoint(state: &InterfaceState) -> Endpoint {
    Endpoint { node: state.node.clone(), interface: state.name.clone() }
}

/// The addresses of nodes at one moment: those that the plan gave them, and those that programs in
/// the nodes have added since, like leases of DHCP.
#[derive(Debug, Default)]
pub struct Addresses(HashMap<String, Vec<InterfaceAddress>>);

impl Addresses {
    /// Asks the kernel for the addresses of all nodes. Nodes that it cannot ask, because they have
    /// a kernel of their own, have those of the plan.
    pub fn now(network: &Network) -> Result<Self> {
        Ok(Self(network.counters().addresses()?))
    }

    /// Returns the addresses of an interface: those of the plan in its order, then others.
    pub fn of_interface(&self, node: &str, interface: &InterfacePlan) -> Vec<IpPrefix> {
        let mut addresses = interface.addresses.clone();
        for found in self.0.get(node).into_iter().flatten() {
            if found.interface == interface.name && !addresses.contains(&found.address) {
                addresses.push(found.address);
            }
        }
        addresses
    }

    /// Returns the addresses of a node: those that its name resolves to, then those that the plan
    /// does not have.
    pub fn of_node(&self, node: &NodePlan) -> Vec<IpAddr> {
        let mut addresses = node.primary.clone();
        let planned = node.interfaces.iter().flat_map(|interface| &interface.addresses);
        let planned: Vec<IpAddr> = planned.map(|prefix| prefix.address()).collect();
        for found in self.0.get(&node.name).into_iter().flatten() {
            let address = found.address.address();
            if !planned.contains(&address) && !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        addresses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_plan_come_before_leased_ones() {
        let yaml = "name: x\ntopology:\n  nodes: \
            { a: { interfaces: { eth1: { ipv4: 10.0.0.1/24 } } }, b: }\n  links: \
            [{ endpoints: [\"a:eth1\", b] }]\n";
        let scenario = netloom_scenario::load(yaml).unwrap().scenario;
        let plan = netloom_plan::plan(&scenario).unwrap();
        let node = plan.node("a").unwrap();
        let found = |text: &str| InterfaceAddress {
            interface: "eth1".into(),
            address: text.parse().unwrap(),
        };
        let leased = vec![found("10.0.0.77/24"), found("10.0.0.1/24")];
        let addresses = Addresses([("a".to_owned(), leased)].into());
        let at = addresses.of_interface("a", &node.interfaces[0]);
        assert_eq!(at.len(), node.interfaces[0].addresses.len() + 1);
        assert_eq!(at.last().unwrap().to_string(), "10.0.0.77/24");
        let all = addresses.of_node(node);
        assert_eq!(all[..all.len() - 1], node.primary[..]);
        assert_eq!(all.last().unwrap().to_string(), "10.0.0.77");
    }
}
