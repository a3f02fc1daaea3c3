//! The figures of flows of traffic, which mean the same in emulated and simulated runs.

mod common;

use std::fs;

use common::Lab;
use serde_json::Value;

/// Datagrams that never leave their node are refused, and not lost, in both kinds of run.
#[test]
fn what_has_no_route_is_refused_and_not_lost() {
    let lab = Lab::new(
        "duration: 1s\ntopology:\n  defaults: { node: { routing: none } }\n  \
         nodes: { a: , b: { kind: router }, c: }\n  \
         links: [{ endpoints: [a, b] }, { endpoints: [b, c] }]\n\
         traffic: [{ name: u, from: a, to: c, udp: {}, cbr: { rate: 1Mbit/s } }]\n",
    );
    for more in [&[][..], &["--simulate"]] {
        let results = format!("results{}", more.len());
        let page = lab.ok(&[&["run", "-o", &results], more].concat());
        let summary = fs::read_to_string(lab.path(&results).join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let flow = &summary["flows"][0];
        let sent = flow["sent"]["frames"].as_u64().unwrap();
        assert!(sent > 0 && flow["refused"] == sent, "{flow}");
        let row = page.lines().find(|line| line.trim_start().starts_with("u ")).unwrap();
        let words: Vec<&str> = row.split_whitespace().collect();
        assert!(words.windows(2).any(|pair| pair == ["0", &sent.to_string()]), "{page}");
        let warning = format!("{sent} datagrams of `u` never left `a`: it had no route to c");
        let warnings = summary["warnings"].as_array().unwrap();
        let about = warnings.iter().filter(|one| one.as_str().unwrap().starts_with(&warning));
        assert_eq!(about.count(), 1, "{warnings:?}");
        // Nothing is under way, so the run does not wait for it.
        assert!(more.is_empty() || summary["ended"] == 1_000_000_000, "{}", summary["ended"]);
    }
}

/// The totals of a run are of the time up to its end, emulated or simulated: what came out of a
/// line, by that time, is not above its rate; nor is the goodput of its flows.
#[test]
fn totals_by_the_length_of_the_run_are_at_most_the_rate() {
    const RATE: f64 = 2e6;
    let lab = Lab::new(
        "duration: 2s\ntopology:\n  nodes: { a: , b: }\n  \
         links: [{ endpoints: [a, b], rate: 2Mbit/s, queue: { limit: 100kB } }]\n\
         traffic:\n  - { name: u, from: a, to: b, udp: {}, cbr: { rate: 3Mbit/s }, \
         start: 100ms }\n",
    );
    for more in [&[][..], &["--simulate"]] {
        let results = format!("results{}", more.len());
        lab.ok(&[&["run", "-o", &results], more].concat());
        let summary = fs::read_to_string(lab.path(&results).join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let seconds = |value: &Value| value.as_f64().unwrap() / 1e9;
        let ended = seconds(&summary["ended"]);
        let statistics = &summary["links"][0]["forward"]["statistics"];
        // What the queue held when senders ended took 0.4 s to leave.
        assert!(ended > 2.2 && seconds(&statistics["busy_ns"]) <= ended, "{ended} {statistics}");
        // Real counters are read some ms after the end, when senders have long ended.
        let is_read_at_end = seconds(&statistics["at"]) <= ended + 1e-9;
        assert!(is_read_at_end || more.is_empty(), "{ended} {statistics}");
        let bits = |count: &Value| count["bytes"].as_f64().unwrap() * 8.0;
        assert!(bits(&statistics["delivered"]) / ended <= RATE, "{statistics}");
        let flow = &summary["flows"][0];
        let goodput = bits(&flow["received"]) / (seconds(&flow["over"]) - seconds(&flow["began"]));
        assert!((0.8 * RATE..=RATE).contains(&goodput), "{goodput}: {flow}");
        assert_eq!(seconds(&flow["began"]), 0.1);
    }
}
