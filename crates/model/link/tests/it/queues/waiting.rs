//! Queues that drop nothing when they are full, but make the source of the frames wait.

use netloom_link::{FrameInfo, PipeConfig, WhenFull};
use proptest::prelude::*;

use crate::common::{change, drain, ms, ns, pipe};

const WAITING: &str = r#"{"rate":"1Mbit/s","framing":"none",
    "queue":{"limit":"3packets","full":"wait"}}"#;

#[test]
fn it_is_full_until_the_line_takes_one() {
    let mut pipe = pipe(WAITING);
    for frame in 0..4 {
        assert!(!pipe.is_full(ns(0)), "frame {frame}");
        pipe.offer(ns(0), FrameInfo::single(1000), frame).unwrap();
    }
    assert!(pipe.is_full(ns(0)));
    assert_eq!(pipe.next_line_end(), Some(ms(8)));
    assert!(pipe.is_full(ns(7_999_999)));
    assert!(!pipe.is_full(ms(8)));
}

#[test]
fn offers_to_a_full_waiting_queue_are_accepted() {
    let mut pipe = pipe(WAITING);
    for frame in 0..45 {
        pipe.offer(ns(0), FrameInfo::single(1000), frame).unwrap();
    }
    assert_eq!(drain(&mut pipe).len(), 45);
}

#[test]
fn nobody_waits_for_a_pipe_that_drops_or_is_down() {
    let mut pipe = pipe(WAITING);
    for frame in 0..45 {
        pipe.offer(ns(0), FrameInfo::single(1000), frame).unwrap();
    }
    pipe.change(ns(1), &change(r#"{"queue":{"full":"drop"}}"#));
    assert!(!pipe.is_full(ns(1)));
    assert!(pipe.offer(ns(1), FrameInfo::single(1000), 45).is_err());
    pipe.change(ns(2), &change(r#"{"queue":{"full":"wait"}}"#));
    assert!(pipe.is_full(ns(2)));
    pipe.change(ns(3), &change(r#"{"state":"down","in_flight":"deliver"}"#));
    assert!(!pipe.is_full(ns(3)));
}

#[test]
fn waiting_takes_a_constant_rate_and_fifo() {
    let check = |json: &str| {
        let mut config: PipeConfig = PipeConfig::default();
        let change: netloom_link::PipeChange = serde_json::from_str(json).unwrap();
        change.apply_to(&mut config);
        WhenFull::check(&config)
    };
    assert_eq!(check(WAITING), Ok(()));
    assert_eq!(check(r#"{"queue":{"discipline":"codel"},"rate":"1Mbit/s"}"#), Ok(()));
    for (json, problem) in [
        (r#"{"queue":{"full":"wait"}}"#, "without a `rate`"),
        (r#"{"rate":"1Mbit/s","queue":{"full":"wait","discipline":"codel"}}"#, "tc qdisc"),
        (
            r#"{"rate":"1Mbit/s","queue":{"full":"wait","discipline":{"fifo":{"drop":"head"}}}}"#,
            "tc qdisc",
        ),
        (
            r#"{"rate":{"schedule":[{"at":"0s","rate":"1Mbit/s"}]},"queue":{"full":"wait"}}"#,
            "constant",
        ),
        (
            r#"{"rate":"1Mbit/s","queue":{"full":"wait"},
                "background":[{"poisson":{"load":"40%"}}]}"#,
            "background",
        ),
    ] {
        let error = check(json).expect_err(json);
        assert!(error.contains(problem), "{json}: {error}");
    }
}

proptest! {
    /// A source that waits when the queue is full loses nothing, and the queue never exceeds its
    /// limit.
    #[test]
    fn a_source_that_waits_loses_nothing(
        gaps in prop::collection::vec((0u64..20_000_000, 1u32..1500), 1..200),
        limit in 1u32..20,
    ) {
        let mut pipe = pipe(&format!(
            r#"{{"rate":"1Mbit/s","queue":{{"limit":"{limit}packets","full":"wait"}}}}"#
        ));
        let mut now = ns(0);
        for (number, (gap, bytes)) in (0..).zip(&gaps) {
            now += netloom_units::Duration::from_nanos(*gap);
            while pipe.is_full(now) {
                now = pipe.next_line_end().expect("a full pipe has a frame on its line");
            }
            pipe.offer(now, FrameInfo::single(*bytes), number).unwrap();
            let queued = pipe.statistics(now).queue.now.frames;
            prop_assert!(queued <= u64::from(limit), "{queued} wait");
        }
        prop_assert_eq!(drain(&mut pipe).len(), gaps.len());
    }
}
