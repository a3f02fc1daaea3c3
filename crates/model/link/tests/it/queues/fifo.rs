//! The frames that a full queue drops, and the statistics of the queue.

use crate::common::{burst, change, drain, due, ms, ns, pipe};
use netloom_link::{Count, DropReason, FrameInfo};

/// Returns the numbers that survive a burst of twenty frames of 1000 bytes at 1 Mbit/s (8 ms each).
fn survivors(limit: &str) -> Vec<u64> {
    let mut pipe =
        pipe(&format!(r#"{{"rate":"1Mbit/s","framing":"none","queue":{{"limit":"{limit}"}}}}"#));
    burst(&mut pipe, ns(0), 0, 20, 1000);
    drain(&mut pipe).into_iter().map(|(frame, _)| frame).collect()
}

#[test]
fn drop_tail_keeps_the_first_and_the_frame_on_the_line_comes_on_top() {
    assert_eq!(survivors("3packets"), [0, 1, 2, 3]);
    assert_eq!(survivors("3000B"), [0, 1, 2, 3]);
    assert_eq!(survivors("2999B"), [0, 1, 2]);
    assert_eq!(survivors("24ms"), [0, 1, 2, 3]);
    assert_eq!(survivors("23ms"), [0, 1, 2]);
    assert_eq!(survivors("0ms"), [0]);
    assert_eq!(survivors("default").len(), 20);
}

#[test]
fn a_place_is_free_when_a_frame_goes_on_the_line() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none","queue":{"limit":"1packets"}}"#);
    burst(&mut pipe, ns(0), 0, 2, 1000);
    let rejected = pipe.offer(ns(7_999_999), FrameInfo::single(1000), 2).unwrap_err();
    assert_eq!((rejected.frame, rejected.reason), (2, DropReason::QueueFull));
    pipe.offer(ms(8), FrameInfo::single(1000), 3).unwrap();
    assert_eq!(drain(&mut pipe).len(), 3);
}

/// Returns the numbers that survive the same burst under drop-head.
fn survivors_of_drop_head(limit: &str) -> Vec<u64> {
    let queue = format!(r#"{{"discipline":{{"fifo":{{"drop":"head"}}}},"limit":"{limit}"}}"#);
    let mut pipe = pipe(&format!(r#"{{"rate":"1Mbit/s","framing":"none","queue":{queue}}}"#));
    burst(&mut pipe, ns(0), 0, 20, 1000);
    drain(&mut pipe).into_iter().map(|(frame, _)| frame).collect()
}

#[test]
fn drop_head_keeps_the_last_and_the_frame_on_the_line() {
    assert_eq!(survivors_of_drop_head("3packets"), [0, 17, 18, 19]);
    assert_eq!(survivors_of_drop_head("2999B"), [0, 18, 19]);
    assert_eq!(survivors_of_drop_head("999B"), [0], "none of the arrivals fits at all");
}

#[test]
fn drop_head_drops_as_many_as_the_arrival_needs() {
    let queue = r#"{"discipline":{"fifo":{"drop":"head"}},"limit":"3000B"}"#;
    let mut pipe = pipe(&format!(r#"{{"rate":"1Mbit/s","framing":"none","queue":{queue}}}"#));
    burst(&mut pipe, ns(0), 0, 4, 1000);
    burst(&mut pipe, ms(1), 4, 1, 1500);
    let dropped: Vec<_> = std::iter::from_fn(|| pipe.poll_dropped()).collect();
    let what: Vec<_> = dropped.iter().map(|d| (d.frame, d.reason, d.at)).collect();
    assert_eq!(what, [(1, DropReason::QueueFull, ms(1)), (2, DropReason::QueueFull, ms(1))]);
}

#[test]
fn drop_head_does_not_enforce_a_lowered_limit_on_waiting_frames() {
    let queue = r#"{"discipline":{"fifo":{"drop":"head"}},"limit":"10packets"}"#;
    let mut pipe = pipe(&format!(r#"{{"rate":"1Mbit/s","framing":"none","queue":{queue}}}"#));
    burst(&mut pipe, ns(0), 0, 11, 1000);
    pipe.change(ms(1), &change(r#"{"queue":{"limit":"2packets"}}"#));
    burst(&mut pipe, ms(2), 11, 1, 1000);
    assert_eq!(drain(&mut pipe).len(), 11, "the arrival goes, not what waits");
}

#[test]
fn without_a_rate_there_is_no_queue() {
    let mut pipe = pipe(r#"{"queue":{"limit":"1packets"}}"#);
    burst(&mut pipe, ns(0), 0, 1000, 1500);
    assert_eq!(due(&mut pipe, ns(0)).len(), 1000);
}

#[test]
fn the_queue_is_counted_over_time() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none"}"#);
    burst(&mut pipe, ns(0), 0, 4, 1000);
    // Number of waiting frames: 3 for 8 ms, 2 for 8 ms, 1 for 8 ms, 0 for 8 ms.
    let statistics = pipe.statistics(ms(32));
    assert_eq!(statistics.queue.mean_frames, 1.5);
    assert_eq!(statistics.queue.maximum, Count { frames: 3, bytes: 3000 });
    assert_eq!(statistics.queue.now, Count::default());
    assert_eq!(statistics.busy_ns, 32_000_000);
    assert_eq!(statistics.load, 1.0);
    assert_eq!(pipe.statistics(ms(64)).load, 0.5);
}

#[test]
fn the_queue_is_counted_as_arrivals_find_it() {
    let mut pipe = pipe(r#"{"rate":"8Mbit/s","framing":"none"}"#);
    assert_eq!(pipe.statistics(ns(0)).queue.seen_mean_frames, None);
    for round in 0..50 {
        burst(&mut pipe, ms(100 * round), 10 * round, 10, 1000);
    }
    // Ten frames at once find 0, 0, 1, … 8 waiting frames. They wait for 0, 1, … 9 ms of every 100
    // ms.
    let queue = pipe.statistics(ms(5000)).queue;
    assert_eq!((queue.seen_mean_frames, queue.mean_frames), (Some(3.6), 0.45));
}

/// Poisson arrivals see time averages (Wolff 1982).
#[test]
fn poisson_arrivals_find_the_queue_as_it_is_over_time() {
    let mut pipe = pipe(r#"{"rate":"8Mbit/s","framing":"none","queue":{"limit":"1MB"}}"#);
    let (mut arrivals, mut now) = (netloom_link::Stream::new(2, "arrivals"), 0.0);
    for number in 0..300_000 {
        now -= (1.0 - arrivals.uniform()).ln() / 800.0;
        let at = ns((now * 1e9) as u64);
        burst(&mut pipe, at, number, 1, 1000);
        due(&mut pipe, at);
    }
    let queue = pipe.statistics(ns((now * 1e9) as u64)).queue;
    let ratio = queue.seen_mean_frames.unwrap() / queue.mean_frames;
    assert!((ratio - 1.0).abs() < 0.02, "{queue:?}");
}

#[test]
fn delays_are_summarized() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none","delay":"1ms"}"#);
    burst(&mut pipe, ns(0), 0, 4, 1000);
    drain(&mut pipe);
    let delay = pipe.statistics(ms(64)).delay.unwrap();
    assert_eq!((delay.min_ns, delay.max_ns), (9_000_000, 33_000_000));
    assert_eq!(delay.mean_ns, 21_000_000.0);
    assert!((16_830_000..=17_170_000).contains(&delay.p50_ns), "{}", delay.p50_ns);
    assert!((32_670_000..=33_000_000).contains(&delay.p999_ns), "{}", delay.p999_ns);
}

#[test]
fn busy_time_counts_the_frame_on_the_line_so_far() {
    let mut pipe = pipe(r#"{"rate":"1Mbit/s","framing":"none"}"#);
    burst(&mut pipe, ms(10), 0, 1, 1000);
    let statistics = pipe.statistics(ms(13));
    assert_eq!(statistics.busy_ns, 3_000_000);
    assert_eq!(statistics.in_flight, Count { frames: 1, bytes: 1000 });
}

#[test]
fn statistics_are_readable_as_json() {
    let mut pipe = pipe(r#"{"delay":"1ms"}"#);
    burst(&mut pipe, ns(0), 0, 1, 100);
    pipe.change(ns(1), &change(r#"{"state":"down"}"#));
    let statistics = pipe.statistics(ms(1));
    let text = serde_json::to_value(&statistics).unwrap();
    assert_eq!(text["dropped"]["down"]["frames"], 1);
    assert_eq!(text["at"], 1_000_000);
    assert!(text["delay"].is_null());
    assert_eq!(serde_json::from_value::<netloom_link::PipeStatistics>(text).unwrap(), statistics);
}
