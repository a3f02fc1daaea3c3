//! Congestion controls and marks.

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
