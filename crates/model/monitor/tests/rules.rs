//! The rules that the specification adds to the formulas, and the verdicts that follow: one case
//! each, exact in virtual time.

use netloom_monitor::{
    Buffer, BusyStretch, Change, Criteria, Direction, Divided, DropCause, GivenTrust, Judgement,
    Monitor, Observation as O, PageCause, Party, Pressure, Purpose, Resource, Route, Signal,
    SignalKind, Span, Subject, Trust, Verdict, Warnings, Who,
};
use netloom_units::{Duration, Size, Time};

const A: Party = Party::Node(0);
const B: Party = Party::Node(1);

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn for_ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A monitor for which every signal is watched.
fn monitor(criteria: &str) -> Monitor {
    let criteria: Criteria = serde_json::from_str(criteria).unwrap();
    let mut monitor = Monitor::new(criteria, Trust::default(), Time::ZERO);
    for signal in SignalKind::ALL {
        let watched =
            O::Watched { signal, probe: "test".into(), cannot_see: vec![], partial: false };
        monitor.observe(Time::ZERO, &watched);
    }
    for (party, name) in [(Subject::Node(0), "a"), (Subject::Node(1), "b")] {
        monitor.observe(Time::ZERO, &O::Named { what: party, name: name.into() });
    }
    monitor
}

fn signals(monitor: &mut Monitor) -> Vec<Signal> {
    std::iter::from_fn(|| monitor.poll_signal()).collect()
}

fn forwarded(party: Party, bytes: u64) -> O {
    O::Forwarded {
        route: Route::Internal,
        party,
        size: Size::from_bytes(bytes),
        over: Duration::ZERO,
    }
}

fn swapped_in(party: Party) -> O {
    let (direction, cause) = (Direction::In, PageCause::Swap);
    O::Paged { direction, cause, party, pages: 1, over: Duration::ZERO }
}

fn judgement_of(observations: &[(u64, O)]) -> Verdict {
    let mut monitor = monitor("{}");
    for (at, observation) in observations {
        monitor.observe(ms(*at), observation);
    }
    monitor.verdict(ms(10_000))
}

fn punctual() -> Vec<(u64, O)> {
    let delay = Duration::from_micros(80);
    let late = |at| (at, O::Lateness { party: A, delay, frames: 50 });
    (0..100).map(|n| late(n * 100)).collect()
}

