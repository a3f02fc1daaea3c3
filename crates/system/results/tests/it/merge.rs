//! Each thing is in the merged results once, from the machine that knows it, in cluster time.

use std::fs;
use std::time::Duration;

use netloom_api::change::LinkChange;
use netloom_api::event::{Event, Origin, TimelineStatus, What};
use netloom_api::flow::FlowStatus;
use netloom_api::state::{Phase, ProcessState, ProcessStatus};
use netloom_columnar::{Column, Kind};
use netloom_link::{
    CaptureDirection, CaptureNote, CapturedFrame, Count, LogEntry, Occurrence, PipeChange,
};
use netloom_monitor::{Judgement, SignalKind};
use netloom_results::{CaptureWriter, MACHINES};
use netloom_units::Time;
use pcap_file::pcapng::{Block, PcapNgReader};

use crate::made::{BEHIND, Made, entries, entry, rows};

const S: u64 = 1_000_000_000;

const PIPES: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("link", Kind::Name),
    ("direction", Kind::Name),
    ("offered_frames", Kind::MaybeNumber),
    ("lost_unmodelled_frames", Kind::MaybeNumber),
    ("bad", Kind::MaybeNumber),
];

#[test]
fn a_pipe_is_its_senders_and_what_was_refused_the_receivers() {
    let made = Made::new();
    made.table(
        0,
        "pipes.parquet",
        PIPES,
        &[
            &["1000000000", "b--c", "forward", "50", "0", "0"],
            &["1000000000", "b--c", "reverse", "0", "4", "0"],
            &["1000000000", "a--b", "reverse", "7", "1", "0"],
            &["1000000000", "a--b", "forward", "", "", ""],
            // `m1` knows nothing of this link.
            &["1000000000", "c--d", "forward", "0", "0", "0"],
            &["2000000000", "b--c", "forward", "60", "0", "0"],
        ],
    );
    made.table(
        1,
        "pipes.parquet",
        PIPES,
        &[
            &["998000000", "b--c", "reverse", "20", "1", "0"],
            &["998000000", "c--d", "forward", "9", "0", "0"],
            &["1500000000", "b--c", "forward", "0", "3", "0"],
        ],
    );
    let (out, summary) = made.merged();
    assert_eq!(summary.failures, Vec::<String>::new());
    let columns = ["time_ns", "link", "direction", "offered_frames", "lost_unmodelled_frames"];
    let columns: Vec<&str> = columns.into_iter().chain(["machine"]).collect();
    let expected: [&[&str]; 6] = [
        &["1000000000", "a--b", "forward", "", "", "m1"],
        &["1000000000", "a--b", "reverse", "7", "1", "m1"],
        &["1000000000", "b--c", "forward", "50", "0", "m1"],
        // The receiver's 4 were sampled at the same time, before this row of `m2`.
        &["1000000000", "b--c", "reverse", "20", "5", "m2"],
        &["1000000000", "c--d", "forward", "9", "0", "m2"],
        &["2000000000", "b--c", "forward", "60", "3", "m1"],
    ];
    assert_eq!(rows(&out.join("pipes.parquet"), &columns), expected);
}

