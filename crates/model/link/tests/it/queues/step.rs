//! Step marking (Alizadeh and others 2010, §3.1), by length and by waiting time.

use netloom_units::Duration;

use crate::common::packet::{Arrival, Outcome, every, queue_pipe, run};
use crate::common::{ms, ns};

fn marked(outcome: &Outcome) -> Vec<u64> {
    let marked = outcome.delivered.iter().filter(|one| one.packet.is_marked());
    marked.map(|one| one.packet.number).collect()
}

/// The first frame goes on the line at once, so frame `n` finds `n - 1` waiting.
#[test]
fn arrivals_that_find_as_much_waiting_are_marked() {
    for at in ["20packets", "20kB", "20ms"] {
        let queue =
            format!(r#"{{"discipline":{{"step":{{"mark_at":"{at}"}}}},"limit":"50packets"}}"#);
        let burst = (0..61).map(|_| Arrival::new(ns(0), 0, 1000).ecn());
        let outcome = run(&mut queue_pipe(&queue), burst);
        assert_eq!(marked(&outcome), (21..=50).collect::<Vec<u64>>(), "{at}");
        let dropped = outcome.statistics.dropped;
        assert_eq!((dropped.queue_full.frames, dropped.aqm.frames), (10, 0), "{at}");
    }
}

/// Nothing is dropped for the step: what is not ECN-capable passes until the queue is full.
#[test]
fn what_is_not_ecn_capable_passes() {
    let queue = r#"{"discipline":"step","limit":"50packets"}"#;
    let burst = (0..51).map(|_| Arrival::new(ns(0), 0, 1000));
    let outcome = run(&mut queue_pipe(queue), burst);
    assert_eq!((outcome.delivered.len(), marked(&outcome).len()), (51, 0));
}

/// `ce_threshold`: what has waited longer is marked on its way out, once, whatever CoDel does and
/// whatever `ecn` is. Frame `n` of a burst waits for `n` ms.
#[test]
fn what_has_waited_longer_than_the_ce_threshold_is_marked() {
    for name in ["codel", "fq_codel"] {
        for ecn in [true, false] {
            let queue = format!(
                r#"{{"discipline":{{"{name}":{{"ce_threshold":"20ms","ecn":{ecn}}}}},
                    "limit":"100packets"}}"#
            );
            let burst = |capable: bool| {
                let frames = (0..61).map(|_| Arrival::new(ns(0), 0, 1000));
                let frames = frames.map(|one| if capable { one.ecn() } else { one });
                run(&mut queue_pipe(&queue), frames)
            };
            let outcome = burst(true);
            assert!(outcome.lost.is_empty(), "no burst of 61 ms is dropped by CoDel");
            assert_eq!(marked(&outcome), (21..=60).collect::<Vec<u64>>(), "{name} {ecn}");
            assert_eq!(outcome.statistics.marked.frames, 40, "{name} {ecn}");
            assert!(marked(&burst(false)).is_empty(), "{name} {ecn}");
        }
    }
}

/// A frame that CoDel has marked is not counted a second time for the threshold.
#[test]
fn a_frame_is_marked_once() {
    let queue = r#"{"discipline":{"codel":{"ce_threshold":"1ms"}},"limit":"1000packets"}"#;
    let flood = every(Duration::from_micros(900), ms(0), 3000, 0, 1000).map(Arrival::ecn);
    let outcome = run(&mut queue_pipe(queue), flood);
    assert_eq!(outcome.statistics.marked.frames, marked(&outcome).len() as u64);
    assert!(marked(&outcome).len() > 2900);
}
