//! Real hosts over pipes that follow a simulation of the whole network.

mod common;

use std::fs::{self, File};
use std::process::Stdio;

use common::{Lab, eventually, kill};
use netloom_columnar::{Cell, Stored};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// Two real hosts with two routers between them, and simulated hosts beside.
const TWO: &str = "topology:
  defaults: { node: { simulated: true }, link: { delay: 2ms } }
  nodes:
    h1: { simulated: false }
    h2: { simulated: false }
    r1: { kind: router }
    r2: { kind: router }
    s1:
    s2:
  links:
    - { endpoints: [h1, r1] }
    - { name: middle, endpoints: [r1, r2], rate: 10Mbit/s, delay: 10ms }
    - { endpoints: [r2, h2] }
    - { endpoints: [s1, r1] }
    - { endpoints: [r2, s2] }
";

/// Three real hosts in a network as large as that of the thesis's figure 5.5: a chain from each to
/// the router where they meet, with simulated hosts and other ways beside.
const THREE: &str = "topology:
  defaults: { node: { simulated: true, ipv6: none }, link: { delay: 1ms } }
  nodes:
    h1: { simulated: false }
    h2: { simulated: false }
    h3: { simulated: false }
    r1: { kind: router }
    r2: { kind: router }
    r3: { kind: router }
    r4: { kind: router }
    r5: { kind: router }
    s1:
    s2:
  links:
    - { name: a, endpoints: [h1, r1] }
    - { name: b, endpoints: [r1, r2], delay: 5ms }
    - { name: c, endpoints: [r2, r3], delay: 7ms }
    - { name: d, endpoints: [r3, h2] }
    - { name: e, endpoints: [r2, r4] }
    - { name: f, endpoints: [r4, h3] }
    - { name: g, endpoints: [r3, r5] }
    - { endpoints: [s1, r1] }
    - { endpoints: [r5, s2] }
";

fn summary(lab: &Lab, results: &str) -> Value {
    let file = fs::read_to_string(lab.path(&format!("{results}/summary.json"))).unwrap();
    serde_json::from_str(&file).unwrap()
}

/// A row of `calibration.parquet`.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    period: u64,
    pipe: String,
    /// `offered`, `w_ns`, `w1_ns`, `loss_ppb`, `real_offered`.
    numbers: [u64; 5],
}

fn calibrations(lab: &Lab, results: &str) -> Vec<Row> {
    let file = File::open(lab.path(&format!("{results}/calibration.parquet"))).unwrap();
    let columns = ["period", "pipe", "offered", "w_ns", "w1_ns", "loss_ppb", "real_offered"];
    let mut rows = Vec::new();
    let table = Stored::open(file).unwrap();
    table
        .rows(&columns, |row| {
            let number = |place: usize| match row[place] {
                Cell::Number(number) => number,
                other => panic!("{other:?}"),
            };
            let Cell::Name(pipe) = row[1] else { panic!("{row:?}") };
            let numbers = [2, 3, 4, 5, 6].map(number);
            rows.push(Row { period: number(0), pipe: pipe.into(), numbers });
        })
        .unwrap();
    rows
}

fn of<'r>(rows: &'r [Row], pipe: &str) -> Vec<&'r Row> {
    rows.iter().filter(|row| row.pipe == pipe).collect()
}

#[test]
fn a_plan_shows_the_pruned_and_the_small_network() {
    let lab = Lab::new(&format!("symbiosis: {{ period: auto }}\n{THREE}"));
    let text = lab.ok(&["symbiosis", "plan"]);
    assert!(text.contains("real hosts: h1, h2, h3"), "{text}");
    assert!(text.contains("small network: 6 pipes, 1 junction"), "{text}");
    let plan: Value = serde_json::from_str(&lab.ok(&["symbiosis", "plan", "--json"])).unwrap();
    assert_eq!(plan["junctions"], json!(["r2"]));
    let pruned: Vec<&str> = plan["pruned"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pipe| pipe["pipe"].as_str().unwrap())
        .collect();
    let expected = ["a", "b", "c", "d", "e", "f"]
        .map(|link| [format!("{link}/forward"), format!("{link}/reverse")]);
    assert_eq!(pruned, expected.concat());
    let small = plan["small"].as_array().unwrap();
    let from_h2 = small.iter().find(|pipe| pipe["from"] == "h2").unwrap();
    assert_eq!(from_h2["to"], "r2");
    assert_eq!(from_h2["delay_ns"], 8_000_000);
    assert_eq!(from_h2["stands_for"], json!(["d/reverse", "c/reverse"]));
    // Nothing limits a rate, so that 100 ms are enough.
    assert_eq!(plan["period_ns"], 100_000_000);
    let dot = lab.ok(&["symbiosis", "plan", "netloom.yaml", "--dot"]);
    assert!(dot.contains("\"small/h1\" -> \"small/r2\""), "{dot}");
    assert!(dot.contains("\"pruned/r3\" -> \"pruned/h2\""), "{dot}");

    common::rewrite(&lab, &format!("symbiosis: {{ downscale: false }}\n{THREE}"));
    let plan: Value = serde_json::from_str(&lab.ok(&["symbiosis", "plan", "--json"])).unwrap();
    assert_eq!(plan["small"].as_array().unwrap().len(), 12);
    common::rewrite(&lab, THREE);
    let (_, why) = lab.fails(&["symbiosis", "plan"]);
    assert!(why.contains("is not symbiotic"), "{why}");
}

