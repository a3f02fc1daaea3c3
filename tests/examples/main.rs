//! Every example runs, and shows what its README says.

#[path = "../common/mod.rs"]
mod common;
mod media;
mod partly_simulated;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::time::{Duration, Instant};

use common::{NETLOOM, remains, text};
use netloom_columnar::{Cell, Stored};
use pcap_file::pcapng::{Block, PcapNgReader};

/// The results of an example, gone with the test, however it ends.
struct Results(PathBuf);

impl Drop for Results {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Results {
    /// The standard output of a process, as `name@node.stdout`.
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join("processes").join(name)).unwrap()
    }

    fn summary(&self) -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(self.0.join("summary.json")).unwrap()).unwrap()
    }

    /// Checks that there is a report that lists every link, and that it has curves of the busy
    /// ones.
    fn has_a_report(&self) {
        let report = fs::read_to_string(self.0.join("report.html")).unwrap();
        for link in self.summary()["links"].as_array().unwrap() {
            let ends = link["endpoints"].as_array().unwrap().iter();
            let ends: Vec<String> = ends
                .map(|end| [&end["node"], &end["interface"]].map(|t| t.as_str().unwrap()).join(":"))
                .collect();
            assert!(report.contains(&ends.join(" → ")), "{ends:?} is not in the report");
        }
        assert!(report.contains("class=\"curve delivered\""), "no curves");
        assert!(!report.contains("class=\"note missing\""), "something could not be read");
    }
}

/// Runs an example under a name of this test's own, and returns its results.
fn run(example: &str) -> Results {
    run_by(example, Command::new(NETLOOM))
}

/// Runs an example like [`run`], but with a given command, to which arguments of `netloom` are
/// added.
fn run_by(example: &str, command: Command) -> Results {
    run_in(&folder(example), example, command)
}

fn folder(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(example)
}

/// Runs an example like [`run_by`], but with the scenario in another folder.
fn run_in(folder: &Path, example: &str, command: Command) -> Results {
    run_file(&folder.join("netloom.yaml"), example, command)
}

/// Runs an example like [`run_in`], but with this file.
fn run_file(file: &Path, example: &str, command: Command) -> Results {
    try_file(file, example, command).unwrap_or_else(|said| panic!("{example}: {said}"))
}

/// Runs an example like [`run_file`]. Returns what was said if the run did not succeed.
fn try_file(file: &Path, example: &str, command: Command) -> Result<Results, String> {
    try_with(file, example, command, &[])
}

/// Runs an example like [`try_file`], with these options.
fn try_with(
    file: &Path,
    example: &str,
    mut command: Command,
    options: &[&str],
) -> Result<Results, String> {
    let name = format!("{example}-{}", process::id());
    let results = Results(std::env::temp_dir().join(format!("netloom-example-{name}")));
    let output = command
        .args(["run", "--name", &name, "-o", results.0.to_str().unwrap(), "-t"])
        .arg(file)
        .args(options)
        .output()
        .unwrap();
    assert_eq!(remains(&name), [""; 0]);
    if !output.status.success() {
        return Err(text(&output.stdout) + &text(&output.stderr));
    }
    results.has_a_report();
    Ok(results)
}

/// The round trips that `ping` has printed, in ms. Its summary is missing if the run ended first,
/// as it does on a loaded machine.
fn round_trips(ping: &str) -> Vec<f64> {
    let times = ping.lines().filter_map(|line| line.split_once("time=")?.1.split_once(" ms"));
    times.map(|(time, _)| time.parse().unwrap()).collect()
}

/// Examples that run as root, too, where all others run as an ordinary user: the first one, and the
/// one that takes root.
const AS_ROOT: [&str; 2] = ["hello", "outside"];

/// Checks what the runs of an example show ([`common::shows`]). `make test` runs each of them once.
fn shows(run: impl Fn() -> Results, check: impl Fn(&Results)) {
    let current = std::thread::current();
    let name = current.name().unwrap_or_default();
    let by_user = std::env::var_os("NETLOOM_EXAMPLES").is_some_and(|by| by == "user");
    if by_user && nix::unistd::geteuid().is_root() && !AS_ROOT.contains(&name) {
        println!("skipped: `make test-rootless` runs it");
        return;
    }
    let is_valid = |results: &Results| results.summary()["verdict"]["judgement"] == "valid";
    common::shows(run, is_valid, check);
}

