//! Strict priority.

use netloom_link::{DropReason, Stream};

use crate::common::ns;
use crate::common::packet::{Arrival, queue_pipe, run};

const PRIO: &str = r#"{"discipline":{"prio":{"classes":[
    {"match":{"dscp":"ef"}}, {"match":{"dscp":["af41","af42"]}}, {}]}},"limit":"100000packets"}"#;
const DSCPS: [u8; 3] = [46, 34, 0];

/// Returns random arrivals of all three classes, together above the line's rate.
fn arrivals() -> Vec<Arrival> {
    let mut stream = Stream::new(8, "arrivals");
    let mut clock = 0.0;
    let arrival = |_| {
        clock += stream.uniform() * 1.4e6;
        let class = (stream.uniform() * 3.0) as u16;
        Arrival::new(ns(clock as u64), class, 1000).dscp(DSCPS[usize::from(class)])
    };
    (0..5000).map(arrival).collect()
}

/// No frame goes on the line while one of a more important class waits.
#[test]
fn a_more_important_frame_never_waits_for_a_less_important_one() {
    let outcome = run(&mut queue_pipe(PRIO), arrivals());
    let sent = &outcome.delivered;
    assert_eq!(sent.len(), 5000);
    let mut waited = 0;
    for (index, frame) in sent.iter().enumerate() {
        // Frames that were waiting and are sent later must not be more important.
        let overtaken = sent[index + 1..].iter().take(300);
        for later in overtaken.filter(|later| later.offered < frame.started) {
            assert!(later.packet.flow >= frame.packet.flow, "{frame:?} before {later:?}");
            waited += 1;
        }
    }
    assert!(waited > 5000, "{waited}");
}

#[test]
fn classes_are_first_in_first_out() {
    let outcome = run(&mut queue_pipe(PRIO), arrivals());
    for class in 0..3 {
        assert!(outcome.of(class).map(|d| d.packet.number).is_sorted());
    }
}

/// A full queue makes room for more important frames at the tail of the least important class.
#[test]
fn the_least_important_frames_make_room() {
    let queue = PRIO.replace("100000packets", "10packets");
    let burst = |class: u16, count| {
        let dscp = DSCPS[usize::from(class)];
        (0..count).map(move |_| Arrival::new(ns(0), class, 1000).dscp(dscp))
    };
    let outcome = run(&mut queue_pipe(&queue), burst(2, 12).chain(burst(0, 4)).chain(burst(1, 3)));
    let lost: Vec<_> = outcome.lost.iter().map(|l| (l.packet.flow, l.packet.number)).collect();
    // Frame 0 is on the line, 1 to 10 wait, and 11 finds the queue full. Then 10, 9, … are dropped.
    assert_eq!(lost, [(2, 11), (2, 10), (2, 9), (2, 8), (2, 7), (2, 6), (2, 5), (2, 4)]);
    assert!(outcome.lost.iter().all(|lost| lost.reason == DropReason::QueueFull));
    // The most important class cannot displace its own frames.
    let outcome = run(&mut queue_pipe(&queue), burst(0, 15));
    assert_eq!(outcome.delivered.len(), 11);
}

/// `prio` without parameters serves expedited forwarding and network control before everything
/// else.
#[test]
fn by_default_voice_and_control_come_first() {
    let queue = r#"{"discipline":"prio","limit":"1000packets"}"#;
    let arrivals =
        [0, 46, 8, 48, 34, 56].map(|dscp| Arrival::new(ns(0), dscp.into(), 1000).dscp(dscp));
    let outcome = run(&mut queue_pipe(queue), arrivals);
    let flows: Vec<_> = outcome.delivered.iter().map(|d| d.packet.flow).collect();
    assert_eq!(flows, [0, 46, 48, 56, 8, 34]);
}
