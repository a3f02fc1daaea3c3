//! A case for each rule, and the proof that nothing beyond tolerance is ever `valid`.

use netloom_units::{Probability, Time};
use proptest::prelude::*;

use super::*;
use crate::bound::{Lateness, Losses, RateError};

const MS: u64 = 1_000_000;
const RUN: Span = Span { from: Time::ZERO, to: Time::from_nanos(60_000 * MS) };

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn seconds(from: u64, to: u64) -> Vec<Span> {
    let at = |second: u64| Time::from_nanos(second * 1000 * MS);
    vec![Span { from: at(from), to: at(to) }]
}

fn trust() -> Trust {
    Trust { delay: ms(1), ..Trust::default() }
}

/// Lateness of a thousand frames: `beyond` of them are later than 1 ms, the latest by `max` ms.
fn lateness(beyond: u64, max: u64) -> Lateness {
    let share = beyond as f64 / 1000.0;
    Lateness { max: ms(max), beyond, share, ..Lateness::default() }
}

fn pipe(late: Lateness, at_most: Lateness, bad: Vec<Span>) -> PipeBound {
    let (pipe, frames) = ("a--b/forward".into(), 1000);
    let machines = vec![];
    PipeBound { pipe, machines, frames, late, at_most, rate: None, bad, doubtful: vec![] }
}

fn waited(share: f64, bad: Vec<Span>) -> WaitBound {
    let waited = Duration::from_nanos((share * 60_000.0) as u64 * MS);
    WaitBound { waited, times: 3, longest: waited, share, bad }
}

fn node(cpu: WaitBound) -> Bound {
    let (memory, disk) = (WaitBound::default(), WaitBound::default());
    let (node, machine) = ("a".into(), None);
    Bound { nodes: vec![NodeBound { node, machine, cpu, memory, disk }], ..Bound::default() }
}

fn judged(bound: &Bound) -> (Judgement, Judgement) {
    let (trust, brief) = (trust(), ms(1000));
    let evidence = Evidence { bound, signals: &[], coverage: &[], trust: &trust, brief, run: RUN };
    let findings = judge(&evidence);
    (word(&findings, Concern::Links), word(&findings, Concern::Programs))
}

fn of_pipe(pipe: PipeBound) -> Judgement {
    let (links, programs) = judged(&Bound { pipes: vec![pipe], ..Bound::default() });
    assert_eq!(programs, Judgement::Valid);
    links
}

#[test]
fn a_pipe_is_judged_by_the_share_of_its_frames_that_were_late() {
    use Judgement::{Invalid, Suspect, Valid};
    let none = lateness(0, 0);
    let table = [
        // One in a thousand, 10 ms late: within the share.
        (pipe(lateness(1, 10), lateness(1, 10), seconds(3, 4)), Valid),
        (pipe(lateness(10, 10), lateness(10, 10), seconds(3, 9)), Valid),
        // Three bad seconds of sixty can be left out, ten cannot.
        (pipe(lateness(40, 10), lateness(40, 10), seconds(3, 6)), Suspect),
        (pipe(lateness(40, 10), lateness(40, 10), seconds(3, 13)), Invalid),
        // A single frame that was held up for too long.
        (pipe(lateness(1, 51), lateness(1, 51), seconds(3, 4)), Suspect),
        (pipe(lateness(1, 51), lateness(1, 51), seconds(3, 13)), Invalid),
        // Frames that may have been late are not frames that were late.
        (pipe(none, lateness(500, 10), vec![]), Suspect),
        (pipe(none, lateness(1, 51), vec![]), Suspect),
        (pipe(none, none, vec![]), Valid),
    ];
    for (pipe, expected) in table {
        let shown = format!("{pipe:?}");
        assert_eq!(of_pipe(pipe), expected, "{shown}");
    }
}

#[test]
fn one_late_frame_of_few_is_suspect() {
    let few = |beyond: u64| {
        let late = Lateness { share: beyond as f64 / 20.0, ..lateness(beyond, 2) };
        PipeBound { frames: 20, ..pipe(late, late, seconds(0, 40)) }
    };
    assert_eq!(of_pipe(few(1)), Judgement::Suspect);
    assert_eq!(of_pipe(few(2)), Judgement::Invalid);
}

#[test]
fn a_line_that_may_have_lacked_some_of_its_rate_is_suspect() {
    let lacks = |lost| {
        let rate = RateError { busy: ms(1000), lost: ms(lost), share: lost as f64 / 1000.0 };
        let none = lateness(0, 0);
        PipeBound { rate: Some(rate), ..pipe(none, none, vec![]) }
    };
    assert_eq!(of_pipe(lacks(10)), Judgement::Valid);
    assert_eq!(of_pipe(lacks(11)), Judgement::Suspect);
}