#[test]
fn what_cannot_be_symbiotic_is_refused() {
    let switch =
        TWO.replace("r1: { kind: router }", "r1: { kind: router }\n    x: { kind: switch }");
    let switch = switch.replace(
        "    - { name: middle, endpoints: [r1, r2], rate: 10Mbit/s, delay: 10ms }",
        "    - { endpoints: [r1, x] }\n    - { endpoints: [x, r2] }",
    );
    let lab = Lab::new(&format!("symbiosis: {{}}\n{switch}"));
    let (_, why) = lab.fails(&["symbiosis", "plan"]);
    assert!(why.contains("leaves `r1` by a link that ends at a switch"), "{why}");

    common::rewrite(&lab, &format!("symbiosis: {{}}\n{TWO}"));
    let (_, why) = lab.fails(&["deploy"]);
    assert!(why.contains("start it with `netloom run`"), "{why}");

    let events = "timeline:
  - { at: 1s, node: r1, route: { add: { to: 10.99.0.0/24, via: 10.0.0.1 } } }
measure: { frames: [middle] }
";
    common::rewrite(&lab, &format!("symbiosis: {{}}\n{TWO}{events}"));
    let (_, why) = lab.fails(&["symbiosis", "plan"]);
    assert!(why.contains("changes a route of `r1`, and routes stay as planned"), "{why}");
    assert!(why.contains("the frames of link `middle` cannot be logged"), "{why}");
    let (_, why) = lab.fails(&["run", "-o", "results"]);
    assert!(why.contains("changes a route of `r1`"), "{why}");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn real_hosts_meet_over_pipes_that_follow_and_a_replay_says_the_same() {
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 200ms }}\n{TWO}traffic:
  - {{ name: crowd, from: s1, to: s2, udp: {{}}, poisson: {{ rate: 5Mbit/s }}, for: 2s }}
processes:
  - {{ name: ping, node: h1, command: ping -4 -n -c 10 -i 0.2 h2 }}
  - {{ name: ping6, node: h1, command: ping -6 -n -c 3 -i 0.2 h2 }}
  - {{ name: hop, node: h1, command: [sh, -c, '! ping -4 -n -c 1 -t 1 h2'] }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    assert_eq!(lab.remains(), [""; 0]);
    let went = summary(&lab, "results");
    assert_eq!((&went["mode"], &went["success"]), (&"symbiosis".into(), &true.into()), "{went}");
    let output = |name: &str| {
        let file = format!("results/processes/{name}@h1.stdout");
        fs::read_to_string(lab.path(&file)).unwrap()
    };
    // Two routers take a hop each; 28 ms are the least that links take there and back.
    let ping = output("ping");
    assert!(ping.contains("ttl=62"), "{ping}");
    let least = ping.split("rtt min/avg/max/mdev = ").nth(1).unwrap().split('/').next().unwrap();
    assert!(least.parse::<f64>().unwrap() >= 28.0, "{ping}");
    assert!(output("hop").contains("Time to live exceeded"), "{}", output("hop"));
    // One small link stands for three.
    let links = went["links"].as_array().unwrap();
    assert_eq!(links.len(), 1);
    assert_eq!(links[0]["name"], "h1--h2");
    let crowd = &went["flows"][0];
    assert_eq!(crowd["name"], "crowd");
    assert!(crowd["received"]["frames"].as_u64().unwrap() > 100, "{crowd}");
    // Each real packet that went has a twin.
    let rows = calibrations(&lab, "results");
    let twins: u64 = of(&rows, "h1--h2/forward").iter().map(|row| row.numbers[0]).sum();
    assert!(twins >= 10, "{rows:?}");
    // A frame takes 1.2 ms in the middle, and waits there for others.
    assert!(of(&rows, "h1--h2/forward").iter().any(|row| row.numbers[1] > 1_300_000), "{rows:?}");

    lab.ok(&["run", "--simulate", "--metadata", "results/metadata.parquet", "-o", "again"]);
    let read =
        |results: &str| fs::read(lab.path(&format!("{results}/calibration.parquet"))).unwrap();
    assert!(read("results") == read("again"), "a replay calibrates otherwise");
    let again = summary(&lab, "again");
    assert_eq!(again["simulation"]["symbiosis"], went["simulation"]["symbiosis"]);
    let (_, why) =
        lab.fails(&["run", "--simulate", "--metadata", "results/pipes.parquet", "-o", "no"]);
    assert!(why.contains("is not `metadata.parquet` of a symbiotic run"), "{why}");
    assert!(!lab.path("no").exists());
}

