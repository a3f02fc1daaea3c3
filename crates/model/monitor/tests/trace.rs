//! Verdict on a recorded trace. It equals the one that was given during recording, and the one that
//! follows from the formulas over the whole trace (`offline`), with every interval, peak and share.

mod offline;

use netloom_monitor::{
    Buffer, Criteria, Direction, Divided, DropCause, Monitor, Observation as O, PageCause, Party,
    Pressure, Route, SignalKind, Subject, Trust, Verdict, trace,
};
use netloom_units::{Duration, Size, Time};
use offline::Offline;
use offline::compare::differences;
use proptest::collection::vec;
use proptest::prelude::*;

const MS: u64 = 1_000_000;

/// Criteria with short windows, so that a trace of some hundred observations has contention of
/// every kind.
fn criteria() -> Criteria {
    serde_json::from_value(serde_json::json!({
        "lateness": {"tolerance": "1ms", "window": "50ms"},
        "run_queue": {"tolerance": "2ms", "window": "30ms"},
        "net_internal": {"rate": "10Mbit/s"},
        "net_external": {"rate": "5Mbit/s", "window": "20ms"},
        "memory_out": {"limit": 3, "window": "10ms"},
        "faults": {"limit": 20, "window": "100ms"},
        "steal": {"limit": "1%", "window": "300ms"},
        "application": {"jitter": 5.5},
        "brief": "300ms",
    }))
    .unwrap()
}

fn party() -> impl Strategy<Value = Party> {
    prop_oneof![
        4 => (0u32..3).prop_map(Party::Node),
        1 => Just(Party::Process(77)),
        1 => Just(Party::Kernel),
        2 => Just(Party::Engine),
        1 => Just(Party::Unattributed),
    ]
}

fn node() -> impl Strategy<Value = Party> {
    (0u32..2).prop_map(Party::Node)
}

/// An event between two looks.
fn event() -> impl Strategy<Value = O> {
    let us = |us: u64| Duration::from_micros(us);
    let delay = prop_oneof![8 => 0u64..900, 3 => 900u64..3000, 1 => 3000u64..12_000];
    let at_once = Duration::ZERO;
    let cause = prop_oneof![Just(DropCause::DeviceFull), Just(DropCause::SoftnetBacklog)];
    // No interval, or one shorter or longer than the window.
    let interval = prop_oneof![4 => Just(0u64), 1 => 90u64..120];
    let pressure = prop_oneof![Just(Pressure::Cpu), Just(Pressure::Io)];
    // Some waits are longer than the window.
    let wait = prop_oneof![8 => Just(1u64), 1 => Just(30)];
    let carried = prop_oneof![2 => Just(0u64), 1 => 0u64..3000];
    prop_oneof![
        6 => (party(), delay.clone(), 1u64..60)
            .prop_map(move |(party, d, frames)| O::Lateness { party, delay: us(d), frames }),
        1 => (1u64..40).prop_map(move |ms| O::Pause { lasted: us(ms * 1000) }),
        1 => (cause, party(), 1u64..5)
            .prop_map(|(cause, party, frames)| O::Drops { cause, party, frames }),
        1 => (prop_oneof![Just(Buffer::UdpReceive), Just(Buffer::Listen)], node(), 1u64..5)
            .prop_map(|(of, party, packets)| O::Overrun { of, party, packets }),
        4 => (0u32..2, prop::option::weighted(0.9, party()))
            .prop_map(|(cpu, to)| O::CpuSwitch { cpu, to }),
        1 => (node(), delay.clone(), 0u64..60)
            .prop_map(move |(party, d, times)| O::RunQueue { party, delay: us(d), times }),
        3 => (node(), delay, 0u64..4000, wait, carried, party()).prop_map(
            move |(party, d, ago, much, carried, by)| O::Waited {
                party, began: us(ago + d * much), ended: us(ago), carried: us(carried), by,
            },
        ),
        6 => (party(), 60u64..5000).prop_map(move |(party, size)| O::Forwarded {
            route: Route::Internal, party, size: Size::from_bytes(size), over: at_once,
        }),
        1 => (party(), prop::bool::ANY, 1u64..4).prop_map(move |(party, out, pages)| O::Paged {
            direction: if out { Direction::Out } else { Direction::In },
            cause: PageCause::Swap, party, pages, over: at_once,
        }),
        2 => (party(), 1u64..15, interval).prop_map(move |(party, pages, ms)| O::Paged {
            direction: Direction::In, cause: PageCause::Fault, party, pages, over: us(ms * 1000),
        }),
        4 => (0u32..2, party()).prop_map(|(disk, party)| O::DiskIssued { disk, party }),
        4 => (0u32..2).prop_map(|disk| O::DiskCompleted { disk }),
        1 => (0u32..2, 0u64..4).prop_map(move |(cpu, ms)| O::Steal {
            cpu, stolen: us(ms * 1000), over: us(5000),
        }),
        2 => (pressure, node(), 0u64..400).prop_map(move |(of, party, ms)| O::Stalled {
            of, party, stalled: us(ms * 1000), over: us(400_000),
        }),
        2 => (0u64..20).prop_map(move |ms| O::Event { late: us(ms * 1000) }),
        1 => (0u64..20).prop_map(move |ms| O::MissedEvent { due_for: us(ms * 1000) }),
        1 => (0u64..40).prop_map(move |ms| O::Simulated {
            period: us(10_000), took: us(ms * 1000),
        }),
        1 => (prop::option::of(0.0..0.2f64), prop::option::of(0.0..0.2f64))
            .prop_map(|(delay, throughput)| O::Compared { delay, throughput }),
        1 => (node(), -10.0..10.0f64)
            .prop_map(|(party, value)| O::Metric { metric: 0, party, value }),
    ]
}

