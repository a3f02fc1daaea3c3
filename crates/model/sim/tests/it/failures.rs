//! Nodes that fail and recover: their traffic and their sockets.

use netloom_sim::{FlowSpec, NodeChange};

use crate::common::{Sketch, at, counted, datagrams, node_at, over_tcp, ping, whole};

/// Runs two hosts with these flows for a second. The second host fails at 100 ms and recovers at
/// 200 ms.
fn after_a_failure(flows: impl Fn(u32, u32) -> Vec<FlowSpec>) -> netloom_sim::Simulation {
    let (mut sketch, a, b) = Sketch::chain(1, &[r#"{"rate":"10Mbit/s","delay":"1ms"}"#]);
    let changes = [node_at(100, b, NodeChange::Fails), node_at(200, b, NodeChange::Recovers)];
    sketch.network.timeline.extend(changes);
    let mut cell = whole(sketch.network, flows(a, b));
    cell.advance(at(1000)).expect("no loop");
    cell
}

#[test]
fn what_a_node_sends_ends_with_it_and_its_kernel_answers_again() {
    let cell = after_a_failure(|a, b| {
        vec![ping(b, "10.0.0.1", 50, 10, 56), ping(a, "10.0.0.2", 50, 10, 56)]
    });
    // Requests are sent at 0, 10, … 90 ms. The one at 100 ms coincides with the failure and may be
    // sent or not.
    assert!((10..=11).contains(&counted(&cell, 0).sent.frames), "{:?}", counted(&cell, 0).sent);
    assert_eq!(counted(&cell, 1).received.frames, 50, "links are not the node's to cut");
    assert_eq!(cell.not_begun(), [] as [u32; 0]);
}

#[test]
fn what_begins_while_a_node_has_failed_never_does_and_what_begins_later_does() {
    let cell = after_a_failure(|_, b| {
        let starting = |millis| FlowSpec { start: at(millis), ..ping(b, "10.0.0.1", 3, 10, 56) };
        vec![starting(150), starting(300)]
    });
    assert_eq!(counted(&cell, 0).sent.frames, 0);
    assert_eq!(counted(&cell, 1).received.frames, 3);
    assert_eq!(cell.not_begun(), [0]);
    assert!(cell.delivered_at(0).is_some(), "nobody waits for it");
}

#[test]
fn sockets_are_gone_and_peers_hear_so_when_they_write() {
    let cell = after_a_failure(|a, _| {
        let each_10_ms = (0..50).map(|number| (number * 10_000_000, 100)).collect();
        let web = r#"{"http":{"requests":1000,"sizes":"1MB"}}"#;
        vec![datagrams(a, "10.0.0.2", each_10_ms), over_tcp(a, "10.0.0.2", 80, web)]
    });
    let udp = counted(&cell, 0);
    assert_eq!(udp.sent.frames, 50);
    assert!((9..=11).contains(&udp.received.frames), "{udp:?}");
    assert!(udp.errors > 30, "nobody listens: {udp:?}");
    // The server fails in the middle of the first response, and no one answers the next request.
    assert_eq!(counted(&cell, 1).completions.count(), 0);
    assert!(cell.node_counts().no_port > udp.errors, "{:?}", cell.node_counts());
}
