//! One zero of time: whatever begins at a time has this time in all files and answers, however long
//! services and startup commands took before zero.

mod common;

use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use common::{Lab, text};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use pcap_file::pcapng::{Block, PcapNgReader};
use serde_json::Value;

/// What runs from the start takes longer than this, in s. All that is late is less late.
const START: f64 = 2.0;

const NETWORK: &str = "\
topology:
  media: { air: { preset: 802.11b, members: [c, d] } }
  nodes:
    a: { startup: ['netloom-report early 1; ping -4 -c 3 -i 0.2 b; sleep 2.2'] }
    b: { services: { quick: { template: quick.yaml } } }
    c: { position: [0m, 0m], startup: ['ping -4 -c 3 -i 0.2 d'] }
    d: { position: [10m, 0m] }
  links: [{ endpoints: ['a:eth1', 'b:eth1'], name: cable, rate: 10Mbit/s, delay: 1ms }]
";

const RUN: &str = "\
duration: 4s
timeline: [{ at: 1s, link: cable, set: { delay: 2ms } }]
processes:
  - { name: late, node: a, start: 1s, command: 'date +%s.%N; netloom-report late 1' }
traffic:
  - { name: wired, from: a, to: b, udp: {}, cbr: { rate: 1Mbit/s }, size: 777B, start: 2s }
  - { name: radio, from: c, to: d, udp: {}, cbr: { rate: 1Mbit/s }, size: 777B, start: 2s }
measure: { interval: 50ms, frames: true, capture: ['a:eth1'], observations: true }
";

/// Size of an Ethernet frame of the traffic, in bytes.
const FRAME: u64 = 777;

/// A service that is ready long before the others.
const QUICK: &str = "\
description: sleeps
programs: { sleep: { package: coreutils } }
command: ['{{ programs.sleep }}', '1000']
";

fn lab(rest: &str) -> Lab {
    let lab = Lab::new(&format!("{NETWORK}{rest}"));
    fs::write(lab.path("quick.yaml"), QUICK).unwrap();
    lab
}

/// Checks that something was at its time, and not earlier; in s.
fn was_at(what: &str, at: f64, time: f64) {
    assert!(at <= time && time < at + START, "{what} of {at} s was at {time} s");
}

/// Checks that something was before zero by the time that the start took; in s.
fn was_early(what: &str, time: f64) {
    assert!(-60.0 < time && time <= -START, "{what} before zero was at {time} s");
}

fn seconds(nanos: &Value) -> f64 {
    nanos.as_i64().unwrap_or_else(|| panic!("{nanos} is no time")) as f64 / 1e9
}

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The first value for which something holds.
fn first(values: &[Value], holds: impl Fn(&Value) -> bool) -> &Value {
    values.iter().find(|value| holds(value)).unwrap_or_else(|| panic!("none in {values:?}"))
}

