//! Changes of disciplines while frames wait.

use netloom_link::{FrameInfo, Pipe};
use netloom_units::Time;

use crate::common::packet::{Packet, header, queue_pipe};
use crate::common::{change, ms, ns};

const ALL: [&str; 12] = [
    r#""fifo""#,
    r#"{"fifo":{"drop":"head"}}"#,
    r#""red""#,
    r#""codel""#,
    r#""fq_codel""#,
    r#""pie""#,
    r#"{"drr":{"flows":16}}"#,
    r#"{"drr":{"classes":[{"match":{"dscp":1}},{"match":{"dscp":2},"weight":3}]}}"#,
    r#""wf2q+""#,
    r#"{"prio":{"classes":[{"match":{"dscp":3}},{"match":{"dscp":1}}]}}"#,
    r#"{"prio":{"classes":[{"match":{"dscp":3},"discipline":"fq_codel"},
        {"match":{"dscp":1},"discipline":"pie"},{"discipline":{"fifo":{"drop":"head"}}}]}}"#,
    r#"{"drr":{"classes":[{"match":{"dscp":1},"discipline":"codel"},
        {"match":{"dscp":2},"discipline":{"red":{"min":"90packets","max":"99packets"}}}]}}"#,
];

fn queue(discipline: &str) -> String {
    format!(r#"{{"discipline":{discipline},"limit":"1000packets"}}"#)
}

/// Offers sixty frames of four flows at once. The first one goes on the line.
fn fill(pipe: &mut Pipe<Packet>) {
    for number in 0..60 {
        let flow = (number % 4) as u16;
        let mut header = header(flow);
        header.dscp = flow as u8;
        let packet = Packet { number, flow, header: Some(header) };
        pipe.offer(ns(0), FrameInfo::single(1000), packet).unwrap();
    }
}

fn sent(pipe: &mut Pipe<Packet>, until: Time, into: &mut Vec<Packet>) {
    into.extend(std::iter::from_fn(|| pipe.poll(until)).map(|delivery| delivery.frame));
}

/// Changes from every discipline to every other, with frames waiting, and lowers the limit at the
/// same time.
#[test]
fn nothing_that_waits_is_lost_doubled_or_reordered_within_its_flow() {
    for from in ALL {
        for to in ALL {
            let mut pipe = queue_pipe(&queue(from));
            fill(&mut pipe);
            let mut frames = Vec::new();
            sent(&mut pipe, ms(10), &mut frames);
            let text = format!(r#"{{"queue":{{"discipline":{to},"limit":"2packets"}}}}"#);
            pipe.change(ms(10), &change(&text));
            sent(&mut pipe, ms(60), &mut frames);
            assert_eq!(frames.len(), 60, "{from} to {to}");
            assert!(pipe.poll_dropped().is_none());
            for flow in 0..4 {
                let of_flow = frames.iter().filter(|frame| frame.flow == flow);
                assert!(of_flow.map(|frame| frame.number).is_sorted(), "{from} to {to}");
            }
        }
    }
}

/// FIFO takes over in the order of arrival, whatever the previous discipline.
#[test]
fn fifo_serves_taken_over_frames_in_order_of_arrival() {
    for from in ALL {
        let mut pipe = queue_pipe(&queue(from));
        fill(&mut pipe);
        pipe.change(ms(10), &change(r#"{"queue":{"discipline":"fifo"}}"#));
        sent(&mut pipe, ms(11), &mut Vec::new());
        let mut frames = Vec::new();
        sent(&mut pipe, ms(60), &mut frames);
        assert!(frames.len() >= 48 && frames.iter().map(|f| f.number).is_sorted(), "{from}");
    }
}

/// New weights apply to unchanged classes.
#[test]
fn weights_can_be_changed_while_frames_wait() {
    for name in ["drr", "wf2q+"] {
        let table = |weight| {
            format!(
                r#"{{"{name}":{{"classes":[{{"match":{{"dscp":1}},"weight":{weight}}},{{}}]}}}}"#
            )
        };
        let mut pipe = queue_pipe(&queue(&table(1)));
        fill(&mut pipe);
        pipe.change(ms(1), &change(&format!(r#"{{"queue":{{"discipline":{}}}}}"#, table(9))));
        let mut frames = Vec::new();
        sent(&mut pipe, ms(20), &mut frames);
        let own = frames.iter().filter(|frame| frame.flow == 1).count();
        assert!(own >= 14, "{name}: {own} of the 15 frames within 20 ms");
    }
}
