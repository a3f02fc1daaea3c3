//! Classes with a discipline of their own, and classes with a cap.

use netloom_link::{DropReason, FrameInfo};
use netloom_units::{Duration, Time};

use crate::common::packet::{
    Arrival, Outcome, Packet, every, header, packet_pipe, queue_pipe, run, run_until,
};
use crate::common::{change, ms, ns};

fn class(dscp: u8, at: Time, count: u64) -> impl Iterator<Item = Arrival> {
    (0..count).map(move |_| Arrival::new(at, dscp.into(), 1000).dscp(dscp))
}

/// Returns the start times of the frames of a flow, in µs.
fn starts(outcome: &Outcome, flow: u16) -> Vec<u64> {
    outcome.of(flow).map(|delivered| delivered.started.as_nanos() / 1000).collect()
}

/// Returns arrivals with bursts, gaps and overload, which cause all actions of a discipline.
fn busy_and_idle() -> Vec<Arrival> {
    let flows = (0..4u16).flat_map(|flow| {
        let step = Duration::from_micros(2900 + 100 * u64::from(flow));
        let first = every(step, ms(1), 400, flow, 1000);
        // The line is idle for a while, and then busy again.
        first.chain(every(step, ms(2500 + u64::from(flow)), 200, flow, 700))
    });
    flows.collect()
}

/// All arrivals are in one class. Its discipline acts as it does for a whole queue.
#[test]
fn a_discipline_acts_in_a_class_as_it_does_alone() {
    for discipline in [
        r#"{"fifo":{"drop":"head"}}"#,
        r#""codel""#,
        r#"{"codel":{"target":"2ms","interval":"20ms"}}"#,
        r#"{"fq_codel":{"target":"2ms","interval":"20ms"}}"#,
        // Beyond 5 ms on average everything is dropped, so nothing is drawn.
        r#"{"red":{"min":"5ms","max":"5001us","gentle":false,"weight":0.1}}"#,
    ] {
        for name in ["prio", "drr", "wf2q+"] {
            let alone = format!(r#"{{"discipline":{discipline},"limit":"30packets"}}"#);
            let class = format!(
                r#"{{"discipline":{{"{name}":{{"classes":[
                    {{"discipline":{discipline},"limit":"30packets"}}]}}}},"limit":"1000packets"}}"#
            );
            let [alone, class] =
                [alone, class].map(|queue| run(&mut queue_pipe(&queue), busy_and_idle()));
            let fates = |outcome: &Outcome| {
                let sent = outcome.delivered.iter().map(|one| (one.packet.number, one.started));
                let lost = outcome.lost.iter().map(|one| (one.packet.number, one.reason, one.at));
                (sent.collect::<Vec<_>>(), lost.collect::<Vec<_>>())
            };
            assert!(alone.lost.len() > 10, "{discipline}: {}", alone.lost.len());
            assert_eq!(fates(&alone), fates(&class), "{discipline} in {name}");
        }
    }
}

/// Assured forwarding: RED in one class drops no frames of other classes.
#[test]
fn a_class_with_red_drops_of_its_own() {
    let queue = r#"{"discipline":{"prio":{"classes":[{"match":{"dscp":46}},
        {"discipline":{"red":{"min":"5packets","max":"15packets","weight":0.05}},
         "limit":"100packets"}]}},"limit":"200packets"}"#;
    let urgent = every(Duration::from_millis(2), ns(0), 500, 46, 1000).map(|one| one.dscp(46));
    let rest = every(Duration::from_micros(1500), ns(0), 666, 0, 1000);
    let outcome = run(&mut queue_pipe(queue), urgent.chain(rest));
    assert_eq!(outcome.of(46).count(), 500);
    // 0.67 of the line is offered where 0.5 is left. So about a quarter is dropped, early.
    let early = outcome.lost_to(DropReason::Aqm);
    assert!(early.iter().all(|lost| lost.packet.flow == 0));
    assert!((120..210).contains(&early.len()), "{}", early.len());
    assert_eq!(outcome.lost.len(), early.len());
}

