//! What a machine can do, and whether it has room for an experiment.

mod common;

use std::process::{Command, Stdio};

use common::{Lab, NETLOOM, remains, text};
use serde_json::Value;

#[test]
fn a_machine_that_runs_networks_says_so() {
    let lab = Lab::pair("");
    let arguments = ["doctor", "-t", "netloom.yaml", "--format", "json"];
    let doctor = lab.command(&arguments).stdout(Stdio::piped()).spawn().unwrap();
    let name = format!("doctor-{}", doctor.id());
    let output = doctor.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stdout));
    let checks: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let of = |what: &str| checks.iter().find(|check| check["what"] == what).unwrap().clone();
    assert_eq!(of("network of two nodes")["state"], "ok");
    assert!(of("signal cpu")["found"].as_str().unwrap().len() > 10, "{checks:?}");
    // Both nodes, and what is needed beside them.
    assert!(of("room: network namespaces")["found"].as_str().unwrap().starts_with("4 of "));
    assert_eq!(remains(&name), [""; 0]);
    // Whatever this machine has no room for.
    let table = text(&lab.netloom(&["doctor"]).stdout);
    assert!(table.contains("comes up, runs a program, and goes"), "{table}");
}

#[test]
fn what_there_is_no_room_for_is_refused_before_anything_is_made() {
    let lab = Lab::new("topology:\n  nodes: { a: , b: , c: }\n");
    // The limit holds in a user namespace of the test's own.
    let line = format!("echo 3 > /proc/sys/user/max_net_namespaces && {NETLOOM} deploy");
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", &line])
        .current_dir(&lab.directory)
        .env("NETLOOM_STATE_DIR", lab.path("state"))
        .output()
        .unwrap();
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    for part in ["needs 5 network namespaces", "has 3", "max_net_namespaces", "nothing was made"] {
        assert!(error.contains(part), "{error} does not say {part}");
    }
    assert!(!lab.path("state").exists());
    assert_eq!(lab.remains(), [""; 0]);
}
