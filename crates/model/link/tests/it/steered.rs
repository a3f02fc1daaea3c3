//! Methods for making a pipe follow another queue: holding the line, its backlog as time, losses in
//! front of the queue, and virtual frames at given times.

use netloom_link::{DropReason, EarlyLoss, Emission, FrameInfo, Pipe, Stream};
use netloom_units::{Duration, Probability, Time};
use proptest::prelude::*;

use crate::common::driven::Driven;
use crate::common::packet::Packet;
use crate::common::{burst, change, config, drain, ms, ns, pipe};

/// A line on which 1000 bytes take 1 ms.
const LINE: &str = r#""rate":"8Mbit/s","framing":"none","queue":{"limit":"1000packets"}"#;

fn line(more: &str) -> String {
    format!("{{{LINE}{more}}}")
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn releases(pipe: &mut Pipe<u64>) -> Vec<u64> {
    drain(pipe).iter().map(|(_, at)| at.as_nanos() / 1_000_000).collect()
}

#[test]
fn a_hold_begins_behind_the_frame_on_the_line() {
    let mut pipe = pipe(&line(""));
    burst(&mut pipe, ms(0), 0, 3, 1000);
    pipe.hold(ns(500_000), millis(10));
    assert_eq!(releases(&mut pipe), [1, 12, 13]);
}

#[test]
fn a_hold_of_an_idle_line_begins_at_once_and_makes_frames_wait() {
    let mut pipe = pipe(&line(""));
    pipe.hold(ms(5), millis(10));
    burst(&mut pipe, ms(6), 0, 2, 1000);
    assert_eq!(pipe.unfinished(ms(6)), millis(11));
    assert_eq!(releases(&mut pipe), [16, 17]);
    burst(&mut pipe, ms(30), 2, 1, 1000);
    assert_eq!(releases(&mut pipe), [31], "the hold is over");
}

#[test]
fn holds_add_up() {
    let mut pipe = pipe(&line(""));
    burst(&mut pipe, ms(0), 0, 2, 1000);
    pipe.hold(ms(0), millis(2));
    pipe.hold(ms(0), millis(3));
    assert_eq!(pipe.unfinished(ms(0)), millis(7));
    let _ = pipe.poll(ms(1));
    pipe.hold(ms(2), millis(4));
    assert_eq!(pipe.unfinished(ms(2)), millis(9));
    assert_eq!(releases(&mut pipe), [11]);
}

/// The line serves one frame at a time, so others wait whatever their size.
#[test]
fn a_pipe_without_a_rate_serves_a_frame_a_time() {
    let text = r#"{"mac_overhead":[{"probability":"100%","time":"2ms"}]}"#;
    let mut pipe = pipe(text);
    burst(&mut pipe, ms(0), 0, 100, 60);
    burst(&mut pipe, ms(0), 100, 100, 1514);
    assert_eq!(pipe.unfinished(ms(1)), millis(399));
    // A new service time applies to the frames that have yet to come to the line.
    let faster = r#"{"mac_overhead":[{"probability":"100%","time":"1ms"}]}"#;
    pipe.change(ms(1), &change(faster));
    assert_eq!(pipe.unfinished(ms(1)), millis(200));
    let expected: Vec<u64> = (0..200).map(|number| number + 2).collect();
    assert_eq!(releases(&mut pipe), expected, "and no queue is too short");
}

/// On a line without a rate, frames wait only for the hold.
#[test]
fn a_line_without_time_can_be_held() {
    let mut pipe = pipe("{}");
    pipe.hold(ms(0), millis(10));
    burst(&mut pipe, ms(1), 0, 3, 1000);
    assert_eq!(pipe.unfinished(ms(1)), millis(9));
    assert_eq!(releases(&mut pipe), [10, 10, 10]);
}

#[test]
fn a_cut_ends_a_hold() {
    let mut pipe = pipe(&line(""));
    pipe.hold(ms(0), millis(100));
    burst(&mut pipe, ms(0), 0, 1, 1000);
    pipe.change(ms(1), &change(r#"{"state":"down"}"#));
    assert_eq!(pipe.poll_dropped().map(|dropped| dropped.reason), Some(DropReason::Down));
    pipe.change(ms(2), &change(r#"{"state":"up"}"#));
    assert_eq!(pipe.unfinished(ms(2)), Duration::ZERO);
    burst(&mut pipe, ms(2), 1, 1, 1000);
    assert_eq!(releases(&mut pipe), [3]);
}

/// At 8 Mbit/s, the fluid brings half of the line's capacity: after 10 ms, 5 ms of it wait.
#[test]
fn a_fluid_waits_for_a_hold() {
    let half = r#","background":[{"cbr":{"rate":"4Mbit/s"},"size":"1000B","as":"fluid"}]"#;
    let mut pipe = pipe(&line(half));
    pipe.hold(ms(0), millis(10));
    assert_eq!(pipe.unfinished(ms(4)), millis(8));
    assert_eq!(pipe.unfinished(ms(10)), millis(5));
    burst(&mut pipe, ms(10), 0, 1, 1000);
    while pipe.poll(pipe.next_deadline().unwrap()).is_none() {}
    assert_eq!(pipe.unfinished(ms(16)), millis(3));
}

/// The mean of the profile is 3 ms, because it is linear from 2 to 4 ms.
#[test]
fn a_profile_counts_with_its_mean() {
    let points = r#"[{"probability":"0%","time":"2ms"},{"probability":"100%","time":"4ms"}]"#;
    let mut pipe = pipe(&format!(r#"{{"mac_overhead":{points}}}"#));
    burst(&mut pipe, ms(0), 0, 1, 1000);
    let first = pipe.unfinished(ms(0));
    burst(&mut pipe, ms(0), 1, 100, 1000);
    assert_eq!(pipe.unfinished(ms(0)), first + millis(300));
}

fn packet(number: u64) -> Packet {
    Packet { number, flow: 0, header: None }
}

fn lost(pipe: &mut Pipe<u64>, count: u64) -> Vec<u64> {
    let mut offer = |number| pipe.offer(ms(0), FrameInfo::single(60), number);
    let rejected = (0..count).filter_map(|number| offer(number).err());
    rejected
        .inspect(|rejected| assert_eq!(rejected.reason, DropReason::Loss))
        .map(|rejected| rejected.frame)
        .collect()
}

#[test]
fn frames_with_ordered_numbers_are_lost_once() {
    let mut pipe = pipe("{}");
    assert_eq!(lost(&mut pipe, 3).len(), 0);
    pipe.lose(ms(0), EarlyLoss::Positions(vec![4, 0, 1, 4]));
    assert_eq!(lost(&mut pipe, 10), [0, 1, 4]);
    pipe.lose(ms(0), EarlyLoss::Positions(vec![4, 0, 1]));
    assert_eq!(lost(&mut pipe, 10), [0, 1, 4], "a like order begins anew");
    let counted = pipe.statistics(ms(0));
    assert_eq!((counted.offered.frames, counted.dropped.loss.frames), (23, 6));
}

#[test]
fn overdue_losses_hit_the_first_frames_of_the_next_order() {
    let mut pipe = pipe("{}");
    pipe.lose(ms(0), EarlyLoss::Positions(vec![1, 5, 6]));
    assert_eq!(lost(&mut pipe, 2), [1]);
    pipe.lose(ms(0), EarlyLoss::Positions(vec![0, 3]));
    assert_eq!(lost(&mut pipe, 6), [0, 1, 2, 3]);
    pipe.lose(ms(0), EarlyLoss::Positions(vec![0, 1]));
    pipe.lose(ms(0), EarlyLoss::NONE);
    pipe.lose(ms(0), EarlyLoss::NONE);
    assert_eq!(lost(&mut pipe, 6).len(), 0, "and is forgotten with the one after that");
}

#[test]
fn a_pattern_is_lost_over_and_over_and_leaves_nothing() {
    let mut pipe = pipe("{}");
    pipe.lose(ms(0), EarlyLoss::Pattern("0110".parse().unwrap()));
    assert_eq!(lost(&mut pipe, 10), [1, 2, 5, 6, 9]);
    pipe.lose(ms(0), EarlyLoss::NONE);
    assert_eq!(lost(&mut pipe, 10).len(), 0);
}

#[test]
fn a_share_is_lost_evenly_or_by_draws() {
    let mut pipe = pipe("{}");
    let quarter = Probability::new(0.25).unwrap();
    pipe.lose(ms(0), EarlyLoss::Systematic(quarter));
    assert_eq!(lost(&mut pipe, 6), [3]);
    pipe.lose(ms(0), EarlyLoss::Systematic(quarter));
    assert_eq!(lost(&mut pipe, 6), [1, 5], "what a share owes goes on");
    pipe.lose(ms(0), EarlyLoss::Bernoulli(quarter));
    let count = lost(&mut pipe, 10_000).len() as f64;
    // The count is binomial: 99.99 % of runs are within four deviations of 43.
    assert!((count - 2500.0).abs() < 4.0 * 43.3, "{count}");
    pipe.lose(ms(0), EarlyLoss::Bernoulli(Probability::new(1.0).unwrap()));
    assert_eq!(lost(&mut pipe, 10).len(), 10);
}

#[test]
fn super_frames_are_split_while_losses_are_ordered() {
    let mut pipe = pipe("{}");
    let many = FrameInfo::coalesced(40, 1514, 1514);
    assert_eq!(pipe.coalesce(ms(0), &many, &0), 40);
    pipe.lose(ms(0), EarlyLoss::Positions(vec![3]));
    assert_eq!(pipe.coalesce(ms(0), &many, &0), 1);
    assert_eq!(lost(&mut pipe, 10), [3]);
    assert_eq!(pipe.coalesce(ms(0), &many, &0), 40, "and stay whole when the last is through");
}

/// Brought frames affect other frames exactly like offered ones.
#[test]
fn brought_frames_wait_and_are_dropped_as_offered_ones() {
    let text = r#"{"rate":"8Mbit/s","delay":"3ms","queue":{"limit":"4packets"}}"#;
    let mut stream = Stream::new(7, "arrivals");
    let arrivals: Vec<(u64, u32, bool)> = (0..4000)
        .map(|_| (stream.below(2_000_000), 200 + stream.below(1200) as u32, stream.chance(0.5)))
        .scan(0, |at, (gap, bytes, real)| {
            *at += gap;
            Some((*at, bytes, real))
        })
        .collect();
    let run = |brought: bool| {
        let mut driven = Driven::new(&config(text), 1);
        if brought {
            let virtual_ones = arrivals.iter().filter(|(.., real)| !real);
            let emissions =
                virtual_ones.map(|(at, bytes, _)| Emission { at: ns(*at), bytes: *bytes });
            driven.pipe.bring(Time::ZERO, emissions);
        }
        for (number, (at, bytes, real)) in (0..).zip(&arrivals) {
            if *real || !brought {
                driven.offer(ns(*at), *bytes, packet(number));
            }
        }
        driven.advance(ms(10_000));
        let counted = driven.pipe.statistics(ms(10_000)).background;
        let real = |number: &u64| arrivals[*number as usize].2;
        let fates = driven.fates.into_iter().filter(|(number, _)| real(number));
        (fates.collect::<Vec<_>>(), counted)
    };
    let (offered, none) = run(false);
    let (brought, counted) = run(true);
    assert_eq!(offered, brought);
    assert!(offered.iter().any(|(_, (reason, ..))| *reason == Some(DropReason::QueueFull)));
    let count = arrivals.iter().filter(|(.., real)| !real).count() as u64;
    assert_eq!((none, counted.map(|counted| counted.offered.frames)), (None, Some(count)));
}

/// An action: an offered frame, a hold, or a virtual frame.
#[derive(Debug, Clone)]
enum Step {
    Offer(u32),
    Hold(u64),
    Bring(u32),
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let step = prop_oneof![
        3 => (60u32..1500).prop_map(Step::Offer),
        1 => (0u64..5_000_000).prop_map(Step::Hold),
        1 => (60u32..1500).prop_map(Step::Bring),
    ];
    prop::collection::vec((0u64..1_500_000, step), 1..60)
}

proptest! {
    /// An offered frame leaves the line after the backlog at its arrival plus its own time. The
    /// deadlines on the way are never late, whatever is held or brought.
    #[test]
    fn the_backlog_says_when_a_frame_leaves(steps in steps()) {
        let mut driven = Driven::new(&config(&line("")), 1);
        let (mut at, mut expected) = (0, Vec::new());
        for (number, (gap, step)) in (0..).zip(steps) {
            at += gap;
            driven.advance(ns(at));
            match step {
                Step::Offer(bytes) => {
                    let wait = driven.pipe.unfinished(ns(at)).as_nanos();
                    expected.push((number, at + wait + u64::from(bytes) * 1000));
                    driven.offer(ns(at), bytes, packet(number));
                }
                // A hold goes behind the waiting frames. Otherwise they would leave later than
                // expected.
                Step::Hold(nanos) if driven.pipe.unfinished(ns(at)) == Duration::ZERO => {
                    driven.pipe.hold(ns(at), Duration::from_nanos(nanos));
                }
                Step::Hold(_) => {}
                Step::Bring(bytes) => {
                    driven.pipe.bring(ns(at), [Emission { at: ns(at), bytes }]);
                }
            }
        }
        driven.advance(ms(1_000_000));
        let out: Vec<(u64, u64)> =
            driven.fates.iter().map(|(number, (_, at, _))| (*number, at.as_nanos())).collect();
        prop_assert_eq!(out, expected);
    }
}
