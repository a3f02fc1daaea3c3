//! Times of a bridge: how far information reaches, and how often it is sent.

use netloom_spanning_tree::{Bridge, BridgeConfig, BridgeTimes, PathCost, PortPriority};
use netloom_units::{Duration, Time};

use crate::common::id;

/// Joins bridges in a row, lets them speak for `seconds`, and returns their roots, by number.
fn roots_of_a_row(count: u8, times: BridgeTimes, seconds: u64) -> Vec<u8> {
    let new = |number: u8| {
        Bridge::new(BridgeConfig {
            id: id(32_768, number),
            times: if number == 1 { times } else { BridgeTimes::default() },
        })
    };
    let mut bridges: Vec<Bridge> = (1..=count).map(new).collect();
    for bridge in &mut bridges {
        for port in 0..2 {
            let (cost, priority) = (PathCost::of_rate(None), PortPriority::default());
            bridge.add_port(Time::ZERO, port, cost, priority, false).unwrap();
        }
    }
    for tenth in 0..seconds * 10 {
        let now = Time::ZERO + Duration::from_millis(100 * tenth);
        bridges.iter_mut().for_each(|bridge| bridge.handle_timeout(now));
        // Until all is said: a frame may cause others.
        while exchange(&mut bridges, now) {}
    }
    bridges.iter().map(|bridge| bridge.root().0.address()[5]).collect()
}

/// Port 0 leads to the bridge before, port 1 to the next one.
fn exchange(bridges: &mut [Bridge], now: Time) -> bool {
    let mut any = false;
    for from in 0..bridges.len() {
        while let Some((port, frame)) = bridges[from].poll_transmit() {
            let to = if port == 0 { from.checked_sub(1) } else { Some(from + 1) };
            if let Some(other) = to.and_then(|to| bridges.get_mut(to)) {
                other.receive(now, 1 - port, &frame);
            }
            any = true;
        }
    }
    any
}

#[test]
fn information_passes_as_many_bridges_as_the_roots_max_age_has_seconds() {
    for (max_age, forward_delay) in [(6, 4), (20, 15), (40, 21)] {
        let times = BridgeTimes::new(max_age, forward_delay, 2).unwrap();
        assert_eq!(times.most_hops(), u32::from(max_age));
        let reached = roots_of_a_row(max_age + 1, times, 200);
        assert!(reached.iter().all(|root| *root == 1), "{max_age}: {reached:?}");
        let beyond = roots_of_a_row(max_age + 2, times, 200);
        assert_ne!(beyond.last(), Some(&1), "{max_age}: {beyond:?}");
        assert!(beyond[..usize::from(max_age) + 1].iter().all(|root| *root == 1), "{beyond:?}");
    }
}

#[test]
fn hellos_have_the_period_that_is_set() {
    for (hello, expected) in [(1, 60), (2, 30), (5, 12)] {
        let times = BridgeTimes::new(20, 15, hello).unwrap();
        let mut bridge = Bridge::new(BridgeConfig { id: id(0, 1), times });
        let (cost, priority) = (PathCost::of_rate(None), PortPriority::default());
        bridge.add_port(Time::ZERO, 0, cost, priority, false).unwrap();
        // What is sent at the start is over by then.
        let sent = |bridge: &mut Bridge, until: u64| {
            let end = Time::ZERO + Duration::from_secs(until);
            let mut count = 0;
            while let Some(at) = bridge.next_deadline().filter(|at| *at <= end) {
                bridge.handle_timeout(at);
                while bridge.poll_transmit().is_some() {
                    count += 1;
                }
            }
            count
        };
        sent(&mut bridge, 60);
        assert_eq!(sent(&mut bridge, 120), expected, "hello {hello} s");
    }
}