#[test]
fn a_burst_that_straddles_two_epochs_is_caught() {
    // 10 Mbit/s in 10 ms are 12,500 bytes. Half of them come 1 ms before and half 1 ms after a
    // multiple of 10 ms, from different nodes: neither epoch of a tumbling window, and neither node
    // alone, has enough.
    let mut monitor = monitor(r#"{"net_internal": {"rate": "10Mbit/s"}}"#);
    monitor.observe(ms(19), &forwarded(A, 6_000));
    assert!(signals(&mut monitor).is_empty());
    monitor.observe(ms(21), &forwarded(B, 6_500));
    let reported = signals(&mut monitor);
    assert_eq!(reported.len(), 1);
    assert_eq!((reported[0].signal, reported[0].at), (SignalKind::NetInternal, ms(21)));
    assert_eq!((reported[0].value, reported[0].threshold), (10e6, 10e6));
    let shares: Vec<_> = reported[0].shares.iter().map(|s| (s.who.to_string(), s.amount)).collect();
    assert_eq!(shares, [("node b".into(), 52_000), ("node a".into(), 48_000)]);
    // The first half leaves the window 10 ms after it came.
    let verdict = monitor.verdict(ms(1000));
    let report = verdict.signals.iter().find(|r| r.signal == SignalKind::NetInternal).unwrap();
    assert_eq!((report.episodes[0].from, report.episodes[0].to), (ms(21), ms(29)));
    // It only explains findings.
    assert_eq!(verdict.judgement, Judgement::Valid);
}

#[test]
fn the_first_event_of_a_window_is_tested() {
    let mut monitor = monitor(r#"{"net_internal": {"rate": "10Mbit/s"}}"#);
    monitor.observe(ms(5), &forwarded(A, 65_000));
    let reported = signals(&mut monitor);
    assert_eq!((reported[0].change, reported[0].value), (Change::Began, 52e6));
}

#[test]
fn one_page_swapped_in_is_contention_and_alone_no_finding() {
    let verdict = judgement_of(&[(5, swapped_in(B))]);
    assert_eq!((verdict.judgement, verdict.findings.len()), (Judgement::Valid, 0));
    let swap = verdict.signals.iter().find(|r| r.on == Resource::Swap).unwrap();
    assert_eq!((swap.signal, swap.episodes.len()), (SignalKind::MemoryIn, 1));
    assert_eq!(swap.shares[0].who.to_string(), "node b");
}

#[test]
fn events_of_the_timeline_that_are_late_are_suspect_and_misplaced_or_missing_ones_invalid() {
    let with = |late| {
        let mut run = punctual();
        run.push((5000, O::Event { late: for_ms(late) }));
        judgement_of(&run)
    };
    assert_eq!(with(10).judgement, Judgement::Valid, "10 ms are tolerated");
    let verdict = with(11);
    assert_eq!(verdict.judgement, Judgement::Suspect);
    let finding = &verdict.findings[0];
    assert_eq!(finding.why, "timeline on events: 11 ms (limit 10 ms), at 5.000 s");
    assert_eq!([with(100), with(101)].map(|v| v.links), [Judgement::Suspect, Judgement::Invalid]);
    assert_eq!(with(101).bound.timeline.latest, for_ms(101));
    let mut run = punctual();
    run.push((19_900, O::MissedEvent { due_for: for_ms(2_500) }));
    let verdict = judgement_of(&run);
    assert_eq!(verdict.judgement, Judgement::Invalid);
    assert!(verdict.bound.timeline.missed);
    let why = &verdict.findings[0].why;
    assert!(why.starts_with("timeline on events that never happened: 2500 ms"), "{why}");
}

#[test]
fn a_late_simulation_is_suspect_and_one_that_pipes_do_not_follow_invalid() {
    let with = |all: &[u64]| {
        let mut run = punctual();
        let period = for_ms(1000);
        run.extend((1..).zip(all).map(|(second, took)| {
            (1000 * second + 5, O::Simulated { period, took: for_ms(*took) })
        }));
        judgement_of(&run)
    };
    assert_eq!(with(&[900, 1000, 10]).judgement, Judgement::Valid, "within a period");
    let late = with(&[100, 1500, 100, 2500]);
    assert_eq!(late.judgement, Judgement::Suspect);
    let why = &late.findings[0].why;
    assert_eq!(
        why,
        "simulation on periods: 2.5 periods (limit 1 periods), 2 times, first at 2.005 s"
    );
    assert_eq!(with(&[100, 3100, 100]).links, Judgement::Invalid, "later than three periods");
    assert_eq!(with(&[100, 1100, 1100]).links, Judgement::Invalid, "two in turn");
}

#[test]
fn flows_that_differ_from_their_twins_are_suspect() {
    let with = |all: &[(Option<f64>, Option<f64>)]| {
        let mut run = punctual();
        run.extend((1..).zip(all).map(|(second, (delay, throughput))| {
            (1000 * second + 5, O::Compared { delay: *delay, throughput: *throughput })
        }));
        judgement_of(&run)
    };
    assert_eq!(with(&[(None, None), (Some(0.1), Some(0.05))]).judgement, Judgement::Valid);
    let apart = with(&[(Some(0.02), Some(0.3)), (Some(0.02), Some(0.25)), (None, Some(0.1))]);
    assert_eq!((apart.judgement, apart.links), (Judgement::Suspect, Judgement::Suspect));
    assert_eq!(
        apart.findings[0].why,
        "divergence on the throughput of real flows: 30 % (limit 10 %), 2 times, first at 1.005 s"
    );
    assert_eq!(with(&[(Some(0.5), Some(0.0))]).links, Judgement::Suspect);
}

#[test]
fn a_lone_spinner_is_detected_on_time_without_events() {
    let mut monitor = monitor("{}");
    let pid = 4242;
    let name = O::Named { what: Subject::Process(pid), name: "spinner".into() };
    monitor.observe(ms(100), &name);
    monitor.observe(ms(100), &O::CpuSwitch { cpu: 1, to: Some(Party::Process(pid)) });
    monitor.observe(ms(299), &O::Looked);
    assert_eq!(signals(&mut monitor), []);
    monitor.observe(ms(300), &O::Looked);
    let reported = signals(&mut monitor);
    assert_eq!((reported[0].at, reported[0].value), (ms(300), 200e6));
    assert_eq!(reported[0].on, Resource::Cpu { cpu: 1 });
    assert_eq!(reported[0].shares[0].who, Who::Process { pid, name: "spinner".into() });
    assert_eq!(reported[0].shares[0].amount, 200_000_000);
}

#[test]
fn a_hanging_request_is_detected_on_time() {
    let mut monitor = monitor("{}");
    monitor.observe(ms(50), &O::DiskIssued { disk: 0, party: B });
    monitor.observe(ms(149), &O::Looked);
    assert_eq!(signals(&mut monitor), []);
    monitor.observe(ms(150), &O::Looked);
    let reported = signals(&mut monitor);
    assert_eq!((reported[0].signal, reported[0].at), (SignalKind::Disk, ms(150)));
}

#[test]
fn a_quiet_machine_is_valid() {
    let mut quiet = punctual();
    // A CPU that is busy for up to 190 ms at a time, single waits and single late frames.
    for n in 0..40 {
        quiet.push((10_000 + n * 200, O::CpuSwitch { cpu: 0, to: Some(A) }));
        quiet.push((10_190 + n * 200, O::CpuSwitch { cpu: 0, to: None }));
    }
    quiet.push((18_100, O::RunQueue { party: A, delay: for_ms(5), times: 1 }));
    quiet.push((18_200, O::Lateness { party: A, delay: for_ms(9), frames: 1 }));
    let mut monitor = monitor("{}");
    quiet.iter().for_each(|(at, seen)| monitor.observe(ms(*at), seen));
    let verdict = monitor.verdict(ms(20_000));
    assert_eq!(verdict.findings, []);
    assert_eq!(verdict.judgement, Judgement::Valid);
    let of = |on: Resource| verdict.signals.iter().find(|r| r.on == on).unwrap().margin.unwrap();
    assert!((of(Resource::Cpu { cpu: 0 }) - 0.05).abs() < 1e-9);
    assert!((of(Resource::SingleFrame) - 0.1).abs() < 1e-9);
}

#[test]
fn an_engine_that_stood_still_for_300_ms_is_marked_in_that_second() {
    let mut seen = punctual();
    seen.push((9_950, O::Pause { lasted: for_ms(300) }));
    let verdict = judgement_of(&seen);
    // One second of ten can be left out.
    assert_eq!(verdict.judgement, Judgement::Suspect);
    assert_eq!(verdict.bad, [Span { from: ms(9_000), to: ms(10_000) }]);
    let paused = verdict.signals.iter().find(|r| r.on == Resource::Engine).unwrap();
    assert_eq!((paused.episodes[0].from, paused.episodes[0].to), (ms(9_650), ms(9_950)));
    assert_eq!(verdict.bound.engine.longest, for_ms(300));
    // One second of less than ten cannot.
    let mut monitor = monitor("{}");
    monitor.observe(ms(950), &O::Pause { lasted: for_ms(300) });
    assert_eq!(monitor.verdict(ms(9_000)).judgement, Judgement::Invalid);
}

fn busy(from: u64, to: u64) -> [(u64, O); 2] {
    [(from, O::CpuSwitch { cpu: 0, to: Some(A) }), (to, O::CpuSwitch { cpu: 0, to: None })]
}

#[test]
fn a_busy_cpu_alone_judges_nothing_and_explains_who_waited() {
    let mut long: Vec<_> = busy(1000, 5000).to_vec();
    assert_eq!(judgement_of(&long).judgement, Judgement::Valid);
    long.insert(1, (2000, O::RunQueue { party: B, delay: for_ms(3), times: 300 }));
    let verdict = judgement_of(&long);
    assert_eq!((verdict.links, verdict.programs), (Judgement::Valid, Judgement::Suspect));
    let why = &verdict.findings[0].why;
    assert!(why.starts_with("programs of node b waited for a CPU: 6.00 % of the run"), "{why}");
    assert!(why.contains("; meanwhile cpu on CPU 0 (node a 100 %)"), "{why}");
}

/// The worst window in which tasks waited for a CPU, if it was contention.
fn waited_most(verdict: &Verdict) -> Option<f64> {
    let report = verdict.signals.iter().find(|r| r.signal == SignalKind::RunQueue)?;
    report.worst.filter(|_| !report.episodes.is_empty())
}

#[test]
fn waits_count_by_the_time_that_they_take() {
    let wait = |delay, times| (900, O::RunQueue { party: A, delay: for_ms(delay), times });
    // The percentile of the waits would be 0. But an event that comes to the node finds it waiting
    // for 2 % of the time.
    let hidden = judgement_of(&[wait(0, 10_000), wait(21, 1)]);
    assert_eq!(waited_most(&hidden), Some(0.02));
    assert_eq!(hidden.bound.nodes[0].cpu.waited, for_ms(20));
    // The percentile would be 5 ms, for a node that wakes up ten times a second.
    assert_eq!(waited_most(&judgement_of(&[wait(0, 9), wait(5, 1)])), None);
}

#[test]
fn simultaneous_waits_of_several_tasks_count_once() {
    let wait = |ms, began, ended| {
        let [began, ended, carried] = [began, ended, 0].map(for_ms);
        (ms, O::Waited { party: A, began, ended, carried, by: B })
    };
    // Each waits beyond the tolerance for 6 ms, all together for 8 ms. That is how likely a frame
    // finds a task waiting.
    let together = [wait(900, 10, 3), wait(900, 8, 1), wait(900, 9, 2), wait(950, 57, 52)];
    let verdict = judgement_of(&together);
    assert_eq!((waited_most(&verdict), verdict.bound.nodes[0].cpu.waited), (None, for_ms(8)));
    // One after the other, they wait for 12 ms.
    let apart = judgement_of(&[wait(900, 10, 3), wait(930, 8, 1)]);
    assert_eq!(waited_most(&apart), Some(0.012));
    // The other node held the CPU.
    let report = apart.signals.iter().find(|r| r.signal == SignalKind::RunQueue).unwrap();
    assert_eq!(report.shares[0].who.to_string(), "node b");
    // A wait of three seconds fills a window, and counts no more in it. In the run it counts in
    // full.
    let long = judgement_of(&[wait(4000, 3010, 10)]);
    assert!((waited_most(&long).unwrap() - 0.989).abs() < 1e-9);
    let cpu = &long.bound.nodes[0].cpu;
    assert_eq!((cpu.waited, cpu.longest), (for_ms(2999), for_ms(3000)));
    assert_eq!(cpu.bad, [Span { from: ms(1000), to: ms(4000) }]);
}

#[test]
fn a_task_that_is_preempted_again_and_again_is_later_and_later() {
    let wait = |n: u64, carried| {
        let [began, ended, carried] = [1, 0, carried].map(for_ms);
        (900 + 2 * n, O::Waited { party: A, began, ended, carried, by: B })
    };
    // Each wait alone is no longer than the tolerance.
    let apart: Vec<_> = (0..20).map(|n| wait(n, 0)).collect();
    assert_eq!(waited_most(&judgement_of(&apart)), None);
    // The first wait makes the task late. All of the others count in full.
    let together: Vec<_> = (0..20).map(|n| wait(n, n)).collect();
    assert_eq!(waited_most(&judgement_of(&together)), Some(0.019));
}

#[test]
fn waiting_for_a_disk_counts_while_others_keep_it_busy() {
    let run = |user| {
        let mut seen = vec![(1000, O::DiskIssued { disk: 0, party: user })];
        let stalled = |n: u64| {
            let (of, over) = (Pressure::Io, for_ms(50));
            (1000 + n * 50, O::Stalled { of, party: B, stalled: over, over })
        };
        seen.extend((1..=40).map(stalled));
        seen.push((3000, O::DiskCompleted { disk: 0 }));
        judgement_of(&seen)
    };
    // A program that writes synchronously waits for its own requests on an idle disk, too.
    assert_eq!(run(B).judgement, Judgement::Valid);
    let verdict = run(Party::Process(7));
    assert_eq!((verdict.links, verdict.programs), (Judgement::Valid, Judgement::Invalid));
    let why = &verdict.findings[0].why;
    assert!(why.contains("node b waited for a disk that others kept busy: 20 %"), "{why}");
    assert!(why.contains("meanwhile disk on disk 0 (process 7 100 %)"), "{why}");
}

#[test]
fn a_busy_cpu_is_suspect_if_waits_are_not_observed() {
    let judged = |seen: &[(u64, O)]| {
        let mut monitor = monitor("{}");
        for signal in [SignalKind::RunQueue, SignalKind::Pressure] {
            let why = "no permission".into();
            monitor.observe(Time::ZERO, &O::Unwatched { signal, probe: "test".into(), why });
        }
        seen.iter().for_each(|(at, seen)| monitor.observe(ms(*at), seen));
        monitor.verdict(ms(6000)).judgement
    };
    assert_eq!(judged(&busy(1000, 5000)), Judgement::Suspect);
    assert_eq!(judged(&[]), Judgement::Valid);
}

#[test]
fn a_loss_of_the_experiment_is_invalid_and_one_that_may_be_anybodys_suspect() {
    let lost = |cause, party| judgement_of(&[(5, O::Drops { cause, party, frames: 1 })]).judgement;
    assert_eq!(lost(DropCause::DeviceFull, A), Judgement::Invalid);
    assert_eq!(lost(DropCause::NoMemory, Party::Engine), Judgement::Invalid);
    assert_eq!(lost(DropCause::SoftnetBacklog, Party::Unattributed), Judgement::Suspect);
}

#[test]
fn packets_without_room_are_suspect_and_counted_over_all_looks() {
    let of = Buffer::UdpReceive;
    let at = |at, packets| (at, O::Overrun { of, party: B, packets });
    let verdict = judgement_of(&[at(2000, 700), at(4000, 34), at(8000, 5000)]);
    assert_eq!(verdict.judgement, Judgement::Suspect);
    assert_eq!(verdict.findings.len(), 1);
    let why = &verdict.findings[0].why;
    assert!(why.starts_with("buffers on UDP receive buffers of node b: 5734 packets"), "{why}");
    assert!(why.contains("3 times, first at 2.000 s"), "{why}");
    let on = Resource::Buffer { of, who: Who::Node { name: "b".into() } };
    assert_eq!(verdict.findings[0].on, Some(on));
}

#[test]
fn a_run_with_unobserved_effects_is_not_valid() {
    let mut monitor = Monitor::new(Criteria::default(), Trust::default(), Time::ZERO);
    let verdict = monitor.verdict(ms(1000));
    assert_eq!(verdict.judgement, Judgement::Suspect);
    assert_eq!(verdict.findings.len(), 4);
    for signal in SignalKind::ALL {
        let watched = O::Watched {
            signal,
            probe: "test".into(),
            cannot_see: vec!["dust".into()],
            partial: false,
        };
        monitor.observe(ms(1), &watched);
    }
    let verdict = monitor.verdict(ms(1000));
    assert_eq!(verdict.judgement, Judgement::Valid);
    assert!(verdict.coverage.iter().all(|c| c.blind_spots == ["test: dust"]));
    // A probe that fails during the run has not watched it.
    let (signal, probe) = (SignalKind::Lateness, "test".into());
    monitor.observe(ms(500), &O::Unwatched { signal, probe, why: "gone".into() });
    assert_eq!(monitor.verdict(ms(1000)).judgement, Judgement::Suspect);
}

#[test]
fn an_episode_that_outlasts_the_warm_up_is_contention() {
    let after = |seen: &[(u64, O)]| {
        let mut monitor = monitor("{}");
        seen.iter().for_each(|(at, seen)| monitor.observe(ms(*at), seen));
        monitor.observe(ms(1000), &O::Settled);
        monitor.is_contended()
    };
    assert!(!after(&[]));
    assert!(!after(&busy(100, 900)));
    assert!(after(&busy(100, 900)[..1]));
}

#[test]
fn the_warm_up_does_not_count() {
    let mut seen: Vec<_> = busy(100, 900).to_vec();
    seen.push((950, O::Drops { cause: DropCause::DeviceFull, party: A, frames: 3 }));
    seen.push((1000, O::Settled));
    let verdict = judgement_of(&seen);
    assert_eq!((verdict.judgement, verdict.settled), (Judgement::Valid, ms(1000)));
    let cpu = verdict.signals.iter().find(|r| r.on == Resource::Cpu { cpu: 0 }).unwrap();
    assert!(cpu.episodes[0].warm_up && cpu.held == Duration::ZERO && cpu.shares.is_empty());
}

#[test]
fn shares_of_a_polled_cpu_follow_reported_uses() {
    let mut monitor = monitor("{}");
    for n in 1..=10 {
        let over = for_ms(50);
        monitor.observe(ms(n * 50), &O::CpuInterval { cpu: 0, over, idle: Duration::ZERO });
        let (of, divides) = (SignalKind::Cpu, Divided::Unattributed);
        let used = |party, amount| O::Used { of, divides, party, amount, over };
        monitor.observe(ms(n * 50), &used(A, 10));
        monitor.observe(ms(n * 50), &used(Party::Process(7), 30));
    }
    let verdict = monitor.verdict(ms(600));
    let cpu = verdict.signals.iter().find(|r| r.on == Resource::Cpu { cpu: 0 }).unwrap();
    let shares: Vec<_> = cpu.shares.iter().map(|s| (s.who.to_string(), s.amount)).collect();
    assert_eq!(shares, [("process 7".into(), 375_000_000), ("node a".into(), 125_000_000)]);
}

#[test]
fn work_of_the_engine_for_nodes_is_attributed_to_them() {
    let mut monitor = monitor("{}");
    let over = for_ms(100);
    for n in 1..=5 {
        let stretch = BusyStretch {
            number: 1,
            began: for_ms(n * 100),
            ended: None,
            by: vec![(Party::Engine, 60), (Party::Kernel, 10), (A, 10), (Party::Unattributed, 20)],
        };
        monitor.observe(ms(n * 100), &O::CpuStretch { cpu: 0, stretch });
        let used =
            |divides, party, amount| O::Used { of: SignalKind::Cpu, divides, party, amount, over };
        for seen in [
            used(Divided::Engine, A, 5000),
            used(Divided::Engine, B, 2000),
            used(Divided::Engine, Party::Engine, 1000),
            // Half of the unattributed part turns out to be the engine's, and is divided with its
            // own.
            used(Divided::Unattributed, Party::Engine, 1),
            used(Divided::Unattributed, Party::Process(7), 1),
        ] {
            monitor.observe(ms(n * 100), &seen);
        }
    }
    let verdict = monitor.verdict(ms(600));
    let cpu = verdict.signals.iter().find(|r| r.on == Resource::Cpu { cpu: 0 }).unwrap();
    let mut shares: Vec<_> = cpu.shares.iter().map(|s| (s.who.to_string(), s.amount)).collect();
    shares.sort();
    // 5 × (60 + 10) belong to the engine, in parts of 5, 2 and 1. The larger remainder goes to the
    // larger party.
    let expected = [
        ("node a", 50 + 219),
        ("node b", 87),
        ("process 7", 50),
        ("the engine", 44),
        ("the kernel", 50),
    ];
    let expected: Vec<_> = expected.map(|(who, amount)| (who.to_string(), amount)).into();
    assert_eq!(shares, expected);
    assert_eq!(shares.iter().map(|(_, amount)| amount).sum::<u64>(), 500);
}

#[test]
fn a_probe_that_observes_only_a_part_is_not_enough() {
    let observed = |partial| {
        let mut monitor = Monitor::new(Criteria::default(), Trust::default(), Time::ZERO);
        let (signal, probe) = (SignalKind::UnmodelledDrop, "softnet".into());
        monitor.observe(ms(0), &O::Watched { signal, probe, cannot_see: vec![], partial });
        let coverage = monitor.verdict(ms(1)).coverage;
        let of_drops = coverage.into_iter().find(|coverage| coverage.signal == signal).unwrap();
        (of_drops.observed, of_drops.probes.len())
    };
    assert_eq!(observed(true), (false, 1));
    assert_eq!(observed(false), (true, 1));
}

#[test]
fn a_node_that_stands_still_is_named() {
    let stalled =
        O::Stalled { of: Pressure::Memory, party: B, stalled: for_ms(45), over: for_ms(50) };
    let seen: Vec<_> = (1..=60).map(|n| (n * 50, stalled.clone())).collect();
    let verdict = judgement_of(&seen);
    assert_eq!((verdict.links, verdict.programs), (Judgement::Valid, Judgement::Invalid));
    let why = &verdict.findings[0].why;
    assert!(why.starts_with("programs of node b waited for memory: 27 % of the run"), "{why}");
}

/// On an idle disk, too, a program that writes synchronously does nothing but wait.
#[test]
fn waiting_for_a_disk_is_shown_and_not_tested() {
    let stalled = O::Stalled { of: Pressure::Io, party: B, stalled: for_ms(50), over: for_ms(50) };
    let seen: Vec<_> = (0..60).map(|n| (n * 50, stalled.clone())).collect();
    let verdict = judgement_of(&seen);
    assert_eq!(verdict.judgement, Judgement::Valid);
    let report = verdict.signals.iter().find(|r| r.signal == SignalKind::Pressure).unwrap();
    assert!(report.worst > Some(0.9), "{report:?}");
    assert_eq!((report.threshold, report.margin), (None, None));
}

#[test]
fn warnings_are_few_and_count_those_left_out() {
    let mut monitor = monitor("{}");
    let mut warnings = Warnings::new(for_ms(1000));
    let mut reported = Vec::new();
    for n in 0..20 {
        monitor.observe(ms(n * 250), &swapped_in(A));
        monitor.observe(ms(n * 250 + 200), &O::Looked);
        reported.extend(signals(&mut monitor).iter().filter_map(|signal| warnings.warn(signal)));
    }
    assert_eq!(reported.len(), 5);
    assert_eq!(
        reported[0],
        "0.000 s: memory in on swap: 100 pages/s, limit 0 pages/s; node a 100 %"
    );
    assert!(
        reported[1].starts_with("1.000 s")
            && reported[1].ends_with("(3 warnings of this kind were left out)")
    );
}

#[test]
fn thresholds_are_set_by_name_and_mistakes_are_errors() {
    let parsed = |text| serde_json::from_str::<Criteria>(text).map_err(|error| error.to_string());
    let set = parsed(r#"{"cpu": {"longest": "50ms"}, "application": {"jitter": 3.5}}"#).unwrap();
    assert_eq!(set.cpu.longest, for_ms(50));
    assert_eq!(set.disk, Criteria::default().disk);
    assert!(
        parsed(r#"{"cpus": {"longest": "50ms"}}"#).unwrap_err().contains("unknown field `cpus`")
    );
    assert!(parsed(r#"{"cpu": {"longest": 50}}"#).is_err());
    // If the scenario sets no tolerance, the needs of the run do; and the other way round.
    let trust = Trust { delay: for_ms(3), ..Trust::default() };
    assert_eq!(Criteria::default().resolved(&trust).lateness.tolerance(), for_ms(3));
    let exact = Trust { timeline: for_ms(2), ..Trust::default() };
    assert_eq!(Criteria::default().resolved(&exact).timeline.tolerance, for_ms(2));
    let set = parsed(r#"{"lateness": {"tolerance": "7ms"}}"#).unwrap();
    assert_eq!(GivenTrust::default().resolved(Purpose::Delay, &set, None).delay, for_ms(7));
}

#[test]
fn intervals_that_do_not_touch_are_no_stretch() {
    let full = |at| (at, O::CpuInterval { cpu: 0, over: for_ms(150), idle: Duration::ZERO });
    let episodes = |seen: &[_]| -> usize {
        judgement_of(seen).signals.iter().map(|report| report.episodes.len()).sum()
    };
    assert_eq!(episodes(&[full(1000), full(1150)]), 1);
    assert_eq!(episodes(&[full(1000), full(1151)]), 0);
}

#[test]
fn one_page_in_a_long_interval_is_contention() {
    let (direction, cause) = (Direction::Out, PageCause::Swap);
    let page = O::Paged { direction, cause, party: A, pages: 1, over: for_ms(100) };
    let verdict = judgement_of(&[(500, page)]);
    let contended = verdict.signals.iter().find(|report| !report.episodes.is_empty()).unwrap();
    assert_eq!(contended.signal, SignalKind::MemoryOut);
}

#[test]
fn intervals_do_not_overrule_switches_of_a_cpu() {
    let mut seen = busy(1000, 1100).to_vec();
    let interval = O::CpuInterval { cpu: 0, over: for_ms(500), idle: Duration::ZERO };
    seen.push((1500, interval));
    assert!(judgement_of(&seen).signals.iter().all(|report| report.episodes.is_empty()));
}

#[test]
fn a_metric_that_is_above_its_limit_just_as_long_as_brief_is_suspect() {
    let judged = |until| {
        let mut monitor = monitor(r#"{"application": {"jitter": 2}}"#);
        let name = O::Named { what: Subject::Metric(0), name: "jitter".into() };
        monitor.observe(ms(0), &name);
        let value = |value| O::Metric { metric: 0, party: A, value };
        monitor.observe(ms(1000), &value(5.0));
        monitor.observe(ms(until), &value(1.0));
        monitor.verdict(ms(10_000)).programs
    };
    // The default is 1 s.
    assert_eq!((judged(2000), judged(2001)), (Judgement::Suspect, Judgement::Invalid));
}

#[test]
fn no_window_has_more_than_happened_in_it() {
    // Tasks stand still all the time, and the probe looks every 90 ms: a second has eleven looks
    // and a part of another.
    let (of, party, over) = (Pressure::Cpu, A, for_ms(90));
    let stalled = O::Stalled { of, party, stalled: over, over };
    let seen: Vec<_> = (1..100).map(|n| (n * 90, stalled.clone())).collect();
    let verdict = judgement_of(&seen);
    let report = verdict.signals.iter().find(|r| r.signal == SignalKind::Pressure).unwrap();
    assert!((report.worst.unwrap() - 0.99).abs() < 1e-9, "{report:?}");
}