/// Three hosts that meet at a junction; each reaches the others, and so it does over links that
/// nothing stands for but themselves, by either method.
#[test]
fn hosts_meet_at_junctions() {
    for how in ["{ period: 100ms }", "{ period: 100ms, calibration: cross_traffic }"] {
        let lab = Lab::new(&format!(
            "symbiosis: {how}\n{THREE}traffic:
  - {{ name: crowd, from: s1, to: s2, udp: {{}}, cbr: {{ rate: 1Mbit/s }}, for: 500ms }}
processes:
  - {{ name: one, node: h1, command: ping -n -c 3 -i 0.2 h2 }}
  - {{ name: two, node: h2, command: ping -n -c 3 -i 0.2 h3 }}
  - {{ name: three, node: h3, command: ping -n -c 3 -i 0.2 h1 }}
"
        ));
        lab.ok(&["run", "-o", "results"]);
        let went = summary(&lab, "results");
        assert_eq!(went["success"], true, "{went}");
        let ping = fs::read_to_string(lab.path("results/processes/one@h1.stdout")).unwrap();
        // r1, r2 and r3.
        assert!(ping.contains("ttl=61"), "{ping}");
        let two = fs::read_to_string(lab.path("results/processes/two@h2.stdout")).unwrap();
        let least = two.split("mdev = ").nth(1).unwrap().split('/').next().unwrap();
        assert!(least.parse::<f64>().unwrap() >= 20.0, "{two}");
    }
}

#[test]
fn a_pruned_link_that_is_cut_loses_all() {
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 100ms }}\nduration: 4s\n{TWO}timeline:
  - {{ at: 1s, link: middle, state: down }}
  - {{ at: 1500ms, node: h2, run: 'true' }}
processes:
  - {{ name: ping, node: h1, command: ping -4 -n -i 0.2 -W 1 -c 15 h2, background: true }}
"
    ));
    lab.netloom(&["run", "-o", "results"]);
    let rows = calibrations(&lab, "results");
    let forward = of(&rows, "h1--h2/forward");
    let loss = |row: &Row| row.numbers[3];
    let lost = |row: &&&Row| loss(row) == 1_000_000_000;
    assert!(forward.len() > 15, "{rows:?}");
    // The period from 1.0 s on, and all behind it.
    assert!(forward.iter().filter(|row| row.period < 9).all(|row| loss(row) == 0), "{rows:?}");
    assert!(forward.iter().filter(|row| row.period > 10).all(|row| lost(&row)), "{rows:?}");
    let went = summary(&lab, "results");
    let pipe = &went["links"][0]["forward"]["statistics"]["dropped"]["loss"]["frames"];
    assert!(pipe.as_u64().unwrap() > 0, "{pipe}");
    let timeline = went["timeline"].as_array().unwrap();
    assert_eq!(timeline[0]["happened"], 1_000_000_000_u64, "{timeline:?}");
    assert!(timeline[1]["happened"].as_u64().unwrap() >= 1_500_000_000, "{timeline:?}");
    let events = fs::read_to_string(lab.path("results/events.jsonl")).unwrap();
    assert!(events.contains("middle"), "{events}");
}

