//! `netloom shape list`: whose claims, since when, and whether they can be trusted.

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::common::{NETLOOM, eventually, takes_root, text};
use crate::host::{ALICE, BOB, Host, THERE, WHY};

#[test]
fn a_list_has_ones_own_claims_and_all_on_request() {
    if !takes_root("a_list_has_ones_own_claims_and_all_on_request", WHY) {
        return;
    }
    let host = Host::new("o");
    for (user, name, port) in [(ALICE, "apple", 7001), (BOB, "pear", 7002)] {
        host.ok(Some(user), &format!("add {name} --server {port} --both rate=1Mbit/s"));
    }
    let list = |user, words| host.ok(user, words);
    let own = list(Some(ALICE), "list");
    assert!(own.contains("apple") && !own.contains("7002"), "{own}");
    let all = list(Some(ALICE), "list --all");
    assert!(all.contains("apple") && all.contains("ports 7002") && !all.contains("pear"), "{all}");
    // Root has none, and sees everything of all.
    let own = list(None, "list");
    assert!(!own.contains("apple") && !own.contains("7001"), "{own}");
    let all = list(None, "list --all");
    assert!(all.contains("apple") && all.contains("pear"), "{all}");
}

#[test]
fn recent_statistics_are_those_of_the_last_seconds() {
    if !takes_root("recent_statistics_are_those_of_the_last_seconds", WHY) {
        return;
    }
    let host = Host::new("l");
    let _server = host.server(1, None, THERE, 7001);
    host.ok(None, "add web --client tcp/7001 --both delay=1ms");
    host.round_trip(0, None, THERE, 7001);
    let recent = |all: &str| {
        let list: Value =
            serde_json::from_str(&host.ok(None, &format!("list{all} --format json"))).unwrap();
        list["claims"][0].clone()
    };
    assert_eq!(recent("")["recent"], Value::Null);
    let claim = recent(" --last 60s");
    let pipes = claim["recent"].as_array().unwrap();
    assert_eq!(pipes.len(), 2);
    assert!(pipes[0]["offered"]["frames"].as_u64().unwrap() > 0, "{claim}");
    let offered = || recent(" --last 1s")["recent"][0]["offered"]["frames"].as_u64().unwrap();
    eventually("the last second is a quiet one", || offered() == 0);
    assert!(recent("")["pipes"][0]["offered"].as_u64().unwrap() > 0);
    let table = host.ok(None, "list --last 5s");
    let parts = ["web out", "web in", "delay p50", "\nweb: "];
    assert!(parts.iter().all(|part| table.contains(part)), "{table}");
    let said = host.refusal(None, "list --last 2min");
    assert!(said.contains("from 1s to 1min"), "{said}");
}

#[test]
fn a_list_is_shown_again_until_ctrl_c() {
    if !takes_root("a_list_is_shown_again_until_ctrl_c", WHY) {
        return;
    }
    let host = Host::new("c");
    host.ok(None, "add web --client tcp/7001 --both delay=1ms");
    // Without `nsenter`, so that the signal is for it whenever it comes.
    let mut command = std::process::Command::new(NETLOOM);
    command.args(["shape", "--state"]).arg(host.directory.join("state")).args(["list", "--watch"]);
    let mut watch = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut output = watch.stdout.take().unwrap();
    let (mut shown, mut part) = (String::new(), [0; 4096]);
    while shown.matches("web").count() < 3 {
        let bytes = output.read(&mut part).unwrap();
        assert!(bytes > 0, "{shown}");
        shown += &text(&part[..bytes]);
    }
    kill(Pid::from_raw(watch.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert!(watch.wait().unwrap().success());
}

#[test]
fn a_daemon_that_stood_still_is_not_trusted() {
    if !takes_root("a_daemon_that_stood_still_is_not_trusted", WHY) {
        return;
    }
    let host = Host::new("z");
    host.ok(None, "add web --client tcp/7001 --both delay=1ms");
    let pid = host.daemon.as_ref().unwrap().id();
    // `nsenter` becomes the client, and that becomes the daemon.
    let pid = Pid::from_raw(pid.try_into().unwrap());
    kill(pid, Signal::SIGSTOP).unwrap();
    let stopped = Instant::now();
    while stopped.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(100));
    }
    kill(pid, Signal::SIGCONT).unwrap();
    // As in a run, it also counts as late, whatever came meanwhile.
    let parts = ["invalid: not shaped for ", "lateness: the engine stood still for "];
    eventually("it says so", || parts.iter().all(|part| host.verdict().contains(part)));
}
