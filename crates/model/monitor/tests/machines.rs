//! One verdict of several machines: it equals that of a single monitor that observed all, limits
//! hold for each machine's own, and causes explain effects of their machine only.

use netloom_monitor::{
    Alignment, Coverage, Criteria, DropCause, Finding, Judgement, LateFrames, MachinePart, Monitor,
    Observation as O, Party, PipeBound, PipeFrames, Pressure, Resource, SignalKind, Span, Subject,
    Trust, Verdict,
};
use netloom_units::{Duration, Time};
use proptest::prelude::*;

const SECOND: u64 = 1_000_000_000;
const RUN: u64 = 20;
const MACHINES: usize = 3;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A time, in ms.
fn at(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

/// Something that happens on one machine, in cluster time.
#[derive(Debug, Clone)]
struct Planted {
    machine: usize,
    at: Time,
    what: O,
}

/// Frames of a pipe in the second that ends now: so many, and so many of them late.
fn frames(pipe: u32, (all, beyond, latest): (u64, u64, u64), (busy, lost): (u64, u64)) -> O {
    let tolerance = Trust::default().delay;
    let late = |beyond: u64, latest: u64| LateFrames {
        by: [(ms(0), all - beyond), (ms(latest.max(2)), beyond)]
            .into_iter()
            .filter(|(_, frames)| *frames > 0)
            .collect(),
        beyond,
        tolerance,
    };
    O::Frames(PipeFrames {
        pipe,
        over: ms(1000),
        late: late(beyond, latest),
        at_most: late((beyond * 2).min(all), latest + 3),
        busy: ms(busy),
        lost: ms(lost),
    })
}

/// The part of a sender: the line's time.
fn line(pipe: u32, busy: u64, lost: u64) -> O {
    frames(pipe, (0, 0, 0), (busy, lost))
}

/// Pipe number `n` of a machine. Pipes from 90 on begin on one machine and end on the next one.
fn own(machine: usize, n: u32) -> u32 {
    machine as u32 * 10 + n
}

/// Cases where nothing was disturbed but one kind of thing are as likely as bad ones.
fn planted() -> impl Strategy<Value = Vec<Planted>> {
    let second = || 1..RUN;
    let machine = || 0..MACHINES;
    let number = || prop_oneof![4 => Just(0u64), 2 => 1u64..20, 1 => 20u64..1000];
    let latest = || prop_oneof![6 => 2u64..20, 1 => 40u64..80];
    let busy = || prop_oneof![(950u64..1000, 0u64..50), (0u64..500, 0u64..50)];
    let pipes = (machine(), 0u32..3, second(), number(), latest(), busy()).prop_map(
        |(machine, n, second, beyond, latest, busy)| {
            let what = frames(own(machine, n), (1000, beyond, latest), busy);
            vec![Planted { machine, at: at(second * 1000), what }]
        },
    );
    let cut = (machine(), second(), number(), latest(), busy()).prop_map(
        |(machine, second, beyond, latest, (busy, lost))| {
            let (pipe, at) = (90 + machine as u32, at(second * 1000));
            let receiver = (machine + 1) % MACHINES;
            let seen = frames(pipe, (1000, beyond, latest), (0, 0));
            vec![
                Planted { machine, at, what: line(pipe, busy, lost) },
                Planted { machine: receiver, at, what: seen },
            ]
        },
    );
    let one = |machine: usize, ms: u64, what: O| vec![Planted { machine, at: at(ms), what }];
    let time = || 1100..RUN * 1000 - 100;
    let party = |machine: usize, n: u32| Party::Node(own(machine, n));
    let lost = (machine(), 0u32..2, time(), 1u64..4).prop_map(move |(machine, n, now, lost)| {
        let cause = [DropCause::DeviceFull, DropCause::Tunnel][n as usize];
        one(machine, now, O::Drops { cause, party: party(machine, n), frames: lost })
    });
    let event = (machine(), time(), prop_oneof![4 => 0u64..12, 1 => 12u64..200])
        .prop_map(move |(machine, now, late)| one(machine, now, O::Event { late: ms(late) }));
    let missed = (machine(), time())
        .prop_map(move |(machine, now)| one(machine, now, O::MissedEvent { due_for: ms(1) }));
    let waited =
        (machine(), 0u32..2, time(), 1u64..1000).prop_map(move |(machine, n, now, ms_)| {
            let what = O::Waited {
                party: party(machine, n),
                began: ms(ms_),
                ended: ms(0),
                carried: ms(0),
                by: Party::Kernel,
            };
            one(machine, now, what)
        });
    let stalled =
        (machine(), 0u32..2, second(), 0u64..1000).prop_map(move |(machine, n, s, ms_)| {
            let party = party(machine, n);
            let what = O::Stalled { of: Pressure::Memory, party, stalled: ms(ms_), over: ms(1000) };
            one(machine, s * 1000, what)
        });
    let some = prop_oneof![
        8 => pipes, 8 => cut, 2 => lost, 3 => event, 1 => missed, 4 => waited, 2 => stalled,
    ];
    // The engine of one machine stands still.
    let pauses = (machine(), prop::collection::vec((time(), 1u64..80), 0..4)).prop_map(
        |(machine, pauses)| {
            let pause = |(now, lasted): (u64, u64)| Planted {
                machine,
                at: at(now),
                what: O::Pause { lasted: ms(lasted) },
            };
            pauses.into_iter().map(pause).collect::<Vec<_>>()
        },
    );
    (prop::collection::vec(some, 1..40), pauses).prop_map(|(some, pauses)| {
        let mut all: Vec<Planted> = some.into_iter().flatten().chain(pauses).collect();
        all.sort_by_key(|planted| planted.at);
        all
    })
}

/// A monitor of the run that has the names of all, and watches every signal.
fn monitor(from: Time) -> Monitor {
    let mut monitor = Monitor::new(Criteria::default(), Trust::default(), from);
    for number in 0..100 {
        for what in [Subject::Node(number), Subject::Pipe(number)] {
            monitor.observe(from, &O::Named { what, name: format!("{what:?}") });
        }
    }
    for signal in SignalKind::ALL {
        let (probe, cannot_see) = ("test".into(), vec![]);
        monitor.observe(from, &O::Watched { signal, probe, cannot_see, partial: false });
    }
    monitor
}

/// The verdict of a monitor whose clock is `ahead` seconds ahead, of what `is_own`.
fn observed(
    planted: &[Planted],
    settled: Option<u64>,
    ahead: u64,
    is_own: impl Fn(usize) -> bool,
) -> Verdict {
    let ahead = Duration::from_secs(ahead);
    let mut monitor = monitor(Time::ZERO + ahead);
    let mut settles = settled.map(at);
    for Planted { at, what, .. } in planted.iter().filter(|planted| is_own(planted.machine)) {
        if let Some(when) = settles.take_if(|when| *when < *at) {
            monitor.observe(when + ahead, &O::Settled);
        }
        monitor.observe(*at + ahead, what);
    }
    if let Some(when) = settles {
        monitor.observe(when + ahead, &O::Settled);
    }
    monitor.verdict(Time::from_nanos(RUN * SECOND) + ahead)
}

fn part(number: usize, ahead: u64, verdict: Verdict) -> MachinePart {
    let offset_ns = -((ahead * SECOND) as i64);
    let clock = Alignment { offset_ns, ..Alignment::default() };
    MachinePart { machine: format!("m{number}"), clock, lost: None, verdict: Some(verdict) }
}

fn merged(parts: Vec<MachinePart>) -> Verdict {
    Verdict::of_machines(parts, &Trust::default(), Criteria::default().brief)
}

/// The bounds of pipes and nodes without the names of machines, in the order of their names.
fn bounds(verdict: &Verdict) -> (Vec<PipeBound>, Vec<String>) {
    let mut pipes = verdict.bound.pipes.clone();
    pipes.iter_mut().for_each(|pipe| pipe.machines.clear());
    pipes.sort_by(|a, b| a.pipe.cmp(&b.pipe));
    let mut nodes = verdict.bound.nodes.clone();
    nodes.iter_mut().for_each(|node| node.machine = None);
    nodes.sort_by(|a, b| a.node.cmp(&b.node));
    (pipes, nodes.iter().map(|node| format!("{node:?}")).collect())
}

/// Findings with their judgements.
type Graded<T> = Vec<(T, Judgement)>;

/// The gravest finding for each signal, and those on pipes and nodes, but for what explains them.
fn findings(verdict: &Verdict) -> (Graded<SignalKind>, Graded<String>) {
    let mut gravest: Graded<SignalKind> = Vec::new();
    for Finding { signal, judgement, .. } in &verdict.findings {
        // The gravest comes first.
        if !gravest.iter().any(|(known, _)| known == signal) {
            gravest.push((*signal, *judgement));
        }
    }
    gravest.sort();
    let is_one = |on: &Resource| {
        matches!(on, Resource::Pipe { .. } | Resource::RunQueue { .. } | Resource::Pressure { .. })
    };
    let full = verdict.findings.iter().filter(|finding| finding.on.as_ref().is_some_and(is_one));
    let what = |why: &str| why.split("; meanwhile").next().unwrap_or_default().to_owned();
    let mut full: Vec<_> = full.map(|one| (what(&one.why), one.judgement)).collect();
    full.sort();
    (gravest, full)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn three_monitors_give_the_verdict_of_one_that_observed_all(
        planted in planted(),
        settled in prop::option::of(1u64..RUN * 1000),
        ahead in prop::array::uniform3(0u64..5),
    ) {
        let parts = (0..MACHINES).map(|number| {
            let own = observed(&planted, settled, ahead[number], |machine| machine == number);
            part(number, ahead[number], own)
        });
        let merged = merged(parts.collect());
        let single = observed(&planted, settled, 0, |_| true);
        prop_assert_eq!(merged.judgement, single.judgement);
        prop_assert_eq!((merged.links, merged.programs), (single.links, single.programs));
        prop_assert_eq!(bounds(&merged), bounds(&single));
        prop_assert_eq!(&merged.bound.engine, &single.bound.engine);
        prop_assert_eq!(merged.bound.losses, single.bound.losses);
        prop_assert_eq!(merged.bound.timeline, single.bound.timeline);
        prop_assert_eq!(&merged.bad, &single.bad);
        prop_assert_eq!(findings(&merged), findings(&single));
        prop_assert_eq!((merged.from, merged.settled, merged.to),
            (single.from, single.settled, single.to));
        let text = serde_json::to_string(&merged).unwrap();
        prop_assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), merged);
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// An inexact clock makes no time good, and no verdict better.
    #[test]
    fn the_bound_of_a_clock_only_adds_bad_times(
        planted in planted(),
        bound in 0u64..3000,
    ) {
        let parts = |bound: Duration| -> Vec<MachinePart> {
            let part = |number: usize| {
                let mut part = part(number, 0, observed(&planted, None, 0, |own| own == number));
                part.clock.bound = if number == 0 { Duration::ZERO } else { bound };
                part
            };
            (0..MACHINES).map(part).collect()
        };
        let (exact, wide) = (merged(parts(Duration::ZERO)), merged(parts(ms(bound))));
        prop_assert!(wide.judgement >= exact.judgement);
        let within = |span: &Span| {
            wide.bad.iter().any(|bad| bad.from <= span.from && span.to <= bad.to)
        };
        prop_assert!(exact.bad.iter().all(within), "{:?} {:?}", exact.bad, wide.bad);
    }
}

