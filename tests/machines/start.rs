//! The start of a run on several machines, and what is known before it.

use std::fs::{self, Permissions};
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;

use super::common::{self, Lab, NETLOOM, takes_root, text};
use super::{is_gone, lab};

/// Writes a list of two machines: what `{netloom}` is on each, their other keys, and more keys of
/// the list.
fn list(lab: &Lab, [first, second]: [&str; 2], more: &str) {
    let cache = lab.path("cache");
    fs::create_dir_all(&cache).unwrap();
    fs::write(lab.path(".netloomignore"), "cache\n").unwrap();
    let list = format!(
        "start: {{ command: \"env XDG_CACHE_HOME={} {{netloom}} __member\" }}\n\
         machines:\n  m1: {{ frames: 127.0.0.1, {first} }}\n  \
         m2: {{ frames: 127.0.0.1, {second} }}\n{more}",
        cache.display()
    );
    fs::write(lab.path("machines.yaml"), list).unwrap();
}

/// The binary, with words before it.
fn by(words: &str) -> String {
    format!("netloom: \"{words} {NETLOOM}\"")
}

/// A program in the lab's folder.
fn program(lab: &Lab, path: &str, text: &str) -> String {
    let path = lab.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// What `machines check` finds, and its exit code.
fn checked(lab: &Lab, more: &[&str]) -> (i32, Vec<Value>) {
    let arguments = ["machines", "check", "--machines", "machines.yaml", "--format", "json"];
    let output = lab.netloom(&[&arguments[..], more].concat());
    let found = serde_json::from_slice(&output.stdout);
    let found = found.unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    (output.status.code().unwrap(), found)
}

/// The finding about a thing, on a machine or on the way to another one.
fn finding<'f>(found: &'f [Value], [machine, to]: [&str; 2], what: &str) -> &'f Value {
    let is = |one: &&Value| {
        one["what"] == what
            && one["machine"].as_str().unwrap_or("") == machine
            && one["to"].as_str().unwrap_or("") == to
    };
    found.iter().find(is).unwrap_or_else(|| panic!("{what} of {machine} {to}: {found:#?}"))
}

fn refused(lab: &Lab) -> String {
    let (code, said) = lab.fails(&["run", "--machines", "machines.yaml", "-o", "r"]);
    assert_eq!(code, 2, "{said}");
    is_gone(lab);
    assert!(!lab.path("r").exists(), "{said}");
    said
}

#[test]
fn machines_that_are_fine_are_said_to_be() {
    let lab = lab("processes:\n  - { name: ping, node: b, command: ping -c 1 a }\n");
    list(&lab, [&by(""), &by("")], "");
    let (code, found) = checked(&lab, &["-t", "netloom.yaml"]);
    assert_eq!(code, 0, "{found:#?}");
    for pair in [["m1", "m2"], ["m2", "m1"]] {
        assert_eq!(finding(&found, pair, "delay")["state"], "ok", "{found:#?}");
        assert_eq!(finding(&found, pair, "MTU")["state"], "ok", "{found:#?}");
    }
    assert_eq!(finding(&found, ["", ""], "placement")["state"], "ok", "{found:#?}");
    assert_eq!(finding(&found, ["m2", ""], "namespaces")["state"], "ok", "{found:#?}");
    is_gone(&lab);
}

#[test]
fn programs_that_are_missing_or_differ_are_named() {
    let lab = lab("processes:\n  - { name: one, node: b, command: [nl-only-here] }\n  \
                   - { name: two, node: b, command: [nl-two-builds] }\n");
    program(&lab, "one/nl-only-here", "true");
    program(&lab, "one/nl-two-builds", "true");
    program(&lab, "two/nl-two-builds", "false");
    let path = |folder| by(&format!("env PATH={}:/usr/bin:/bin", lab.path(folder).display()));
    list(&lab, [&path("one"), &path("two")], "");
    let (code, found) = checked(&lab, &["-t", "netloom.yaml"]);
    assert_eq!(code, 2, "{found:#?}");
    let missing = finding(&found, ["m2", ""], "program nl-only-here");
    assert_eq!(missing["state"], "problem", "{missing}");
    let differs = finding(&found, ["", ""], "program nl-two-builds");
    assert_eq!(differs["state"], "note", "{differs}");
    let said = refused(&lab);
    assert!(said.contains("m2: program nl-only-here: missing (process one)"), "{said}");
}

#[test]
fn commands_that_lead_to_no_member_are_named_with_a_remedy() {
    let lab = lab("");
    fs::write(lab.path("other"), b"\x7fELF\x02\x01\x01").unwrap();
    fs::set_permissions(lab.path("other"), Permissions::from_mode(0o755)).unwrap();
    // A shell would take it for a script.
    let other = format!("bash -c 'exec {}'", lab.path("other").display());
    let changed = "echo REMOTE HOST IDENTIFICATION HAS CHANGED >&2; false";
    let old = "sh -c 'echo NETLOOM $2 0.0.0 x86_64' sh";
    for (netloom, why) in [
        ("no-such-netloom", "install NetLoom there"),
        (&other, "another architecture"),
        (changed, "ssh-keygen -R"),
        (old, "put the same on all machines"),
        ("head -c 100000 /dev/zero | tr '\\\\0' '\\\\n'; true", "is no member of NetLoom"),
        ("true; exit 3 #", "exit code 3"),
    ] {
        list(&lab, [&by(""), &format!("netloom: \"{netloom}\"")], "");
        let said = refused(&lab);
        assert!(said.contains("m2: start: ") && said.contains(why), "{netloom}: {said}");
        assert!(!said.contains("m1: "), "{said}");
    }
}