/// Rows of a log of frames, in JSON.
fn log(lab: &Lab, file: &str) -> Vec<Value> {
    let text = lab.ok(&["frames", file, "--format", "json"]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Time and a counter of all rows of a table in which a column has a name.
fn counts(file: &Path, (column, name): (&str, &str), counter: &str) -> Vec<(f64, i64)> {
    let table = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let columns = table.metadata().file_metadata().schema_descr().columns();
    let place = |name: &str| columns.iter().position(|column| column.name() == name).unwrap();
    let (time, column, counter) = (place("time_ns"), place(column), place(counter));
    let rows = table.get_row_iter(None).unwrap().map(Result::unwrap);
    let rows = rows.filter(|row| row.get_string(column).unwrap() == name);
    rows.map(|row| {
        (row.get_long(time).unwrap() as f64 / 1e9, row.get_long(counter).unwrap_or_default())
    })
    .collect()
}

/// The date of the first frame of the traffic in a capture, in s.
fn captured(file: &Path) -> f64 {
    let mut reader = PcapNgReader::new(File::open(file).unwrap()).unwrap();
    while let Some(Ok(block)) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block
            && u64::from(packet.original_len) == FRAME
        {
            return packet.timestamp.as_secs_f64();
        }
    }
    panic!("no frame of the traffic was captured");
}

fn events_agree(events: &[Value]) {
    let time = |holds: &dyn Fn(&Value) -> bool| seconds(&first(events, holds)["time"]);
    let is = |event: &Value, name: &str| event["event"] == name;
    was_at("the change", 1.0, time(&|event| is(event, "changed")));
    let status = first(events, |event| is(event, "timeline"));
    assert_eq!(status["planned"], 1_000_000_000, "{status}");
    was_at("the event", 1.0, seconds(&status["happened"]));
    was_at("the event", 1.0, seconds(&status["time"]));
    for (process, at) in [("late", 1.0), ("wired.sender", 2.0), ("radio.sender", 2.0)] {
        let started = time(&|event| is(event, "process_started") && event["process"] == process);
        was_at(process, at, started);
    }
    was_early("the service", time(&|event| is(event, "service_ready")));
}

fn logs_agree(lab: &Lab) {
    let cable = log(lab, "results/frames.nlf");
    let is_sent = |event: &Value| event["event"] == "offered" && event["bytes"] == FRAME;
    was_at("the frame", 2.0, seconds(&first(&cable, is_sent)["time_ns"]));
    let air = log(lab, "results/air/air.nlf");
    was_at("the frame", 2.0, seconds(&first(&air, is_sent)["time_ns"]));
    was_early("the station", seconds(&first(&air, |event| event["event"] == "joined")["time_ns"]));
    was_early("the ping", seconds(&first(&air, |event| event["event"] == "offered")["time_ns"]));
    lab.ok(&["frames", "results/air/air.nlf", "--replay"]);
}

fn tables_agree(results: &Path) {
    let pipes = counts(&results.join("pipes.parquet"), ("direction", "forward"), "offered_bytes");
    let (zero, before) = pipes[0];
    assert_eq!(zero, 0.0);
    assert!(before > 0, "the pings before zero were not counted");
    let traffic = before + 5 * FRAME as i64;
    let grown = pipes.iter().find(|(_, bytes)| *bytes >= traffic);
    was_at("the traffic", 2.0, grown.expect("there was traffic").0);
    for flow in ["wired", "radio"] {
        let rows = counts(&results.join("traffic.parquet"), ("flow", flow), "sent_packets");
        let sent = rows.iter().find(|(_, packets)| *packets > 0).expect("there was traffic");
        was_at(flow, 2.0, sent.0);
    }
    let radio = counts(&results.join("radio.parquet"), ("node", "c"), "sent_frames");
    assert!(radio[0].0 == 0.0 && radio[0].1 > 0, "{radio:?}");
}

fn reports_agree(results: &Path) {
    let metrics = lines(&results.join("metrics.jsonl"));
    let time = |name: &str| seconds(&first(&metrics, |metric| metric["name"] == name)["time"]);
    was_early("the report", time("early"));
    was_at("the report", 1.0, time("late"));
    let observations = lines(&results.join("observations.jsonl"));
    let named = |name: &str| {
        let name = format!("\"name\":\"{name}\"");
        seconds(&first(&observations, |one| one.to_string().contains(&name))[0])
    };
    was_early("the observation", named("early"));
    was_at("the observation", 1.0, named("late"));
}

#[test]
fn all_results_of_a_run_count_from_the_moment_at_which_it_is_ready() {
    let lab = lab(RUN);
    let output = lab.ok(&["run", "-o", "results"]);
    let results = lab.path("results");
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap();
    let [up, ready] = ["deploy_seconds", "ready_seconds"].map(|key| summary[key].as_f64().unwrap());
    assert!(ready >= up + START, "up after {up} s, ready after {ready} s");
    assert!(output.contains(&format!("up in {up:.2} s, ready in {ready:.2} s")), "{output}");
    // However long the end takes, it is over with the last event.
    let events = lines(&results.join("events.jsonl"));
    let over = seconds(&events.last().unwrap()["time"]);
    let was_before = |what: &str, time: f64| {
        assert!(
            4.0 <= time && time <= over,
            "{what} was at {time} s, and all was over at {over} s"
        );
    };
    was_before("the end", seconds(&summary["ended"]));
    assert_eq!(summary["timeline"][0]["planned"], 1_000_000_000);
    was_at("the event", 1.0, seconds(&summary["timeline"][0]["happened"]));
    let statistics = &summary["links"][0]["forward"]["statistics"];
    was_early("the beginning of counts", seconds(&statistics["since"]));
    was_before("the last look at the links", seconds(&statistics["at"]));
    let verdict = &summary["verdict"];
    assert_eq!(verdict["from"], 0);
    was_before("the end of the verdict", seconds(&verdict["to"]));

    let date = summary["started_unix"].as_f64().unwrap();
    let printed = fs::read_to_string(results.join("processes/late@a.stdout")).unwrap();
    was_at("the process", 1.0, printed.trim().parse::<f64>().unwrap() - date);
    was_at("the frame", 2.0, captured(&results.join("captures/a-eth1.pcapng")) - date);

    events_agree(&events);
    logs_agree(&lab);
    tables_agree(&results);
    reports_agree(&results);
    let again: Value =
        serde_json::from_str(&lab.ok(&["judge", "results", "--format", "json"])).unwrap();
    assert_eq!(again, *verdict, "the same observations, another verdict");
    assert_eq!(lab.remains(), [""; 0]);
}

/// The body of an answer.
fn body(answer: &str) -> Value {
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

#[test]
fn a_deployed_network_counts_from_the_moment_at_which_it_is_ready() {
    let lab = lab("");
    let began = Instant::now();
    let output = lab.ok(&["deploy"]);
    let words: Vec<&str> = output.split_whitespace().collect();
    let after = |word: &str| -> f64 {
        let place = words.iter().position(|of| *of == word).unwrap_or_else(|| panic!("{output}"));
        words[place + 2].parse().unwrap()
    };
    assert!(after("ready") >= after("up") + START, "{output}");
    let is_since_zero = |what: &str, time: f64| {
        let most = began.elapsed().as_secs_f64() - START;
        assert!(0.0 <= time && time <= most, "{what} was at {time} s, {most} s at most since zero");
    };
    let status = body(&lab.request("GET", "/v1/experiment", ""));
    is_since_zero("now", seconds(&status["now"]));
    let changes = r#"{"changes": [{"link": "cable", "change": {"delay": "3ms"}}]}"#;
    let changed = body(&lab.request("PATCH", "/v1/links", changes));
    is_since_zero("the change", seconds(&changed["at"]));
    let links = body(&lab.request("GET", "/v1/links", ""));
    let statistics = &links[0]["forward"]["statistics"];
    was_early("the beginning of counts", seconds(&statistics["since"]));
    is_since_zero("the statistics", seconds(&statistics["at"]));
    is_since_zero(
        "the end of the verdict",
        seconds(&body(&lab.request("GET", "/v1/verdict", ""))["to"]),
    );
    // The stream ends with the experiment.
    let stream = std::thread::scope(|scope| {
        let stream = scope.spawn(|| lab.request("GET", "/v1/events?since=0", ""));
        lab.ok(&["destroy"]);
        stream.join().unwrap()
    });
    let events = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> = events.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(first(&events, |event| event["event"] == "changed")["time"], changed["at"]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_network_in_which_nothing_starts_is_ready_when_it_is_up() {
    let lab = Lab::new(
        "duration: 200ms\ntopology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n",
    );
    let output = lab.ok(&["run", "-o", "results"]);
    assert!(output.contains("up in") && !output.contains("ready in"), "{output}");
    let summary = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["ready_seconds"], Value::Null);
    assert_eq!(
        summary["links"][0]["forward"]["statistics"]["since"].as_i64().map(|at| at >= 0),
        Some(true)
    );
    let output = lab.netloom(&["deploy"]);
    let words = text(&output.stdout);
    assert!(words.contains("up in") && !words.contains("ready in"), "{words}");
    lab.ok(&["destroy"]);
}