#[test]
fn a_frame_log_joins_both_ends_of_a_pipe_by_number() {
    let made = Made::new();
    let at = |nanos: i64| Time::from_signed_nanos(nanos);
    let delivered = |from: i64, to: i64| {
        let (offered, started, serialized) = (at(from), at(from), at(to - 10_000_000));
        Occurrence::Delivered { offered, started, serialized }
    };
    let ms = 1_000_000;
    let sent = [
        entry(0, 0, ms, Occurrence::Offered),
        entry(2, 0, 2 * ms, Occurrence::Offered),
        entry(2, 0, 13 * ms, delivered(2 * ms, 13 * ms)),
        entry(0, 0, 14 * ms, Occurrence::HandedOver),
    ];
    // `m1` has no say in what was handed over at the far end, or what happens on `m2`.
    let not_known =
        [entry(2, 0, 13 * ms, Occurrence::HandedOver), entry(4, 0, 13 * ms, Occurrence::Offered)];
    made.log(0, &[&sent[..], &not_known].concat());
    made.log(
        1,
        &[
            entry(2, 0, 5 * ms, delivered(0, 5 * ms)),
            LogEntry::Lost(4),
            entry(2, 0, 13 * ms + 50_000 - BEHIND, Occurrence::HandedOver),
            entry(4, 0, 20 * ms - BEHIND, delivered(15 * ms - BEHIND, 20 * ms - BEHIND)),
        ],
    );
    let (out, summary) = made.merged();
    let mut all = entries(&out.join("frames.nlf"));
    let lost = all.iter().position(|entry| *entry == LogEntry::Lost(4)).unwrap();
    all.remove(lost);
    assert_eq!(
        all,
        [
            sent[0],
            sent[1],
            sent[2],
            entry(2, 0, 13 * ms + 50_000, Occurrence::HandedOver),
            sent[3],
            entry(4, 0, 20 * ms, delivered(15 * ms, 20 * ms)),
        ]
    );
    let log = summary.frame_log.unwrap();
    let bytes = fs::metadata(out.join("frames.nlf")).unwrap().len();
    assert_eq!((log.entries, log.lost, log.bytes), (6, 4, bytes));
}

#[test]
fn what_several_machines_record_of_one_event_is_one_event() {
    let made = Made::new();
    let started =
        |node: &str| What::ProcessStarted { process: "p".into(), node: node.into(), pid: 1 };
    let change = |link: &str| LinkChange {
        link: link.into(),
        direction: Default::default(),
        change: PipeChange::default(),
    };
    let changed = |links: &[&str]| What::Changed {
        by: Origin::Timeline,
        changes: links.iter().map(|link| change(link)).collect(),
    };
    let running = What::Phase { phase: Phase::Running };
    let status = TimelineStatus {
        number: 3,
        event: "set".into(),
        planned: Some(Time::from_nanos(S)),
        happened: Some(Time::from_nanos(S)),
        failure: None,
    };
    let timeline = What::Timeline { status };
    let first = vec![
        (0, running.clone()),
        (1000, changed(&["a--b", "b--c"])),
        (1000, timeline.clone()),
        (2000, changed(&["b--c"])),
        (3000, started("a")),
    ];
    made.events(0, first);
    let second = vec![
        (0, running),
        (999, changed(&["b--c", "c--d"])),
        (999, timeline),
        (2001, changed(&["b--c"])),
        (2500, started("c")),
    ];
    made.events(1, second);
    let (out, _) = made.merged();
    let text = fs::read_to_string(out.join("events.jsonl")).unwrap();
    let events: Vec<Event> =
        text.lines().map(|line| Event::from_json(line.as_bytes()).unwrap()).collect();
    let said: Vec<(u64, u64, &str, String)> = events
        .iter()
        .map(|event| {
            let what = match &event.what {
                What::Changed { changes, .. } => {
                    changes.iter().map(|change| change.link.as_str()).collect::<Vec<_>>().join(" ")
                }
                What::ProcessStarted { node, .. } => node.clone(),
                What::Timeline { .. } => "timeline".into(),
                What::Phase { .. } => "phase".into(),
                other => panic!("{other:?}"),
            };
            let ms = event.time.as_nanos() / 1_000_000;
            (event.number, ms, event.machine.as_deref().unwrap(), what)
        })
        .collect();
    let expected = [
        (0, 0, "m1", "phase"),
        (1, 1000, "m1", "a--b b--c"),
        (2, 1000, "m1", "timeline"),
        (3, 1001, "m2", "c--d"),
        (4, 2000, "m1", "b--c"),
        (5, 2502, "m2", "c"),
        (6, 3000, "m1", "a"),
    ];
    assert_eq!(said, expected.map(|(n, ms, machine, what)| (n, ms, machine, what.to_owned())));
}

const TRAFFIC: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("flow", Kind::Name),
    ("from", Kind::Name),
    ("sent_packets", Kind::MaybeNumber),
    ("received_packets", Kind::MaybeNumber),
    ("jitter_ns", Kind::MaybeNumber),
];

