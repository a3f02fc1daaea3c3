//! Forwarding of packets by nodes, in both versions of IP.

use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_link::PipeStatistics;
use netloom_sim::Simulation;
use netloom_units::Duration;

use crate::common::{Sketch, at, counted, datagrams, ping, whole};

fn forward(cell: &mut Simulation, link: u32) -> PipeStatistics {
    cell.statistics(PipeId { link: LinkId(link), direction: Direction::Forward }).unwrap()
}

fn reverse(cell: &mut Simulation, link: u32) -> PipeStatistics {
    cell.statistics(PipeId { link: LinkId(link), direction: Direction::Reverse }).unwrap()
}

#[test]
fn a_ping_takes_the_delays_of_its_way_and_back() {
    for to in ["10.0.2.2", "fd00:0:0:2::2"] {
        let links = [r#"{"delay":"1ms"}"#, r#"{"delay":"20ms"}"#, r#"{"delay":"300ms"}"#];
        let (sketch, from, _) = Sketch::chain(1, &links);
        let mut cell = whole(sketch.network, vec![ping(from, to, 3, 10, 56)]);
        cell.advance(at(2000)).expect("no loop");
        let counts = counted(&cell, 0);
        assert_eq!((counts.sent.frames, counts.received.frames), (3, 3), "{to}");
        let rtt = Duration::from_millis(642);
        assert_eq!(counts.delay.extremes(), Some((rtt, rtt)), "{to}");
    }
}

#[test]
fn packets_are_as_long_on_the_wire_as_those_of_ping() {
    for (to, frame) in [("10.0.0.2", 98), ("fd00::2", 118)] {
        let (sketch, from, _) = Sketch::chain(1, &["{}"]);
        let mut cell = whole(sketch.network, vec![ping(from, to, 1, 1, 56)]);
        cell.advance(at(1)).expect("no loop");
        assert_eq!(forward(&mut cell, 0).offered.bytes, frame, "{to}");
        assert_eq!(reverse(&mut cell, 0).offered.bytes, frame, "{to}");
    }
}

#[test]
fn a_packet_that_goes_in_circles_ends_with_its_hop_limit() {
    let mut sketch = Sketch::new(1);
    let (host, a, b) = (sketch.node("h", false), sketch.node("a", true), sketch.node("b", true));
    sketch.link([host, a], r#"{"delay":"1ms"}"#);
    sketch.link([a, b], r#"{"delay":"1ms"}"#);
    sketch.default_route(host, 0);
    sketch.default_route(a, 1);
    sketch.default_route(b, 0);
    for to in ["192.0.2.1", "2001:db8::1"] {
        let flows = vec![ping(host, to, 1, 1, 56)];
        let mut cell = whole(sketch.network.clone(), flows);
        cell.advance(at(1000)).expect("no loop");
        // The packet is forwarded 63 times. Then `b` sends an error message, which crosses the link
        // once more.
        let crossed = forward(&mut cell, 1).offered.frames + reverse(&mut cell, 1).offered.frames;
        assert_eq!(crossed, 63 + 1);
        assert_eq!(cell.node_counts().time_exceeded, 1);
        assert_eq!(counted(&cell, 0).errors, 1, "{to}");
    }
}

#[test]
fn without_a_way_a_router_says_so() {
    let (mut sketch, from, _) = Sketch::chain(1, &["{}", "{}"]);
    sketch.network.nodes[1].routes.clear();
    let flows = vec![
        ping(from, "192.0.2.1", 2, 1, 56),
        // One request goes to a host that does not exist, on a network that does.
        ping(from, "10.0.1.77", 1, 1, 56),
        ping(from, "2001:db8::1", 1, 1, 56),
    ];
    let mut cell = whole(sketch.network, flows);
    cell.advance(at(10)).expect("no loop");
    assert_eq!([0, 1, 2].map(|flow| counted(&cell, flow).errors), [2, 1, 1]);
    assert_eq!(cell.node_counts().unreachable, 4);
}

#[test]
fn nobody_at_a_port_is_an_error_and_a_host_does_not_forward() {
    let (mut sketch, from, _) = Sketch::chain(1, &["{}", "{}"]);
    // The flow's port is open at its own destination only. No flow receives at this address.
    let flows = vec![datagrams(from, "10.0.1.2", vec![(0, 100)])];
    let mut cell = whole(sketch.network.clone(), flows);
    cell.advance(at(10)).expect("no loop");
    assert_eq!(counted(&cell, 0).received.frames, 1);
    sketch.network.nodes[1].forwards = false;
    let flows = vec![datagrams(from, "10.0.1.2", vec![(0, 100)])];
    let mut cell = whole(sketch.network, flows);
    cell.advance(at(10)).expect("no loop");
    assert_eq!(counted(&cell, 0).received.frames, 0);
    assert_eq!(cell.node_counts().not_forwarded, 1);
}

/// Returns a network of two links, the second of which carries at most 1000 bytes.
fn narrow() -> (Sketch, u32) {
    let mut sketch = Sketch::new(1);
    let nodes = [("a", false), ("r", true), ("b", false)]
        .map(|(name, forwards)| sketch.node(name, forwards));
    sketch.link_with_mtu([nodes[0], nodes[1]], "{}", 1500);
    sketch.link_with_mtu([nodes[1], nodes[2]], "{}", 1400);
    for node in [nodes[0], nodes[2]] {
        sketch.default_route(node, 0);
    }
    (sketch, nodes[0])
}

#[test]
fn a_sender_learns_the_mtu_of_its_path_and_sends_fragments() {
    for (to, header) in [("10.0.1.2", 28), ("fd00:0:0:1::2", 48)] {
        let (sketch, from) = narrow();
        let payload = 1500 - header;
        let sent = (0..3).map(|number| (number * 1_000_000, payload)).collect();
        let mut cell = whole(sketch.network, vec![datagrams(from, to, sent)]);
        cell.advance(at(100)).expect("no loop");
        let counts = counted(&cell, 0);
        assert_eq!(counts.errors, 1, "{to}: only the first is too long");
        assert_eq!(counts.received.frames, 2);
        assert_eq!(counts.received.bytes, 2 * u64::from(payload), "put together again");
        assert_eq!(forward(&mut cell, 1).offered.frames, 4, "two fragments each");
    }
}

#[test]
fn an_error_message_is_no_longer_than_linux_makes_it() {
    let (sketch, from) = narrow();
    let flows = vec![datagrams(from, "10.0.1.2", vec![(0, 1472)])];
    let mut cell = whole(sketch.network.clone(), flows);
    cell.advance(at(10)).expect("no loop");
    assert_eq!(reverse(&mut cell, 0).offered.bytes, 576 + 14);
    let flows = vec![datagrams(from, "fd00:0:0:1::2", vec![(0, 1452)])];
    let mut cell = whole(sketch.network, flows);
    cell.advance(at(10)).expect("no loop");
    assert_eq!(reverse(&mut cell, 0).offered.bytes, 1280 + 14);
}

#[test]
fn flipped_bits_cost_the_packet() {
    let (sketch, from, _) = Sketch::chain(1, &[r#"{"corrupt":"100%"}"#]);
    let mut cell = whole(sketch.network, vec![ping(from, "10.0.0.2", 5, 1, 56)]);
    cell.advance(at(10)).expect("no loop");
    assert_eq!(counted(&cell, 0).received.frames, 0);
    assert_eq!(cell.node_counts().damaged, 5);
}

#[test]
fn the_timeline_changes_links_at_its_exact_times() {
    let (mut sketch, from, _) = Sketch::chain(1, &[r#"{"delay":"1ms"}"#]);
    sketch.change_at(10, LinkId(0), r#"{"delay":"5ms"}"#);
    sketch.change_at(20, LinkId(0), r#"{"state":"down"}"#);
    sketch.change_at(30, LinkId(0), r#"{"state":"up"}"#);
    let mut cell = whole(sketch.network, vec![ping(from, "10.0.0.2", 40, 1, 56)]);
    cell.advance(at(100)).expect("no loop");
    let (least, most) = counted(&cell, 0).delay.extremes().expect("replies");
    assert_eq!((least, most), (Duration::from_millis(2), Duration::from_millis(10)));
    // From 20 to 29 no packet enters. Those in flight at 20 are lost on the way there or back.
    let down =
        forward(&mut cell, 0).dropped.down.frames + reverse(&mut cell, 0).dropped.down.frames;
    assert_eq!(counted(&cell, 0).received.frames, 40 - down);
    assert_eq!(down, 10 + 10);
}