#[test]
fn every_example_is_tested_here() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut names: Vec<String> = fs::read_dir(examples)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "abilene",
            "aodv",
            "aqm-study",
            "backbone",
            "broch",
            "campus-sim",
            "cell",
            "cellular",
            "chain",
            "diffserv",
            "dilated",
            "dumbbell",
            "empower",
            "empower-mapping",
            "exposed",
            "handover",
            "hello",
            "hidden",
            "hybrid",
            "lan",
            "leo",
            "manet",
            "manet-chain",
            "multipath",
            "ospf",
            "outside",
            "own-kernel",
            "parking-lot",
            "ppbp-web",
            "python",
            "route-change",
            "sweep",
            "thousand",
            "two-arms",
            "two-machines",
            "vlans"
        ],
        "those that are simulated are in `simulate`, Python's in `make test-python`"
    );
}

#[test]
fn own_kernel() {
    if let Err(why) = netloom_nodes::own_kernel::check() {
        println!("skipped: {why}");
        return;
    }
    let file = folder("own-kernel").join("netloom.yaml");
    let run = || try_file(&file, "own-kernel", Command::new(NETLOOM));
    let results = run().or_else(|said| {
        // Beside other work, programs in such kernels crash once in a while (docs/own-kernel.md).
        assert!(said.contains("Segmentation fault"), "{said}");
        run()
    });
    let results = results.unwrap_or_else(|said| panic!("{said}"));
    let report: serde_json::Value =
        serde_json::from_str(&results.read("bic@sender.stdout")).unwrap();
    assert_eq!(report["end"]["sender_tcp_congestion"], "bic");
    let received = report["end"]["sum_received"]["bits_per_second"].as_f64().unwrap();
    // What the line carries of payload at most.
    assert!(received > 1e6 && received < 20e6, "{received}");
    let machine = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert_ne!(results.read("kernel@sender.stdout"), machine);
}

#[test]
fn dilated() {
    if let Err(why) = netloom_nodes::own_kernel::check() {
        println!("skipped: {why}");
        return;
    }
    let took = std::cell::Cell::new(Duration::ZERO);
    let run = || {
        let began = Instant::now();
        let results = run("dilated");
        took.set(began.elapsed());
        results
    };
    shows(run, |results| {
        let took = took.get();
        let report: serde_json::Value =
            serde_json::from_str(&results.read("flow@sender.stdout")).unwrap();
        // Four seconds of the experiment are twenty of the machine, and the kernels know of the
        // four.
        let seconds = report["end"]["sum_sent"]["seconds"].as_f64().unwrap();
        assert!((3.9..6.0).contains(&seconds), "{seconds}");
        assert!(took.as_secs_f64() > 4.9 * seconds, "{took:?}");
        let received = report["end"]["sum_received"]["bits_per_second"].as_f64().unwrap();
        assert!(received > 5e6 && received < 100e6, "{received}");
        let summary = results.summary();
        assert_eq!(summary["dilation"], 5);
        let ended = summary["ended"].as_u64().unwrap() as f64 / 1e9;
        assert!(5.0 * ended < took.as_secs_f64() + 1.0, "{ended}");
        let pings = results.read("ping@sender.stdout");
        assert!(round_trips(&pings).iter().all(|time| *time >= 20.0), "{pings}");
    });
}