#[test]
fn both_ends_of_a_flow_are_in_one_row() {
    let made = Made::new();
    made.table(
        0,
        "traffic.parquet",
        TRAFFIC,
        &[
            &["1000000000", "f", "a", "10", "", ""],
            &["2000000000", "f", "a", "20", "", ""],
            // Of two senders, `m1` has one.
            &["1000000000", "g", "b", "5", "5", "1"],
        ],
    );
    made.table(
        1,
        "traffic.parquet",
        TRAFFIC,
        &[
            &["1000000000", "f", "a", "", "8", "70"],
            &["3000000000", "f", "a", "", "19", "90"],
            &["1000000000", "g", "c", "6", "", ""],
        ],
    );
    let flow = |name: &str, from: &str, sent: u64, received: u64| FlowStatus {
        name: name.into(),
        from: from.into(),
        sent: Count { frames: sent, bytes: sent * 100 },
        received: Count { frames: received, bytes: received * 100 },
        ..FlowStatus::default()
    };
    made.summary(0, |one| one.flows = vec![flow("f", "a", 20, 0), flow("g", "b", 5, 5)]);
    made.summary(1, |one| one.flows = vec![flow("f", "a", 0, 19), flow("g", "c", 6, 0)]);
    let (out, summary) = made.merged();
    let columns: Vec<&str> = TRAFFIC.iter().map(|(name, _)| *name).collect();
    let expected: [&[&str]; 5] = [
        &["1000000000", "f", "a", "10", "8", "70"],
        &["1000000000", "g/b", "b", "5", "5", "1"],
        // The sender's clock is that of `m2`.
        &["1002000000", "g/c", "c", "6", "", ""],
        &["2000000000", "f", "a", "20", "8", ""],
        &["3000000000", "f", "a", "20", "19", "90"],
    ];
    assert_eq!(rows(&out.join("traffic.parquet"), &columns), expected);
    let flows: Vec<_> = summary
        .flows
        .iter()
        .map(|flow| (flow.name.as_str(), flow.sent.frames, flow.received.frames))
        .collect();
    assert_eq!(flows, [("f", 20, 19), ("g/b", 5, 5), ("g/c", 6, 0)]);
}

#[test]
fn files_of_nodes_are_there_once_and_captures_have_dates_of_one_clock() {
    let made = Made::new();
    let endpoint = made.scenario.links[2].endpoints[0].clone();
    // Zero of `m2` was at 1000.5 s by its own clock.
    let mut writer = CaptureWriter::new(&endpoint, Duration::from_millis(1_000_500)).unwrap();
    let frame = CapturedFrame {
        time: Time::from_nanos(S),
        direction: CaptureDirection::Outbound,
        note: CaptureNote::None,
        bytes: vec![1; 60],
        original_length: 60,
    };
    writer.add(&frame).unwrap();
    let bytes = writer.finish(2).unwrap();
    fs::write(made.path(1, "captures/c-eth2.pcapng"), bytes).unwrap();
    fs::write(made.path(0, "processes/p@a.stdout"), "of a").unwrap();
    fs::write(made.path(1, "processes/p@c.stdout"), "of c").unwrap();
    // An empty file of another machine's process is none.
    fs::write(made.path(0, "processes/p@c.stdout"), "").unwrap();
    let process =
        |node: &str, state| ProcessStatus { process: "p".into(), node: node.into(), state };
    let done = ProcessState::Done { code: 0 };
    made.summary(0, |one| {
        one.processes = vec![process("a", done.clone()), process("c", ProcessState::Waiting)];
    });
    made.summary(1, |one| {
        one.processes = vec![process("a", ProcessState::Waiting), process("c", done.clone())];
    });
    let (out, summary) = made.merged();
    assert_eq!(summary.processes, [process("a", done.clone()), process("c", done)]);
    let read = |file: &str| fs::read_to_string(out.join("processes").join(file)).unwrap();
    assert_eq!([read("p@a.stdout"), read("p@c.stdout")], ["of a", "of c"]);
    let capture = fs::File::open(out.join("captures/c-eth2.pcapng")).unwrap();
    let mut reader = PcapNgReader::new(capture).unwrap();
    let (mut dates, mut names, mut missed) = (vec![], 0, 0);
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::EnhancedPacket(packet) => dates.push(packet.timestamp),
            Block::InterfaceDescription(_) => names += 1,
            Block::InterfaceStatistics(_) => missed += 1,
            other => panic!("{other:?}"),
        }
    }
    // 1 s and 2 ms after the zero of `m1`.
    assert_eq!((dates, names, missed), (vec![Duration::from_millis(1_001_002)], 2, 1));
    for machine in ["m1", "m2"] {
        assert!(out.join(MACHINES).join(machine).join("machine.json").exists());
    }

    fs::remove_dir_all(&out).unwrap();
    fs::write(made.path(0, "processes/p@c.stdout"), "another").unwrap();
    let (_, refused) = made.try_merge();
    let why = format!("{:#}", refused.unwrap_err());
    assert!(why.contains("processes of machine m2") && why.contains("p@c.stdout"), "{why}");
}

