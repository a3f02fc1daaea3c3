//! Sweeps of emulated runs over machines.

use std::fs;

use super::{Lab, list, text};

/// A run on each of two machines at a time, and the folder of the scenario there.
#[test]
fn emulated_runs_go_to_machines_whole() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: { machine: m7 }, b: }\n  \
         links: [{ name: l, endpoints: [a, b], delay: 1ms }]\n\
         processes:\n  - { name: says, node: a, command: ./says.sh }\n\
         expect: [{ process: says, exit: 0 }]\n",
    );
    list(&lab);
    fs::write(lab.path("says.sh"), "#!/bin/sh\necho '{\"value\": 7}'\n").unwrap();
    fs::set_permissions(lab.path("says.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let sweep = "scenario: netloom.yaml\nvary: { links.l.delay: [1ms, 2ms] }\nretry_invalid: 0\n\
                 metrics: { value: { process: says, json: value } }\n";
    fs::write(lab.path("s.sweep.yaml"), sweep).unwrap();
    let output = lab.netloom(&["sweep", "s.sweep.yaml", "-o", "s", "--machines", "machines.yaml"]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let lines = fs::read_to_string(lab.path("s/sweep.jsonl")).unwrap();
    let values: Vec<&str> = lines.lines().collect();
    assert_eq!(values.len(), 2, "{lines}");
    for machine in ["m1", "m2"] {
        assert_eq!(lines.matches(&format!("\"machine\":\"{machine}\"")).count(), 1, "{lines}");
    }
    assert_eq!(lines.matches("\"value\":7.0").count(), 2, "{lines}");
    assert!(lab.remains().is_empty(), "{:?}", lab.remains());
}