#[test]
fn route_change() {
    shows(
        || run("route-change"),
        |results| {
            let report = results.read("ping.sender@a.stdout");
            let report: serde_json::Value =
                serde_json::from_str(report.lines().last().unwrap()).unwrap();
            let of_tenths =
                |report: &serde_json::Value, of: &str, what: &str| -> BTreeMap<u64, u64> {
                    let all = report[of].as_object().unwrap().iter();
                    let number = |(at, of): (&String, &serde_json::Value)| {
                        (at.parse().unwrap(), of[what].as_u64().unwrap())
                    };
                    all.map(number).filter(|(_, number)| *number > 0).collect()
                };
            let packets = |of: &str| of_tenths(&report, of, "packets");
            // By tenths of a second: nothing comes back while there is no route, and all of it
            // before and after that has had its time.
            let (sent, returned) = (packets("intervals"), packets("returned"));
            assert!(returned.keys().all(|at| !(21..39).contains(at)), "{returned:?}");
            let came = |tenths: std::ops::Range<u64>| returned.keys().any(|at| tenths.contains(at));
            assert!(came(0..20) && came(41..60), "{returned:?}");
            assert!(sent.keys().any(|at| (21..39).contains(at)), "{sent:?}");
            // The way back is 2 ms shorter afterwards. How much a machine adds, its verdict says.
            let sums = of_tenths(&report, "returned", "delay_sum");
            let median = |tenths: std::ops::Range<u64>| {
                let mut means: Vec<u64> = sums
                    .iter()
                    .filter(|(at, _)| tenths.contains(at))
                    .map(|(at, sum)| sum / returned[at])
                    .collect();
                means.sort_unstable();
                means[means.len() / 2]
            };
            let (before, after) = (median(0..20), median(41..60));
            assert!(
                before >= 7_000_000 && after >= 5_000_000 && after < before,
                "{before} {after}"
            );
            if results.summary()["verdict"]["judgement"] == "valid" {
                // The window of the transfer, of 16 KiB, takes 1.4 ms on the line.
                assert!(before <= 8_500_000 && after <= 6_500_000, "{before} {after}");
            }
            // The transfer goes on.
            let transfer = results.read("transfer.sender@a.stdout");
            let transfer: serde_json::Value =
                serde_json::from_str(transfer.lines().last().unwrap()).unwrap();
            let bytes = of_tenths(&transfer, "intervals", "bytes");
            assert!(bytes.keys().any(|at| (41..60).contains(at)), "{bytes:?}");
        },
    );
}

/// Mean delays in ms, and the shares that were lost, of the traffic of a run.
fn delays_and_losses(results: &Results) -> BTreeMap<String, (f64, f64)> {
    let table = Stored::open(File::open(results.0.join("traffic.parquet")).unwrap()).unwrap();
    let columns = ["flow", "sent_packets", "received_packets", "delay_sum_ns"];
    let mut last: BTreeMap<String, (f64, f64, f64)> = BTreeMap::new();
    table
        .rows(&columns, |row| {
            let [Cell::Name(name), ref numbers @ ..] = *row else { panic!() };
            let mut numbers = numbers.iter().map(|cell| match cell {
                Cell::Number(number) => *number as f64,
                _ => 0.0,
            });
            let mut next = || numbers.next().unwrap();
            last.insert(name.to_string(), (next(), next(), next()));
        })
        .unwrap();
    let figures = |(sent, received, delays): (f64, f64, f64)| {
        (delays / received / 1e6, 1.0 - received / sent)
    };
    last.into_iter().map(|(name, counted)| (name, figures(counted))).collect()
}

#[test]
fn diffserv() {
    shows(
        || run("diffserv"),
        |results| {
            let figures = delays_and_losses(results);
            let of = |name: &str| figures[name];
            // Whatever the machine adds: links take 8 ms, and their lines 5.6 ms for a frame. A
            // sender that stood still sends all at once, of which the meter takes a part, and waits
            // behind itself.
            assert_eq!(figures.len(), 6, "{figures:?}");
            assert!(figures.values().all(|(delay, _)| *delay >= 13.6), "{figures:?}");
            let (preferred, other) = (of("preferred"), of("other"));
            let (without, beside) = (of("preferred-without"), of("other-without"));
            if results.summary()["verdict"]["judgement"] == "valid" {
                for light in ["preferred-light", "other-light"] {
                    let (delay, lost) = of(light);
                    assert!((12.0..17.0).contains(&delay) && lost == 0.0, "{figures:?}");
                }
                assert!(preferred.0 < 20.0 && preferred.1 == 0.0, "{figures:?}");
                assert!((100.0..140.0).contains(&other.0), "{figures:?}");
                assert!((0.31..0.36).contains(&other.1), "{figures:?}");
                for (delay, lost) in [without, beside] {
                    assert!(
                        (45.0..75.0).contains(&delay) && (0.14..0.20).contains(&lost),
                        "{figures:?}"
                    );
                }
            }
        },
    );
}

#[test]
fn hello() {
    shows(
        || run("hello"),
        |results| {
            assert!(results.read("ping@alice.stdout").contains("20 received"));
            assert!(results.read("download@alice.stdout").contains("Mbits/sec"));
        },
    );
}