#[test]
fn a_lost_machine_leaves_what_it_has_written_and_the_run_is_invalid() {
    let mut made = Made::new();
    fs::remove_file(made.path(1, "summary.json")).unwrap();
    made.log(0, &[entry(0, 0, 5, Occurrence::Offered)]);
    made.log(1, &[entry(4, 0, 5, Occurrence::Offered), entry(4, 1, 50, Occurrence::Offered)]);
    let whole = fs::read(made.path(1, "frames.nlf")).unwrap();
    fs::write(made.path(1, "frames.nlf"), &whole[..whole.len() - 1]).unwrap();
    made.members[1].lost = Some(Time::from_nanos(3 * S));
    let (out, summary) = made.merged();
    let verdict = summary.verdict.unwrap();
    assert_eq!(verdict.judgement, Judgement::Invalid);
    assert_eq!(verdict.findings[0].signal, SignalKind::MachineLost);
    assert_eq!(entries(&out.join("frames.nlf")).len(), 2);
    assert!(!summary.success);
    let failures = summary.failures.join("\n");
    for part in [
        "machine lost: m2 at 3.0 s",
        "machine m2 has written no summary",
        "frames.nlf lacks a part of what machine m2 wrote",
    ] {
        assert!(failures.contains(part), "{failures}");
    }
    let machines: Vec<_> = summary.machines.iter().map(|one| (&*one.name, one.lost)).collect();
    assert_eq!(machines, [("m1", None), ("m2", made.members[1].lost)]);

    fs::remove_dir_all(&out).unwrap();
    made.members[1].directory = None;
    let (_, summary) = made.merged();
    assert!(summary.failures.contains(&"there are no results of machine m2".into()));
    assert_eq!(summary.machines[1].kernel, None);
}

#[test]
fn machines_that_do_not_fit_the_placement_are_refused() {
    let refused = |change: &dyn Fn(&mut Made)| {
        let mut made = Made::new();
        change(&mut made);
        let (out, merged) = made.try_merge();
        assert!(!out.exists());
        format!("{:#}", merged.unwrap_err())
    };
    let why = refused(&|made| made.members[1].name = "m1".into());
    assert!(why.contains("same name"), "{why}");
    let why = refused(&|made| made.members[1].name = "../m2".into());
    assert!(why.contains("cannot be called `../m2`"), "{why}");
    let why = refused(&|made| _ = made.placement.insert("d".into(), "m9".into()));
    assert_eq!(why, "node d is on machine m9, which is none of the experiment's");
    let why = refused(&|made| made.members.iter_mut().for_each(|one| one.directory = None));
    assert!(why.contains("no machine has results"), "{why}");
    let made = Made::new();
    made.merged();
    let (_, again) = made.try_merge();
    assert!(format!("{:#}", again.unwrap_err()).contains("cannot make the results directory"));
}
