//! Examples of shared media: radios, hidden terminals, access points, and nodes that move.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::common::NETLOOM;
use super::{Results, folder, round_trips, run, run_file, shows};

#[test]
fn hidden() {
    shows(
        || run("hidden"),
        |results| {
            // What has come of both senders, without RTS and CTS, and with them.
            let frames = |seconds: std::ops::Range<u64>| -> u64 {
                ["left.receiver@b.stdout", "right.receiver@b.stdout"]
                    .map(|receiver| {
                        received(results, receiver, seconds.clone()).iter().sum::<u64>()
                    })
                    .iter()
                    .sum()
            };
            let (without, with) = (frames(3..11), frames(13..21));
            assert!(with > 2 * without, "{without} frames without RTS, {with} with");
        },
    );
}

/// Frames that a receiver has had of its flows, in some seconds of a run.
fn received(results: &Results, receiver: &str, seconds: std::ops::Range<u64>) -> Vec<u64> {
    let text = results.read(receiver);
    let report: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let flows = report["flows"].as_object().unwrap().values();
    let of = |flow: &serde_json::Value| -> u64 {
        let intervals = flow.as_object().unwrap().iter();
        let here = intervals.filter(|(at, _)| seconds.contains(&at.parse().unwrap()));
        here.map(|(_, of)| of["packets"].as_u64().unwrap()).sum()
    };
    flows.map(of).collect()
}

#[test]
fn cell() {
    shows(
        || run("cell"),
        |results| {
            // All five have a share. The flows last 9 s; together they carry no more than the
            // channel does: 528 frames a second of five senders, and on a loaded machine, where
            // some have none to send, up to 650, as of one. Over the whole run, since a late
            // receiver moves frames from one of its seconds into the next.
            let flows = received(results, "flood.receiver@sink.stdout", 0..20);
            assert_eq!(flows.len(), 5, "{flows:?}");
            assert!(flows.iter().all(|frames| *frames > 100), "{flows:?}");
            assert!(flows.iter().sum::<u64>() < 10 * 650, "{flows:?}");
        },
    );
}

#[test]
fn exposed() {
    shows(
        || run("exposed"),
        |results| {
            // Each is a neighbour of the other, so together they carry little more than one of them
            // could.
            let both = ["left.receiver@a.stdout", "right.receiver@d.stdout"]
                .map(|receiver| received(results, receiver, 2..9).iter().sum::<u64>());
            assert!(both.iter().all(|frames| *frames > 300), "{both:?}");
            assert!(both.iter().sum::<u64>() < 7 * 650, "{both:?}");
        },
    );
}

#[test]
fn empower() {
    shows(
        || run("empower"),
        |results| {
            let ping = results.read("ping@a.stdout");
            let heard: BTreeSet<u64> = ping
                .lines()
                .filter_map(|line| line.split_once("icmp_seq=")?.1.split_once(' ')?.0.parse().ok())
                .collect();
            let last = *heard.last().unwrap();
            let lost: BTreeSet<u64> = (1..last).filter(|number| !heard.contains(number)).collect();
            // There is nobody between for 3 s, at some ten pings a second; a loaded machine sends
            // fewer.
            let longest = (1..=last).fold((0, 0), |(longest, now), number| {
                let now = if lost.contains(&number) { now + 1 } else { 0 };
                (now.max(longest), now)
            });
            assert!((10..=35).contains(&longest.0), "{lost:?}");
            assert!(lost.len() <= longest.0 + 5, "{lost:?}");
            // And somebody is before and after.
            let gap = *lost.iter().max().unwrap();
            assert!(heard.iter().any(|number| *number > gap) && heard.len() > 60, "{lost:?}");
        },
    );
}

/// Returns the events of a run with this name.
fn events(results: &Results, name: &str) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(results.0.join("events.jsonl")).unwrap();
    let all = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    all.filter(|event| event["event"] == name).collect()
}

/// Returns the numbers of the pings that were answered.
fn answered(ping: &str) -> BTreeSet<u64> {
    let numbers = ping.lines().filter_map(|line| line.split_once("icmp_seq=")?.1.split_once(' '));
    numbers.filter_map(|(number, _)| number.parse().ok()).collect()
}

/// Returns the seconds after which a station hears the next access point 6 dB stronger than its
/// own, counted from when it was beside the last one. It walks at 10 m/s, 10 m beside access points
/// that are 100 m apart. In free space, its own is 10^(6/20) times as far away as the next one at
/// that time.
fn crossing() -> f64 {
    let ratio = 10f64.powf(0.6);
    // ratio · ((100 − x)² + 10²) = x² + 10²
    let (a, b, c) = (ratio - 1.0, -200.0 * ratio, ratio * 10_100.0 - 100.0);
    let x = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
    x / 10.0
}