#[test]
fn outside() {
    if !common::takes_root("example outside", "the machine's devices are root's") {
        return;
    }
    // On a machine of its own, as far as the network goes.
    let run = || {
        let mut command = Command::new("unshare");
        let line = "ip link set lo up && exec \"$0\" \"$@\"";
        command.args(["--net", "sh", "-c", line, NETLOOM]);
        run_by("outside", command)
    };
    shows(run, |results| {
        let ping = results.read("ping@edge.stdout");
        assert!(ping.contains("5 received"), "{ping}");
        assert!(round_trips(&ping).iter().all(|time| *time >= 40.0), "{ping}");
        let summary = fs::read_to_string(results.0.join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert!(summary["usage"]["edge"]["cpu_ns"].as_u64().unwrap() > 0);
    });
}

#[test]
fn cellular() {
    shows(
        || run("cellular"),
        |results| {
            let ping = results.read("ping@phone.stdout");
            let times = round_trips(&ping);
            // Both ways over both links, and no reply before its delays are over.
            assert!(times.iter().all(|time| *time >= 60.0), "{ping}");
            // Eight seconds hold a whole fade of half a second at least. Pings come every 200 ms,
            // so that one is sent within the first 200 ms of it and waits for the rest.
            assert!(times.iter().any(|time| *time >= 300.0), "{ping}");
            // No more than the trace has opportunities.
            let trace =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/cellular/downlink.trace");
            let round = 1500 * fs::read_to_string(trace).unwrap().lines().count() as u64;
            let summary: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(results.0.join("summary.json")).unwrap())
                    .unwrap();
            let links = summary["links"].as_array().unwrap();
            let radio = links.iter().find(|link| link["name"] == "radio").unwrap();
            let delivered = &radio["reverse"]["statistics"]["delivered"];
            let count = |what: &str| delivered[what].as_u64().unwrap();
            // Opportunities carry packets: the 14 bytes of Ethernet with each take none of them.
            let bytes = count("bytes") - 14 * count("frames");
            let rounds = summary["ended"].as_u64().unwrap().div_ceil(4_000_000_000);
            assert!(bytes <= rounds * round, "{bytes} bytes in {rounds} rounds of {round}");
            assert!(bytes > 0);
        },
    );
}

#[test]
fn dumbbell() {
    shows(
        || run("dumbbell"),
        |results| {
            let mut total = 0.0;
            for flow in ["flow1@sender1.stdout", "flow2@sender2.stdout"] {
                let report: serde_json::Value = serde_json::from_str(&results.read(flow)).unwrap();
                total += report["end"]["sum_received"]["bytes"].as_f64().unwrap();
            }
            // In 20 s the bottleneck lets through at most 20 s × 10 Mbit/s × 1448/1538 of TCP
            // payload, and what its queue and the last round trip hold.
            assert!(total <= (20.5 * 10e6 * 1448.0 / 1538.0) / 8.0, "{total} bytes");
            let summary: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(results.0.join("summary.json")).unwrap())
                    .unwrap();
            let links = summary["links"].as_array().unwrap();
            let bottleneck = links.iter().find(|link| link["name"] == "bottleneck").unwrap();
            let dropped = &bottleneck["forward"]["statistics"]["dropped"]["queue_full"]["frames"];
            assert!(dropped.as_u64() > Some(0), "the queue never overflowed");
        },
    );
}

#[test]
fn lan() {
    shows(
        || run("lan"),
        |results| {
            for host in ["a", "b", "c"] {
                for process in ["ping", "ping6"] {
                    let ping = results.read(&format!("{process}@{host}.stdout"));
                    assert!(ping.contains("10 received"), "{ping}");
                }
            }
            assert!(
                results.0.join("captures/printer-eth1.pcapng").metadata().unwrap().len() > 1000
            );
        },
    );
}

