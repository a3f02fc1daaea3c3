//! Fluid traffic in whole runs, against cases computed by hand.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use netloom_api::flow::FlowStatus;
use netloom_api::state::PipeStatus;
use netloom_api::summary::Summary;
use netloom_scenario::{Scenario, Unreadable};
use netloom_simulate::{Commands, Job, check, run};

/// A chain of routers. Loopback addresses are reached over the links that are up.
const CHAIN: &str = "
name: chain
duration: 10s
topology:
  kinds: { router: { ipv6: none } }
  nodes: { a: { kind: router }, b: { kind: router }, c: { kind: router }, d: { kind: router } }
  defaults: { link: { rate: 100Mbit/s, delay: 1ms, queue: { limit: 10packets } } }
  links:
    - { endpoints: [a, b] }
    - { endpoints: [b, c], rate: 65Mbit/s }
    - { endpoints: [c, d], rate: 40Mbit/s }
traffic:
  - { name: m, matrix: { file: m.csv, unit: Mbit/s, as: fluid } }
";

fn load(text: &str, matrix: &str) -> Scenario {
    let mut read = |file: &str| match file {
        "m.csv" => Ok(matrix.to_owned()),
        _ => Err(Unreadable::because("there is no such file")),
    };
    netloom_scenario::load_with_files(text, &mut read).unwrap().scenario
}

fn summary(name: &str, text: &str, matrix: &str) -> Summary {
    let scenario = load(text, matrix);
    let folder = std::env::temp_dir().join(format!("netloom-fluid-{name}-{}", std::process::id()));
    let job = Job {
        scenario,
        source: text.into(),
        file: PathBuf::from("netloom.yaml"),
        results: folder.clone(),
        commands: Commands::Refused,
        processes: None,
        threads: None,
        cells: None,
    };
    let summary = run(&job, None, &AtomicBool::new(false), &mut |_| {}).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    summary
}

/// Mbit/s of a flow that arrived, over the ten seconds of a run.
fn goodput(summary: &Summary, flow: &str) -> f64 {
    let found = summary.flows.iter().find(|one| one.name == flow);
    let found: &FlowStatus = found.unwrap_or_else(|| panic!("{flow}"));
    assert_eq!(found.protocol, "fluid");
    found.received.bytes as f64 * 8.0 / 10.0 / 1e6
}

fn near(is: f64, should: f64) {
    assert!((is - should).abs() < 1e-4, "{is}, not {should}");
}

/// The first line passes 100/150, so 60 and 40 Mbit/s arrive at the second beside 30; it passes
/// 65/130, so 30, 20 and 15 remain. From 5 s on, nothing is lost before the second, which passes
/// 65/180: 32.5, 21.67 and 10.83.
#[test]
fn losses_and_changes_of_rates_are_those_computed_by_hand() {
    let text =
        format!("{CHAIN}timeline:\n  - {{ at: 5s, link: b--a, set: {{ rate: 200Mbit/s }} }}\n");
    let summary = summary("hand", &text, "a,d,90\na,c,60\nb,c,30\n");
    near(goodput(&summary, "m.a.d"), (30.0 + 32.5) / 2.0);
    near(goodput(&summary, "m.a.c"), (20.0 + 65.0 / 3.0) / 2.0);
    near(goodput(&summary, "m.b.c"), (15.0 + 65.0 / 6.0) / 2.0);
    // Links carry the rates as their background, framing included: 1514 of 1538 bytes.
    let offered = |link: usize| match &summary.links[link].forward {
        PipeStatus::Modelled(pipe) => pipe.statistics.background.unwrap().offered.bytes as f64,
        PipeStatus::Direct(_) => panic!("no link is direct"),
    };
    for (link, megabits) in [(0, 150.0), (1, (130.0 + 180.0) / 2.0), (2, (30.0 + 32.5) / 2.0)] {
        let on_line = offered(link) * 8.0 / 10.0 / 1e6 * 1538.0 / 1514.0;
        assert!((on_line - megabits).abs() < 0.01, "{link}: {on_line}, not {megabits}");
    }
}

