//! Random networks, and their expected trees, computed in another way.

use netloom_spanning_tree::{Bridge, BridgeId, PortPriority, Priority};
use netloom_units::Time;
use proptest::prelude::*;

use super::network::{Network, Node};
use super::{cost, ms};

/// The plan of a random network.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Priority step and address of each bridge.
    pub bridges: Vec<(u16, u8)>,
    pub links: Vec<PlannedLink>,
    /// The bridge of each host.
    pub hosts: Vec<usize>,
}

#[derive(Debug, Clone)]
pub struct PlannedLink {
    pub ends: [usize; 2],
    pub costs: [u32; 2],
    pub delay_ms: u64,
}

/// Connected plans with 2 to 12 bridges, delays up to 50 ms, arbitrary costs, parallel links, and
/// links from a bridge to itself.
pub fn plans() -> impl Strategy<Value = Plan> {
    (2usize..=12).prop_flat_map(|count| {
        let bridges = prop::collection::vec((0u16..4, any::<u8>()), count);
        let costs = || prop_oneof![Just(20_000u32), 1u32..6, 1u32..=200_000_000];
        let delay = prop_oneof![Just(0), 0u64..=50];
        let parents = prop::collection::vec(
            (any::<prop::sample::Index>(), costs(), costs(), delay.clone()),
            count - 1,
        );
        let more = prop::collection::vec((0..count, 0..count, costs(), costs(), delay), 0..=count);
        let hosts = prop::collection::vec(0..count, 0..6);
        (bridges, parents, more, hosts).prop_map(|(bridges, parents, more, hosts)| {
            let tree = parents.into_iter().enumerate().map(|(child, (parent, c, d, delay_ms))| {
                let ends = [child + 1, parent.index(child + 1)];
                PlannedLink { ends, costs: [c, d], delay_ms }
            });
            let more = more.into_iter().map(|(a, b, c, d, delay_ms)| PlannedLink {
                ends: [a, b],
                costs: [c, d],
                delay_ms,
            });
            Plan { bridges, links: tree.chain(more).collect(), hosts }
        })
    })
}

/// Plans whose links all have the same cost.
pub fn equal_plans() -> impl Strategy<Value = Plan> {
    plans().prop_map(|mut plan| {
        plan.links.iter_mut().for_each(|link| link.costs = [20_000; 2]);
        plan
    })
}

impl Plan {
    pub fn id(&self, bridge: usize) -> BridgeId {
        let (priority, address) = self.bridges[bridge];
        let priority = Priority::try_from(priority * 4096).unwrap();
        BridgeId::new(priority, [2, 0, 0, 0, address, bridge as u8])
    }

    pub fn network(&self) -> Network {
        let rapid = |bridge| Node::Rapid(Box::new(Bridge::new(self.id(bridge))));
        let mut network = Network::new((0..self.bridges.len()).map(rapid).collect());
        let mut ports = vec![0; self.bridges.len()];
        for link in &self.links {
            let ends = [0, 1].map(|end| {
                let node = link.ends[end];
                ports[node] += 1;
                add_port(&mut network, node, ports[node] - 1, link.costs[end]);
                (node, ports[node] - 1)
            });
            network.link(ends, ms(link.delay_ms));
        }
        for &node in &self.hosts {
            ports[node] += 1;
            add_port(&mut network, node, ports[node] - 1, 20_000);
            network.hosts.push((node, ports[node] - 1));
        }
        network
    }

    /// Checks that the network is the tree that 802.1D requires for its bridges, links and costs.
    pub fn check(&self, network: &Network) {
        let all = 0..self.bridges.len();
        let mut seen = std::collections::BTreeSet::new();
        assert!(!network.has_loop(), "a loop: {}", network.describe());
        for start in all.clone() {
            if seen.contains(&start) {
                continue;
            }
            let part = network.reached(start, false);
            let active = network.reached(start, true);
            assert_eq!(part, active, "frames do not get everywhere: {}", network.describe());
            let root = *part.iter().min_by_key(|bridge| self.id(**bridge)).unwrap();
            let costs = self.costs(network, root);
            for bridge in &part {
                let (is_root, cost, port) = network.rapid(*bridge).root();
                assert_eq!(is_root, self.id(root), "the root at {bridge}");
                assert_eq!(Some(u64::from(cost)), costs[*bridge], "the cost at {bridge}");
                assert_eq!(port.is_none(), *bridge == root);
            }
            seen.extend(part);
        }
        for (node, port) in &network.hosts {
            assert!(network.nodes[*node].forwards(*port), "a host's port does not forward");
        }
    }

    /// Returns the cost of the cheapest path from each bridge to `root` (Bellman and Ford). For
    /// each link, the cost of the port further from the root counts.
    fn costs(&self, network: &Network, root: usize) -> Vec<Option<u64>> {
        let mut costs = vec![None; self.bridges.len()];
        costs[root] = Some(0);
        for _ in 0..self.bridges.len() {
            for (link, state) in self.links.iter().zip(&network.links) {
                for (near, far) in [(0, 1), (1, 0)] {
                    let Some(so_far) = costs[link.ends[near]].filter(|_| state.up) else {
                        continue;
                    };
                    let there = so_far + u64::from(link.costs[far]);
                    let known = &mut costs[link.ends[far]];
                    *known = Some(known.map_or(there, |known: u64| known.min(there)));
                }
            }
        }
        costs
    }
}

pub fn add_port(network: &mut Network, node: usize, port: usize, number: u32) {
    match &mut network.nodes[node] {
        Node::Rapid(bridge) => {
            bridge.add_port(Time::ZERO, port, cost(number), PortPriority::default(), false).unwrap()
        }
        Node::Legacy(bridge) => bridge.add_port(Time::ZERO, port, number),
    }
}
