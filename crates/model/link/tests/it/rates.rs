//! Rates that vary: traces compared with a naive implementation of Mahimahi's rule, and schedules
//! at their boundaries.

use std::collections::VecDeque;

use crate::common::{burst, change, config, drain, ms, ns, pipe};
use netloom_link::{
    Data, DataFormat, FrameInfo, OPPORTUNITY_BYTES, Pipe, PipeConfig, RateLimit, RateSchedule,
    RateTrace, ScheduleStep, Stream,
};
use netloom_units::{Duration, Rate, Time};
use proptest::collection::vec;
use proptest::prelude::*;

const LTE: &str = include_str!("traces/lte.trace");

/// Returns a pipe that sends by `trace` and holds any number of frames.
fn traced(trace: RateTrace) -> Pipe<u64> {
    let rate = RateLimit::Trace(Data::inline(trace));
    let config = PipeConfig { rate, ..config(r#"{"queue":{"limit":"1000000packets"}}"#) };
    Pipe::new(config, Stream::new(1, "trace"), Time::ZERO)
}

/// Returns a frame whose packet has `bytes` bytes.
fn packet(bytes: u64) -> FrameInfo {
    FrameInfo::single(u32::try_from(bytes).unwrap() + 14)
}

/// Mahimahi's rule, opportunity by opportunity. Each opportunity carries 1500 bytes of the waiting
/// packets. The part for which nothing waits is lost, and a packet may use parts of several
/// opportunities. `arrivals` are (time in ns, packet bytes). Returns the times at which the last
/// byte of each packet left.
fn naive(trace: &RateTrace, arrivals: &[(u64, u64)]) -> Vec<u64> {
    let mut left: Vec<u64> = Vec::new();
    let mut waiting: VecDeque<u64> = VecDeque::new();
    let mut coming = arrivals.iter().peekable();
    for round in 0.. {
        for at in trace.milliseconds() {
            let now = (round * trace.period_ms() + at) * 1_000_000;
            while let Some((_, bytes)) = coming.next_if(|(arrival, _)| *arrival <= now) {
                waiting.push_back(*bytes);
            }
            let mut carries = OPPORTUNITY_BYTES;
            while let Some(first) = waiting.front_mut() {
                let part = carries.min(*first);
                *first -= part;
                carries -= part;
                if *first > 0 {
                    break;
                }
                waiting.pop_front();
                left.push(now);
            }
        }
        if left.len() == arrivals.len() {
            return left;
        }
    }
    unreachable!("rounds never end")
}

fn check(trace: RateTrace, arrivals: &[(u64, u64)]) {
    let expected = naive(&trace, arrivals);
    let mut pipe = traced(trace);
    for (number, (at, bytes)) in (0..).zip(arrivals) {
        pipe.offer(ns(*at), packet(*bytes), number).unwrap();
    }
    let left: Vec<u64> = drain(&mut pipe).into_iter().map(|(_, at)| at.as_nanos()).collect();
    assert_eq!(left, expected);
}

fn trace(milliseconds: &[u64]) -> RateTrace {
    RateTrace::new(milliseconds.to_vec()).unwrap()
}

const MS: u64 = 1_000_000;

#[test]
fn one_full_packet_leaves_with_each_opportunity() {
    let full: Vec<(u64, u64)> = (0..6).map(|_| (0, 1500)).collect();
    let mut pipe = traced(trace(&[3, 3, 7]));
    full.iter().enumerate().for_each(|(k, _)| pipe.offer(ns(0), packet(1500), k as u64).unwrap());
    let at = drain(&mut pipe).into_iter().map(|(_, at)| at.as_nanos() / MS).collect::<Vec<_>>();
    assert_eq!(at, [3, 3, 7, 10, 10, 14]);
    check(trace(&[3, 3, 7]), &full);
}

#[test]
fn opportunities_at_the_beginning_count() {
    let mut pipe = traced(trace(&[0, 5]));
    burst(&mut pipe, ns(0), 0, 3, 1514);
    assert_eq!(drain(&mut pipe), [(0, ms(0)), (1, ms(5)), (2, ms(5))]);
}

#[test]
fn packets_share_and_straddle_opportunities() {
    let mut pipe = traced(trace(&[1, 2, 3]));
    for (number, bytes) in [(0, 700), (1, 700), (2, 700), (3, 2000)] {
        pipe.offer(ns(0), packet(bytes), number).unwrap();
    }
    assert_eq!(drain(&mut pipe), [(0, ms(1)), (1, ms(1)), (2, ms(2)), (3, ms(3))]);
}

/// The unused part of an opportunity is lost.
#[test]
fn unused_opportunities_are_lost() {
    let mut pipe = traced(trace(&[1, 2, 3]));
    pipe.offer(ns(0), packet(100), 0).unwrap();
    pipe.offer(ns(1_000_001), packet(1500), 1).unwrap();
    pipe.offer(ns(100 * MS + 1), packet(1500), 2).unwrap();
    assert_eq!(drain(&mut pipe), [(0, ms(1)), (1, ms(2)), (2, ms(101))]);
}

#[test]
fn a_trace_begins_when_it_is_set_and_goes_on_when_it_stays() {
    let text = r#"{"rate":{"trace":[10]},"queue":{"limit":"100packets"}}"#;
    let mut pipe = pipe("{}");
    pipe.change(ms(5), &change(text));
    burst(&mut pipe, ms(6), 0, 2, 1514);
    pipe.change(ms(7), &change(text));
    assert_eq!(drain(&mut pipe), [(0, ms(15)), (1, ms(25))]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_trace_is_played_as_mahimahi_does(
        steps in vec(prop_oneof![3 => 0u64..3, 1 => 0u64..40], 1..40),
        arrivals in vec((prop_oneof![
            4 => Just(0u64),
            4 => 0u64..5 * MS,
            2 => (0u64..20).prop_map(|at| at * MS),
            1 => 0u64..2000 * MS,
        ], 1u64..9000), 1..60),
    ) {
        let mut at = 0;
        let mut milliseconds: Vec<u64> = steps.iter().map(|step| { at += step; at }).collect();
        if at == 0 {
            milliseconds.push(1);
        }
        let mut now = 0;
        let arrivals: Vec<(u64, u64)> =
            arrivals.into_iter().map(|(wait, bytes)| { now += wait; (now, bytes) }).collect();
        check(RateTrace::new(milliseconds).unwrap(), &arrivals);
    }
}

#[test]
fn years_without_a_frame_are_skipped_at_once() {
    let mut pipe = traced(trace(&[1, 2, 5]));
    let years = 200 * 365 * 86_400 * 1_000_000_000;
    burst(&mut pipe, ns(years + 1), 0, 1, 1514);
    let (_, at) = drain(&mut pipe)[0];
    assert!(at.as_nanos() - years <= 5 * MS, "{at}");
}

/// While frames wait, each 100 ms deliver the bytes of the trace's opportunities within 1 %, over
/// two rounds of a cellular trace.
#[test]
fn a_backlogged_line_follows_a_cellular_trace() {
    let trace = RateTrace::parse(LTE).unwrap();
    let period = trace.period_ms();
    assert_eq!(period, 60_000);
    let windows = (2 * period / 100) as usize;
    let mut expected = vec![0u64; windows];
    for round in 0..2 {
        for at in trace.milliseconds() {
            // A window includes its end, but not its beginning.
            expected[((round * period + at - 1) / 100) as usize] += OPPORTUNITY_BYTES;
        }
    }
    let frames = 2 * trace.milliseconds().len() as u64 + 100;
    let mut pipe = traced(trace);
    burst(&mut pipe, ns(0), 0, frames, 1514);
    let mut delivered = vec![0u64; windows];
    for (_, at) in drain(&mut pipe) {
        if let Some(window) = delivered.get_mut(((at.as_nanos() / MS - 1) / 100) as usize) {
            *window += 1500;
        }
    }
    for (window, (delivered, expected)) in delivered.iter().zip(&expected).enumerate() {
        let distance = delivered.abs_diff(*expected) as f64;
        assert!(distance <= 0.01 * *expected as f64, "{window}: {delivered}, not {expected}");
    }
    let rates: Vec<f64> = expected.iter().map(|bytes| *bytes as f64 * 8.0 / 1e5).collect();
    let largest = rates.iter().copied().fold(0.0, f64::max);
    assert!(largest > 50.0 && rates.contains(&0.0), "the trace varies: {largest} Mbit/s");
}

#[test]
fn traces_that_cannot_be_played_are_refused() {
    let error = |text: &str| RateTrace::parse(text).unwrap_err().to_string();
    assert!(error("").contains("at least one"));
    assert!(error("0\n0").contains("after millisecond 0"));
    assert!(error("# a\n5\n4").starts_with("line 3: 4 ms is before"));
    assert!(error("1.5").starts_with("line 1: `1.5` is not a whole number"));
    assert!(error(&"x".repeat(1 << 20)).len() < 200);
    assert!(error("99999999999999").contains("ms long"));
    let dense = "1\n".repeat(900_000);
    assert!(error(&dense).contains("10Tbit/s"), "{}", error(&dense));
    assert_eq!(RateTrace::parse(&"1\n".repeat(800_000)).unwrap().mean().to_string(), "9.6Tbit/s");
}

fn schedule(steps: &[(u64, u64)], repeat: Option<u64>) -> RateSchedule {
    let step = |(at, mbit): &(u64, u64)| ScheduleStep {
        at: Duration::from_millis(*at),
        rate: Rate::from_bits_per_second(mbit * 1_000_000).unwrap(),
    };
    RateSchedule::new(steps.iter().map(step).collect(), repeat.map(Duration::from_millis)).unwrap()
}

#[test]
fn a_schedule_changes_at_its_boundaries_to_the_nanosecond() {
    let once = schedule(&[(0, 8), (10, 4), (15, 1)], None);
    let again = schedule(&[(0, 8), (10, 4), (15, 1)], Some(20));
    let mbit = |schedule: &RateSchedule, at: u64| {
        schedule.rate_at(Duration::from_nanos(at)).bits_per_second() / 1_000_000
    };
    for (at, once_rate, again_rate) in [
        (0, 8, 8),
        (10 * MS - 1, 8, 8),
        (10 * MS, 4, 4),
        (15 * MS - 1, 4, 4),
        (15 * MS, 1, 1),
        (20 * MS - 1, 1, 1),
        (20 * MS, 1, 8),
        (30 * MS, 1, 4),
        (1_000_000 * 20 * MS - 1, 1, 1),
        (1_000_000 * 20 * MS, 1, 8),
    ] {
        assert_eq!((mbit(&once, at), mbit(&again, at)), (once_rate, again_rate), "at {at} ns");
    }
}

/// A frame is sent at the rate that holds when it starts. Times of the schedule count from when it
/// was set.
#[test]
fn frames_take_the_rate_of_their_start() {
    let text = r#"{"framing":"none","rate":{"schedule":[
        {"at":"0s","rate":"8Mbit/s"},{"at":"2.5ms","rate":"2Mbit/s"}],"repeat":"10ms"}}"#;
    let mut pipe = pipe("{}");
    pipe.change(ms(100), &change(text));
    burst(&mut pipe, ms(100), 0, 6, 1000);
    let expected = [101, 102, 103, 107, 111, 112];
    assert_eq!(drain(&mut pipe), [0, 1, 2, 3, 4, 5].map(|k| (k, ms(expected[k as usize]))));
}

#[test]
fn schedules_that_go_back_are_refused() {
    let error = |text: &str| serde_json::from_str::<RateLimit>(text).unwrap_err().to_string();
    assert!(error(r#"{"schedule":[]}"#).contains("at least one step"));
    assert!(error(r#"{"schedule":[{"at":"1s","rate":"1Mbit/s"}]}"#).contains("at: 0s"));
    let steps = r#"[{"at":"0s","rate":"1Mbit/s"},{"at":"2s","rate":"1Mbit/s"}]"#;
    assert!(error(&format!(r#"{{"schedule":{steps},"repeat":"2s"}}"#)).contains("longer than"));
}