#[test]
fn addresses_and_ports_that_cannot_be_had_are_named() {
    let lab = lab("");
    list(&lab, [&by(""), &by("")], "");
    let text = fs::read_to_string(lab.path("machines.yaml")).unwrap();
    let elsewhere = text.replacen("127.0.0.1", "203.0.113.7", 1);
    fs::write(lab.path("machines.yaml"), elsewhere).unwrap();
    let said = refused(&lab);
    assert!(said.contains("m1: start: cannot take frames at 203.0.113.7"), "{said}");
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    list(&lab, [&by(""), &by("")], &format!("tunnel: {{ ports: {port} }}\n"));
    let said = refused(&lab);
    assert!(said.contains(&format!("ports {port}-{port}")), "{said}");
}

#[test]
fn a_link_that_is_shorter_than_the_way_is_refused() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: { machine: m1 }, b: { machine: m2 } }\n  \
         links: [{ endpoints: [a, b], delay: 1us }]\n",
    );
    list(&lab, [&by(""), &by("")], "");
    let said = refused(&lab);
    assert!(said.contains("a--b") && said.contains("1us"), "{said}");
}

#[test]
fn a_whole_experiment_runs_on_one_machine_of_a_list() {
    let lab = lab("processes:\n  - { name: ping, node: a, command: ping -c 1 b }\n\
                   expect: [{ process: ping, exit: 0 }]\n");
    list(&lab, ["netloom: not-needed", &by("")], "");
    lab.ok(&["run", "--machines", "machines.yaml", "--on", "m2", "-o", "r"]);
    assert_eq!(super::summary(&lab)["placement"]["a"], "m2");
    let wanted = ["run", "--machines", "machines.yaml", "--on", "m3", "-o", "r2"];
    let (code, said) = lab.fails(&wanted);
    assert!(code == 2 && said.contains("`m1`, `m2`"), "{said}");
    is_gone(&lab);
}