#[test]
fn handover() {
    shows(
        || run("handover"),
        |results| {
            let seconds =
                |event: &serde_json::Value, key: &str| event[key].as_u64().unwrap() as f64 / 1e9;
            let begun =
                events(results, "phase").into_iter().find(|event| event["phase"] == "running");
            let begun = seconds(&begun.unwrap(), "time");
            let changes = events(results, "handed_over");
            let way: Vec<_> = changes.iter().map(|one| [&one["from"], &one["to"]]).collect();
            assert_eq!(way, [["ap1", "ap2"], ["ap2", "ap3"]]);
            // From 10 m behind the first on: found at the next scan, done after the outage. A
            // loaded machine says late that it runs, but not how far one change is from the other.
            let [first, second] = [&changes[0], &changes[1]].map(|change| seconds(change, "since"));
            let after = first - begun - (crossing() - 1.0);
            assert!(
                (-1.0..1.0).contains(&after),
                "the first change is {after} s after the crossing"
            );
            assert!((second - first - 10.0).abs() < 0.11, "{first} and {second}");
            for change in &changes {
                let outage = seconds(change, "time") - seconds(change, "since");
                assert!((outage - 0.05).abs() < 1e-6, "{change}");
            }
            // A ping each 20 ms, of which three are on their way in an outage. What a loaded
            // machine has kept back it sends at once, perhaps into an outage; how many are lost to
            // the frame is in `simulate`.
            let heard = answered(&results.read("ping@server.stdout"));
            let last = *heard.last().unwrap();
            let lost: Vec<u64> = (1..last).filter(|number| !heard.contains(number)).collect();
            assert!(heard.len() > 300 && lost.len() <= 40, "{lost:?} of {last}");
            // And a datagram each 10 ms.
            let sent = sent_by(results, "probe.sender@server.stdout");
            let got: u64 = received(results, "probe.receiver@walker.stdout", 0..60).iter().sum();
            assert!(got <= sent && sent - got <= 80, "{got} of {sent}");
        },
    );
}

/// Frames that a sender has sent.
fn sent_by(results: &Results, sender: &str) -> u64 {
    let text = results.read(sender);
    let report: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let intervals = report["intervals"].as_object().unwrap().values();
    intervals.map(|interval| interval["packets"].as_u64().unwrap()).sum()
}

#[test]
fn chain() {
    shows(
        || run("chain"),
        |results| {
            let ping = results.read("ping@n1.stdout");
            // Eleven relays.
            assert!(answered(&ping).len() >= 20 && ping.contains("ttl=53"), "{ping}");
            let output = Command::new(NETLOOM)
                .args([
                    "medium",
                    "air",
                    "--saturate",
                    "--chain",
                    "--for",
                    "20s",
                    "--format",
                    "json",
                ])
                .args(["--seeds", "1", "--stations", "2,9,13", "-t"])
                .arg(folder("chain").join("netloom.yaml"))
                .output()
                .unwrap();
            let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            let rate =
                |row: usize| rows[row]["throughput_mbit_per_second"]["mean"].as_f64().unwrap();
            assert!((1.55..1.65).contains(&rate(0)), "{rows}");
            assert!([1, 2].iter().all(|row| (0.38..0.46).contains(&rate(*row))), "{rows}");
        },
    );
}

fn has_babeld() -> bool {
    let is_there = |directory| Path::new(directory).join("babeld").exists();
    let is_there = ["/usr/sbin", "/usr/bin", "/sbin", "/usr/local/sbin"].into_iter().any(is_there);
    if !is_there {
        println!("skipped: there is no babeld");
    }
    is_there
}

#[test]
fn manet_chain() {
    if !has_babeld() {
        return;
    }
    shows(
        || run("manet-chain"),
        |results| {
            // Mbit/s of TCP without contention, and with a MAC; the first seconds are those of a
            // slow start.
            let rate = |process: &str| {
                let report: serde_json::Value =
                    serde_json::from_str(&results.read(process)).unwrap();
                report["end"]["sum_received"]["bits_per_second"].as_f64().unwrap() / 1e6
            };
            let [alone, near, far] =
                ["free@n1.stdout", "near@n1.stdout", "far@n1.stdout"].map(rate);
            // Upper bounds are the channel's; below them, a loaded machine may be slow.
            assert!(
                alone < 11.0 && alone > 2.0 * far,
                "{alone} Mbit/s over {HOPS} hops without a MAC"
            );
            assert!(
                far < 0.5 * near && near < 7.0,
                "{far} Mbit/s over {HOPS} hops, {near} over one"
            );
        },
    );
}

/// Hops of the example `manet-chain`.
const HOPS: u32 = 5;

#[test]
fn aodv() {
    shows(
        || run("aodv"),
        |results| {
            for hops in 1..=9u32 {
                let ping = results.read(&format!("hops{hops}@n1.stdout"));
                let times = round_trips(&ping);
                assert!(
                    !times.is_empty() && ping.contains(&format!("ttl={}", 65 - hops)),
                    "{ping}"
                );
                // The destination is found by the first ring that reaches it, after the rings
                // before it were waited for (RFC 3561, section 6.4). A loaded machine needs more.
                let rings = [1, 3, 5, 7].into_iter().filter(|ring| *ring < hops);
                let waits: u32 = rings.map(|ring| 2 * 40 * (ring + 2)).sum();
                assert!(times[0] >= f64::from(waits), "{hops} hops: {ping}");
            }
        },
    );
}

#[test]
fn broch() {
    if !has_babeld() {
        return;
    }
    shows(
        || run_file(&folder("broch").join("short.yaml"), "broch", Command::new(NETLOOM)),
        |results| {
            let (mut sent, mut got) = (0, 0);
            for entry in fs::read_dir(results.0.join("processes")).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if name.contains(".sender@") && name.ends_with(".stdout") {
                    sent += sent_by(results, &name);
                } else if name.contains(".receiver@") && name.ends_with(".stdout") {
                    got += received(results, &name, 0..60).iter().sum::<u64>();
                }
            }
            // Most of them find a way, however loaded the machine is.
            assert!(sent > 100 && got <= sent && 2 * got > sent, "{got} of {sent}");
        },
    );
}

#[test]
fn manet() {
    if !has_babeld() {
        return;
    }
    shows(
        || run("manet"),
        |results| {
            let ping = results.read("ping@n1.stdout");
            // Over two others, until one of them has gone.
            assert!(ping.contains("ttl=62"), "{ping}");
        },
    );
}
