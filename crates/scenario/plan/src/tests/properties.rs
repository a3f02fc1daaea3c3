//! Properties on random networks: every node reaches every other, by paths that are as short as
//! possible.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use netloom_link::LinkState;
use netloom_scenario::{Addresses, IpPrefix, Ipv4Prefix, NodeKind, Route, Scenario};
use netloom_units::{Duration, Time};
use proptest::prelude::*;

use super::build::{link, network, node};
use super::forward::{Forwarder, addresses, length};
use crate::numbering::Numbering;
use crate::{NodePlan, Plan, PlanError, RoutePlan, plan, plan_numbered, rerouted};

/// Returns connected routers (a random tree and extra links), some links through a switch, and
/// hosts with one or two routers. Delays are in ms and may be zero.
fn networks() -> impl Strategy<Value = Scenario> {
    (2usize..12).prop_flat_map(|routers| {
        let tree = prop::collection::vec((any::<prop::sample::Index>(), 0u64..6), routers - 1);
        let extra = prop::collection::vec((0..routers, 0..routers, 0u64..6, any::<bool>()), 0..8);
        let hosts = prop::collection::vec((0..routers, 0..routers, any::<bool>()), 0..6);
        (tree, extra, hosts).prop_map(build)
    })
}

type Parts =
    (Vec<(prop::sample::Index, u64)>, Vec<(usize, usize, u64, bool)>, Vec<(usize, usize, bool)>);

fn build((tree, extra, hosts): Parts) -> Scenario {
    let mut scenario = network(&[]);
    let ms = Duration::from_millis;
    node(&mut scenario, "r0");
    for (child, (parent, delay)) in tree.iter().enumerate() {
        let parent = parent.index(child + 1);
        link(&mut scenario, &format!("r{parent}"), &format!("r{}", child + 1), ms(*delay));
    }
    for (index, (a, b, delay, switched)) in extra.iter().enumerate() {
        if a == b {
            continue;
        }
        let (a, b, switch) = (format!("r{a}"), format!("r{b}"), format!("s{index}"));
        if *switched {
            link(&mut scenario, &a, &switch, ms(*delay));
            link(&mut scenario, &switch, &b, ms(1));
        } else {
            link(&mut scenario, &a, &b, ms(*delay));
        }
    }
    for (index, (first, second, two)) in hosts.iter().enumerate() {
        let host = format!("h{index}");
        link(&mut scenario, &format!("r{first}"), &host, ms(2));
        if *two {
            link(&mut scenario, &host, &format!("r{second}"), ms(2));
        }
    }
    scenario
}

/// Converts a link of `delay` ms to a length that orders paths by their delays, then by their hops.
fn length_of(delay: u64, hops: u64) -> u64 {
    1000 * delay + hops
}

/// Returns the shortest lengths between all nodes, by Floyd and Warshall. Paths do not cross hosts.
fn distances(scenario: &Scenario) -> Vec<Vec<u64>> {
    let count = scenario.nodes.len();
    let index = |name: &str| scenario.nodes.iter().position(|node| node.name == name).unwrap();
    let switch = |node: usize| scenario.nodes[node].kind == NodeKind::Switch;
    let mut distance = vec![vec![u64::MAX / 4; count]; count];
    for (node, row) in distance.iter_mut().enumerate() {
        row[node] = 0;
    }
    for link in &scenario.links {
        let [a, b] = [index(&link.endpoints[0].node), index(&link.endpoints[1].node)];
        // Two links by a switch are one hop.
        let hops = u64::from(!switch(b));
        let delay = length_of(link.forward.delay.nominal().as_nanos() / 1_000_000, hops);
        for (a, b) in [(a, b), (b, a)] {
            distance[a][b] = distance[a][b].min(delay);
        }
    }
    for via in (0..count).filter(|via| scenario.nodes[*via].kind != NodeKind::Host) {
        for a in 0..count {
            for b in 0..count {
                distance[a][b] = distance[a][b].min(distance[a][via] + distance[via][b]);
            }
        }
    }
    distance
}

