//! Addresses that were learned over paths which no longer exist are forgotten.

use std::cell::Cell;

use crate::common::network::{Network, Node};
use crate::common::plan::{add_port, plans};
use crate::common::{at, cases, id, ms};
use netloom_spanning_tree::Bridge;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

/// A ring of four bridges, 0 the root, with a host at each.
fn ring() -> Network {
    let bridge = |number: u16| Node::Rapid(Box::new(Bridge::new(id(4096 * number, number as u8))));
    let mut network = Network::new((0..4).map(bridge).collect());
    for node in 0..4 {
        for port in 0..3 {
            add_port(&mut network, node, port, 20_000);
        }
        network.hosts.push((node, 2));
    }
    for node in 0..4 {
        network.link([(node, 0), ((node + 1) % 4, 1)], ms(1));
    }
    network
}

#[test]
fn a_host_that_moved_in_the_ring_is_forgotten_where_its_way_changed() {
    let mut network = ring();
    network.run_until(at(20_500));
    network.speak();
    let before = network.learned.clone();
    let link = *network.active().first().unwrap();
    let failed = network.now;
    network.set_link(link, false);
    network.run_until(failed + ms(100));

    let ways = network.ways();
    assert_eq!(ways.len(), 16, "everybody hears everybody within 100 ms");
    let moved: Vec<_> = before.iter().filter(|(key, port)| ways[key] != **port).collect();
    assert!(moved.len() >= 6, "the failure changes ways: {moved:?}");
    for (key, port) in moved {
        assert_ne!(network.learned.get(key), Some(port), "bridge {} host {}", key.0, key.1);
    }
    let hosts = network.flushes.iter().filter(|(at, (_, port))| *at > failed && *port == 2);
    assert_eq!(hosts.count(), 0, "what is behind an edge port has not moved");
}

#[test]
fn nothing_stale_is_left_in_any_network() {
    let moved = Cell::new(0);
    let changes = prop::collection::vec(any::<Index>(), 1..4);
    let run = TestRunner::new(cases(500)).run(&(plans(), changes), |(plan, changes)| {
        let mut network = plan.network();
        network.run_until(at(15_000));
        for link in changes {
            network.speak();
            let before = network.learned.clone();
            let link = link.index(network.links.len());
            let up = network.links[link].up;
            network.set_link(link, !up);
            network.run_until(network.now + ms(60_000));
            let ways = network.ways();
            for (key, port) in &network.learned {
                let way = ways.get(key);
                prop_assert!(
                    way.is_none_or(|way| way == port),
                    "bridge {} still sends frames to host {} the old way",
                    key.0,
                    key.1
                );
            }
            let changed = |(key, port): (_, &usize)| ways.get(key).is_some_and(|way| way != port);
            moved.set(moved.get() + before.iter().filter(|entry| changed(*entry)).count());
        }
        Ok(())
    });
    run.unwrap();
    assert!(moved.get() > 500, "ways changed {} times only", moved.get());
}
