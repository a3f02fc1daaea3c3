//! The rules that the specification adds to the formulas, and the verdicts that they lead to: one case each,
//! exact in virtual time.

use netloom_monitor::{
    Buffer, BusyStretch, Change, Criteria, Direction, Divided, DropCause, Judgement, Monitor,
    Observation as O, PageCause, Party, Pressure, Resource, Route, Signal, SignalKind, Subject,
    Verdict, Warnings, Who,
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

/// A monitor for which everything is watched.
fn monitor(criteria: &str) -> Monitor {
    let criteria: Criteria = serde_json::from_str(criteria).unwrap();
    let mut monitor = Monitor::new(criteria, Time::ZERO);
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
    // 10 Mbit/s in 10 ms are 12,500 bytes. Half of them 1 ms before and half 1 ms after a multiple of 10 ms,
    // by different nodes: neither epoch of a tumbling window, and neither node alone, has enough.
    let mut monitor = monitor(r#"{"net_internal": {"rate": "10Mbit/s"}}"#);
    monitor.observe(ms(19), &forwarded(A, 6_000));
    assert!(signals(&mut monitor).is_empty());
    monitor.observe(ms(21), &forwarded(B, 6_500));
    let told = signals(&mut monitor);
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].signal, told[0].at), (SignalKind::NetInternal, ms(21)));
    assert_eq!((told[0].value, told[0].threshold), (10e6, 10e6));
    let shares: Vec<_> = told[0].shares.iter().map(|s| (s.who.to_string(), s.amount)).collect();
    assert_eq!(shares, [("node b".into(), 52_000), ("node a".into(), 48_000)]);
    // The first half leaves the window 10 ms after it came.
    let verdict = monitor.verdict(ms(1000));
    let report = verdict.signals.iter().find(|r| r.signal == SignalKind::NetInternal).unwrap();
    assert_eq!((report.episodes[0].from, report.episodes[0].to), (ms(21), ms(29)));
    assert_eq!(verdict.judgement, Judgement::Suspect);
}