/// Returns the length of the hop by which a node's interface leads to its only neighbour, with or
/// without a switch.
fn hop(scenario: &Scenario, node: &str, interface: &str) -> u64 {
    let mut links = scenario.links.iter();
    let at = |link: &&netloom_scenario::Link, node: &str, interface: Option<&str>| {
        let mut ends = link.endpoints.iter();
        ends.any(|end| end.node == node && interface.is_none_or(|name| end.interface == name))
    };
    let link = links.find(|link| at(link, node, Some(interface))).unwrap();
    let peer = link.endpoints.iter().find(|end| end.node != node).unwrap();
    let beyond = scenario.links.iter().find(|other| {
        peer.node.starts_with('s') && other.name != link.name && at(other, &peer.node, None)
    });
    let delay = |link: &netloom_scenario::Link| link.forward.delay.nominal().as_nanos() / 1_000_000;
    length_of(delay(link) + beyond.map_or(0, delay), 1)
}

/// Checks that every next hop, with the link to it, is on a shortest path to the destination of the
/// route.
fn next_hops_are_on_shortest_paths(scenario: &Scenario, plan: &Plan) -> Result<(), TestCaseError> {
    let distance = distances(scenario);
    let index = |name: &str| scenario.nodes.iter().position(|node| node.name == name).unwrap();
    let owner = |address| plan.nodes.iter().find(|node| addresses(node).contains(&address));
    for (number, from) in plan.nodes.iter().enumerate() {
        let table = plan.routes(number);
        for to in plan.nodes.iter().filter(|to| to.kind == NodeKind::Router && to.name != from.name)
        {
            for address in &to.primary {
                let matching = table.iter().filter(|route| route.to.contains(*address));
                let route = matching.max_by_key(|route| length(route.to)).unwrap();
                let next = index(&owner(route.via.unwrap()).unwrap().name);
                let first = hop(scenario, &from.name, route.interface.as_ref().unwrap());
                let (from, to) = (index(&from.name), index(&to.name));
                prop_assert_eq!(first + distance[next][to], distance[from][to], "{:?}", route);
            }
        }
    }
    Ok(())
}

fn check(scenario: &Scenario, plan: &Plan) -> Result<(), TestCaseError> {
    next_hops_are_on_shortest_paths(scenario, plan)?;
    let distance = distances(scenario);
    let index = |name: &str| scenario.nodes.iter().position(|node| node.name == name).unwrap();
    let forwarder = Forwarder::new(plan);
    for from in &plan.nodes {
        for to in &plan.nodes {
            for address in addresses(to) {
                let path = forwarder.path(&from.name, address);
                prop_assert!(path.is_ok(), "{} to {address}: {:?}", from.name, path);
            }
            for address in to.primary.iter().filter(|_| to.kind == NodeKind::Router) {
                let path = forwarder.path(&from.name, *address).unwrap();
                let length: u64 =
                    path.windows(2).map(|hop| distance[index(hop[0])][index(hop[1])]).sum();
                let shortest = distance[index(&from.name)][index(&to.name)];
                prop_assert_eq!(length, shortest, "{:?} to {}", path, address);
            }
        }
    }
    Ok(())
}

fn distinct<T: std::hash::Hash + Eq>(items: Vec<T>) -> bool {
    let count = items.len();
    items.into_iter().collect::<HashSet<_>>().len() == count
}

/// Returns the result of longest-prefix match in a node's kernel: a network of its own, or a route
/// of `table`.
fn lookup(node: &NodePlan, table: &[RoutePlan], address: IpAddr) -> Option<Option<IpAddr>> {
    let connected = node.interfaces.iter().flat_map(|i| &i.addresses).map(|p| (*p, None));
    let routes = table.iter().chain(&node.routes).map(|route| (route.to, route.via));
    let matching = routes.chain(connected).filter(|(to, _)| to.contains(address));
    // The last of equal routes is used: the kernel's own routes come first, then the scenario's.
    matching.max_by_key(|(to, _)| length(*to)).map(|(_, via)| via)
}