fn quiet(number: usize, seen: &[(u64, O)]) -> MachinePart {
    let planted: Vec<Planted> = seen
        .iter()
        .map(|(ms, what)| Planted { machine: number, at: at(*ms), what: what.clone() })
        .collect();
    part(number, 0, observed(&planted, None, 0, |_| true))
}

#[test]
fn tolerable_losses_of_two_machines_may_be_too_many_together() {
    let trust = Trust { losses: 5, ..Trust::default() };
    let lost = |number| {
        let (cause, party) = (DropCause::DeviceFull, Party::Node(0));
        quiet(number, &[(5000, O::Drops { cause, party, frames: 3 })])
    };
    let judged = |parts| Verdict::of_machines(parts, &trust, Criteria::default().brief);
    assert_eq!(judged(vec![lost(0), quiet(1, &[])]).judgement, Judgement::Valid);
    let both = judged(vec![lost(0), lost(1)]);
    assert_eq!((both.judgement, both.bound.losses.frames), (Judgement::Invalid, 6));
    let named: Vec<_> = both.findings.iter().map(|finding| finding.machine.clone()).collect();
    assert_eq!(named, [Some("m0".to_owned()), Some("m1".to_owned())]);
    assert!(both.findings[1].why.contains("device_full of machine m1"), "{:?}", both.findings);
}

