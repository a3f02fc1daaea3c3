//! The times at which frames are released: exact to the nanosecond.

use crate::common::{burst, config, drain, due, ms, ns, pipe};
use netloom_link::{FrameInfo, Pipe, Stream};
use netloom_units::{Duration, Time};

#[test]
fn a_pipe_without_properties_delivers_at_once() {
    let mut pipe = pipe("{}");
    pipe.offer(ns(5), FrameInfo::single(1514), 1).unwrap();
    let delivery = pipe.poll(ns(5)).unwrap();
    assert_eq!((delivery.release, delivery.passage.offered), (ns(5), ns(5)));
    assert_eq!(pipe.next_deadline(), None);
}

#[test]
fn d_d_1_to_the_nanosecond() {
    // 1514 + 24 = 1538 line bytes take 12,304 ns at 1 Gbit/s; arrivals every 10 µs, so frame k
    // leaves at (k + 1) × 12,304 and arrives 3 ms later.
    let mut pipe = pipe(r#"{"rate":"1Gbit/s","delay":"3ms"}"#);
    for k in 0..1000 {
        burst(&mut pipe, ns(k * 10_000), k, 1, 1514);
    }
    let expected: Vec<_> = (0..1000).map(|k| (k, ns((k + 1) * 12_304 + 3_000_000))).collect();
    assert_eq!(drain(&mut pipe), expected);
}

#[test]
fn an_idle_line_starts_at_the_arrival() {
    let mut pipe = pipe(r#"{"rate":"1Gbit/s","framing":"none"}"#);
    burst(&mut pipe, ns(0), 0, 1, 1000);
    burst(&mut pipe, ns(20_000), 1, 1, 1000);
    assert_eq!(drain(&mut pipe), [(0, ns(8000)), (1, ns(28_000))]);
}

#[test]
fn short_frames_are_padded_on_ethernet() {
    let mut pipe = pipe(r#"{"rate":"1Gbit/s"}"#);
    burst(&mut pipe, ns(0), 0, 1, 42);
    assert_eq!(drain(&mut pipe), [(0, ns(84 * 8))]);
}

#[test]
fn long_run_rate_is_exact_for_odd_rates() {
    // At 3 bit/s each frame closes a second of the statistics, so fewer frames must suffice. If
    // each frame lost its fraction of a nanosecond, 2,000 frames would be 1.3 us early.
    let rates = [(3u64, 2_000), (999_983, 20_000), (7_777_777, 20_000)];
    for (rate, frames) in rates.into_iter().chain([(99_999_989, 20_000), (9_999_999_967, 20_000)]) {
        let text = format!(
            r#"{{"rate":"{rate}bit/s","framing":"none","queue":{{"limit":"100000packets"}}}}"#
        );
        let mut pipe = pipe(&text);
        burst(&mut pipe, ns(0), 0, frames, 1001);
        let (_, last) = *drain(&mut pipe).last().unwrap();
        let exact = u128::from(frames) * 8008 * 1_000_000_000 / u128::from(rate);
        assert_eq!(u128::from(last.as_nanos()), exact, "{rate} bit/s");
    }
}

#[test]
fn propagation_overlaps() {
    let mut pipe = pipe(r#"{"delay":"10ms"}"#);
    burst(&mut pipe, ms(0), 0, 1, 100);
    burst(&mut pipe, ms(1), 1, 1, 100);
    assert_eq!(drain(&mut pipe), [(0, ms(10)), (1, ms(11))]);
}

#[test]
fn late_polls_change_nothing_but_the_hand_over() {
    let text = r#"{"rate":"10Mbit/s","delay":"1ms","loss":"20%"}"#;
    let (mut early, mut late) = (pipe(text), pipe(text));
    burst(&mut early, ms(0), 0, 40, 1000);
    burst(&mut late, ms(0), 0, 40, 1000);
    let released = drain(&mut early);
    let polled: Vec<_> = std::iter::from_fn(|| late.poll(ms(500))).collect();
    let polled: Vec<_> = polled.into_iter().map(|d| (d.frame, d.release)).collect();
    assert_eq!(released, polled);
}

#[test]
fn nothing_comes_before_its_time() {
    let mut pipe = pipe(r#"{"delay":"1ms"}"#);
    burst(&mut pipe, ns(0), 0, 1, 100);
    assert!(due(&mut pipe, ns(999_999)).is_empty());
    assert_eq!(due(&mut pipe, ns(1_000_000)), [0]);
}

#[test]
fn a_whole_super_frame_takes_the_line_time_of_its_frames() {
    let mut whole = pipe(r#"{"rate":"10Gbit/s"}"#);
    let mut split = pipe(r#"{"rate":"10Gbit/s"}"#);
    let info = FrameInfo::coalesced(4, 1514, 66 + 100);
    whole.offer(ns(0), info, 0).unwrap();
    burst(&mut split, ns(0), 0, 3, 1514);
    burst(&mut split, ns(0), 3, 1, 166);
    let (_, end) = drain(&mut whole)[0];
    assert_eq!(end, drain(&mut split)[3].1);
    let (whole, split) = (whole.statistics(end), split.statistics(end));
    assert_eq!(whole.delivered, split.delivered);
    assert_eq!(whole.busy_ns, split.busy_ns);
}

#[test]
fn super_frames_stay_together_within_the_bound_only() {
    let info = FrameInfo::coalesced(44, 1514, 800);
    let together = |text: &str| pipe(text).coalesce(ns(0), &info, &0);
    assert_eq!(together("{}"), 44);
    assert_eq!(together(r#"{"delay":"10ms"}"#), 44);
    assert_eq!(together(r#"{"rate":"100Gbit/s"}"#), 44);
    // 50 µs at 1 Gbit/s is 6250 bytes: four frames of 1538.
    assert_eq!(together(r#"{"rate":"1Gbit/s"}"#), 4);
    assert_eq!(together(r#"{"rate":"100Mbit/s"}"#), 1);
    assert_eq!(together(r#"{"loss":"0.001%"}"#), 1);
    assert_eq!(together(r#"{"rate":"100Gbit/s","queue":{"limit":"1000packets"}}"#), 1);
}

#[test]
fn a_queue_that_would_cut_a_super_frame_gets_it_in_pieces() {
    let info = FrameInfo::coalesced(44, 1514, 800);
    let mut pipe = pipe(r#"{"rate":"100Gbit/s","queue":{"limit":"40kB"}}"#);
    assert_eq!(pipe.coalesce(ns(0), &info, &0), 44, "the line is free");
    pipe.offer(ns(0), info, 0).unwrap();
    assert_eq!(pipe.coalesce(ns(0), &info, &0), 1, "66 kB do not fit into 40 kB");
}

#[test]
fn the_same_seed_gives_the_same_events() {
    let run = |seed| {
        let config = config(r#"{"rate":"5Mbit/s","delay":"2ms","loss":"10%"}"#);
        let mut pipe = Pipe::new(config, Stream::new(seed, "a/forward"), Time::ZERO);
        for k in 0..500 {
            burst(&mut pipe, ns(k * 1_500_000), k, 1, 60 + (k as u32 * 37) % 1400);
        }
        drain(&mut pipe)
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn time_never_goes_back() {
    let mut pipe = pipe(r#"{"delay":"1ms"}"#);
    burst(&mut pipe, ms(5), 0, 1, 100);
    burst(&mut pipe, ms(1), 1, 1, 100);
    let release = ms(5) + Duration::from_millis(1);
    assert_eq!(drain(&mut pipe), [(0, release), (1, release)]);
}