/// A program in a node asks for the ways from there, as others do by the engine's API.
#[test]
fn programs_learn_how_the_ways_are() {
    let ask = "curl -s --unix-socket $NETLOOM_METRICS http://netloom/v1/paths";
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 100ms }}\nduration: 3s\n{TWO}traffic:
  - {{ name: crowd, from: s1, to: s2, udp: {{}}, cbr: {{ rate: 5Mbit/s }}, background: true }}
processes:
  - {{ name: ask, node: h1, command: \"{ask}\", start: 2s }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    let answer = fs::read_to_string(lab.path("results/processes/ask@h1.stdout")).unwrap();
    let paths: Vec<Value> = serde_json::from_str(&answer).unwrap();
    let of = |from: &str| paths.iter().find(|path| path["from"] == from).unwrap();
    let (there, back) = (of("h1"), of("h2"));
    assert_eq!((&there["to"], &back["to"]), (&"h2".into(), &"h1".into()));
    assert!(there["at"].as_u64().unwrap() >= 1_000_000_000, "{there}");
    assert_eq!((&there["delay_ns"], &there["loss"]), (&14_000_000.into(), &0.0.into()));
    let free = |path: &Value| path["free_bits_per_second"].as_f64().unwrap() / 1e6;
    // Of 10 Mbit/s, half is left, without what Ethernet adds.
    assert!((4.0..6.0).contains(&free(there)) && free(back) > 9.5, "{paths:?}");

    let plain = Lab::deployed("topology: { nodes: { a: } }\n");
    let refused = plain.request("GET", "/v1/paths", "");
    assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
    assert!(refused.contains("paths are known in symbiotic runs only"), "{refused}");
}

/// Evenly spaced real frames wait less by `md1` than their twins do among others.
#[test]
fn flows_that_differ_from_their_twins_are_warned_of() {
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 100ms }}\n{TWO}traffic:
  - {{ name: crowd, from: s1, to: s2, udp: {{}}, poisson: {{ rate: 8Mbit/s }}, for: 6s }}
processes:
  - {{ name: ping, node: h1, command: ping -4 -n -c 250 -i 0.02 -s 1000 h2 }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    let went = summary(&lab, "results");
    let flows = went["simulation"]["symbiosis"]["flows"].as_array().unwrap();
    let ends: Vec<_> = flows.iter().map(|flow| [&flow["from"], &flow["to"]]).collect();
    assert_eq!(ends, [["h1", "h2"], ["h2", "h1"]]);
    for flow in flows {
        let [twins, real] = ["twins", "real"].map(|of| flow[of]["frames"].as_u64().unwrap());
        assert!(twins > 100 && real > 100, "{flow}");
        assert!(flow["twins"]["delay_mean_ns"].as_u64().unwrap() > 14_000_000, "{flow}");
    }
    let differed = |flow: &Value| {
        let of = |what: &str| flow[what].as_f64().unwrap_or_default();
        of("delay_difference").max(of("throughput_difference")) > 0.1
    };
    let warnings = went["warnings"].to_string();
    let findings = went["verdict"]["findings"].to_string();
    let has = flows.iter().any(differed);
    assert_eq!(warnings.contains("from that of its twin"), has, "{went}");
    assert_eq!(findings.contains("\"signal\":\"divergence\""), has, "{went}");
    if has {
        assert_ne!(went["verdict"]["judgement"], "valid");
    }
}

/// Without real frames, W is what one would wait and take: here the sum of transmissions.
#[test]
fn hosts_without_traffic_see_the_idle_network() {
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 100ms }}\nduration: 1500ms\n{}",
        TWO.replace("simulated: true }", "simulated: true, ipv6: none }")
    ));
    lab.ok(&["run", "-o", "results"]);
    let rows = calibrations(&lab, "results");
    assert!(rows.len() >= 4, "{rows:?}");
    for row in &rows {
        let [offered, time, backlog, loss, _] = row.numbers;
        assert_eq!((offered, backlog, loss), (0, 0, 0), "{row:?}");
        // 1538 bytes on the wire at 10 Mbit/s.
        assert!((1_200_000..1_240_000).contains(&time), "{row:?}");
    }
}

