//! Congestion controls and marks, and what is under way at the end of a run.

use serde_json::Value;

use crate::{Folder, ended, simulate, summary};

/// The summary of a simulated scenario.
fn simulated(name: &str, yaml: &str) -> Value {
    let folder = Folder::new(name);
    let file = folder.scenario(yaml);
    ended(&simulate(&file, &folder.path("results"), &[]));
    summary(&folder.path("results"))
}

fn of<'a>(summary: &'a Value, list: &str, name: &str) -> &'a Value {
    let all = summary[list].as_array().unwrap();
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name} in {list}"))
}

/// The congestion control of an entry is that of both ends: DCTCP's receiver echoes each mark, so
/// that the sender's window follows the share of marked packets. A receiver of another kind echoes
/// until the window is reduced, which halves the window at each mark.
#[test]
fn dctcp_holds_a_step_mark_from_either_end() {
    for model in ["from: a, to: b, bulk: {}", "from: b, to: a, http: { sizes: 10MB, think: 1ms }"] {
        let summary = simulated(
            "dctcp",
            &format!(
                "name: dctcp
duration: 5s
topology:
  nodes: {{ a: , r: {{ kind: router }}, b: }}
  links:
    - {{ endpoints: [a, r] }}
    - name: core
      endpoints: [r, b]
      rate: 100Mbit/s
      delay: 1ms
      queue: {{ limit: 1000packets, discipline: {{ step: {{ mark_at: 20packets }} }} }}
traffic:
  - {{ name: flow, {model}, tcp: {{ congestion_control: dctcp }} }}
"
            ),
        );
        let marked = of(&summary, "flows", "flow")["tcp"]["marked"].as_u64().unwrap();
        assert!(marked > 100, "{model}: {marked}");
        let pipe = &of(&summary, "links", "core")["forward"];
        let pipe = if pipe["statistics"].is_null() { pipe } else { &pipe["statistics"] };
        assert_eq!(pipe["dropped"]["queue_full"]["frames"], 0, "{model}");
        let mean = pipe["queue"]["mean_frames"].as_f64().unwrap();
        assert!((10.0..30.0).contains(&mean), "{model}: {mean} wait");
        let load = pipe["load"].as_f64().unwrap();
        assert!(load > 0.9, "{model}: {load}");
    }
}

/// Ten DCTCP flows hold the queue at the mark K of 20 packets, fairly and without a loss (Alizadeh
/// and others 2010, §3.3 and §4.1), whether a step marks or RED whose `max_p` is 100 %.
#[test]
fn ten_dctcp_flows_share_a_marked_line_without_a_loss() {
    let red = "{ red: { min: 20packets, max: 60packets, max_p: 100%, weight: 1, gentle: false } }";
    for (discipline, most) in [("{ step: { mark_at: 20packets } }", 25.0), (red, 35.0)] {
        let mut text = "name: marked\nduration: 2s\ntopology:\n  nodes: { \"s[0-9]\": , \
                        r: { kind: router }, d: }\n  links:\n"
            .to_owned();
        for n in 0..10 {
            text += &format!("    - {{ endpoints: [s{n}, r], delay: 100us, rate: 1Gbit/s }}\n");
        }
        text += &format!(
            "    - {{ name: core, endpoints: [r, d], delay: 100us, rate: 200Mbit/s, queue: \
             {{ limit: 4000packets, discipline: {discipline} }} }}\ntraffic:\n"
        );
        for n in 0..10 {
            text += &format!(
                "  - {{ name: f{n}, from: s{n}, to: d, tcp: {{ congestion_control: dctcp }}, \
                 bulk: {{}}, start: {}ms }}\n",
                7 * n
            );
        }
        let summary = simulated("marked", &text);
        let flows = summary["flows"].as_array().unwrap().iter();
        let bytes: Vec<f64> =
            flows.map(|flow| flow["received"]["bytes"].as_f64().unwrap()).collect();
        let squares: f64 = bytes.iter().map(|bytes| bytes * bytes).sum();
        let jain = bytes.iter().sum::<f64>().powi(2) / (10.0 * squares);
        assert!(jain >= 0.99, "{discipline}: {jain}");
        let pipe = &of(&summary, "links", "core")["forward"];
        let pipe = if pipe["statistics"].is_null() { pipe } else { &pipe["statistics"] };
        let mut dropped = pipe["dropped"].as_object().unwrap().values();
        assert!(dropped.all(|one| one["frames"] == 0), "{discipline}: {pipe}");
        let mean = pipe["queue"]["mean_frames"].as_f64().unwrap();
        assert!((15.0..most).contains(&mean), "{discipline}: {mean} wait");
    }
}

/// What is under way when `duration` is over arrives, as in emulated runs, unless it takes more
/// than two seconds.
#[test]
fn what_is_under_way_at_the_end_arrives_however_slow_the_way_is() {
    let run = |delay: &str| {
        simulated(
            "arrives",
            &format!(
                "name: arrives
duration: 1s
topology:
  nodes: {{ a: , b: }}
  links: [{{ endpoints: [a, b], delay: {delay} }}]
traffic:
  - {{ name: flow, from: a, to: b, udp: {{}}, cbr: {{ rate: 1Mbit/s }}, size: 1250B }}
"
            ),
        )
    };
    let counts = |summary: &Value| {
        let flow = of(summary, "flows", "flow");
        ["sent", "received"].map(|key| flow[key]["frames"].as_u64().unwrap())
    };
    let near = run("700ms");
    let [sent, received] = counts(&near);
    assert!((99..=101).contains(&sent) && received == sent, "{received} of {sent}");
    let ended = near["ended"].as_f64().map(|ended| ended / 1e9).unwrap();
    assert!((1.6..1.8).contains(&ended), "a run ends when the last frame has come: {ended}");
    let [sent, received] = counts(&run("2500ms"));
    assert!(sent >= 99 && received == sent, "{received} of {sent}");
    // A minute at most.
    let [sent, received] = counts(&run("90s"));
    assert!(sent >= 99 && received == 0, "{received} of {sent}");
}

/// A run in which nothing is drawn says so.
#[test]
fn a_run_without_random_draws_says_so() {
    let run = |loss: &str| {
        let text = format!(
            "name: drawn
duration: 1s
topology:
  nodes: {{ a: , b: }}
  links: [{{ endpoints: [a, b], rate: 10Mbit/s, delay: 5ms, loss: {loss} }}]
traffic: [{{ name: flow, from: a, to: b, tcp: {{}}, bulk: {{}} }}]
"
        );
        simulated("drawn", &text)["simulation"]["same_for_all_seeds"].as_bool()
    };
    assert_eq!((run("0%"), run("1%")), (Some(true), None));
}
