//! Properties on random networks: everything reaches everything, by paths as short as they can be.

use std::collections::HashSet;

use netloom_scenario::{NodeKind, Scenario};
use netloom_units::Duration;
use proptest::prelude::*;

use super::build::{link, network, node};
use super::forward::{Forwarder, addresses};
use crate::{Plan, plan};

/// Connected routers (a random tree and extra links), some links through a switch, and hosts with
/// one or two routers. Delays in ms, zero included.
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

/// Shortest delays in ms between all nodes, by Floyd and Warshall, hosts not crossed.
fn distances(scenario: &Scenario) -> Vec<Vec<u64>> {
    let count = scenario.nodes.len();
    let index = |name: &str| scenario.nodes.iter().position(|node| node.name == name).unwrap();
    let mut distance = vec![vec![u64::MAX / 4; count]; count];
    for (node, row) in distance.iter_mut().enumerate() {
        row[node] = 0;
    }
    for link in &scenario.links {
        let [a, b] = [index(&link.endpoints[0].node), index(&link.endpoints[1].node)];
        let delay = link.forward.delay.as_nanos() / 1_000_000;
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

fn check(scenario: &Scenario, plan: &Plan) -> Result<(), TestCaseError> {
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
        prop_assert_eq!(&first, &plan(&scenario).unwrap());
    }
}
