//! A made-up run with data for every part of a report. All its names and texts end with a suffix
//! that the test chooses.

use std::collections::BTreeMap;

use netloom_api::event::ExpectationStatus;
use netloom_api::event::{EndReason, Event, Origin, What};
use netloom_api::machine::Machine;
use netloom_api::metric::Metric;
use netloom_api::state::{
    LinkStatus, ModelledPipe, PipeStatus, ProcessState, ProcessStatus, VlanPortStatus,
};
use netloom_api::summary::Summary;
use netloom_api::timing::{LatencySummary, Timing};
use netloom_link::{
    Count, DelayStatistics, DropStatistics, PipeConfig, PipeStatistics, QueueStatistics,
};
use netloom_monitor::{
    Bound, Concern, Coverage, DropCause, Episode, Finding, Judgement, Lateness, Losses, NodeBound,
    Overhead, PipeBound, RateError, Resource, Share, SignalKind, SignalReport, Span, Trust,
    Verdict, WaitBound, Who,
};
use netloom_report_page::{
    Curves, Happened, Metrics, Radio, Run, Sample, StationTotals, Way, drawn,
};
use netloom_scenario::{Endpoint, Scenario, load};
use netloom_units::{Duration, Time};
use serde_json::json;

const SCENARIO: &str = "\
name: made-up
topology:
  nodes: { a: , b: , r: { kind: router } }
  links:
    - { name: uplink, endpoints: [a, r], rate: 10Mbit/s, delay: 5ms }
    - { name: idle, endpoints: [r, b] }
measure: { interval: 100ms }
";

/// Returns the run, with `with` at the end of every text.
pub fn run(with: &str) -> Run {
    let scenario = scenario(with);
    let summary = summary(&scenario, with);
    let mut curves =
        Curves::new(summary.ended, drawn(&summary).into_iter().map(|link| &*link.name));
    for sample in (1..=100).map(sample) {
        curves.add(&format!("uplink{with}"), Way::Forward, sample);
    }
    let mut happened = Happened::default();
    for event in events(with) {
        happened.add(&event);
    }
    let mut metrics = Metrics::new(summary.ended);
    for metric in reported(with) {
        metrics.add(&metric);
    }
    Run {
        started: "2026-01-02 03:04:05 UTC".into(),
        scenario: Some(scenario),
        machine: Some(machine(with)),
        curves: Some(curves),
        flow_curves: None,
        summary,
        happened,
        metrics,
        radio: radio(with),
        missing: vec![format!("captures: {with}")],
    }
}

/// Three stations in a row, one of which moves. The outer two are hidden from each other.
fn radio(with: &str) -> Radio {
    let mut radio = Radio::default();
    let names = ["a", "b", "c"].map(|name| format!("{name}{with}"));
    for second in 1..=4 {
        for (place, name) in names.iter().enumerate() {
            let x = 200.0 * place as f64;
            let y = if place == 2 { 10.0 * f64::from(second) } else { 0.0 };
            radio.add_place(name, (x, y));
            let totals = StationTotals {
                attempts: 100,
                retries: 10 * place as u64,
                sent: 90,
                airtime: [400_000_000, 20_000_000, 0, 9_000_000, 0],
                ..StationTotals::default()
            };
            radio.add_station(&format!("air{with}"), name, totals);
        }
        for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
            let pair = (names[from].as_str(), names[to].as_str());
            let time = at(f64::from(second));
            let is_moved = from == 2 || to == 2;
            let north = if is_moved { 10.0 * f64::from(second) } else { 0.0 };
            let way = (200f64.hypot(north), 0.98 - north / 1e3);
            radio.add_neighbour(time, &format!("air{with}"), pair, true, way);
        }
    }
    radio
}

/// Goodput of two nodes in different units of time, and a balance that falls below 0.
fn reported(with: &str) -> Vec<Metric> {
    let metric = |time, node: &str, name: &str, value| Metric {
        time: at(time),
        node: format!("{node}{with}"),
        name: format!("{name}{with}"),
        value,
    };
    vec![
        metric(0.0, "client", "goodput", 2e6),
        metric(2.5, "server", "goodput", 8e6),
        metric(5.0, "client", "goodput", 4e6),
        metric(6.0, "client", "balance", -1.5),
    ]
}

