//! Flow queue CoDel (RFC 8290).

use netloom_link::DropReason;
use netloom_units::Duration;

use crate::common::packet::{Arrival, every, queue_pipe, run, run_until};
use crate::common::{ms, ns};

/// A queue without CoDel's drops (its interval does not end), for observing only the scheduler.
const SCHEDULER: &str = r#"{"discipline":{"fq_codel":{"interval":"1h"}},"limit":"100000packets"}"#;

/// Returns two frames per ms in one flow; the line takes one per ms.
fn bulk(flow: u16, bytes: u32) -> impl Iterator<Item = Arrival> {
    every(Duration::from_micros(500), ns(0), 10_000, flow, bytes)
}

/// Section 4.2: a flow that does not build up a queue is served before those that do. It waits only
/// for the frame on the line.
#[test]
fn a_sparse_flow_is_served_first() {
    let sparse = every(Duration::from_millis(20), ms(100), 200, 3, 200);
    let arrivals = bulk(1, 1000).chain(bulk(2, 1000)).chain(sparse);
    let outcome = run(&mut queue_pipe(SCHEDULER), arrivals);
    let longest = outcome.of(3).map(|d| d.wait()).max().unwrap();
    assert!(longest <= Duration::from_millis(1), "{longest}");
    assert_eq!(outcome.of(3).count(), 200);
}

/// Section 4.2: backlogged flows send the same number of bytes, whatever the size of their frames,
/// up to a quantum and a frame of each.
#[test]
fn backlogged_flows_share_the_line_by_bytes() {
    let arrivals = bulk(1, 1500)
        .chain(bulk(2, 1000))
        .chain(bulk(3, 300))
        .chain(bulk(3, 300))
        .chain(bulk(3, 300));
    let outcome = run_until(&mut queue_pipe(SCHEDULER), arrivals, Some(ms(3000)));
    let bytes = [1, 2, 3].map(|flow| outcome.bytes_of(flow));
    let spread = bytes.iter().max().unwrap() - bytes.iter().min().unwrap();
    assert!(bytes[0] > 900_000 && spread <= 2 * (1514 + 1500), "{bytes:?}");
}

/// Section 4.2: a new flow that becomes empty first goes to the old flows. So a flow does not get
/// more than its share by sending a long frame whenever a short frame of the other flow has been
/// sent.
#[test]
fn a_flow_cannot_stay_new_for_ever() {
    let short = every(Duration::from_micros(80), ns(0), 40_000, 1, 100);
    let long = every(Duration::from_micros(1150), ms(100), 3000, 2, 1000);
    let outcome = run_until(&mut queue_pipe(SCHEDULER), short.chain(long), Some(ms(3100)));
    // In the first 100 ms there were only short frames.
    let [short, long] = [1, 2].map(|flow| outcome.bytes_of(flow));
    let short = short - 100_000;
    let share = long as f64 / (short + long) as f64;
    assert!((share - 0.5).abs() < 0.01, "{share}");
}

/// Section 4.1: overload causes drops at the head of the flow with the most bytes: up to half of
/// its bytes and at most 64 frames at a time.
#[test]
fn overload_hits_the_fattest_flow() {
    let queue = r#"{"discipline":{"fq_codel":{"interval":"1h"}},"limit":"200packets"}"#;
    let thin = (2..12).flat_map(|flow| (0..5).map(move |_| Arrival::new(ns(0), flow, 1500)));
    let fat = (0..1000).map(|index| Arrival::new(ns(1000 + index), 1, 1000));
    let outcome = run(&mut queue_pipe(queue), thin.chain(fat));
    assert!(outcome.lost.iter().all(|lost| lost.packet.flow == 1), "thin flows lose nothing");
    assert!(outcome.lost.iter().all(|lost| lost.reason == DropReason::QueueFull));
    let lost: Vec<_> = outcome.lost.iter().map(|lost| lost.packet.number).collect();
    assert!(lost.is_sorted() && lost.len() > 700, "from the head, oldest first");
    let kept = outcome.of(1).last().unwrap().packet.number;
    assert_eq!(kept, 1049, "the newest frame stays");
    let batches = lost.len() / outcome.lost.chunk_by(|a, b| a.at == b.at).count();
    assert!((32..=64).contains(&batches), "{batches}");
}

/// Section 4.2: each flow has its own CoDel. Drops hit the flow with a standing queue, not the
/// sparse one.
#[test]
fn drops_hit_the_flow_that_stands() {
    let queue = r#"{"discipline":"fq_codel","limit":"100000packets"}"#;
    let sparse = every(Duration::from_millis(20), ms(100), 200, 3, 200);
    let outcome = run(&mut queue_pipe(queue), bulk(1, 1000).chain(sparse));
    let drops = outcome.lost_to(DropReason::Aqm);
    assert!(drops.len() > 100 && drops.iter().all(|lost| lost.packet.flow == 1));
}

/// Within a flow nothing is reordered.
#[test]
fn flows_keep_their_order() {
    let outcome = run(&mut queue_pipe(SCHEDULER), bulk(1, 1500).chain(bulk(2, 300)));
    for flow in [1, 2] {
        assert!(outcome.of(flow).map(|d| d.packet.number).is_sorted());
    }
}

/// All frames that are not IP are one flow.
#[test]
fn frames_without_ip_share_a_flow() {
    let other = |bytes| bulk(9, bytes).map(|arrival| Arrival { header: None, ..arrival });
    let arrivals = bulk(1, 1000).chain(other(1000)).chain(other(500));
    let outcome = run_until(&mut queue_pipe(SCHEDULER), arrivals, Some(ms(2000)));
    let [ip, other] = [1, 9].map(|flow| outcome.bytes_of(flow));
    assert!(ip.abs_diff(other) <= 2 * (1514 + 1000), "{ip} {other}");
}