/// Whether `found` is one of the routes for an address that `permitted` allows, by [`lookup`].
fn is_permitted(
    node: &NodePlan,
    permitted: &[RoutePlan],
    address: IpAddr,
    found: Option<Option<IpAddr>>,
) -> bool {
    let expected = lookup(node, permitted, address);
    let theirs = permitted.iter().filter(|route| route.to.contains(address));
    let longest = theirs.clone().map(|route| length(route.to)).max();
    let mut equal = theirs.filter(|route| Some(length(route.to)) == longest).map(|route| route.via);
    // Where a route of the planner decides, any of its equals is permitted.
    let ours = expected.is_some_and(|via| equal.clone().any(|other| other == via));
    found == expected || (ours && found.is_some_and(|via| equal.any(|other| other == via)))
}

/// Checks all tables against uncompressed ones: at every address of the plan, next to it, and at
/// `others`.
fn same_forwarding(plan: &Plan, others: &[u32]) -> Result<(), TestCaseError> {
    let near = plan.nodes.iter().flat_map(addresses).flat_map(|address| match address {
        IpAddr::V4(ip) => [0, 1, 2, 4].map(|n| Ipv4Addr::from_bits(ip.to_bits() ^ n).into()),
        IpAddr::V6(ip) => {
            [0, 1, 1 << 64, 2 << 64].map(|n| Ipv6Addr::from_bits(ip.to_bits() ^ n).into())
        }
    });
    let far = others.iter().flat_map(|bits| {
        let low = u128::from(*bits);
        [
            IpAddr::from(Ipv4Addr::from_bits(bits >> 1)),
            Ipv4Addr::from_bits((10 << 24) | (bits >> 20)).into(),
            Ipv6Addr::from_bits((0xfd00 << 112) | ((low >> 24) << 64) | (low & 3)).into(),
        ]
    });
    let all: Vec<IpAddr> = near.chain(far).collect();
    for (index, node) in plan.nodes.iter().enumerate() {
        let compressed = plan.generated.network.as_ref().unwrap().routes(index);
        let uncompressed = plan.generated.network.as_ref().unwrap().uncompressed(index);
        prop_assert!(compressed.len() <= uncompressed.len().max(2));
        let own = addresses(node);
        for address in all.iter().filter(|address| !own.contains(address)) {
            let expected = lookup(node, &uncompressed, *address);
            let found = lookup(node, &compressed, *address);
            // The default route of a host also takes addresses that nobody has. The host's networks
            // and own routes have precedence over it, whatever is inside them.
            let by_default = compressed.iter().any(|route| length(route.to) == 0);
            let known = lookup(node, &[], *address).is_some();
            let is_exact = !by_default || (expected.is_some() && !known);
            prop_assert!(!by_default || node.kind == NodeKind::Host);
            if is_exact {
                let fits = is_permitted(node, &uncompressed, *address, found);
                prop_assert!(fits, "{} to {}: {:?}", node.name, address, found);
            }
        }
    }
    Ok(())
}

/// Gives routers prefixes of other lengths and routes of their own, and takes links down.
fn unsettle(scenario: &mut Scenario, changes: &[(prop::sample::Index, u8, u32)]) {
    for (place, what, bits) in changes {
        let node = place.index(scenario.nodes.len());
        match what {
            0 => {
                let link = place.index(scenario.links.len());
                scenario.links[link].forward.state = LinkState::Down;
            }
            1..4 => {
                let (to, length) = ((10 << 24) | (bits >> 24 << 2), &(26 + what));
                let via = Some("192.0.2.1".parse().unwrap());
                let to = Ipv4Prefix { address: Ipv4Addr::from_bits(to), length: *length };
                let route = Route { to: IpPrefix::V4(to), via, interface: None, metric: None };
                scenario.nodes[node].routes.push(route);
            }
            _ => {
                let address = Ipv4Addr::from_bits((10 << 24) | (bits >> 22 << 1) | 1);
                let length = 24 + what % 4;
                if let Some(interface) = scenario.nodes[node].interfaces.first_mut() {
                    interface.ipv4 = Addresses::Fixed(vec![Ipv4Prefix { address, length }]);
                }
            }
        }
    }
}

