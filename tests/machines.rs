//! Runs on several machines: engines of one experiment, on this machine, that carry a part each. A
//! frame between them, a milestone, a change and an end are those of one machine.

mod common;
#[path = "machines/ssh.rs"]
mod ssh;
#[path = "machines/start.rs"]
mod start;
#[path = "machines/sweep.rs"]
mod sweep;

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use common::{Lab, NETLOOM, eventually, kill, text};
use nix::sys::signal::Signal;
use serde_json::Value;

/// Two hosts behind a router each, with a slow link between the routers: frames have as long to
/// cross as any busy machine takes.
const TOPOLOGY: &str = "\
topology:
  nodes:
    a: { machine: m1 }
    r1: { kind: router, machine: m1 }
    r2: { kind: router, machine: m2 }
    b: { machine: m2 }
  links:
    - { endpoints: [a, r1], delay: 1ms }
    - { endpoints: [r1, r2], delay: 200ms }
    - { endpoints: [r2, b], delay: 1ms }
";

fn lab(rest: &str) -> Lab {
    Lab::new(&format!("{TOPOLOGY}{rest}"))
}

fn run(lab: &Lab) -> Value {
    let output = lab.netloom(&["run", "--machines", "local:2", "-o", "r"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
    summary(lab)
}

fn summary(lab: &Lab) -> Value {
    serde_json::from_str(&fs::read_to_string(lab.path("r/summary.json")).unwrap()).unwrap()
}

/// Nothing of the experiment is left, on either of its machines.
fn is_gone(lab: &Lab) {
    for machine in ["m1", "m2"] {
        let state = common::state(&format!("{}-{machine}", lab.name));
        assert!(!state.exists(), "{} is left", state.display());
    }
    assert!(lab.remains().is_empty(), "{:?}", lab.remains());
}

/// The round trips that a ping has printed, in ms.
fn round_trips(lab: &Lab, process: &str) -> Vec<f64> {
    let output = fs::read_to_string(lab.path(&format!("r/processes/{process}.stdout"))).unwrap();
    let times = output.split("time=").skip(1);
    times.map(|rest| rest.split(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn a_run_on_two_machines_is_one_run() {
    let lab = lab("processes:\n  - { name: ping, node: a, command: ping -c 10 -i 0.1 b }\n\
                   expect: [{ process: ping, exit: 0 }]\n\
                   measure: { capture: [\"b:eth1\"] }\n");
    let summary = run(&lab);
    // The first one waits for addresses; none is faster than the links.
    let times = round_trips(&lab, "ping@a");
    assert_eq!(times.len(), 10, "{times:?}");
    assert!(times.iter().all(|time| *time >= 404.0), "{times:?}");
    assert_eq!(summary["success"], true, "{summary}");
    let names = |list: &str, key: &str| -> Vec<String> {
        let all = summary[list].as_array().unwrap().iter();
        all.map(|one| one[key].as_str().unwrap().to_owned()).collect()
    };
    let links = names("links", "name");
    assert_eq!(links.iter().collect::<BTreeSet<_>>().len(), links.len(), "{links:?}");
    assert_eq!(links.len(), 3, "{links:?}");
    assert_eq!(names("processes", "process"), ["ping"]);
    assert_eq!(names("machines", "name"), ["m1", "m2"]);
    for direction in ["forward", "reverse"] {
        let mut links = summary["links"].as_array().unwrap().iter();
        let cut = links.find(|link| link["name"] == "r1--r2").unwrap();
        let delivered = cut[direction]["statistics"]["delivered"]["frames"].as_u64().unwrap();
        assert!(delivered >= 10, "{cut}");
    }
    assert!(lab.path("r/report.html").exists());
    is_gone(&lab);
}

/// Datagrams between machines have 1472 bytes, and no packet here is fragmented.
#[test]
fn packets_of_any_mtu_cross_whole() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: { machine: m1 }, b: { machine: m2 }, c: { machine: m2 } }\n  \
         links:\n    - { endpoints: [a, b], delay: 10ms, mtu: 9000 }\n    \
         - { endpoints: [a, c], delay: 10ms, mtu: 65521 }\n\
         processes:\n  \
         - { name: jumbo, node: a, command: ping -4 -c 3 -i 0.2 -M do -s 8972 b }\n  \
         - { name: most, node: a, command: ping -4 -c 3 -i 0.2 -M do -s 65493 c }\n\
         expect: [{ process: jumbo, exit: 0 }, { process: most, exit: 0 }]\n",
    );
    let summary = run(&lab);
    assert_eq!(summary["success"], true, "{summary}");
    for process in ["jumbo@a", "most@a"] {
        assert_eq!(round_trips(&lab, process).len(), 3, "{process}");
    }
}

#[test]
fn a_link_to_another_machine_is_not_changed_at_one_end_alone() {
    let lab = lab(FOREVER);
    let child = begun(&lab);
    let [cut, whole] = ["r1--r2", "a--r1"].map(|link| format!("{link}@{}-m1", lab.name));
    let (_, said) = lab.fails(&["set", &cut, "delay=20ms"]);
    assert!(said.contains("leads to machine m2"), "{said}");
    lab.ok(&["set", &whole, "delay=2ms"]);
    kill(i32::try_from(child.id()).unwrap(), Signal::SIGINT);
    child.wait_with_output().unwrap();
    is_gone(&lab);
}

#[test]
fn what_waits_for_another_machine_hears_of_it() {
    let lab = lab("processes:\n  \
         - { name: first, node: a, command: sleep 0.5 }\n  \
         - { name: second, node: b, command: ping -c 1 a, start: { after: first, when: done } }\n\
         timeline:\n  - { at: { after: second, when: done }, node: a, run: touch reached }\n\
         expect: [{ process: second, exit: 0 }]\n");
    let summary = run(&lab);
    assert_eq!(summary["success"], true, "{summary}");
    assert!(lab.path("reached").exists());
    let events = fs::read_to_string(lab.path("r/events.jsonl")).unwrap();
    let time = |what: &str, process: &str| -> i64 {
        let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut found = events.filter(|one| one["event"] == what && one["process"] == process);
        found.next().unwrap_or_else(|| panic!("{what} {process}"))["time"].as_i64().unwrap()
    };
    assert!(time("process_started", "second") >= time("process_ended", "first"));
}

#[test]
fn a_link_between_machines_is_cut_and_restored_at_both_ends() {
    let near = TOPOLOGY.replace("200ms", "10ms");
    let lab = Lab::new(&format!(
        "{near}timeline:\n  - {{ at: 1s, link: r1--r2, state: down, for: 1s }}\n\
         processes:\n  \
         - {{ name: there, node: a, command: ping -D -c 30 -i 0.1 b, background: true }}\n\
         duration: 4s\n"
    ));
    let summary = run(&lab);
    let timeline = summary["timeline"].as_array().unwrap();
    assert_eq!(timeline.len(), 2, "each event is reported once: {timeline:?}");
    assert!(timeline.iter().all(|event| event["failure"].is_null()), "{timeline:?}");
    // Whether what a router sends to a cut link waits or is dropped is its kernel's choice, which
    // looks at carriers once a second. Nothing crosses meanwhile, and all does afterwards.
    let pings = fs::read_to_string(lab.path("r/processes/there@a.stdout")).unwrap();
    let stamp = |line: &str| line.strip_prefix('[')?.split_once(']')?.0.parse::<f64>().ok();
    let arrivals: Vec<f64> = pings.lines().filter_map(stamp).collect();
    let gap = arrivals.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!(gap > 0.95, "{gap} s: {pings}");
    assert!(pings.contains("icmp_seq=30 "), "{pings}");
}

#[test]
fn traffic_between_machines_is_counted_at_both_ends() {
    let lab = lab("traffic:\n  \
         - { name: u, from: a, to: b, udp: {}, cbr: { rate: 1Mbit/s }, start: 500ms, for: 2s }\n");
    let summary = run(&lab);
    let flow = &summary["flows"][0];
    let (sent, received) = (&flow["sent"]["frames"], &flow["received"]["frames"]);
    assert!(sent.as_u64().unwrap() > 100, "{flow}");
    assert_eq!(sent, received, "{flow}");
    // One-way: 12 ms of links, and what the machine adds.
    let p50 = flow["delay"]["p50_ns"].as_u64().unwrap();
    assert!(p50 >= 11_900_000, "{flow}");
}

fn begun(lab: &Lab) -> Child {
    let mut command = lab.command(&["run", "--machines", "local:2", "-o", "r"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the run has begun", || {
        let output = lab.path("r.m1/processes/forever@a.stdout");
        fs::read_to_string(output).is_ok_and(|text| text == "begun\n")
    });
    child
}

const FOREVER: &str =
    "processes:\n  - { name: forever, node: a, command: echo begun; exec sleep 1000 }\n";

#[test]
fn an_interrupt_ends_all_machines_and_keeps_the_results() {
    let lab = lab(FOREVER);
    let child = begun(&lab);
    kill(i32::try_from(child.id()).unwrap(), Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert_eq!(summary(&lab)["reason"], "interrupted");
    is_gone(&lab);
}

#[test]
fn the_end_of_the_lead_is_the_end_of_all() {
    let lab = lab(FOREVER);
    let mut child = begun(&lab);
    child.kill().unwrap();
    child.wait().unwrap();
    members_end(&lab);
    is_gone(&lab);
    let said = lab.ok(&["machines", "collect", "--machines", "local:2", "-o", "r"]);
    assert!(said.contains("results of 2 of 2 machines"), "{said}");
    let summary = summary(&lab);
    assert_eq!(summary["reason"], "client_gone", "{summary}");
    assert_eq!(summary["machines"].as_array().unwrap().len(), 2, "{summary}");
    assert!(!lab.path("r.m1").exists(), "what was merged is there once");
}

fn members_end(lab: &Lab) {
    eventually("the members have ended", || {
        let states = ["m1", "m2"].map(|machine| format!("{}-{machine}", lab.name));
        states.iter().all(|name| !common::state(name).exists())
    });
}

/// Sends a signal to the engine of m2, waits for the end of the run, and returns what that said.
fn loses(lab: &Lab, run: Child, signal: Signal) -> String {
    let status = lab.ok(&["inspect", &format!("{}-m2", lab.name), "--format", "json"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    let pid = status["experiment"]["engine_pid"].as_u64().unwrap();
    kill(i32::try_from(pid).unwrap(), signal);
    let output = run.wait_with_output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("machine `m2` was lost"), "{said}");
    said
}

#[test]
fn a_lost_machine_is_named_and_ends_the_others() {
    let lab = lab(FOREVER);
    let child = begun(&lab);
    loses(&lab, child, Signal::SIGKILL);
    let summary = summary(&lab);
    assert_eq!(summary["verdict"]["judgement"], "invalid", "{summary}");
    assert!(summary["machines"][1]["lost"].is_i64(), "{summary}");
    is_gone(&lab);
}

/// Writes a list of machines that are this one, each with its own folder.
fn list(lab: &Lab) {
    let folder = lab.path("cache");
    let text = format!(
        "start: {{ command: \"echo welcome; XDG_CACHE_HOME={}/{{address}} {NETLOOM} __member\" }}\n\
         machines:\n  m1: {{ address: m1, frames: 127.0.0.1 }}\n  \
         m2: {{ address: m2, frames: 127.0.0.1 }}\n",
        folder.display()
    );
    fs::write(lab.path("machines.yaml"), text).unwrap();
    fs::write(lab.path(".netloomignore"), "cache\nr\n").unwrap();
    ["m1", "m2"].iter().for_each(|machine| fs::create_dir_all(folder.join(machine)).unwrap());
}

fn begun_by_list(lab: &Lab) -> Child {
    let mut command = lab.command(&["run", "--machines", "machines.yaml", "-o", "r"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the run has begun", || {
        members_have(lab, "m1").iter().any(|own| {
            let output = fs::read_to_string(own.join("processes/forever@a.stdout"));
            output.is_ok_and(|text| text == "begun\n")
        })
    });
    child
}

/// The results that members have on a machine.
fn members_have(lab: &Lab, machine: &str) -> Vec<PathBuf> {
    let own = fs::read_dir(lab.path(&format!("cache/{machine}/netloom/members")));
    own.into_iter().flatten().map(|entry| entry.unwrap().path()).collect()
}

/// A lead that stands still says nothing, and members cannot tell that from a way that is cut.
#[test]
fn members_that_hear_nothing_of_their_lead_end_and_keep_their_results() {
    let lab = lab(FOREVER);
    list(&lab);
    let mut child = begun_by_list(&lab);
    let pid = i32::try_from(child.id()).unwrap();
    kill(pid, Signal::SIGSTOP);
    members_end(&lab);
    kill(pid, Signal::SIGKILL);
    child.wait().unwrap();
    is_gone(&lab);
    let said = lab.ok(&["machines", "collect", "--machines", "machines.yaml", "-o", "r"]);
    assert!(said.contains("results of 2 of 2 machines"), "{said}");
    assert_eq!(summary(&lab)["reason"], "client_gone");
    assert!(["m1", "m2"].iter().all(|machine| members_have(&lab, machine).is_empty()));
    let said = lab.ok(&["machines", "collect", "--machines", "machines.yaml", "-o", "s"]);
    assert!(said.contains("nothing to collect"), "{said}");
}

#[test]
fn a_machine_that_a_command_leads_to_is_cleaned_up_when_it_is_lost() {
    let lab = lab(FOREVER);
    list(&lab);
    let child = begun_by_list(&lab);
    let view = lab.ok(&["inspect", "--machines", &format!("{}-m1", lab.name)]);
    assert!(view.contains("r1--r2/forward") && view.contains("to m2"), "{view}");
    let all = lab.ok(&["inspect", "--machines=machines.yaml", "--format", "json"]);
    let all: Value = serde_json::from_str(&all).unwrap();
    for [machine, other] in [["m1", "m2"], ["m2", "m1"]] {
        assert_eq!(all[format!("{}-{machine}", lab.name)][0]["machine"], other, "{all}");
    }
    let said = loses(&lab, child, Signal::SIGKILL);
    let summary = summary(&lab);
    assert_eq!(summary["verdict"]["judgement"], "invalid", "{summary}");
    assert!(lab.path("r/machines/m1/summary.json").exists(), "{said}");
    is_gone(&lab);
    assert!(["m1", "m2"].iter().all(|machine| members_have(&lab, machine).is_empty()));
}

/// A list of machines whose members are started by a command that prints something before.
#[test]
fn a_command_leads_to_a_machine_and_files_go_there_and_back() {
    let lab = lab("processes:\n  \
         - { name: there, node: b, command: ./says.sh, keep: [/tmp/made] }\n\
         expect: [{ process: there, exit: 0, output: from the folder }]\n");
    fs::write(lab.path("says.sh"), "#!/bin/sh\necho from the folder\necho kept > /tmp/made\n")
        .unwrap();
    fs::set_permissions(lab.path("says.sh"), Permissions::from_mode(0o755)).unwrap();
    let list = format!(
        "start: {{ command: \"echo a greeting; env XDG_CACHE_HOME={} {{netloom}} __member\" }}\n\
         machines:\n  m1: {{ frames: 127.0.0.1, netloom: {NETLOOM} }}\n  \
         m2: {{ frames: 127.0.0.1, netloom: {NETLOOM} }}\n",
        lab.path("cache").display()
    );
    fs::write(lab.path("machines.yaml"), list).unwrap();
    fs::create_dir(lab.path("cache")).unwrap();
    fs::write(lab.path(".netloomignore"), "cache\n").unwrap();
    let output = lab.netloom(&["run", "--machines", "machines.yaml", "-o", "r"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(lab.path("r/files/b/tmp/made").exists(), "{said}");
    let left = fs::read_dir(lab.path("cache/netloom/members")).unwrap().count();
    assert_eq!(left, 0, "results stay on no machine");
    is_gone(&lab);
}

#[test]
fn a_machine_that_stands_still_is_lost() {
    let lab = lab(FOREVER);
    let child = begun(&lab);
    let said = loses(&lab, child, Signal::SIGSTOP);
    assert!(said.contains("m2` was lost: nothing came from it for"), "{said}");
    is_gone(&lab);
}

#[test]
fn a_link_that_is_too_short_makes_a_run_suspect_at_best() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: { machine: m1 }, b: { machine: m2 } }\n  \
         links: [{ endpoints: [a, b], delay: 50us, cut: any }]\n\
         processes:\n  - { name: ping, node: a, command: ping -c 3 -i 0.1 b }\n",
    );
    let summary = run(&lab);
    assert_ne!(summary["verdict"]["judgement"], "valid", "{summary}");
    let findings = summary["verdict"]["findings"].as_array().unwrap();
    let tunnel = findings.iter().find(|finding| finding["signal"] == "tunnel");
    assert!(tunnel.is_some_and(|one| one["on"].to_string().contains("a--b")), "{findings:?}");
}

#[test]
fn machines_that_cannot_be_are_refused() {
    let lab = lab("");
    for machines in ["local:0", "local:x", "local:", "ray:", "ray:auto,count=0", "nowhere.yaml"] {
        let (code, said) = lab.fails(&["run", "--machines", machines, "-o", "r"]);
        assert_eq!(code, 2, "{machines}: {said}");
        assert!(said.contains(machines), "{machines}: {said}");
    }
    let (code, said) = lab.fails(&["run", "--machines", "local:2", "--dilation", "2", "-o", "r"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("dilated"), "{said}");
    let (code, said) = lab.fails(&["run", "--machines", "local:1", "-o", "r"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("m2"), "no such machine: {said}");
    is_gone(&lab);
}