/// Returns the time `seconds` after the network was ready.
pub fn at(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9) as u64)
}

fn scenario(with: &str) -> Scenario {
    let mut scenario = load(SCENARIO).unwrap().scenario;
    let add = |name: &mut String| name.push_str(with);
    add(&mut scenario.name);
    scenario.nodes.iter_mut().for_each(|node| add(&mut node.name));
    for link in &mut scenario.links {
        add(&mut link.name);
        link.endpoints.iter_mut().for_each(|end| add(&mut end.node));
    }
    scenario
}

/// Returns the sample after `tenths` of a second: 8 Mbit/s are offered, a fifth of which is dropped
/// from 5 s on, with a queue of ten frames and a delay of 15 ms.
fn sample(tenths: u64) -> Sample {
    let late = tenths.saturating_sub(50);
    let delivered = tenths * 100 - late * 20;
    Sample {
        time: Time::from_nanos(tenths * 100_000_000),
        offered_bytes: tenths * 100_000,
        delivered_bytes: delivered * 1000,
        delivered_frames: delivered,
        dropped_frames: [0, 0, late * 15, 0, late * 5, 0, 0, 0],
        delay_sum_ns: delivered * 15_000_000,
        queue_sum_ns: tenths * 100_000_000 * 10,
    }
}

fn summary(scenario: &Scenario, with: &str) -> Summary {
    let process = |name: &str, state| ProcessStatus {
        process: format!("{name}{with}"),
        node: format!("a{with}"),
        state,
    };
    Summary {
        machines: vec![],
        placement: Default::default(),
        name: scenario.name.clone(),
        mode: Default::default(),
        file: format!("/tmp/netloom.yaml{with}").into(),
        seed: 7,
        dilation: Default::default(),
        version: "0.1.0".into(),
        started_unix: 0.0,
        ended: at(10.0),
        reason: EndReason::Duration,
        deploy_seconds: 0.05,
        ready_seconds: None,
        verdict: Some(verdict(with)),
        processes: vec![
            process("client", ProcessState::Done { code: 0 }),
            process("server", ProcessState::Failed { reason: format!("no luck{with}") }),
        ],
        timeline: Vec::new(),
        expectations: expectations(with),
        success: false,
        failures: vec![format!("`server` has failed{with}")],
        links: links(scenario),
        usage: Default::default(),
        vlan_ports: BTreeMap::from([(format!("s:eth1{with}"), vlan_port())]),
        frame_log: None,
        timing: Some(timing(with)),
        simulation: None,
        flows: Vec::new(),
        media: Vec::new(),
        warnings: vec![format!("a warning{with}")],
    }
}

/// A port that refused two frames of another VLAN.
fn expectations(with: &str) -> Vec<ExpectationStatus> {
    let expectation = |expected: &str, found: &str| ExpectationStatus {
        process: format!("client{with}"),
        node: format!("a{with}"),
        expected: format!("{expected}{with}"),
        met: found.is_empty(),
        found: if found.is_empty() { String::new() } else { format!("{found}{with}") },
    };
    vec![expectation("exit code 0", ""), expectation("output with `0% packet loss`", "no output")]
}

fn vlan_port() -> VlanPortStatus {
    let port = json!({
        "vlans": {"access": 10},
        "dropped": {
            "foreign": {"frames": 2, "bytes": 128},
            "untagged": {"frames": 0, "bytes": 0},
        },
    });
    serde_json::from_value(port).unwrap()
}

fn links(scenario: &Scenario) -> Vec<LinkStatus> {
    let status = |link: &netloom_scenario::Link| {
        let busy = link.name.starts_with("uplink");
        LinkStatus {
            name: link.name.clone(),
            endpoints: link.endpoints.clone(),
            forward: modelled(pipe(&link.forward, busy)),
            reverse: modelled(pipe(&link.reverse, false)),
        }
    };
    scenario.links.iter().map(status).collect()
}

