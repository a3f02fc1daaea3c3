//! TCP connections between simulated hosts.

use netloom_sim::{FlowKind, FlowSpec, TcpFlow, TcpWork};
use netloom_tcp::{Algorithm, Config};
use netloom_units::Duration;

use crate::common::{Sketch, at, counted, flow, over_tcp, whole};

fn bulk(from: u32, to: &str, bytes: Option<u64>, algorithm: Algorithm) -> FlowSpec {
    let sender = Config { congestion_control: algorithm, ..Config::default() };
    let receiver = Config::default();
    let work = TcpWork::Bulk { bytes, to: vec![0] };
    let tcp = TcpFlow { port: 80, work, sender, receivers: vec![receiver] };
    flow(from, to, FlowKind::Tcp(Box::new(tcp)))
}

const PATH: [&str; 3] = [
    r#"{"rate":"1Gbit/s"}"#,
    r#"{"rate":"10Mbit/s","delay":"10ms","queue":{"limit":"50packets"}}"#,
    r#"{"rate":"1Gbit/s"}"#,
];

#[test]
fn every_byte_arrives_once_in_both_versions_of_ip() {
    for to in ["10.0.2.2", "fd00:0:0:2::2"] {
        let (sketch, from, _) = Sketch::chain(1, &PATH);
        let flows = vec![bulk(from, to, Some(1_000_000), Algorithm::Cubic)];
        let mut cell = whole(sketch.network, flows);
        cell.advance(at(10_000)).expect("no loop");
        assert_eq!(counted(&cell, 0).received.bytes, 1_000_000, "{to}");
        let delivered = cell.delivered_at(0).expect("it ended");
        // 1 MB at 10 Mbit/s, including framing, plus some round trips.
        let took = delivered.as_nanos() as f64 / 1e9;
        assert!((0.84..1.3).contains(&took), "{to}: {took} s");
    }
}

#[test]
fn a_long_flow_fills_its_bottleneck() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic] {
        let (sketch, from, _) = Sketch::chain(1, &PATH);
        let mut cell = whole(sketch.network, vec![bulk(from, "10.0.2.2", None, algorithm)]);
        cell.advance(at(5_000)).expect("no loop");
        let before = counted(&cell, 0).received.bytes;
        cell.advance(at(25_000)).expect("no loop");
        let goodput = (counted(&cell, 0).received.bytes - before) as f64 * 8.0 / 20.0;
        // Of every 1538 bytes on the line at 10 Mbit/s, 1448 are payload. Data that had arrived out
        // of order counts when its gap is closed.
        assert!((8.9e6..9.5e6).contains(&goodput), "{algorithm}: {goodput} bit/s");
        let info = cell.connections()[0].info;
        assert!(info.retransmitted > 0, "a queue of 50 packets overflows");
        assert!(info.min_rtt >= Duration::from_millis(20), "{:?}", info.min_rtt);
    }
}