#[test]
fn engines_stand_still_each_for_itself() {
    // 0.6 % of the run each, of 1 % that it can bear; together it would be 1.2 %.
    let pauses: Vec<(u64, O)> =
        (0..4).map(|n| (3000 + n * 2000, O::Pause { lasted: ms(30) })).collect();
    let two = merged(vec![quiet(0, &pauses), quiet(1, &pauses)]);
    assert_eq!(two.judgement, Judgement::Valid, "{:?}", two.findings);
    let more: Vec<(u64, O)> =
        (0..10).map(|n| (1000 + n * 1500, O::Pause { lasted: ms(30) })).collect();
    let one = merged(vec![quiet(0, &pauses), quiet(1, &more)]);
    let [finding] = &one.findings[..] else { panic!("{:?}", one.findings) };
    assert_eq!((finding.machine.as_deref(), &finding.on), (Some("m1"), &Some(Resource::Engine)));
    assert!(finding.why.starts_with("the engine of machine m1 stood still"), "{}", finding.why);
    // What stood still is known of every machine, and the worst is the run's.
    assert_eq!(one.bound.machines.len(), 2);
    assert_eq!(one.bound.engine, one.bound.machines[1].engine);
}

#[test]
fn a_cause_explains_what_suffers_on_its_machine_only() {
    let busy = [
        (4000, O::CpuSwitch { cpu: 0, to: Some(Party::Process(7)) }),
        (9000, O::CpuSwitch { cpu: 0, to: None }),
    ];
    let late: Vec<(u64, O)> =
        (5..8).map(|s| (s * 1000, frames(90, (1000, 500, 20), (0, 0)))).collect();
    let sent = [(5000, line(90, 100, 0))];
    let why = |parts| {
        let verdict = merged(parts);
        let is_late = |finding: &&Finding| finding.signal == SignalKind::Lateness;
        verdict.findings.iter().find(is_late).unwrap().why.clone()
    };
    let elsewhere = why(vec![quiet(0, &sent), quiet(1, &late), quiet(2, &busy)]);
    assert!(!elsewhere.contains("meanwhile"), "{elsewhere}");
    // The pipe begins on one machine and ends on the other: both matter.
    let (sender, receiver) = ([&sent[..], &busy].concat(), [&late[..], &busy].concat());
    let at_sender = why(vec![quiet(0, &sender), quiet(1, &late), quiet(2, &[])]);
    assert!(at_sender.contains("meanwhile cpu on CPU 0 of machine m0"), "{at_sender}");
    let at_receiver = why(vec![quiet(0, &sent), quiet(1, &receiver), quiet(2, &[])]);
    assert!(at_receiver.contains("meanwhile cpu on CPU 0 of machine m1"), "{at_receiver}");
}