/// A ring of four: from a to c by b, or by d once a--b is down and routes follow.
#[test]
fn demands_take_the_routes_that_packets_take() {
    let text = "
name: ring
duration: 10s
simulation: { reroute: 1s }
topology:
  kinds: { router: { ipv6: none } }
  nodes: { a: { kind: router }, b: { kind: router }, c: { kind: router }, d: { kind: router } }
  defaults: { link: { rate: 10Mbit/s, delay: 1ms } }
  links:
    - { endpoints: [a, b] }
    - { endpoints: [b, c] }
    - { endpoints: [a, d], delay: 2ms }
    - { endpoints: [d, c], rate: 2Mbit/s }
timeline:
  - { at: 2s, link: a--b, state: down, for: 4s }
traffic:
  - { name: m, matrix: { file: m.csv, unit: Mbit/s, as: fluid }, start: 1s }
";
    let summary = summary("ring", text, "a,c,4\n");
    // 4 Mbit/s for a second, nothing until routes avoid the link, 2 until they take it again a
    // second after it is up, and 4 to the end.
    near(goodput(&summary, "m.a.c"), (4.0 + 2.0 * 4.0 + 4.0 * 3.0) / 10.0);
    let sent = summary.flows[0].sent.bytes as f64 * 8.0 / 1e6;
    near(sent, 36.0);
}

#[test]
fn packets_meet_the_fluid() {
    let text = CHAIN.replace(
        "traffic:",
        "traffic:\n  - { name: p, from: c, to: d, udp: {}, cbr: { rate: 20Mbit/s } }",
    );
    let summary = summary("packets", &text, "c,d,60\n");
    let packets = summary.flows.iter().find(|flow| flow.name == "p").unwrap();
    let passed = packets.received.frames as f64 / packets.sent.frames as f64;
    // The fluid alone fills the line of 40 Mbit/s to 150 %, and frames are taken with 2/3 less what
    // they themselves add.
    assert!((0.3..0.7).contains(&passed), "{passed}");
}

#[test]
fn what_has_no_rates_is_refused() {
    let refused = |text: &str| {
        let errors = check(&load(text, "a,c,1\n"), Commands::Refused).errors;
        errors.join("\n")
    };
    let background = "rate: 65Mbit/s, background: [{ cbr: { rate: 1Mbit/s } }]";
    let fault = refused(&CHAIN.replace("rate: 65Mbit/s", background));
    assert!(fault.contains("link `b--c` has another `background`"), "{fault}");
    let failing = |text: &str| {
        let scenario = load(text, "a,c,1\n");
        let job = Job {
            scenario,
            source: text.into(),
            file: PathBuf::from("netloom.yaml"),
            results: std::env::temp_dir().join("netloom-fluid-never"),
            commands: Commands::Refused,
            processes: None,
            threads: None,
            cells: None,
        };
        let error = run(&job, None, &AtomicBool::new(false), &mut |_| {}).unwrap_err();
        format!("{error:#}")
    };
    let fault =
        failing(&CHAIN.replace("rate: 65Mbit/s", "rate: 65Mbit/s, queue: { discipline: codel }"));
    assert!(fault.contains("link `b--c` cannot carry fluid traffic"), "{fault}");
    assert!(fault.contains("discipline fifo, not codel"), "{fault}");
    let switch = CHAIN.replace("b: { kind: router }", "b: { kind: switch }");
    let fault = failing(&switch);
    assert!(fault.contains("leaves `a` by a link that ends at a switch"), "{fault}");
    let traced = CHAIN.replace("rate: 65Mbit/s", "rate: { trace: [1, 2, 3] }");
    let fault = failing(&traced);
    assert!(fault.contains("link `b--c` has a trace as its rate"), "{fault}");
}