#[test]
fn real_tcp_crosses_the_small_network() {
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 200ms }}\n{TWO}processes:
  - {{ name: sink, node: h2, command: iperf3 --server --one-off, ready: {{ port: 5201 }},
      background: true }}
  - {{ name: bulk, node: h1, command: iperf3 -4 --client h2 --time 4 --json,
      start: {{ after: sink }} }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    let bulk = fs::read_to_string(lab.path("results/processes/bulk@h1.stdout")).unwrap();
    let bulk: Value = serde_json::from_str(&bulk).unwrap();
    let received = bulk["end"]["sum_received"]["bytes"].as_u64().unwrap();
    // No more than the network's narrowest link carries in the time, and what waits in pipes.
    assert!(received > 200_000, "{received}");
    let rows = calibrations(&lab, "results");
    let twins: u64 = of(&rows, "h1--h2/forward").iter().map(|row| row.numbers[0]).sum();
    assert!(twins * 1448 >= received / 2, "{twins} {received}");
}

#[test]
fn links_are_not_set_by_hand_and_a_kill_leaves_nothing() {
    let lab = Lab::new(&format!("symbiosis: {{ period: 100ms }}\nduration: 60s\n{TWO}"));
    let mut run = lab.command(&["run", "-o", "results"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the network is there", || {
        lab.netloom(&["exec", &format!("h1@{}", lab.name), "--", "true"]).status.success()
    });
    let (_, why) = lab.fails(&["set", &format!("middle@{}", lab.name), "delay=1ms"]);
    assert!(why.contains("cannot be changed by hand"), "{why}");
    let (_, why) = lab.fails(&["exec", &format!("r1@{}", lab.name), "--", "true"]);
    assert!(why.contains("`r1` is simulated"), "{why}");
    kill(lab.engine_pid(), Signal::SIGKILL);
    run.wait().unwrap();
    lab.netloom(&["cleanup", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
    // Nothing of it is left for the next one, which begins with the idle network.
    common::rewrite(&lab, &format!("symbiosis: {{ period: 100ms }}\nduration: 1s\n{TWO}"));
    lab.ok(&["run", "-o", "again"]);
    let rows = calibrations(&lab, "again");
    assert_eq!(rows[0].period, 0);
    let idle = |row: &Row| row.numbers[2] == 0 && row.numbers[3] == 0;
    assert!(rows.iter().all(idle), "{rows:?}");
}

/// Ctrl-C ends a run between two periods: what was written is whole, and a replay says the same.
#[test]
fn an_interrupted_run_leaves_whole_periods() {
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 100ms }}\nduration: 60s\n{TWO}processes:
  - {{ name: ping, node: h1, command: ping -4 -n -i 0.01 h2, background: true }}
"
    ));
    let mut run = lab.command(&["run", "-o", "results"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_ready = || lab.netloom(&["inspect", &lab.name]).status.success();
    let simulated = || {
        let answer = lab.request("GET", "/v1/paths", "");
        let at = answer.split("\"at\":").nth(1).and_then(|rest| rest.split(',').next());
        at.and_then(|at| at.parse::<u64>().ok()).unwrap_or_default()
    };
    eventually("a second was simulated", || is_ready() && simulated() >= 1_000_000_000);
    kill(run.id().try_into().unwrap(), Signal::SIGINT);
    assert!(!run.wait().unwrap().success());
    assert_eq!(lab.remains(), [""; 0]);
    let went = summary(&lab, "results");
    let periods = went["simulation"]["symbiosis"]["periods"].as_u64().unwrap();
    let rows = calibrations(&lab, "results");
    let forward = of(&rows, "h1--h2/forward");
    assert_eq!(forward.len() as u64, periods);
    assert!(forward.iter().enumerate().all(|(place, row)| row.period == place as u64));
    // Some ten pings in a period, each of which takes a transmission on the idle line. On a busy
    // machine a period may have none.
    assert!(forward[2..].iter().any(|row| row.numbers[0] > 0), "{rows:?}");
    assert!(forward.iter().all(|row| row.numbers[3] == 0), "{rows:?}");
    lab.ok(&["run", "--simulate", "--metadata", "results/metadata.parquet", "-o", "again"]);
    assert_eq!(calibrations(&lab, "again"), rows);
}

/// More than any machine simulates: the run ends in time all the same, and is invalid.
#[test]
fn a_simulation_that_cannot_keep_up_is_invalid_and_ends_with_the_run() {
    let lab = Lab::new(&format!(
        "symbiosis: {{ period: 100ms }}\nduration: 3s\n{}traffic:
  - {{ name: flood, from: s1, to: s2, udp: {{}}, cbr: {{ rate: 4Gbit/s }}, size: 60B,
      background: true }}
",
        TWO.replace(", rate: 10Mbit/s", "")
    ));
    lab.netloom(&["run", "-o", "results"]);
    let went = summary(&lab, "results");
    assert!(went["ended"].as_u64().unwrap() < 20_000_000_000, "{}", went["ended"]);
    assert_eq!(went["verdict"]["links"], "invalid", "{}", went["verdict"]);
    let findings = went["verdict"]["findings"].as_array().unwrap();
    let lost = |one: &&Value| one["signal"] == "simulation" && one["judgement"] == "invalid";
    assert!(findings.iter().any(|one| lost(&one)), "{findings:?}");
    assert!(went["warnings"].to_string().contains("real hosts follow it late"), "{went}");
    assert_eq!(lab.remains(), [""; 0]);
}

/// A program without a library that anybody could put something into: writes so many bytes, in
/// pieces of odd lengths, and reports how many it wrote.
const STATIC: &str = r#"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(atoi(words[2])) };
    inet_pton(AF_INET, words[1], &to.sin_addr);
    int end = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(end, (struct sockaddr *)&to, sizeof to)) return 1;
    static char bytes[7919];
    long left = atol(words[3]), all = left;
    while (left > 0) {
        long some = write(end, bytes, left < sizeof bytes ? left : sizeof bytes);
        if (some <= 0) return 2;
        left -= some;
    }
    printf("%ld\n", all);
    return close(end);
}
"#;