/// Returns a link between `a` and `b` that carried `bytes` in one direction.
pub fn link(name: &str, bytes: u64) -> LinkStatus {
    let end = |node: &str| Endpoint { node: node.into(), interface: "eth1".into() };
    let mut forward = pipe(&PipeConfig::default(), false);
    forward.statistics.offered = Count { frames: bytes / 1000, bytes };
    LinkStatus {
        name: name.into(),
        endpoints: [end("a"), end("b")],
        reverse: modelled(pipe(&PipeConfig::default(), false)),
        forward: modelled(forward),
    }
}

fn modelled(pipe: ModelledPipe) -> PipeStatus {
    PipeStatus::Modelled(Box::new(pipe))
}

fn pipe(config: &PipeConfig, busy: bool) -> ModelledPipe {
    let count = |frames: u64| Count { frames, bytes: frames * 1000 };
    let times = u64::from(busy);
    let statistics = PipeStatistics {
        since: at(0.0),
        at: at(10.0),
        offered: count(10_000 * times),
        frame_bytes_mean: busy.then_some(1000.0),
        delivered: count(9000 * times),
        lost_unmodelled: Count::default(),
        duplicated: Count::default(),
        corrupted: Count::default(),
        marked: count(3 * times),
        dropped: DropStatistics {
            queue_full: count(750 * times),
            loss: count(250 * times),
            ..DropStatistics::default()
        },
        lost_percent: busy.then_some(10.0),
        queue: QueueStatistics {
            now: Count::default(),
            maximum: count(40 * times),
            mean_frames: 10.0 * times as f64,
            seen_mean_frames: busy.then_some(12.5),
            fill: busy.then_some(0.25),
        },
        in_flight: Count::default(),
        delay: busy.then_some(DelayStatistics {
            min_ns: 5_000_000,
            mean_ns: 15e6,
            max_ns: 40_000_000,
            p50_ns: 15_000_000,
            p99_ns: 35_000_000,
            p999_ns: 39_000_000,
        }),
        busy_ns: 7_000_000_000 * times,
        load: 0.7 * times as f64,
        background: None,
        aqm: None,
    };
    ModelledPipe { config: config.clone(), statistics }
}

fn verdict(with: &str) -> Verdict {
    let process = Who::Process { pid: 4711, name: format!("stress{with}") };
    let shares = vec![
        Share { who: process, amount: 80, share: 0.8 },
        Share { who: Who::Node { name: format!("a{with}") }, amount: 20, share: 0.2 },
    ];
    let episode = |from: f64, to: f64, peak: f64, warm_up: bool| Episode {
        from: at(from),
        to: at(to),
        held: at(to).since(at(from)),
        peak,
        warm_up,
        shares: shares.clone(),
    };
    let cpu = SignalReport {
        signal: SignalKind::Cpu,
        on: Resource::Cpu { cpu: 1 },
        machine: None,
        threshold: Some(2e8),
        worst: Some(5e8),
        margin: Some(-1.5),
        held: Duration::from_millis(1500),
        episodes: vec![episode(0.2, 0.5, 3e8, true), episode(6.0, 7.5, 5e8, false)],
        shares: shares.clone(),
    };
    let drops = SignalReport {
        signal: SignalKind::UnmodelledDrop,
        on: Resource::Losses { cause: DropCause::DeviceFull },
        machine: None,
        threshold: None,
        worst: Some(3.0),
        margin: None,
        held: Duration::ZERO,
        episodes: vec![episode(8.0, 8.0, 3.0, false)],
        shares: shares.clone(),
    };
    let metric = SignalReport {
        signal: SignalKind::Application,
        on: Resource::Metric {
            name: format!("jitter{with}"),
            who: Who::Node { name: format!("b{with}") },
        },
        machine: None,
        threshold: Some(10.0),
        worst: Some(4.0),
        margin: Some(0.6),
        held: Duration::ZERO,
        episodes: Vec::new(),
        shares: Vec::new(),
    };
    let finding = |judgement, report: &SignalReport, why: &str| Finding {
        about: Concern::Links,
        judgement,
        signal: report.signal,
        on: Some(report.on.clone()),
        machine: None,
        why: format!("{why}{with}"),
    };
    Verdict {
        judgement: Judgement::Invalid,
        links: Judgement::Invalid,
        programs: Judgement::Valid,
        trust: Trust::default(),
        bound: bound(with),
        bad: vec![Span { from: at(6.0), to: at(7.0) }],
        findings: vec![
            finding(Judgement::Invalid, &drops, "three frames were lost"),
            finding(Judgement::Suspect, &cpu, "a CPU was busy"),
        ],
        from: at(0.0),
        settled: at(1.0),
        to: at(10.0),
        signals: vec![metric, cpu, drops],
        coverage: vec![
            Coverage {
                signal: SignalKind::Cpu,
                machine: None,
                observed: true,
                probes: vec!["proc_stat".into()],
                blind_spots: vec![format!("short idle moments{with}")],
                threshold: None,
            },
            Coverage {
                signal: SignalKind::Disk,
                machine: None,
                observed: false,
                probes: Vec::new(),
                blind_spots: Vec::new(),
                threshold: None,
            },
        ],
        overhead: Overhead {
            preparation_ns: 50_000_000,
            monitoring_ns: 20_000_000,
            notification_ns: 1_000_000,
            share: 0.0021,
            elapsed_ns: 30_000_000,
        },
    }
}