/// Kills the member on the second machine as soon as it says `$2` in the mode `$1`.
const DIES: &str = "mode=$1 step=$2; shift 2
[ \"${4-run}\" = \"$mode\" ] || exec \"$@\"
said=$(mktemp -u); mkfifo \"$said\"; exec 3<&0
\"$@\" <&3 3<&- >\"$said\" & member=$!
exec 4<\"$said\"; rm \"$said\"
while IFS= read -r line <&4; do
  case $line in *\"$step\"*) kill -9 $member; exit 1;; esac
  printf '%s\\n' \"$line\"
done";

/// What a member says in the course of a start, by its mode.
const STEPS: [[&str; 2]; 9] = [
    ["survey", "NETLOOM"],
    ["survey", "\"report\""],
    ["survey", "\"ways\""],
    ["put", "NETLOOM"],
    ["put", "have "],
    ["run", "NETLOOM"],
    ["run", "\"doors\""],
    ["run", "\"ready\""],
    ["run", "\"begins\""],
];

#[test]
fn a_member_that_is_killed_at_a_step_of_the_start_is_named_and_nothing_is_left() {
    let all = std::env::var("NETLOOM_FAULTS").is_ok_and(|which| which == "all");
    for (number, [mode, step]) in STEPS.into_iter().enumerate() {
        if !all && ![1, 6].contains(&number) {
            continue;
        }
        let lab = lab("");
        let dies = program(&lab, "cache/dies", DIES);
        let second = by(&format!("{dies} {mode} '{step}'").replace('"', "\\\""));
        list(&lab, [&by(""), &second], "");
        let (_, said) = lab.fails(&["run", "--machines", "machines.yaml", "-o", "r"]);
        assert!(said.contains("m2"), "{mode} {step}: {said}");
        is_gone(&lab);
        let members = fs::read_dir(lab.path("cache/netloom/members"));
        assert_eq!(members.map_or(0, Iterator::count), 0, "{mode} {step}: {said}");
        assert!(!lab.path("r").exists(), "{mode} {step}: {said}");
    }
}

/// Two machines in network namespaces, with a cable between.
struct Apart(String);

impl Apart {
    fn new(lab: &Lab) -> Self {
        let name = lab.name.clone();
        let apart = Self(name);
        let [one, two] = apart.names();
        for line in [
            format!("ip netns add {one}"),
            format!("ip netns add {two}"),
            format!("ip -n {one} link add cable type veth peer name cable netns {two}"),
            format!("ip -n {one} address add 10.9.0.1/24 dev cable"),
            format!("ip -n {two} address add 10.9.0.2/24 dev cable"),
            format!("ip -n {one} link set cable up"),
            format!("ip -n {two} link set cable up"),
        ] {
            sh(&line);
        }
        let list = format!(
            "start: {{ command: \"env XDG_CACHE_HOME={} ip netns exec {{address}} {NETLOOM} \
             __member\" }}\nmachines:\n  m1: {{ address: {one}, frames: 10.9.0.1 }}\n  \
             m2: {{ address: {two}, frames: 10.9.0.2 }}\n",
            lab.path("cache").display()
        );
        fs::create_dir_all(lab.path("cache")).unwrap();
        fs::write(lab.path(".netloomignore"), "cache\n").unwrap();
        fs::write(lab.path("machines.yaml"), list).unwrap();
        apart
    }

    fn names(&self) -> [String; 2] {
        ["1", "2"].map(|number| format!("{}-{number}", self.0))
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        for name in self.names() {
            let _ = Command::new("ip").args(["netns", "del", &name]).status();
        }
    }
}

fn sh(line: &str) {
    let status = Command::new("sh").args(["-c", line]).status().unwrap();
    assert!(status.success(), "{line}");
}

#[test]
fn small_packets_and_blocked_ones_are_found_between_machines() {
    if !takes_root("machines in namespaces", "they are made by `ip netns`") {
        return;
    }
    let lab = lab("processes:\n  - { name: ping, node: a, command: ping -s 1400 -M do -c 1 b }\n\
                   expect: [{ process: ping, exit: 0 }]\n");
    let apart = Apart::new(&lab);
    let [_, two] = apart.names();
    // What m1 sends is lost if it is longer, and nobody says so.
    sh(&format!("ip -n {two} link set cable mtu 1396"));
    let (code, found) = checked(&lab, &[]);
    assert_eq!(code, 0, "{found:#?}");
    // A device takes four bytes more, for a VLAN tag.
    for (pair, most) in [(["m1", "m2"], 1400), (["m2", "m1"], 1396)] {
        let mtu = finding(&found, pair, "MTU");
        assert!(mtu["found"].as_str().unwrap().contains(&format!("up to {most} bytes")), "{mtu}");
    }
    lab.ok(&["run", "--machines", "machines.yaml", "-o", "r"]);
    let fixed = fs::read_to_string(lab.path("machines.yaml")).unwrap() + "tunnel: { mtu: 1500 }\n";
    fs::write(lab.path("machines.yaml"), fixed).unwrap();
    let (code, found) = checked(&lab, &[]);
    assert_eq!(code, 2, "{found:#?}");
    assert_eq!(finding(&found, ["m1", "m2"], "MTU")["state"], "problem");
    // One way only: what m2 sends is thrown away there.
    sh(&format!("ip -n {two} route add blackhole 10.9.0.1/32"));
    let (code, found) = checked(&lab, &[]);
    assert_eq!(code, 2, "{found:#?}");
    assert_eq!(finding(&found, ["m2", "m1"], "UDP")["state"], "problem");
    assert!(!found.iter().any(|one| one["what"] == "UDP" && one["machine"] == "m1"), "{found:#?}");
    is_gone(&lab);
}

/// A member that greets and then stands still: the run is refused, and nothing of it is left.
#[test]
fn a_member_that_says_nothing_while_it_starts_is_not_waited_for() {
    let lab = lab("");
    let words = format!(
        "[ $# = 2 ] || exec {NETLOOM} \"$@\"\n{NETLOOM} \"$@\" </dev/null | sed -u 1q\n\
         exec sleep 1000"
    );
    let silent = program(&lab, "silent", &words);
    list(&lab, [&by(""), &format!("netloom: {silent}")], "");
    let (code, said) = lab.fails(&["run", "--machines", "machines.yaml", "-o", "r"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("`m2`: nothing has come from it for 20 s"), "{said}");
    is_gone(&lab);
}

/// A network of NetLoom's own lies between the machines, and each has its own clock.
#[test]
fn machines_on_this_one_may_have_a_network_between_them() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: { machine: m1 }, b: { machine: m2 } }\n  \
         links: [{ endpoints: [a, b], delay: 60ms, cut: any }]\n\
         processes:\n  - { name: ping, node: a, command: ping -c 3 -i 0.2 b }\n\
         expect: [{ process: ping, exit: 0 }]\n",
    );
    let words = ["run", "--machines", "local:2,delay=20ms,rate=1Gbit/s", "-o", "r"];
    let output = lab.netloom(&words);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(lab.path("r/summary.json")).unwrap()).unwrap();
    // Half of the way there and back is what nobody can tell from the clock.
    let bound = &summary["machines"][1]["bound"];
    let bound: netloom_units::Duration = bound.as_str().unwrap().parse().unwrap();
    assert!(bound.as_nanos() >= 19_000_000, "{bound}");
    assert!(!common::state(&format!("{}-between", lab.name)).exists());
    is_gone(&lab);
}