fn divided() -> impl Strategy<Value = Divided> {
    prop_oneof![Just(Divided::Unattributed), Just(Divided::Engine)]
}

/// Observations of polling probes at a look.
#[derive(Debug, Clone, Default)]
struct Look {
    seen: Vec<O>,
    /// Traffic of an uplink since the last look, in slices of `SLICE`, if the trace has such.
    slices: Vec<u64>,
}

/// Length of a slice: longer than the window.
const SLICE: u64 = 25 * MS;

/// Observations of polling probes: each interval is busy or not, and some parties used something.
fn look() -> impl Strategy<Value = Look> {
    let over = Duration::from_millis(50);
    let idle = |idle: bool| Duration::from_millis(if idle { 10 } else { 0 });
    let busy = (prop::bool::weighted(0.15), prop::bool::weighted(0.3));
    let users = vec((party(), 0u64..50, divided()), 0..4);
    (busy, users, vec((party(), 0u64..20_000), 0..3), vec(0u64..20_000, 4)).prop_map(
        move |((cpu_idle, disk_idle), users, senders, slices)| {
            let mut seen = vec![
                O::CpuInterval { cpu: 7, over, idle: idle(cpu_idle) },
                O::DiskInterval { disk: 7, over, idle: idle(disk_idle) },
            ];
            seen.extend(users.into_iter().map(|(party, amount, divides)| O::Used {
                of: SignalKind::Cpu,
                divides,
                party,
                amount,
                over,
            }));
            seen.extend(senders.into_iter().map(|(party, size)| O::Forwarded {
                route: Route::Uplink(1),
                party,
                size: Size::from_bytes(size),
                over,
            }));
            Look { seen, slices }
        },
    )
}