#[test]
fn the_first_event_of_a_window_is_tested() {
    let mut monitor = monitor(r#"{"net_internal": {"rate": "10Mbit/s"}}"#);
    monitor.observe(ms(5), &forwarded(A, 65_000));
    let told = signals(&mut monitor);
    assert_eq!((told[0].change, told[0].value), (Change::Began, 52e6));
}

#[test]
fn one_page_swapped_in_is_contention_brief_and_so_suspect() {
    let verdict = judgement_of(&[(5, swapped_in(B))]);
    assert_eq!(verdict.judgement, Judgement::Suspect);
    let finding = &verdict.findings[0];
    assert_eq!((finding.signal, &finding.on), (SignalKind::MemoryIn, &Some(Resource::Swap)));
    assert!(finding.why.contains("node b 100 %"), "{}", finding.why);
}

#[test]
fn events_of_the_timeline_that_are_late_or_missing_are_invalid() {
    let event = |late| (5000, O::Event { late: for_ms(late) });
    let mut run = punctual();
    run.push(event(10));
    assert_eq!(judgement_of(&run).judgement, Judgement::Valid, "10 ms are tolerated");
    run.push(event(11));
    let verdict = judgement_of(&run);
    assert_eq!(verdict.judgement, Judgement::Invalid);
    let finding = &verdict.findings[0];
    assert_eq!(finding.why, "timeline on events: 11 ms (limit 10 ms), at 5.000 s");
    let mut run = punctual();
    run.push((19_900, O::MissedEvent { due_for: for_ms(2_500) }));
    let verdict = judgement_of(&run);
    assert_eq!(verdict.judgement, Judgement::Invalid);
    let why = &verdict.findings[0].why;
    assert!(why.starts_with("timeline on events that never happened: 2500 ms"), "{why}");
}

#[test]
fn swapping_for_longer_than_brief_is_invalid() {
    let pages: Vec<(u64, O)> = (0..120).map(|n| (n * 10, swapped_in(A))).collect();
    assert_eq!(judgement_of(&pages).judgement, Judgement::Invalid);
}

#[test]
fn a_lone_spinner_is_seen_on_time_though_nothing_happens() {
    let mut monitor = monitor("{}");
    let pid = 4242;
    let name = O::Named { what: Subject::Process(pid), name: "spinner".into() };
    monitor.observe(ms(100), &name);
    monitor.observe(ms(100), &O::CpuSwitch { cpu: 1, to: Some(Party::Process(pid)) });
    monitor.observe(ms(299), &O::Looked);
    assert_eq!(signals(&mut monitor), []);
    monitor.observe(ms(300), &O::Looked);
    let told = signals(&mut monitor);
    assert_eq!((told[0].at, told[0].value), (ms(300), 200e6));
    assert_eq!(told[0].on, Resource::Cpu { cpu: 1 });
    assert_eq!(told[0].shares[0].who, Who::Process { pid, name: "spinner".into() });
    assert_eq!(told[0].shares[0].amount, 200_000_000);
}

#[test]
fn a_request_that_hangs_is_seen_on_time() {
    let mut monitor = monitor("{}");
    monitor.observe(ms(50), &O::DiskIssued { disk: 0, party: B });
    monitor.observe(ms(149), &O::Looked);
    assert_eq!(signals(&mut monitor), []);
    monitor.observe(ms(150), &O::Looked);
    let told = signals(&mut monitor);
    assert_eq!((told[0].signal, told[0].at), (SignalKind::Disk, ms(150)));
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
fn an_engine_that_stood_still_for_300_ms_is_invalid_in_that_interval() {
    let mut seen = punctual();
    seen.push((9_950, O::Pause { lasted: for_ms(300) }));
    let verdict = judgement_of(&seen);
    assert_eq!(verdict.judgement, Judgement::Invalid);
    let paused = verdict.signals.iter().find(|r| r.on == Resource::Engine).unwrap();
    assert_eq!((paused.episodes[0].from, paused.episodes[0].to), (ms(9_650), ms(9_950)));
    // The same, seen only in the frame that waited.
    let late = O::Lateness { party: B, delay: for_ms(300), frames: 1 };
    assert_eq!(judgement_of(&[(500, late)]).judgement, Judgement::Invalid);
}

fn busy(from: u64, to: u64) -> [(u64, O); 2] {
    [(from, O::CpuSwitch { cpu: 0, to: Some(A) }), (to, O::CpuSwitch { cpu: 0, to: None })]
}

#[test]
fn a_busy_cpu_alone_is_suspect_and_invalid_if_somebody_suffers() {
    assert_eq!(judgement_of(&busy(1000, 1300)).judgement, Judgement::Suspect);
    let mut long: Vec<_> = busy(1000, 5000).to_vec();
    assert_eq!(judgement_of(&long).judgement, Judgement::Suspect);
    long.insert(1, (2000, O::RunQueue { party: B, delay: for_ms(3), times: 10 }));
    let verdict = judgement_of(&long);
    assert_eq!(verdict.judgement, Judgement::Invalid);
    assert_eq!(verdict.findings[0].signal, SignalKind::Cpu);
}

#[test]
fn waits_count_by_the_time_that_they_take() {
    let wait = |delay, times| (900, O::RunQueue { party: A, delay: for_ms(delay), times });
    // The percentile of the waits would be 0; what comes to the node finds it waiting for 2 % of the time.
    let hidden = judgement_of(&[wait(0, 10_000), wait(21, 1)]);
    assert_eq!(hidden.findings[0].signal, SignalKind::RunQueue);
    assert!((hidden.findings[0].why.contains(": 2 % (limit 1 %)")), "{}", hidden.findings[0].why);
    // It would be 5 ms, for a node that wakes up ten times a second.
    assert_eq!(judgement_of(&[wait(0, 9), wait(5, 1)]).judgement, Judgement::Valid);
}

#[test]
fn what_several_tasks_wait_at_the_same_time_counts_once() {
    let wait = |ms, began, ended| {
        let [began, ended, carried] = [began, ended, 0].map(for_ms);
        (ms, O::Waited { party: A, began, ended, carried, by: B })
    };
    // Each beyond the tolerance for 6 ms, all of them together for 8: as many frames would find a task waiting.
    let together = [wait(900, 10, 3), wait(900, 8, 1), wait(900, 9, 2), wait(950, 57, 52)];
    assert_eq!(judgement_of(&together).judgement, Judgement::Valid);
    // One after the other, it is 12 ms.
    let apart = [wait(900, 10, 3), wait(930, 8, 1)];
    let why = &judgement_of(&apart).findings[0].why;
    assert!(why.contains("for node a: 1.2 % (limit 1 %)"), "{why}");
    // The other had the CPU.
    assert!(why.ends_with("; node b 100 %"), "{why}");
    // A wait of three seconds is all of a window, and no more.
    let why = &judgement_of(&[wait(4000, 3010, 10)]).findings[0].why;
    assert!(why.contains(": 98.9 % (limit 1 %)"), "{why}");
}

#[test]
fn a_task_that_is_preempted_again_and_again_is_later_and_later() {
    let wait = |n: u64, carried| {
        let [began, ended, carried] = [1, 0, carried].map(for_ms);
        (900 + 2 * n, O::Waited { party: A, began, ended, carried, by: B })
    };
    // Each by itself is no longer than the tolerance.
    let apart: Vec<_> = (0..20).map(|n| wait(n, 0)).collect();
    assert_eq!(judgement_of(&apart).judgement, Judgement::Valid);
    // The first makes it late, and the others all the time that they take.
    let together: Vec<_> = (0..20).map(|n| wait(n, n)).collect();
    let why = &judgement_of(&together).findings[0].why;
    assert!(why.contains(": 1.9 % (limit 1 %)"), "{why}");
}

#[test]
fn a_disk_that_others_keep_busy_is_suspect_and_invalid_if_somebody_suffers() {
    let requests = |party| {
        let issued = (1000, O::DiskIssued { disk: 0, party });
        vec![issued, (3000, O::DiskCompleted { disk: 0 })]
    };
    assert_eq!(judgement_of(&requests(Party::Process(7))).judgement, Judgement::Suspect);
    // A node that asks of it waits for it.
    assert_eq!(judgement_of(&requests(B)).judgement, Judgement::Invalid);
    let mut others = requests(Party::Process(7));
    others.insert(1, (2000, O::RunQueue { party: B, delay: for_ms(3), times: 10 }));
    assert_eq!(judgement_of(&others).judgement, Judgement::Invalid);
    // A request of a node among hundreds is no node that suffers.
    let mut few = requests(Party::Process(7));
    few.splice(1..1, (0..200).map(|_| (1500, O::DiskIssued { disk: 0, party: Party::Kernel })));
    few.insert(1, (1500, O::DiskIssued { disk: 0, party: B }));
    few.splice(203..203, (0..201).map(|_| (3000, O::DiskCompleted { disk: 0 })));
    assert_eq!(judgement_of(&few).judgement, Judgement::Suspect);
}

#[test]
fn a_busy_cpu_is_invalid_if_nobody_could_see_who_waited() {
    let mut monitor = monitor("{}");
    for signal in [SignalKind::RunQueue, SignalKind::Pressure] {
        let why = "no permission".into();
        monitor.observe(Time::ZERO, &O::Unwatched { signal, probe: "test".into(), why });
    }
    busy(1000, 5000).iter().for_each(|(at, seen)| monitor.observe(ms(*at), seen));
    assert_eq!(monitor.verdict(ms(6000)).judgement, Judgement::Invalid);
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
fn what_was_not_observed_cannot_be_valid() {
    let mut monitor = Monitor::new(Criteria::default(), Time::ZERO);
    let verdict = monitor.verdict(ms(1000));
    assert_eq!(verdict.judgement, Judgement::Suspect);
    assert_eq!(verdict.findings.len(), 6);
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
    // A probe that fails on the way has not watched the run.
    let failed = O::Unwatched { signal: SignalKind::Cpu, probe: "test".into(), why: "gone".into() };
    monitor.observe(ms(500), &failed);
    assert_eq!(monitor.verdict(ms(1000)).judgement, Judgement::Suspect);
}

#[test]
fn what_goes_on_when_the_warm_up_ends_is_contention() {
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
fn shares_of_a_polled_cpu_follow_what_was_used() {
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
fn what_the_engine_does_for_nodes_is_theirs() {
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
            // Half of what is nobody's turns out to be the engine's, and is divided with its own.
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
    // 5 × (60 + 10) of the engine, in parts of 5, 2 and 1, with the larger remainder to the larger party.
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
fn a_probe_that_sees_a_part_only_is_not_enough() {
    let observed = |partial| {
        let mut monitor = Monitor::new(Criteria::default(), Time::ZERO);
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
    let seen: Vec<_> = (0..60).map(|n| (n * 50, stalled.clone())).collect();
    let verdict = judgement_of(&seen);
    assert_eq!(verdict.judgement, Judgement::Invalid);
    assert!(verdict.findings[0].why.contains("memory for node b"), "{}", verdict.findings[0].why);
}

/// On an idle disk, too, who writes synchronously does nothing but wait.
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
fn warnings_are_few_and_say_how_many_are_missing() {
    let mut monitor = monitor("{}");
    let mut warnings = Warnings::new(for_ms(1000));
    let mut told = Vec::new();
    for n in 0..20 {
        monitor.observe(ms(n * 250), &swapped_in(A));
        monitor.observe(ms(n * 250 + 200), &O::Looked);
        told.extend(signals(&mut monitor).iter().filter_map(|signal| warnings.warn(signal)));
    }
    assert_eq!(told.len(), 5);
    assert_eq!(told[0], "0.000 s: memory in on swap: 100 pages/s, limit 0 pages/s; node a 100 %");
    assert!(
        told[1].starts_with("1.000 s")
            && told[1].ends_with("(3 warnings of this kind were left out)")
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
    let tolerance = |delay| Criteria::default().resolved(delay).lateness.tolerance();
    assert_eq!(tolerance(None), for_ms(1));
    assert_eq!(tolerance(Some(for_ms(5))), for_ms(1));
    assert_eq!(tolerance(Some(for_ms(50))), for_ms(5));
}

#[test]
fn intervals_that_do_not_touch_are_no_stretch() {
    let full = |at| (at, O::CpuInterval { cpu: 0, over: for_ms(150), idle: Duration::ZERO });
    assert_eq!(judgement_of(&[full(1000), full(1150)]).judgement, Judgement::Suspect);
    assert_eq!(judgement_of(&[full(1000), full(1151)]).judgement, Judgement::Valid);
}

#[test]
fn one_page_in_a_long_interval_is_contention() {
    let (direction, cause) = (Direction::Out, PageCause::Swap);
    let page = O::Paged { direction, cause, party: A, pages: 1, over: for_ms(100) };
    let verdict = judgement_of(&[(500, page)]);
    assert_eq!(verdict.judgement, Judgement::Suspect);
    assert_eq!(verdict.findings[0].signal, SignalKind::MemoryOut);
}

#[test]
fn what_switches_say_of_a_cpu_is_not_overruled_by_intervals() {
    let mut seen = busy(1000, 1100).to_vec();
    let interval = O::CpuInterval { cpu: 0, over: for_ms(500), idle: Duration::ZERO };
    seen.push((1500, interval));
    assert_eq!(judgement_of(&seen).judgement, Judgement::Valid);
}

#[test]
fn what_holds_just_as_long_as_brief_is_brief() {
    // By default 1 s. A CPU is excepted, so a disk.
    let pending = |until| {
        [(1000, O::DiskIssued { disk: 0, party: A }), (until, O::DiskCompleted { disk: 0 })]
    };
    assert_eq!(judgement_of(&pending(2000)).judgement, Judgement::Suspect);
    assert_eq!(judgement_of(&pending(2001)).judgement, Judgement::Invalid);
}

#[test]
fn no_window_has_more_than_happened_in_it() {
    // Standing still all the time, looked at every 90 ms: eleven looks to a second, and a part of another.
    let (of, party, over) = (Pressure::Cpu, A, for_ms(90));
    let stalled = O::Stalled { of, party, stalled: over, over };
    let seen: Vec<_> = (1..100).map(|n| (n * 90, stalled.clone())).collect();
    let verdict = judgement_of(&seen);
    let report = verdict.signals.iter().find(|r| r.signal == SignalKind::Pressure).unwrap();
    assert!((report.worst.unwrap() - 0.99).abs() < 1e-9, "{report:?}");
}