/// Reads so many bytes at a time, with a pause between, until nothing comes, from so many
/// connections; prints how many bytes came over each.
const READER: &str = "
import socket, sys, time
port, count, bytes, pause = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
with socket.create_server(('', port)) as server:
    for _ in range(count):
        end, _ = server.accept()
        all = 0
        while some := end.recv(bytes):
            all += len(some)
            time.sleep(pause)
        end.close()
        print(all, flush=True)
";

/// Returns the bytes that the ends of a connection wrote and the progress of their twins, by the
/// port that one of them connects to. The first row is for the direction to that port, and the
/// second for the direction back.
fn connections(lab: &Lab, results: &str, port: u64) -> Vec<[u64; 4]> {
    let columns = ["source_port", "destination_port", "written", "twin_written"];
    let columns = [&columns[..], &["twin_acknowledged", "twin_read"]].concat();
    let file = File::open(lab.path(&format!("{results}/connections.parquet"))).unwrap();
    let mut rows = Vec::new();
    let table = Stored::open(file).unwrap();
    table
        .rows(&columns, |row| {
            let number = |place: usize| match row[place] {
                Cell::Number(number) => number,
                other => panic!("{other:?}"),
            };
            if [number(0), number(1)].contains(&port) {
                rows.push([2, 3, 4, 5].map(number));
            }
        })
        .unwrap();
    rows
}