/// When the queue of all classes is full, an arrival of an important class replaces a frame that
/// the discipline of the least important class gives up.
#[test]
fn disciplines_give_frames_up_for_other_classes() {
    for (discipline, lost) in [
        // Frames that are given up: the newest, the oldest, or the oldest of the longest flow.
        (r#""red""#, [9, 8]),
        (r#""codel""#, [9, 8]),
        (r#""pie""#, [9, 8]),
        (r#"{"fifo":{"drop":"head"}}"#, [1, 2]),
        (r#""fq_codel""#, [1, 2]),
    ] {
        let queue = format!(
            r#"{{"discipline":{{"prio":{{"classes":[{{"match":{{"dscp":46}}}},
                {{"discipline":{discipline}}}]}}}},"limit":"9packets"}}"#
        );
        let arrivals = class(0, ns(0), 10).chain(class(46, ns(1), 2));
        let outcome = run(&mut queue_pipe(&queue), arrivals);
        let numbers: Vec<_> = outcome.lost.iter().map(|lost| lost.packet.number).collect();
        assert_eq!(numbers, lost, "{discipline}");
        assert!(outcome.lost.iter().all(|lost| lost.reason == DropReason::QueueFull));
        let first: Vec<_> = outcome.delivered.iter().map(|one| one.packet.flow).take(3).collect();
        assert_eq!(first, [0, 46, 46]);
        // An arrival of the least important class itself is dropped, or another frame of the class.
        let outcome = run(&mut queue_pipe(&queue), class(46, ns(0), 10).chain(class(0, ns(1), 2)));
        assert!(outcome.lost.iter().all(|lost| lost.packet.flow == 0));
        assert_eq!((outcome.lost.len(), outcome.delivered.len()), (2, 10));
    }
}

/// DRR counts the frames that are sent, even if CoDel drops the frame for which the class was
/// picked.
#[test]
fn weights_hold_for_classes_whose_discipline_drops_on_the_way_out() {
    for name in ["drr", "wf2q+"] {
        let queue = format!(
            r#"{{"discipline":{{"{name}":{{"classes":[
                {{"match":{{"dscp":1}},
                  "discipline":{{"codel":{{"target":"1ms","interval":"9ms"}}}}}},
                {{"match":{{"dscp":2}},"limit":"99packets"}}]}}}},"limit":"100000packets"}}"#
        );
        let sizes = [1500, 60, 900, 300];
        let mixed = every(Duration::from_micros(400), ns(0), 9000, 1, 0)
            .enumerate()
            .map(|(index, arrival)| Arrival { bytes: sizes[index % 4], ..arrival }.dscp(1));
        let other = every(Duration::from_micros(500), ns(0), 7000, 2, 1000).map(|one| one.dscp(2));
        let outcome = run_until(&mut queue_pipe(&queue), mixed.chain(other), Some(ms(3000)));
        let [own, other] = [1, 2].map(|flow| outcome.bytes_of(flow));
        assert!(outcome.lost_to(DropReason::Aqm).len() > 100, "{name}");
        // Half for each class, except for a few frames.
        assert!(own.abs_diff(other) <= 6000, "{name}: {own} {other}");
    }
}

/// One class is alone on a line of 8 Mbit/s, where a frame takes 1 ms. At a cap of 4 Mbit/s it
/// waits although the line is free.
#[test]
fn a_class_at_its_cap_waits_though_the_line_is_free() {
    for name in ["prio", "drr", "wf2q+"] {
        let queue = format!(
            r#"{{"discipline":{{"{name}":{{"classes":[
                {{"match":{{"dscp":1}},"most":"4Mbit/s"}}]}}}},"limit":"100packets"}}"#
        );
        let arrivals = class(1, ms(10), 5).chain(class(1, ms(50), 2)).chain(class(0, ms(51), 1));
        let outcome = run(&mut queue_pipe(&queue), arrivals);
        assert_eq!(starts(&outcome, 1), [10_000, 12_000, 14_000, 16_000, 18_000, 50_000, 52_000]);
        assert_eq!(starts(&outcome, 0), [51_000], "{name}");
        assert!(outcome.lost.is_empty());
        let queue = outcome.statistics.queue;
        assert_eq!((queue.now.frames, queue.maximum.frames), (0, 4));
    }
}

/// Other classes use the capacity that a cap leaves. The cap is exact to a frame, although the
/// class sometimes waits for the line.
#[test]
fn other_classes_get_what_a_cap_leaves() {
    for name in ["prio", "drr", "wf2q+"] {
        let queue = format!(
            r#"{{"discipline":{{"{name}":{{"classes":[{{"match":{{"dscp":1}},"most":"3Mbit/s"}},
                {{"limit":"50packets"}}]}}}},"limit":"100000packets"}}"#
        );
        let capped = every(Duration::from_millis(1), ns(0), 1000, 1, 1000).map(|one| one.dscp(1));
        let others = every(Duration::from_micros(900), ns(0), 1111, 0, 1000);
        let outcome = run_until(&mut queue_pipe(&queue), capped.chain(others), Some(ms(1000)));
        let sent = [1, 0].map(|flow| outcome.of(flow).count());
        // 375 and 625 frames a second, and the line is never idle.
        assert!((374..=376).contains(&sent[0]), "{name}: {sent:?}");
        assert!(sent[0] + sent[1] >= 999, "{name}: {sent:?}");
        // There are never more than two frames at once: the class does not save up what it could
        // not send.
        let starts = starts(&outcome, 1);
        let soonest = starts.windows(3).map(|three| three[2] - three[0]).min().unwrap();
        assert!(soonest >= 2_666, "{name}: {soonest} µs");
    }
}

