//! Explicit congestion notification (RFC 3168) in every discipline that signals congestion.

use netloom_units::Duration;

use crate::common::ns;
use crate::common::packet::{Arrival, Outcome, every, queue_pipe, run};

const DISCIPLINES: [(&str, &str); 4] = [
    ("red", r#""weight":0.05"#),
    ("codel", ""),
    ("fq_codel", ""),
    ("pie", r#""ecn_threshold":"100%""#),
];

/// Sends a tenth more than the line takes, in two flows; flow 1 is ECN-capable.
fn outcome(name: &str, parameters: &str) -> Outcome {
    let queue =
        format!(r#"{{"discipline":{{"{name}":{{{parameters}}}}},"limit":"100000packets"}}"#);
    let flow = |flow, start| every(Duration::from_micros(1818), ns(start), 3000, flow, 1000);
    let arrivals = flow(1, 0).map(Arrival::ecn).chain(flow(2, 909_000));
    run(&mut queue_pipe(&queue), arrivals)
}

/// ECN-capable packets are marked where others are dropped.
#[test]
fn a_mark_replaces_a_drop() {
    for (name, parameters) in DISCIPLINES {
        let outcome = outcome(name, parameters);
        let marked = outcome.delivered.iter().filter(|d| d.packet.is_marked());
        let (own, others): (Vec<_>, Vec<_>) = marked.copied().partition(|d| d.packet.flow == 1);
        assert!(own.len() > 20 && others.is_empty(), "{name}: {} {}", own.len(), others.len());
        assert_eq!(outcome.statistics.marked.frames, own.len() as u64, "{name}");
        let dropped = |flow| outcome.lost.iter().filter(|l| l.packet.flow == flow).count();
        assert!(dropped(2) > 20, "{name}: {}", dropped(2));
        assert_eq!(dropped(1), 0, "{name}");
    }
}

#[test]
fn without_ecn_all_are_dropped() {
    for (name, parameters) in DISCIPLINES {
        let comma = if parameters.is_empty() { "" } else { "," };
        let outcome = outcome(name, &format!(r#""ecn":false{comma}{parameters}"#));
        assert_eq!(outcome.statistics.marked.frames, 0, "{name}");
        let dropped = |flow| outcome.lost.iter().filter(|l| l.packet.flow == flow).count();
        assert!(dropped(1) > 20 && dropped(2) > 20, "{name}: {} {}", dropped(1), dropped(2));
    }
}

/// RFC 8033, section 5.1: above its threshold, PIE also drops ECN-capable packets.
#[test]
fn pie_drops_instead_of_marking_above_its_threshold() {
    let flood = |threshold| {
        let queue = format!(
            r#"{{"discipline":{{"pie":{{"ecn_threshold":"{threshold}%"}}}},
                "limit":"100000packets"}}"#
        );
        let flow = every(Duration::from_micros(500), ns(0), 20_000, 1, 1000).map(Arrival::ecn);
        run(&mut queue_pipe(&queue), flow).statistics
    };
    let (low, high) = (flood(10), flood(100));
    assert!(low.marked.frames > 0 && low.dropped.aqm.frames > 1000);
    assert!(high.marked.frames > 1000 && high.dropped.aqm.frames == 0);
}