fn bound(with: &str) -> Bound {
    let (us, ms) = (Duration::from_micros, Duration::from_millis);
    let late =
        Lateness { p50: us(20), p99: us(300), p999: ms(4), max: ms(9), beyond: 40, share: 0.004 };
    let pipe = PipeBound {
        machines: vec![],
        pipe: format!("uplink{with}/forward"),
        frames: 10_000,
        late,
        at_most: Lateness { p999: ms(5), beyond: 60, share: 0.006, ..late },
        rate: Some(RateError { busy: ms(9000), lost: ms(9), share: 0.001 }),
        bad: vec![Span { from: at(6.0), to: at(7.0) }],
        doubtful: Vec::new(),
    };
    let cpu = WaitBound { waited: ms(100), times: 12, longest: ms(20), share: 0.01, bad: vec![] };
    let (memory, disk) = (WaitBound::default(), WaitBound::default());
    Bound {
        pipes: vec![pipe],
        losses: Losses { frames: 3, ..Losses::default() },
        nodes: vec![NodeBound { node: format!("b{with}"), machine: None, cpu, memory, disk }],
        machines: vec![],
        ..Bound::default()
    }
}

fn timing(with: &str) -> Timing {
    let latency = LatencySummary {
        count: 18_000,
        p50_us: 12.0,
        p99_us: 80.0,
        p999_us: 900.0,
        max_us: 2500.0,
    };
    Timing {
        lateness: latency,
        timer_wakeup: latency,
        unmodelled_drops: BTreeMap::from([(format!("device_full{with}"), 3)]),
        ..Timing::default()
    }
}

fn machine(with: &str) -> Machine {
    Machine {
        netloom: "0.1.0".into(),
        kernel: "6.1.0".into(),
        architecture: "x86_64".into(),
        distribution: Some(format!("Debian{with}")),
        host: format!("host{with}"),
        processor: Some(format!("Processor{with}")),
        processors: 4,
        memory_bytes: Some(8 << 30),
        clock_source: Some("tsc".into()),
        frequency_mhz: Some(3000),
        frequency_governor: None,
        tcp_congestion_control: Some("cubic".into()),
    }
}

fn events(with: &str) -> Vec<Event> {
    let (process, node) = (format!("client{with}"), format!("a{with}"));
    let change = json!([{ "link": format!("uplink{with}"), "change": { "delay": "7ms" } }]);
    let happened = [
        (0.5, What::ProcessStarted { process: process.clone(), node: node.clone(), pid: 5 }),
        (
            3.0,
            What::Changed {
                by: Origin::Timeline,
                changes: serde_json::from_value(change).unwrap(),
            },
        ),
        (
            4.0,
            What::CommandEnded {
                node: node.clone(),
                command: vec![format!("date{with}")],
                code: 0,
                output: String::new(),
            },
        ),
        (9.5, What::ProcessEnded { process, node, code: 0 }),
    ];
    let event = |(number, (seconds, what)): (u64, (f64, What))| Event {
        number,
        time: at(seconds),
        machine: None,
        what,
    };
    (0..).zip(happened).map(event).collect()
}