#[test]
fn what_only_several_machines_suffer_is_found_and_names_its_machine() {
    let limit = Duration::from_micros(100);
    let bound = |micros| O::ClockBound { machine: 7, bound: Duration::from_micros(micros), limit };
    let named = O::Named { what: Subject::Machine(7), name: "m0".into() };
    let cases = [
        (vec![named.clone(), bound(99), bound(100)], None),
        (vec![named, bound(101), bound(50)], Some((SignalKind::Clock, Judgement::Suspect))),
        (
            vec![O::Uncovered { pipe: 3, lacks: Duration::from_micros(40) }],
            Some((SignalKind::Tunnel, Judgement::Suspect)),
        ),
        (vec![O::ChangedLate { late: ms(1) }], Some((SignalKind::ChangeLate, Judgement::Invalid))),
        (
            vec![O::Drops { cause: DropCause::Tunnel, party: Party::Node(1), frames: 1 }],
            Some((SignalKind::UnmodelledDrop, Judgement::Invalid)),
        ),
    ];
    for (seen, expected) in cases {
        let seen: Vec<(u64, O)> = (0..).map(|n| 1000 + n * 500).zip(seen).collect();
        let verdict = merged(vec![quiet(0, &[]), quiet(1, &seen)]);
        let found = verdict.findings.first().map(|found| (found.signal, found.judgement));
        assert_eq!(found, expected, "{seen:?}");
        let machines = verdict.findings.iter().all(|found| found.machine.as_deref() == Some("m1"));
        assert!(machines && verdict.findings.len() <= 1, "{:?}", verdict.findings);
        // Its own monitor says the same.
        assert_eq!(quiet(1, &seen).verdict.unwrap().judgement, verdict.judgement);
    }
}