/// A class that had to wait for a long time catches up by one frame.
#[test]
fn a_starved_class_saves_up_one_frame() {
    let queue = r#"{"discipline":{"prio":{"classes":[{"match":{"dscp":1}},{"most":"4Mbit/s"}]}},
        "limit":"1000packets"}"#;
    let arrivals = class(1, ns(0), 100).chain(class(0, ms(1), 5));
    let outcome = run(&mut queue_pipe(queue), arrivals);
    assert_eq!(starts(&outcome, 0), [100_000, 101_000, 102_000, 104_000, 106_000]);
}

/// Limits apply to a class at its cap, even on a free line.
#[test]
fn limits_apply_to_frames_that_wait_for_a_cap() {
    for (limits, left) in [
        (r#""limit":"3packets","most":"4Mbit/s"}]}},"limit":"100packets"}"#, 4),
        (r#""most":"4Mbit/s"}]}},"limit":"5packets"}"#, 6),
        (r#""discipline":"codel","limit":"2packets","most":"4Mbit/s"}]}},"limit":"9packets"}"#, 3),
    ] {
        let queue =
            format!(r#"{{"discipline":{{"prio":{{"classes":[{{"match":{{"dscp":1}},{limits}"#);
        // This is long after the first frame has left the line.
        let arrivals = class(1, ns(0), 1).chain(class(1, ns(1_000_001), 20));
        let outcome = run(&mut queue_pipe(&queue), arrivals);
        assert_eq!(outcome.delivered.len(), left, "{limits}");
        assert!(outcome.lost.iter().all(|lost| lost.reason == DropReason::QueueFull));
    }
}

/// Without a rate, frames wait only for a cap.
#[test]
fn a_cap_holds_without_a_rate() {
    let mut pipe = packet_pipe(
        r#"{"framing":"none","delay":"5ms","queue":{"discipline":{"prio":{"classes":[
            {"match":{"dscp":1},"most":"8Mbit/s"}]}},"limit":"100packets"}}"#,
    );
    let outcome = run(&mut pipe, class(1, ns(0), 4).chain(class(0, ns(0), 4)));
    assert_eq!(starts(&outcome, 1), [0, 1000, 2000, 3000]);
    assert_eq!(starts(&outcome, 0), [0; 4]);
}

/// Frames that wait for a cap leave at once when it is removed, by any kind of change.
#[test]
fn caps_change_while_frames_wait() {
    let prio = |most: &str| {
        format!(
            r#"{{"queue":{{"discipline":{{"prio":{{"classes":[
                {{"match":{{"dscp":1}}{most}}}]}}}}}}}}"#
        )
    };
    for (change_to, expected) in [
        (prio(""), [0, 10_000, 11_000, 12_000]),
        (prio(r#","most":"8Mbit/s""#), [0, 16_000, 17_000, 18_000]),
        (r#"{"queue":{"discipline":"fifo"}}"#.into(), [0, 10_000, 11_000, 12_000]),
        (r#"{"queue":{"discipline":"fq_codel"}}"#.into(), [0, 10_000, 11_000, 12_000]),
        // The cap does not change.
        (r#"{"delay":"0ns"}"#.into(), [0, 16_000, 32_000, 48_000]),
    ] {
        let mut pipe = queue_pipe(r#"{"limit":"100packets"}"#);
        pipe.change(ns(0), &change(&prio(r#","most":"500kbit/s""#)));
        for number in 0..4 {
            let mut header = header(1);
            header.dscp = 1;
            let packet = Packet { number, flow: 1, header: Some(header) };
            pipe.offer(ns(0), FrameInfo::single(1000), packet).unwrap();
        }
        pipe.change(ms(10), &change(&change_to));
        let mut starts = Vec::new();
        while let Some(deadline) = pipe.next_deadline() {
            while let Some(delivery) = pipe.poll(deadline) {
                starts.push(delivery.passage.started.as_nanos() / 1000);
            }
        }
        assert_eq!(starts, expected, "{change_to}");
    }
}

/// A pipe that goes down drops the frames that wait for a cap.
#[test]
fn frames_that_wait_for_a_cap_are_lost_with_the_link() {
    let queue = r#"{"discipline":{"prio":{"classes":[{"most":"1Mbit/s"}]}},"limit":"100packets"}"#;
    let mut pipe = queue_pipe(queue);
    for number in 0..3 {
        let packet = Packet { number, flow: 1, header: None };
        pipe.offer(ns(0), FrameInfo::single(1000), packet).unwrap();
    }
    assert!(pipe.poll(ms(1)).is_some());
    pipe.change(ms(5), &change(r#"{"state":"down"}"#));
    let lost: Vec<_> = std::iter::from_fn(|| pipe.poll_dropped()).collect();
    assert_eq!(lost.iter().map(|one| one.reason).collect::<Vec<_>>(), [DropReason::Down; 2]);
    assert_eq!((pipe.next_deadline(), pipe.statistics(ms(6)).queue.now.frames), (None, 0));
}