#[derive(Debug, Clone)]
enum Step {
    Event(u64, O),
    Look(Look),
    Quiet(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let gap = prop_oneof![3 => Just(0), 20 => 0u64..2000, 3 => 2000u64..30_000];
    prop_oneof![
        30 => (gap, event()).prop_map(|(gap, event)| Step::Event(gap, event)),
        2 => look().prop_map(Step::Look),
        1 => (20u64..400).prop_map(Step::Quiet),
    ]
}

/// A trace with times, a look every 50 ms, and perhaps an end of the warm-up. If `sliced`, looks
/// are 100 ms apart: after observations of the present they report slices that ended before.
fn assemble(
    steps: Vec<Step>,
    settles: Option<usize>,
    watched: bool,
    sliced: bool,
) -> (Vec<(Time, O)>, Time) {
    let mut trace = preamble(watched);
    let apart = if sliced { 100 * MS } else { 50 * MS };
    let (mut now, mut next_look) = (100 * MS, 100 * MS + apart);
    let mut looks = steps.iter().filter_map(|step| match step {
        Step::Look(look) => Some(look.clone()),
        _ => None,
    });
    let mut idle = Look::default();
    for (index, step) in steps.iter().enumerate() {
        now += match step {
            Step::Event(gap, _) => gap * 1000,
            Step::Look(_) => 0,
            Step::Quiet(ms) => ms * MS,
        };
        while next_look <= now {
            if idle.seen.is_empty() {
                idle = looks.next().unwrap_or_default();
            }
            let at = Time::from_nanos(next_look);
            trace.extend(idle.seen.iter().cloned().map(|seen| (at, seen)));
            if sliced {
                let slice = |(n, size): (u64, &u64)| {
                    let (route, party) = (Route::Uplink(2), Party::Unattributed);
                    let (size, over) = (Size::from_bytes(*size), Duration::from_nanos(SLICE));
                    let until = Time::from_nanos(next_look - apart + (n + 1) * SLICE);
                    (until, O::Forwarded { route, party, size, over })
                };
                trace.extend((0..).zip(&idle.slices).map(slice));
            }
            trace.push((at, O::Looked));
            next_look += apart;
            idle = looks.next().unwrap_or(idle);
        }
        if let Step::Event(_, event) = step {
            trace.push((Time::from_nanos(now), event.clone()));
        }
        if settles == Some(index) {
            // No observation has this time.
            now += 1001;
            trace.push((Time::from_nanos(now), O::Settled));
            now += 1001;
        }
    }
    (trace, Time::from_nanos(now + 7 * MS + 13))
}

fn preamble(waits_watched: bool) -> Vec<(Time, O)> {
    let waits = [SignalKind::RunQueue, SignalKind::Pressure];
    let watched = SignalKind::ALL.into_iter().filter(|s| waits_watched || !waits.contains(s));
    let watched = watched.map(|signal| O::Watched {
        signal,
        probe: "test".into(),
        cannot_see: vec![],
        partial: false,
    });
    let name = O::Named { what: Subject::Metric(0), name: "jitter".into() };
    watched.chain([name]).map(|seen| (Time::ZERO, seen)).collect()
}

/// The verdict of a monitor that observes the trace step by step.
fn online(trace: &[(Time, O)], end: Time) -> Verdict {
    let mut monitor = Monitor::new(criteria(), Trust::default(), Time::ZERO);
    for (at, seen) in trace {
        monitor.observe(*at, seen);
        while monitor.poll_signal().is_some() {}
    }
    monitor.verdict(end)
}

/// Adds looks at multiples of `apart` at which nothing is observed.
fn looked_more(trace: &[(Time, O)], apart: u64) -> Vec<(Time, O)> {
    let mut more = (1..).map(|n| Time::from_nanos(n * apart)).peekable();
    let mut looked = vec![];
    for (at, seen) in trace {
        while let Some(now) = more.next_if(|now| now < at) {
            looked.push((now, O::Looked));
        }
        looked.push((*at, seen.clone()));
    }
    looked
}

fn replayed(trace: &[(Time, O)], end: Time) -> Verdict {
    let mut bytes = Vec::new();
    for (at, seen) in trace {
        trace::write(&mut bytes, *at, seen).unwrap();
    }
    let mut monitor = Monitor::new(criteria(), Trust::default(), Time::ZERO);
    trace::replay(bytes.as_slice(), &mut monitor).unwrap();
    monitor.verdict(end)
}

fn assert_same(trace: &[(Time, O)], end: Time) -> Verdict {
    let verdict = online(trace, end);
    let (criteria, shown) = (criteria(), |v: &Verdict| serde_json::to_string(v).unwrap());
    assert_eq!(shown(&replayed(trace, end)), shown(&verdict), "replayed");

    let offline = Offline::new(trace, &criteria, end);
    assert_eq!(differences(&verdict, &offline), Vec::<String>::new());
    verdict
}

/// Found by the properties below: two intervals that both began before zero were taken for one.
#[test]
fn intervals_that_began_before_zero_are_not_one() {
    let fault = |over| O::Paged {
        direction: Direction::In,
        cause: PageCause::Fault,
        party: Party::Node(0),
        pages: 1,
        over: Duration::from_nanos(over * MS),
    };
    let steps = [100, 101].map(|over| Step::Event(0, fault(over))).to_vec();
    let (trace, end) = assemble(steps, None, false, true);
    assert_same(&trace, end);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn offline_equals_online(
        steps in vec(step(), 1..400),
        settles in prop::option::of(0usize..200),
        watched in any::<bool>(),
    ) {
        let (trace, end) = assemble(steps, settles, watched, false);
        let verdict = assert_same(&trace, end);
        let shown = |v: &Verdict| serde_json::to_string(v).unwrap();
        let more = online(&looked_more(&trace, 1_234_567), end);
        assert_eq!(shown(&more), shown(&verdict), "with more looks");
    }

    #[test]
    fn offline_equals_online_when_looks_report_past_slices(
        steps in vec(step(), 1..400),
        watched in any::<bool>(),
    ) {
        let (trace, end) = assemble(steps, None, watched, true);
        assert_same(&trace, end);
    }
}