#[test]
fn a_lost_machine_and_one_without_a_verdict_are_not_taken_for_good_ones() {
    let lost = MachinePart { lost: Some(at(12_300)), ..quiet(1, &[]) };
    let verdict = merged(vec![quiet(0, &[]), lost]);
    assert_eq!(verdict.judgement, Judgement::Invalid);
    assert_eq!(verdict.findings[0].why, "machine lost: m1 at 12.3 s");
    assert!(!verdict.rest_is_usable());
    let unknown = MachinePart { verdict: None, ..quiet(1, &[]) };
    let verdict = merged(vec![quiet(0, &[]), unknown]);
    assert_eq!((verdict.links, verdict.programs), (Judgement::Suspect, Judgement::Suspect));
    let why = &verdict.findings[0].why;
    assert_eq!(why, "lateness of machine m1: there is no verdict of this machine");
    let unobserved = |cover: &&Coverage| !cover.observed;
    assert_eq!(verdict.coverage.iter().filter(unobserved).count(), SignalKind::ALL.len());
    assert_eq!(merged(Vec::new()).judgement, Judgement::Suspect);
}

#[test]
fn a_pipe_between_machines_is_marked_where_either_of_them_stood_still() {
    let pause = [(6500, O::Pause { lasted: ms(400) })];
    let sent = [(5000, line(90, 100, 0))];
    let pauses = [&pause[..], &[(7000, frames(90, (10, 0, 0), (0, 0)))]].concat();
    let verdict = merged(vec![quiet(0, &sent), quiet(1, &pauses), quiet(2, &[])]);
    let marks = verdict.marks();
    let span = |from, to| Span { from: at(from), to: at(to) };
    assert!(marks.is_bad("Pipe(90)", span(6000, 7000)));
    assert!(!marks.is_bad("Pipe(90)", span(8000, 9000)));
    assert!(!marks.is_bad("Pipe(20)", span(6000, 7000)));
}