#[test]
fn vlans() {
    shows(
        || run("vlans"),
        |results| {
            let replies = |name: &str, ttl: &str| {
                let ping = results.read(name);
                assert!(ping.contains("5 received") && ping.contains(ttl), "{ping}");
            };
            replies("same@alice.stdout", "ttl=64");
            replies("other@alice.stdout", "ttl=63");
            replies("other@bob.stdout", "ttl=63");
            replies("other6@alice.stdout", "ttl=63");
            assert!(results.read("copy@bob.stdout").contains("Mbits/sec"));
            // Who has sent what the stick carries, by VLAN, and who is heard in VLAN 20.
            let stick = frames(results, "router-eth1");
            let senders = |of: Option<u16>| -> BTreeSet<&[u8]> {
                stick.iter().filter(|frame| vlan(frame) == of).map(|frame| &frame[6..12]).collect()
            };
            let (office, devices) = (senders(Some(10)), senders(Some(20)));
            let router: BTreeSet<&[u8]> = office.intersection(&devices).copied().collect();
            assert_eq!(router.len(), 1, "only the router is in both VLANs");
            let camera = frames(results, "camera-eth1");
            let heard: BTreeSet<&[u8]> = camera.iter().map(|frame| &frame[6..12]).collect();
            assert!(
                camera.iter().all(|frame| vlan(frame).is_none()),
                "an access port sends no tags"
            );
            assert!(heard.len() >= 2, "itself, and whoever broadcasts in VLAN 20");
            assert!(heard.intersection(&office).all(|sender| router.contains(sender)));
            let summary: serde_json::Value =
                serde_json::from_str(&fs::read_to_string(results.0.join("summary.json")).unwrap())
                    .unwrap();
            let ports = summary["vlan_ports"].as_object().unwrap();
            assert_eq!(ports.len(), 7);
            for (name, port) in ports {
                assert_eq!(port["dropped"]["foreign"]["frames"], 0, "{name}: {port}");
                let untagged = port["dropped"]["untagged"]["frames"].as_u64().unwrap();
                assert!(untagged == 0 || name == "floor1:router", "{name}: {port}");
            }
        },
    );
}

/// The frames of a capture.
fn frames(results: &Results, capture: &str) -> Vec<Vec<u8>> {
    let file = fs::File::open(results.0.join(format!("captures/{capture}.pcapng"))).unwrap();
    let mut reader = PcapNgReader::new(file).unwrap();
    let mut frames = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.unwrap() {
            frames.push(packet.data.into_owned());
        }
    }
    frames
}

/// The VLAN of a frame's tag.
fn vlan(frame: &[u8]) -> Option<u16> {
    (frame[12..14] == [0x81, 0]).then(|| u16::from_be_bytes([frame[14], frame[15]]) & 0xfff)
}

#[test]
fn abilene() {
    shows(
        || run("abilene"),
        |results| {
            // Reachability of every pair over IPv4 and IPv6: `converged` has ended with code 0 in
            // every host, or the run would have failed. `traceroute` names the routers on the path.
            let path = results.read("path@host-seattle.stdout");
            for router in ["seattle", "denver", "kansascity", "indianapolis", "chicago", "newyork"]
            {
                assert!(path.contains(router), "{router} is not in {path}");
            }
            // The report must find all it needs. Its figures are a matter of the machine: `make
            // demo` judges them.
            let report = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/abilene/report.py");
            let output = Command::new("python3").arg(report).arg(&results.0).output().unwrap();
            let shown = text(&output.stdout);
            for part in ["Round trips", "Throughput", "an outage of", "its own timer wake-up"] {
                assert!(shown.contains(part), "{shown}{}", text(&output.stderr));
            }
            assert!(
                shown.contains("traceroute during the cut names seattle, sunnyvale, losangeles"),
                "{shown}"
            );
        },
    );
}

#[test]
fn two_machines() {
    let run = || {
        let file = folder("two-machines").join("netloom.yaml");
        let options = ["--machines", "local:2"];
        let run = try_with(&file, "two-machines", Command::new(NETLOOM), &options);
        run.unwrap_or_else(|said| panic!("{said}"))
    };
    shows(run, |results| {
        // Each of the ten pipes on the way may be late by 1 ms in a valid run.
        let times = round_trips(&results.read("rtt@host-seattle.stdout"));
        let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((47.1..49.0).contains(&fastest), "{times:?}");
        let machines = results.summary()["machines"].as_array().unwrap().len();
        assert_eq!(machines, 2);
    });
}

#[test]
fn ospf() {
    shows(
        || run("ospf"),
        |results| {
            assert!(results.read("before@client.stdout").contains("This is server."));
            let pings = results.read("ping@client.stdout");
            let numbers: Vec<u32> = pings
                .lines()
                .filter_map(|line| line.split("icmp_seq=").nth(1)?.split(' ').next()?.parse().ok())
                .collect();
            // Ten a second, and nobody tells the routers: they notice four seconds after the last
            // hello, which was a second before the cut at most, or on a busy machine a little more.
            let gap = numbers.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!(gap > 20, "no outage in {numbers:?}");
            let after = results.read("neighbours@r1.stdout");
            assert!(after.contains("Full/-") && after.contains("O>"), "{after}");
        },
    );
}