#[test]
fn losses_are_made_good_and_a_cut_is_survived() {
    let lossy = r#"{"rate":"10Mbit/s","delay":"5ms","loss":"2%"}"#;
    let (mut sketch, from, _) = Sketch::chain(3, &[PATH[0], lossy, PATH[2]]);
    sketch.change_at(500, netloom_fabric::LinkId(1), r#"{"state":"down"}"#);
    sketch.change_at(2_500, netloom_fabric::LinkId(1), r#"{"state":"up"}"#);
    let flows = vec![bulk(from, "10.0.2.2", Some(500_000), Algorithm::Cubic)];
    let mut cell = whole(sketch.network, flows);
    cell.advance(at(2_400)).expect("no loop");
    assert!(counted(&cell, 0).received.bytes < 500_000, "it is cut");
    cell.advance(at(60_000)).expect("no loop");
    assert_eq!(counted(&cell, 0).received.bytes, 500_000);
    assert!(cell.delivered_at(0).is_some());
}

#[test]
fn a_connection_learns_the_mtu_of_its_path() {
    let mut sketch = Sketch::new(1);
    let nodes = [("a", false), ("r", true), ("b", false)]
        .map(|(name, forwards)| sketch.node(name, forwards));
    sketch.link_with_mtu([nodes[0], nodes[1]], r#"{"delay":"1ms"}"#, 1500);
    sketch.link_with_mtu([nodes[1], nodes[2]], r#"{"delay":"1ms"}"#, 1300);
    sketch.default_route(nodes[0], 0);
    sketch.default_route(nodes[2], 0);
    // A receiver announces the segment size of its own link. In one direction, only the router
    // knows that the path takes less.
    for (from, to) in [(nodes[0], "10.0.1.2"), (nodes[2], "10.0.0.1")] {
        let flows = vec![bulk(from, to, Some(200_000), Algorithm::Cubic)];
        let mut cell = whole(sketch.network.clone(), flows);
        cell.advance(at(10_000)).expect("no loop");
        assert_eq!(counted(&cell, 0).received.bytes, 200_000, "{to}");
    }
}

#[test]
fn nobody_to_talk_to_is_no_endless_wait() {
    let (mut sketch, from, _) = Sketch::chain(1, &["{}", "{}"]);
    sketch.network.nodes[0].routes.clear();
    let flows = vec![bulk(from, "10.0.1.2", Some(1000), Algorithm::Cubic)];
    let mut cell = whole(sketch.network, flows);
    cell.advance(at(1)).expect("no loop");
    assert_eq!(counted(&cell, 0).refused, 1);
    assert!(cell.done_at().is_some());
}

#[test]
fn transfers_begin_at_their_times_and_are_completed() {
    let (sketch, from, _) = Sketch::chain(1, &PATH);
    let model = r#"{"flows":{"file":["0, 0, 1000","0.05, 0, 100000","0.05, 0, 1","0.4, 0, 9"]}}"#;
    let mut cell = whole(sketch.network, vec![over_tcp(from, "10.0.2.2", 80, model)]);
    cell.advance(at(49)).expect("no loop");
    assert_eq!(counted(&cell, 0).begun, 1);
    cell.advance(at(100_000)).expect("no loop");
    let counts = counted(&cell, 0);
    assert_eq!((counts.begun, counts.completions.count()), (3, 3), "it sends for 300 ms");
    assert_eq!(counts.received.bytes, 101_001);
    let (least, _) = counts.completions.extremes().expect("three of them");
    // Handshake, data with FIN, and the receiver's FIN take two round trips of 20 ms.
    assert!((40..50).contains(&(least.as_nanos() / 1_000_000)), "{least}");
    // Connections that have ended are forgotten, except for their counts.
    let info = cell.connections();
    assert_eq!((info.len(), info[0].connections), (1, 3));
    assert!(info[0].info.bytes_acked >= 101_001, "{:?}", info[0].info);
    assert!(cell.delivered_at(0).is_some());
}

#[test]
fn a_greedy_burst_sends_as_long_as_it_lasts() {
    let (sketch, from, _) = Sketch::chain(1, &PATH);
    let model = r#"{"on_off":{"on":"200ms","off":"10s","start":"empty"}}"#;
    let mut flow = over_tcp(from, "10.0.2.2", 80, model);
    flow.until = Some(at(11_000));
    let mut cell = whole(sketch.network, vec![flow]);
    cell.advance(at(30_000)).expect("no loop");
    let counts = counted(&cell, 0);
    assert_eq!((counts.begun, counts.completions.count()), (1, 1));
    // Slow start uses a part of the 250 kB that fit into 200 ms at 10 Mbit/s. The rest of the data
    // in the socket's buffer is still delivered.
    assert!((100_000..3_000_000).contains(&counts.received.bytes), "{}", counts.received.bytes);
    assert_eq!(counts.sent.frames, counts.received.frames);
}

#[test]
fn a_client_asks_thinks_and_asks_again() {
    for (persistent, least, most) in [(true, 2_900, 3_100), (false, 3_000, 3_300)] {
        let (sketch, from, _) = Sketch::chain(1, &PATH);
        let model = format!(
            r#"{{"http":{{"requests":4,"sizes":"1kB","think":"950ms","persistent":{persistent}}}}}"#
        );
        let mut flow = over_tcp(from, "10.0.2.2", 80, &model);
        flow.until = None;
        let mut cell = whole(sketch.network, vec![flow]);
        cell.advance(at(100_000)).expect("no loop");
        let counts = counted(&cell, 0);
        assert_eq!((counts.begun, counts.completions.count()), (4, 4), "{persistent}");
        // The heads of responses take some hundred bytes.
        assert!((4_200..5_000).contains(&counts.received.bytes), "{}", counts.received.bytes);
        let ended = cell.delivered_at(0).expect("after the last request").as_nanos() / 1_000_000;
        assert!((least..most).contains(&ended), "{persistent}: {ended} ms");
        let (first, second) = counts.completions.extremes().expect("four of them");
        assert!(first >= Duration::from_millis(20) && second < Duration::from_millis(50));
    }
}

#[test]
fn a_client_whose_server_is_cut_off_goes_on() {
    let (mut sketch, from, _) = Sketch::chain(1, &PATH);
    sketch.network.nodes[0].routes.clear();
    let model = r#"{"http":{"requests":3,"sizes":"1kB"}}"#;
    let mut flow = over_tcp(from, "10.0.2.2", 80, model);
    flow.until = None;
    let mut cell = whole(sketch.network, vec![flow]);
    cell.advance(at(10_000)).expect("no loop");
    let counts = counted(&cell, 0);
    assert_eq!((counts.begun, counts.refused, counts.completions.count()), (3, 3, 0));
    assert_eq!(cell.done_at(), Some(at(2_000)), "a second between two");
}