/// Programs that nobody has touched: what each reports is what its twin wrote and what came to the
/// other end's twin, to the byte, both ways.
#[test]
fn twins_of_connections_carry_what_programs_wrote() {
    let lab = Lab::new("");
    fs::write(lab.path("static.c"), STATIC).unwrap();
    fs::write(lab.path("reader.py"), READER).unwrap();
    let built = std::process::Command::new("cc")
        .args(["-static", "-o", "static", "static.c"])
        .current_dir(&lab.directory)
        .status();
    assert!(built.unwrap().success(), "a static program needs a C compiler and its libc.a");
    fs::create_dir(lab.path("files")).unwrap();
    fs::write(lab.path("files/page"), vec![7; 345_678]).unwrap();
    common::rewrite(
        &lab,
        &format!(
            "symbiosis: {{ period: 200ms, calibration: cross_traffic, twins: connections }}\n{TWO}\
traffic:
  - {{ name: crowd, from: s1, to: s2, udp: {{}}, poisson: {{ rate: 3Mbit/s }}, background: true }}
processes:
  - {{ name: sink, node: h2, command: iperf3 --server --one-off, ready: {{ port: 5201 }},
      background: true }}
  - {{ name: web, node: h2, command: python3 -m http.server --directory files 8000,
      ready: {{ port: 8000 }}, background: true }}
  - {{ name: fast, node: h2, command: python3 reader.py 7000 1 65536 0, ready: {{ port: 7000 }},
      background: true }}
  - {{ name: slow, node: h2, command: python3 reader.py 7001 1 20000 0.1,
      ready: {{ port: 7001 }} }}
  - {{ name: bulk, node: h1, command: iperf3 -4 -c h2 -n 700K -C reno --json,
      start: {{ after: sink }} }}
  - {{ name: get, node: h1, start: {{ after: web }}, command: [curl, -4, -s, -o, /dev/null, -w,
      '%{{size_request}} %{{size_header}} %{{size_download}}', 'http://h2:8000/page'] }}
  - {{ name: static, node: h1, command: [sh, -c, './static $(getent ahostsv4 h2 | head -1 | cut \
             -d\" \" -f1) 7000 456789'], start: {{ after: fast }} }}
  - {{ name: stream, node: h1, command: [sh, -c, './static $(getent ahostsv4 h2 | head -1 | cut \
             -d\" \" -f1) 7001 600000'], start: {{ after: slow }} }}
  - {{ name: rest, node: h1, command: sleep 4, start: {{ after: slow, when: done }} }}
"
        ),
    );
    lab.ok(&["run", "-o", "results"]);
    let output = |name: &str| {
        let file = format!("results/processes/{name}.stdout");
        fs::read_to_string(lab.path(&file)).unwrap()
    };
    let same = |bytes: u64| [bytes; 4];
    let numbers = |text: &str| -> Vec<u64> {
        text.split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    // Two programs that only write, and what reads from each.
    assert_eq!(
        (numbers(&output("static@h1")), numbers(&output("fast@h2"))),
        (vec![456_789], vec![456_789])
    );
    assert_eq!(connections(&lab, "results", 7000), [same(456_789), same(0)]);
    assert_eq!(numbers(&output("slow@h2")), [600_000]);
    assert_eq!(connections(&lab, "results", 7001), [same(600_000), same(0)]);
    // A request, and what comes back.
    let curl = numbers(&output("get@h1"));
    assert_eq!(curl[2], 345_678);
    assert_eq!(connections(&lab, "results", 8000), [same(curl[0]), same(curl[1] + curl[2])]);
    // Two connections: one on which iperf3 agrees with its server, one for the bytes. The server
    // closes the second one when it learns on the first one that the test is over. If its kernel
    // has bytes then that it has not read, it resets the connection, and so does the twin.
    let mut resets = 0;
    let file = File::open(lab.path("results/metadata.parquet")).unwrap();
    let count = |row: &[Cell<'_>]| resets += u32::from(row[0] == Cell::Name("reset"));
    Stored::open(file).unwrap().rows(&["what"], count).unwrap();
    let bulk: Value = serde_json::from_str(&output("bulk@h1")).unwrap();
    let sent = bulk["end"]["sum_sent"]["bytes"].as_u64().unwrap();
    let all = connections(&lab, "results", 5201);
    assert_eq!(all.len(), 4, "{all:?}");
    let is_whole = |[first, rest @ ..]: &[u64; 4]| rest == &[*first; 3];
    assert!([0, 1, 3].iter().all(|row| is_whole(&all[*row])), "{all:?}");
    // iperf3 begins its second connection with a cookie of 37 bytes.
    assert_eq!(all[2][0], sent + 37);
    // What a reset connection had not read is lost.
    assert!(all[2][1] == sent + 37 || (resets == 1 && all[2][1] < sent + 37), "{all:?}");
    assert!(resets <= 1 && (resets == 1 || is_whole(&all[2])), "{resets} resets, {all:?}");
    assert!(all[2][2..].iter().all(|bytes| (1..=sent + 37).contains(bytes)), "{all:?}");
    // The slow reader's window closed, and its twin reads no faster.
    let mut slow = 0;
    let file = File::open(lab.path("results/metadata.parquet")).unwrap();
    let count = |row: &[Cell<'_>]| {
        let limited = matches!(row[1], Cell::Number(_));
        slow += u32::from(row[0] == Cell::Name("reads") && limited);
    };
    Stored::open(file).unwrap().rows(&["what", "bytes"], count).unwrap();
    assert!(slow > 0, "nobody reads slowly");
    lab.ok(&["run", "--simulate", "--metadata", "results/metadata.parquet", "-o", "again"]);
    for file in ["calibration.parquet", "connections.parquet"] {
        let read = |results: &str| fs::read(lab.path(&format!("{results}/{file}"))).unwrap();
        assert!(read("results") == read("again"), "a replay has another {file}");
    }
}