fn by_topology(scenario: &Scenario) -> Result<Plan, PlanError> {
    plan_numbered(scenario, Numbering::by_topology)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn compressed_tables_forward_as_uncompressed_ones(
        scenario in networks(),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0u8..7, any::<u32>()), 0..5
        ),
        others in prop::collection::vec(any::<u32>(), 48),
    ) {
        same_forwarding(&plan(&scenario).unwrap(), &others)?;
        same_forwarding(&by_topology(&scenario).unwrap(), &others)?;
        let mut unsettled = scenario;
        unsettle(&mut unsettled, &changes);
        // Given addresses may collide, which is an error of its own.
        if let Ok(plan) = plan(&unsettled) {
            same_forwarding(&plan, &others)?;
        }
    }

    #[test]
    fn an_address_that_nobody_has_travels_in_no_circle(
        scenario in networks(),
        others in prop::collection::vec(any::<u32>(), 16),
    ) {
        let plan = by_topology(&scenario).unwrap();
        let forwarder = Forwarder::new(&plan);
        for node in &plan.nodes {
            for bits in &others {
                let address = IpAddr::from(Ipv4Addr::from_bits((10 << 24) | (bits >> 16)));
                if let Err(why) = forwarder.path(&node.name, address) {
                    prop_assert!(!why.contains("circle"), "{}", why);
                }
            }
        }
    }

    #[test]
    fn numbering_by_topology_leads_everywhere_by_shortest_paths(scenario in networks()) {
        let plan = by_topology(&scenario).unwrap();
        check(&scenario, &plan)?;
        prop_assert!(distinct(plan.nodes.iter().flat_map(addresses).collect()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_tables_lead_everywhere_by_shortest_paths(scenario in networks()) {
        let plan = plan(&scenario).unwrap();
        check(&scenario, &plan)?;
    }

    #[test]
    fn addresses_and_macs_are_distinct_and_the_plan_is_determined(scenario in networks()) {
        let first = plan(&scenario).unwrap();
        prop_assert!(distinct(first.nodes.iter().flat_map(addresses).collect()));
        let interfaces = first.nodes.iter().flat_map(|node| &node.interfaces);
        prop_assert!(distinct(interfaces.map(|interface| interface.mac).collect()));
        let second = plan(&scenario).unwrap();
        prop_assert_eq!((&first.nodes, &first.hosts_file), (&second.nodes, &second.hosts_file));
        for node in 0..first.nodes.len() {
            prop_assert_eq!(first.routes(node), second.routes(node));
        }
    }

    #[test]
    fn a_rerouted_plan_keeps_addresses_and_avoids_links_that_are_down(
        scenario in networks(),
        down in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let links = scenario.links.len();
        let down: HashSet<usize> = down.iter().map(|link| link.index(links)).collect();
        let mut changed = scenario.clone();
        for link in &down {
            changed.links[*link].reverse.state = LinkState::Down;
        }
        let (first, without) = (plan(&scenario).unwrap(), plan(&changed).unwrap());
        let around = rerouted(&scenario, &first, |link| down.contains(&link), Time::ZERO).unwrap();
        let back = rerouted(&changed, &around, |_| false, Time::ZERO).unwrap();
        for (same, other) in [(&around, &without), (&back, &first)] {
            prop_assert_eq!(&same.nodes, &other.nodes);
            for node in 0..first.nodes.len() {
                prop_assert_eq!(same.routes(node), other.routes(node));
            }
        }
        let sorted = by_topology(&scenario).unwrap();
        let around = rerouted(&scenario, &sorted, |link| down.contains(&link), Time::ZERO).unwrap();
        prop_assert_eq!(&around.nodes, &sorted.nodes);
        let back = rerouted(&changed, &around, |_| false, Time::ZERO).unwrap();
        for node in 0..sorted.nodes.len() {
            prop_assert_eq!(back.routes(node), sorted.routes(node));
        }
    }
}
