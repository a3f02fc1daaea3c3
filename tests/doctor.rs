//! The capabilities of a machine, and whether it has room for an experiment.

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
    assert_ne!(of("shape")["state"], "problem");
    assert!(of("signal cpu")["found"].as_str().unwrap().len() > 10, "{checks:?}");
    // Both nodes, and what is needed beside them.
    assert!(of("room: network namespaces")["found"].as_str().unwrap().starts_with("4 of "));
    assert_eq!(remains(&name), [""; 0]);
    // Whatever this machine has no room for.
    let table = text(&lab.netloom(&["doctor"]).stdout);
    assert!(table.contains("comes up, runs a program, and goes"), "{table}");
}

#[test]
fn programs_that_a_scenario_lacks_are_named() {
    let lab = Lab::new(
        "topology: { nodes: { a: { services: [web], startup: [\"no-such-word x\"] } } }\n\
         processes: [{ name: p, node: a, command: [no-such-program] }]\n",
    );
    let output = lab.netloom(&["doctor", "-t", "netloom.yaml"]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{table}");
    assert!(table.contains("PROBLEM  program no-such-program: missing (process p)"), "{table}");
    assert!(table.contains("note     program no-such-word: missing (startup of a)"), "{table}");
    assert!(table.contains("ok       program python3: /"), "{table}");
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

#[test]
fn a_lan_is_held_against_the_table_of_neighbours() {
    let file = "/proc/sys/net/ipv4/neigh/default/gc_thresh3";
    let has: u64 = std::fs::read_to_string(file).unwrap().trim().parse().unwrap();
    // The smallest LAN whose hosts have more neighbours in all than the machine has room for.
    let hosts = (2u64..).find(|hosts| hosts * (hosts - 1) > has).unwrap();
    let nodes: String = (0..hosts).map(|host| format!("    h{host}:\n")).collect();
    let links: String =
        (0..hosts).map(|host| format!("    - {{ endpoints: [h{host}, s] }}\n")).collect();
    let lab = Lab::new(&format!(
        "topology:\n  nodes:\n    s: {{ kind: switch }}\n{nodes}  links:\n{links}"
    ));
    let needs = hosts * (hosts - 1);
    let expected = [
        format!("needs {needs} IPv4 neighbours, and this machine has {has}"),
        format!("sysctl -w net.ipv4.neigh.default.gc_thresh2={}", needs.next_power_of_two()),
    ];
    let said = text(&lab.netloom(&["doctor", "-t", "netloom.yaml"]).stdout);
    let warned = text(&lab.netloom(&["deploy"]).stderr);
    for part in expected {
        assert!(said.contains(&part) && warned.contains(&part), "{said}{warned}");
    }
    lab.ok(&["destroy"]);
}
