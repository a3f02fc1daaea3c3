//! `deploy --wait` returns when hosts reach each other, and says who does not.

mod common;

use std::process::Stdio;

use common::{Lab, eventually, kill, takes_root, text};
use nix::sys::signal::Signal;

/// A row of two routers between two hosts, with OSPF's own timers cut short.
const OSPF: &str = "\
topology:
  defaults: { node: { ipv6: none } }
  kinds: { router: { services: { ospf: { hello: 1, dead: 4 } } } }
  nodes: { a: , r1: { kind: router }, r2: { kind: router }, b: }
  links: [{ endpoints: [a, r1] }, { endpoints: [r1, r2] }, { endpoints: [r2, b] }]
";

/// No routes: the hosts at the ends do not reach each other.
const APART: &str = "\
topology:
  defaults: { node: { ipv6: none, routing: none } }
  nodes: { a: , r: { kind: router }, b: }
  links: [{ endpoints: [a, r] }, { endpoints: [r, b] }]
";

#[test]
fn routes_of_daemons_are_there_when_it_returns() {
    let lab = Lab::new(OSPF);
    let said = lab.ok(&["deploy", "--wait=120s"]);
    assert!(said.contains("all hosts reach each other after "), "{said}");
    lab.sh("a", "ping -c 1 -W 5 b");
    // What runs already is waited for as well.
    assert!(lab.ok(&["deploy", "--wait"]).contains("all hosts reach each other"));
}

#[test]
fn who_is_not_reached_is_named_and_the_network_stays() {
    let lab = Lab::new(APART);
    let (code, words) = lab.fails(&["deploy", "--wait=1s"]);
    assert_eq!(code, 1, "{words}");
    assert!(words.contains("after 1 s 2 pairs of hosts do not reach each other"), "{words}");
    assert!(words.contains("a → b (") && words.contains("b → a ("), "{words}");
    assert!(words.contains(&format!("`netloom pingall {}`", lab.name)), "{words}");
    // It can be looked at.
    lab.sh("a", "ip route");
    assert_eq!(lab.inspect()["experiment"]["name"], lab.name.as_str());
}

#[test]
fn a_signal_ends_the_waiting_only() {
    if !takes_root("a_signal_ends_the_waiting_only", "an experiment outlives its client") {
        return;
    }
    let lab = Lab::new(APART);
    let mut command = lab.command(&["deploy", "--wait=1000s"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the network is up", || lab.netloom(&["exec", "a", "true"]).status.success());
    let waits = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(caught.trim(), 16).unwrap() & 2 != 0
    };
    eventually("it waits", waits);
    kill(i32::try_from(child.id()).unwrap(), Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("stays as it is"), "{}", text(&output.stderr));
    assert_eq!(lab.inspect()["experiment"]["name"], lab.name.as_str());
}
