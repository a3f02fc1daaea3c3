//! Any network becomes a tree of the cheapest paths. The tests check how soon, and whether frames
//! can go round before.

use std::cell::Cell;

use crate::common::network::Network;
use crate::common::plan::{Plan, equal_plans, plans};
use crate::common::{at, cases, ms};
use netloom_spanning_tree::BridgeId;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

fn settle(plan: &Plan, network: &mut Network, millis: u64) {
    network.run_until(network.now + ms(millis));
    plan.check(network);
    network.check_rate();
}

fn roots(plan: &Plan, network: &Network) -> Vec<BridgeId> {
    (0..plan.bridges.len()).map(|bridge| network.rapid(bridge).root().0).collect()
}

proptest! {
    #![proptest_config(cases(600))]

    /// All bridges start at once. Agreements go from hop to hop with the links' delays. A port that
    /// is held back, or whose neighbour did not receive its BPDU, waits for hellos; three of them
    /// (6 s) are the bound. Over 6000 networks the longest time was 5.1 s, and half took less than
    /// 0.1 s.
    #[test]
    fn a_network_becomes_a_tree_of_the_cheapest_ways(plan in plans()) {
        let mut network = plan.network();
        settle(&plan, &mut network, 40_000);
        prop_assert!(network.changed <= at(6000), "took {}", network.changed);
        prop_assert!(network.loops.is_empty(), "loops {:?}", network.loops);
    }

    /// One link fails, and the root stays reachable. Stale information can only go the few hops
    /// that the real information takes. The bound is that of the start plus two seconds of
    /// TxHoldCount. Over 4000 networks the longest time was 7 s, and 95 of 100 took less than 0.12
    /// s. A link that comes back is proposed and agreed to: over 6000 networks the longest time was
    /// 0.17 s.
    #[test]
    fn a_failed_link_is_replaced_without_loops(
        plan in equal_plans(),
        link in any::<Index>(),
        gap in 0u64..2000,
    ) {
        let mut network = plan.network();
        network.run_until(at(15_000 + gap));
        let before = roots(&plan, &network);
        let link = link.index(network.links.len());
        let failed = network.now;
        network.set_link(link, false);
        settle(&plan, &mut network, 60_000);
        if roots(&plan, &network) == before {
            let took = network.changed.since(failed);
            prop_assert!(took <= ms(8000), "took {took}");
            prop_assert!(network.loops.is_empty(), "loops {:?}", network.loops);
        }
        let (repaired, loops) = (network.now, network.loops.len());
        network.set_link(link, true);
        settle(&plan, &mut network, 60_000);
        let took = network.changed.since(repaired);
        prop_assert!(took <= ms(2000), "repair took {took}");
        prop_assert_eq!(network.loops.len(), loops);
    }

    /// A link that loses one frame in five delays the tree but does not prevent it: lost
    /// information is sent again.
    #[test]
    fn lost_frames_are_said_again(plan in plans(), seed in any::<u64>()) {
        let mut network = plan.network();
        network.loses = Some(Box::new(move |number| {
            (number ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & 0xff < 51
        }));
        network.run_until(at(30_000));
        network.loses = None;
        settle(&plan, &mut network, 60_000);
    }
}

/// Links fail and come back in any order, with costs that differ by seven orders of magnitude.
/// Information about paths that no longer exist counts up to the greatest age: for up to 20 hops,
/// each of which holds it back for a second. Frames may go round meanwhile, as the standard allows.
/// This ends, and is rare: it happened in 73 of 6000 networks (274 with the standard's agreements),
/// for at most 3.8 s (12 s).
#[test]
fn whatever_fails_the_tree_comes_back() {
    let (looped, longest) = (Cell::new(0), Cell::new(ms(0)));
    let changes = prop::collection::vec((any::<Index>(), 0u64..4000), 1..8);
    let run = TestRunner::new(cases(1000)).run(&(plans(), changes), |(plan, changes)| {
        let mut network = plan.network();
        network.run_until(at(15_000));
        for (link, gap) in changes {
            let link = link.index(network.links.len());
            let up = network.links[link].up;
            network.set_link(link, !up);
            network.run_until(network.now + ms(gap));
        }
        settle(&plan, &mut network, 60_000);
        looped.set(looped.get() + u32::from(network.longest_loop() > ms(0)));
        longest.set(longest.get().max(network.longest_loop()));
        Ok(())
    });
    run.unwrap();
    println!("{} of 1000 networks had loops, the longest {}", looped.get(), longest.get());
    assert!(looped.get() <= 20 && longest.get() <= ms(5000));
}