#[test]
fn an_engine_that_stood_still_is_judged_by_time() {
    let engine = |share, longest, bad| {
        let pauses = WaitBound { longest: ms(longest), ..waited(share, bad) };
        judged(&Bound { engine: pauses, ..Bound::default() }).0
    };
    assert_eq!(engine(0.005, 15, seconds(1, 4)), Judgement::Valid);
    assert_eq!(engine(0.005, 51, seconds(1, 4)), Judgement::Suspect);
    assert_eq!(engine(0.02, 15, seconds(1, 4)), Judgement::Suspect);
    assert_eq!(engine(0.02, 15, seconds(1, 20)), Judgement::Invalid);
}

#[test]
fn a_node_is_judged_by_the_part_of_the_run_that_its_programs_waited() {
    let programs = |share, bad| judged(&node(waited(share, bad)));
    use Judgement::{Invalid, Suspect, Valid};
    assert_eq!(programs(0.05, seconds(0, 30)), (Valid, Valid));
    assert_eq!(programs(0.06, seconds(0, 6)), (Valid, Suspect));
    assert_eq!(programs(0.06, seconds(0, 7)), (Valid, Invalid));
}

#[test]
fn all_bad_times_are_to_be_left_out() {
    let late = lateness(40, 10);
    let mut bound = node(waited(0.1, seconds(5, 7)));
    bound.pipes = vec![pipe(late, late, seconds(6, 8)), pipe(late, late, seconds(20, 21))];
    bound.engine = waited(0.02, seconds(8, 9));
    assert_eq!(bad_times(&bound), [seconds(5, 9), seconds(20, 21)].concat());
}

/// Any bound.
fn bounds() -> impl Strategy<Value = Bound> {
    let share = || prop_oneof![Just(0.0), 0.0..0.02, 0.0..1.0];
    let spans = || (0u64..60, 0u64..60).prop_map(|(a, b)| seconds(a.min(b), a.max(b)));
    let pipe = (share(), share(), 0u64..100, 0u64..100, spans()).prop_map(
        |(late, more, max, later, bad): (f64, f64, u64, u64, Vec<Span>)| {
            let frames = 100_000.0;
            let of = |share: f64, max| {
                let beyond = (share * frames) as u64;
                Lateness { max: ms(max), beyond, share, ..Lateness::default() }
            };
            let at_most = of((late + more).min(1.0), max.max(later));
            PipeBound { frames: frames as u64, ..pipe(of(late, max), at_most, bad) }
        },
    );
    let waits = || {
        (share(), spans(), 0u64..100).prop_map(|(share, bad, longest)| WaitBound {
            longest: ms(longest),
            ..waited(share, bad)
        })
    };
    (prop::collection::vec(pipe, 0..4), waits(), waits()).prop_map(|(pipes, engine, cpu)| Bound {
        pipes,
        engine,
        losses: Losses::default(),
        ..node(cpu)
    })
}

proptest! {
    /// A run with anything beyond tolerance is not valid, and a run with everything within it is.
    #[test]
    fn nothing_beyond_need_is_valid_and_nothing_within_it_is_not(bound in bounds()) {
        let Trust { share, stall, waits, .. } = trust();
        let exceeds = |p: Probability, part: f64| part > p.value();
        let late = |l: &Lateness| exceeds(share, l.share) || l.max > stall;
        let links = bound.pipes.iter().any(|pipe| late(&pipe.late) || late(&pipe.at_most))
            || exceeds(share, bound.engine.share)
            || bound.engine.longest > stall;
        let programs = bound.nodes.iter().any(|node| exceeds(waits, node.cpu.share));
        let (judged_links, judged_programs) = judged(&bound);
        prop_assert_eq!(links, judged_links != Judgement::Valid);
        prop_assert_eq!(programs, judged_programs != Judgement::Valid);
    }

    /// A run is invalid only because of measurements, never because of upper bounds.
    #[test]
    fn nothing_that_was_measured_within_need_is_invalid(bound in bounds()) {
        let Trust { share, stall, waits, .. } = trust();
        let beyond = |pipe: &PipeBound| pipe.late.share > share.value() || pipe.late.max > stall;
        let pauses = &bound.engine;
        let was = bound.pipes.iter().any(beyond)
            || pauses.share > share.value()
            || pauses.longest > stall;
        let waited = bound.nodes.iter().any(|node| node.cpu.share > waits.value());
        let (links, programs) = judged(&bound);
        prop_assert!(was || links != Judgement::Invalid);
        prop_assert!(waited || programs != Judgement::Invalid);
    }
}
