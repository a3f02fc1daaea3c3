//! Changes of a pipe with frames in it.

use crate::common::{burst, change, drain, due, ms, ns, pipe};
use netloom_link::{DropReason, FrameInfo};

const SLOW: &str = r#"{"rate":"1Mbit/s","framing":"none"}"#;

#[test]
fn a_rate_holds_from_the_next_frame_on_the_line() {
    let mut pipe = pipe(SLOW);
    burst(&mut pipe, ns(0), 0, 3, 1000);
    pipe.change(ms(4), &change(r#"{"rate":"2Mbit/s"}"#));
    assert_eq!(drain(&mut pipe), [(0, ms(8)), (1, ms(12)), (2, ms(16))]);
}

#[test]
fn a_rate_taken_away_lets_the_queue_go_behind_the_frame_on_the_line() {
    let mut pipe = pipe(SLOW);
    burst(&mut pipe, ns(0), 0, 3, 1000);
    pipe.change(ms(4), &change(r#"{"rate":"unlimited"}"#));
    burst(&mut pipe, ms(5), 3, 1, 1000);
    assert_eq!(drain(&mut pipe), [(0, ms(8)), (1, ms(8)), (2, ms(8)), (3, ms(8))]);
}

#[test]
fn a_delay_holds_from_the_next_frame_off_the_line() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none","delay":"10ms"}"#);
    burst(&mut pipe, ns(0), 0, 3, 1000);
    pipe.change(ms(9), &change(r#"{"delay":"20ms"}"#));
    assert_eq!(drain(&mut pipe), [(0, ms(18)), (1, ms(36)), (2, ms(44))]);
}

#[test]
fn a_shorter_delay_does_not_reorder() {
    let mut pipe = pipe(r#"{"delay":"10ms"}"#);
    burst(&mut pipe, ms(0), 0, 1, 100);
    pipe.change(ms(1), &change(r#"{"delay":"1ms"}"#));
    burst(&mut pipe, ms(2), 1, 1, 100);
    burst(&mut pipe, ms(12), 2, 1, 100);
    assert_eq!(drain(&mut pipe), [(0, ms(10)), (1, ms(10)), (2, ms(13))]);
}

#[test]
fn a_smaller_queue_keeps_waiting_frames() {
    let mut pipe = pipe(SLOW);
    burst(&mut pipe, ns(0), 0, 10, 1000);
    pipe.change(ms(1), &change(r#"{"queue":{"limit":"2packets"}}"#));
    burst(&mut pipe, ms(2), 10, 1, 1000);
    assert_eq!(drain(&mut pipe).len(), 10);
}

#[test]
fn a_new_framing_applies_to_waiting_frames() {
    let mut pipe = pipe(SLOW);
    burst(&mut pipe, ns(0), 0, 2, 1000);
    pipe.change(ms(1), &change(r#"{"framing":"250B"}"#));
    assert_eq!(drain(&mut pipe), [(0, ms(8)), (1, ms(18))]);
}

#[test]
fn a_frame_that_ends_with_the_change_is_still_under_the_old_rule() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none","delay":"10ms"}"#);
    burst(&mut pipe, ns(0), 0, 1, 1000);
    pipe.change(ms(8), &change(r#"{"delay":"1ms"}"#));
    assert_eq!(drain(&mut pipe), [(0, ms(18))]);
}

#[test]
fn a_cut_drops_everything_in_flight() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none","delay":"20ms"}"#);
    burst(&mut pipe, ns(0), 0, 5, 1000);
    pipe.change(ms(17), &change(r#"{"state":"down"}"#));
    let rejected = pipe.offer(ms(18), FrameInfo::single(1000), 9).unwrap_err();
    assert_eq!(rejected.reason, DropReason::Down);
    assert_eq!(drain(&mut pipe), []);
    let dropped: Vec<_> = std::iter::from_fn(|| pipe.poll_dropped()).collect();
    let frames: Vec<_> = dropped.iter().map(|dropped| dropped.frame).collect();
    assert_eq!(frames, [0, 1, 2, 3, 4]);
    assert!(dropped.iter().all(|d| (d.reason, d.at) == (DropReason::Down, ms(17))));
    let statistics = pipe.statistics(ms(20));
    assert_eq!(statistics.dropped.down.frames, 6);
    assert_eq!(statistics.busy_ns, 17_000_000);
}

#[test]
fn a_restored_pipe_starts_afresh() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none","delay":"10s"}"#);
    burst(&mut pipe, ns(0), 0, 2, 1000);
    pipe.change(ms(4), &change(r#"{"state":"down"}"#));
    pipe.change(ms(5), &change(r#"{"state":"up","delay":"1ms"}"#));
    burst(&mut pipe, ms(5), 2, 1, 1000);
    assert_eq!(drain(&mut pipe), [(2, ms(14))]);
}

#[test]
fn a_cut_can_let_everything_in_flight_arrive() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none","in_flight":"deliver"}"#);
    burst(&mut pipe, ns(0), 0, 3, 1000);
    pipe.change(ms(4), &change(r#"{"state":"down"}"#));
    burst(&mut pipe, ms(5), 3, 1, 1000);
    assert_eq!(drain(&mut pipe), [(0, ms(8)), (1, ms(16)), (2, ms(24))]);
}

#[test]
fn saying_down_twice_cuts_once() {
    let mut pipe = pipe(r#"{"delay":"10ms","in_flight":"deliver"}"#);
    burst(&mut pipe, ns(0), 0, 1, 100);
    pipe.change(ms(1), &change(r#"{"state":"down"}"#));
    pipe.change(ms(2), &change(r#"{"state":"down","in_flight":"drop"}"#));
    assert_eq!(due(&mut pipe, ms(10)), [0]);
}
