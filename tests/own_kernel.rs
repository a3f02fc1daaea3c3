//! Nodes with a kernel of their own.

mod common;

use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Lab, eventually, text};
use netloom_nodes::own_kernel;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};

/// A node with a kernel of its own and one on the machine's.
const NETWORK: &str = "topology:
  nodes:
    own:
      kernel: own
      sysctls: { net.ipv4.tcp_congestion_control: bic }
      files: { /etc/motto: { content: hi } }
    other:
  links:
    - { name: way, endpoints: ['own:eth1', 'other:eth1'], delay: 5ms, mtu: 1400 }
";

/// Whether this machine has such kernels; a test is left out otherwise, and says so.
fn has_kernels() -> bool {
    let missing = own_kernel::check();
    if let Err(why) = &missing {
        println!("skipped: {why}");
    }
    missing.is_ok()
}

/// No such kernel is there in less than that.
const LEAST_START: i64 = 200_000_000;

#[test]
fn times_of_a_run_count_from_when_kernels_are_ready() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::new(&format!(
        "{NETWORK}processes: [{{ name: first, node: other, command: 'true' }}]\n\
         timeline: [{{ at: 0s, link: way, set: {{ delay: 6ms }} }}]\n"
    ));
    lab.ok(&["run", "-o", "results"]);
    let summary = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["timeline"][0]["planned"], 0, "{summary}");
    let since = summary["links"][0]["forward"]["statistics"]["since"].as_i64().unwrap();
    assert!(-since > LEAST_START, "{summary}");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn traffic_whose_times_would_be_wrong_is_refused() {
    let lab = Lab::new(&format!(
        "{NETWORK}traffic: [{{ name: load, from: other, to: own, ping: {{ count: 3 }} }}]\n\
         timeline: [{{ at: 1s, node: own, state: failed }}]\n"
    ));
    let (code, why) = lab.fails(&["run", "-o", "results"]);
    assert!(code != 0 && why.contains("traffic `load` cannot be") && why.contains("anew"), "{why}");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn traffic_knows_how_far_clocks_are_apart() {
    if !has_kernels() {
        return;
    }
    let traffic = |name: &str, from: &str, to: &str| {
        format!(
            "  - {{ name: {name}, from: {from}, to: {to}, udp: {{}}, cbr: {{ rate: 80kbit/s }}, \
             size: 100B, for: 2s }}\n"
        )
    };
    let (there, back) = (traffic("there", "own", "other"), traffic("back", "other", "own"));
    let lab = Lab::new(&format!("{NETWORK}traffic:\n{there}{back}"));
    lab.ok(&["run", "-o", "results"]);
    for receiver in ["there.receiver@other", "back.receiver@own"] {
        let file = lab.path(&format!("results/processes/{receiver}.stdout"));
        let report = std::fs::read_to_string(file).unwrap();
        let report: serde_json::Value =
            serde_json::from_str(report.lines().last().unwrap()).unwrap();
        let intervals: Vec<_> = report["flows"]["0"].as_object().unwrap().values().collect();
        let total = |key: &str| intervals.iter().map(|of| of[key].as_f64().unwrap()).sum::<f64>();
        let mean = total("delay_sum") / total("packets") / 1e6;
        // 5 ms over the link, but for the error of the clocks' distance, which grows with the
        // machine's load. Without their distance, it would be the age of the machine.
        assert!(mean > 1.0 && mean < 1000.0, "{receiver}: {mean} ms");
    }
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_node_has_a_kernel_addresses_routes_and_parameters_of_its_own() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::deployed(NETWORK);
    let version = |node: &str| lab.sh(node, "uname -r");
    assert_ne!(version("own"), version("other"));
    assert_eq!(lab.sh("own", "uname -n"), "own\n");
    let parameter = lab.sh("own", "cat /proc/sys/net/ipv4/tcp_congestion_control");
    assert_eq!(parameter, "bic\n");
    let there = lab.inspect()["nodes"][0]["interfaces"][0].clone();
    let seen = lab.sh("own", "ip address show eth1");
    assert!(seen.contains("mtu 1400") && seen.contains(there["mac"].as_str().unwrap()), "{seen}");
    for address in there["addresses"].as_array().unwrap() {
        assert!(seen.contains(address.as_str().unwrap()), "{address} is not in {seen}");
    }
    // What leads to the agent is out of sight.
    let links = lab.sh("own", "ls /sys/class/net | sort | tr '\\n' ' '");
    assert!(links.starts_with("eth1 lo ") && !links.contains("vec"), "{links}");
    for (from, to) in [("own", "other"), ("other", "own")] {
        for family in ["-4", "-6"] {
            let ping = lab.sh(from, &format!("ping {family} -n -c 2 -i 0.2 {to}"));
            assert!(ping.contains("2 received"), "{ping}");
            for time in ping.split("time=").skip(1) {
                let milliseconds: f64 = time.split(' ').next().unwrap().parse().unwrap();
                assert!(milliseconds >= 10.0, "{ping}");
            }
        }
    }
    assert_eq!(lab.sh("own", "cat /etc/motto"), "hi");
    // Nothing is lost that no model lost, at this pace, nor taken for lost.
    assert_eq!(lab.inspect()["timing"]["unmodelled_drops"].as_object().unwrap().len(), 0);
    lab.sh("own", "echo there > /tmp/there; echo kept > kept.txt");
    assert_eq!(std::fs::read_to_string(lab.path("kept.txt")).unwrap(), "kept\n");
    lab.ok(&["set", "way", "delay=30ms"]);
    let ping = lab.sh("own", "ping -n -c 1 other");
    let time: f64 = ping.split("time=").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(time >= 60.0, "{ping}");
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

/// What any process of a root's node writes on the machine is root's, and so must not run as root.
#[test]
fn nothing_that_an_unprivileged_process_writes_runs_as_root_on_the_machine() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::deployed(NETWORK);
    let write = "import os; made = os.open(\"open/made\", os.O_CREAT | os.O_WRONLY, 0o6755); \
                 os.write(made, b\"#!\"); os.fsync(made)";
    let user = "setpriv --reuid=1000 --regid=1000 --clear-groups";
    lab.sh(
        "own",
        &format!("chmod 755 .; mkdir open; chmod 777 open; {user} /usr/bin/python3 -c '{write}'"),
    );
    let made = std::fs::metadata(lab.path("open/made")).unwrap();
    assert_eq!((made.mode() & 0o7777, made.len()), (0o755, 2));
    assert_eq!(made.uid(), nix::unistd::geteuid().as_raw());
}

#[test]
fn commands_there_behave_as_elsewhere() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::deployed(NETWORK);
    assert_eq!(lab.try_sh("own", "echo out; echo err >&2; exit 7"), (7, "out\nerr\n".into()));
    assert_eq!(lab.try_sh("own", "kill -TERM $$").0, 128 + 15);
    let output = lab.netloom(&["exec", "own", "--", "no-such-program"]);
    assert_eq!(output.status.code(), Some(127));
    assert!(text(&output.stderr).contains("no-such-program"), "{}", text(&output.stderr));
    assert_eq!(lab.sh("own", "pwd; echo $NETLOOM_NODE"), "/run/netloom/scenario\nown\n");
    // Input and output of several megabytes, to their end.
    let sent = "head -c 3000000 /dev/zero | tr '\\0' x";
    let line = format!("{sent} | {} exec own -- cat | wc -c", common::NETLOOM);
    let counted =
        Command::new("sh").args(["-c", &line]).current_dir(&lab.directory).output().unwrap();
    assert_eq!(text(&counted.stdout).trim(), "3000000");
    // A signal reaches the process under the kernel, which ends.
    let mut sleep = lab.command(&["exec", "own", "--", "sleep", "1000"]);
    let mut sleep = sleep.stdout(Stdio::null()).spawn().unwrap();
    eventually("it sleeps", || lab.try_sh("own", "pgrep -x sleep").0 == 0);
    std::thread::sleep(Duration::from_millis(100));
    let pid = nix::unistd::Pid::from_raw(i32::try_from(sleep.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    assert_eq!(sleep.wait().unwrap().code(), Some(130));
    eventually("nothing sleeps", || lab.try_sh("own", "pgrep -x sleep").0 == 1);
}

#[test]
fn a_run_uses_a_congestion_control_of_the_nodes_kernel() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::new(&format!(
        "{NETWORK}processes:
  - {{ name: sink, node: own, command: iperf3 -s -1, ready: {{ port: 5201 }}, background: true }}
  - {{ name: tank, node: own, command: iperf3 -s -1 -p 9, ready: {{ port: 9 }}, background: true }}
  - {{ name: flow, node: other, command: iperf3 -c own -n 200K -R, start: {{ after: sink }} }}
  # The kernel takes no super-frames: where it got them, each would be sent again after a timeout.
  - name: back
    node: other
    command: timeout 60 iperf3 -c own -n 4M -p 9
    start: {{ after: tank }}
  - {{ name: used, node: own, command: cat /proc/sys/net/ipv4/tcp_congestion_control }}
timeline:
  - {{ at: 100ms, node: own, run: 'ip link show eth1' }}
measure: {{ capture: ['own:eth1'] }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    assert_eq!(lab.remains(), [""; 0]);
    let read = |file: &str| std::fs::read_to_string(lab.path(file)).unwrap();
    assert_eq!(read("results/processes/used@own.stdout"), "bic\n");
    assert!(read("results/processes/flow@other.stdout").contains("sender"));
    let summary: serde_json::Value = serde_json::from_str(&read("results/summary.json")).unwrap();
    let delivered = &summary["links"][0]["forward"]["statistics"]["delivered"]["bytes"];
    assert!(delivered.as_u64().unwrap() > 200_000, "{delivered}");
}

#[test]
fn a_failed_node_comes_back_with_a_new_kernel() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::new(&format!(
        "{NETWORK}processes:
  - {{ name: before, node: own, command: [sh, -c, 'cat /proc/sys/kernel/random/boot_id > before'] }}
  - name: silence
    node: other
    command: [sh, -c, '! ping -n -c 1 -W 1 own']
    start: {{ after: before, when: done, delay: 3s }}
  - name: after
    node: own
    command: [sh, -c, 'cat /proc/sys/kernel/random/boot_id > after; ping -n -c 1 -W 5 other']
    start: {{ after: silence, when: done, delay: 3s }}
timeline:
  - {{ at: {{ after: before, when: done, delay: 1s }}, node: own, state: failed }}
  - {{ at: {{ after: silence, when: done }}, node: own, state: up }}
"
    ));
    lab.ok(&["run", "-o", "results"]);
    let [before, after] =
        ["before", "after"].map(|file| std::fs::read_to_string(lab.path(file)).unwrap());
    assert!(before.len() > 30 && after.len() > 30 && before != after, "{before}{after}");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn nothing_outlives_a_killed_engine() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::deployed(NETWORK);
    let kernels = || {
        let all = Command::new("ps").args(["-eo", "args"]).output().unwrap();
        let all = text(&all.stdout);
        // By their own device: several tests have kernels at a time.
        all.lines().filter(|line| line.contains("linux.uml") && line.contains("__agent")).count()
    };
    assert!(kernels() > 0);
    let pid = nix::unistd::Pid::from_raw(lab.engine_pid());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    let name = lab.name.clone();
    eventually("its processes are gone", || {
        !common::remains(&name).iter().any(|what| what.starts_with("process"))
    });
    lab.ok(&["cleanup", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    if !has_kernels() {
        return;
    }
    let wrong = NETWORK.replace("tcp_congestion_control: bic", "tcp_congestion_control: bbr3");
    let lab = Lab::new(&wrong);
    let (_, why) = lab.fails(&["deploy"]);
    assert!(why.contains("its own kernel") && why.contains("tcp_congestion_control"), "{why}");
    assert_eq!(lab.remains(), [""; 0]);

    let lab = Lab::deployed(NETWORK);
    let pings = text(&lab.netloom(&["pingall", "-4"]).stdout);
    assert!(pings.contains("1 of 2 pairs") && pings.contains("netloom exec"), "{pings}");
    let file = lab.path("netloom.yaml");
    let scenario = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, scenario.replace("content: hi", "content: ho")).unwrap();
    let (_, why) = lab.fails(&["apply"]);
    assert!(why.contains("`own` has a kernel of its own"), "{why}");
}

/// What synced programs have written is there after a crash, and nothing in `/run`. Without power,
/// a node's neighbours have no carrier.
#[test]
fn files_stay_over_crashes_and_ends_reach_cables() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::deployed(NETWORK);
    let carrier = |is: &str| {
        eventually(&format!("a carrier of {is}"), || {
            lab.sh("other", "cat /sys/class/net/eth1/carrier").trim() == is
        });
    };
    lab.sh("own", "echo kept > /var/lib/kept; echo kept > /tmp/kept; echo run > /run/r; sync");
    lab.sh("own", "ip link set eth1 down");
    carrier("0");
    lab.sh("own", "ip link set eth1 up");
    carrier("1");
    for _ in 0..2 {
        let _ = lab.try_sh("own", "reboot -f");
        carrier("0");
        assert_eq!(
            lab.sh("own", "cat /var/lib/kept /tmp/kept; ls /run/r 2>&1 | grep -c No"),
            "kept\nkept\n1\n"
        );
        carrier("1");
    }
}

/// ECN bits of the IP header, and flags of the TCP header, of each TCP packet in a capture. With
/// `outbound`, of those that the interface sent.
fn marks(file: &std::path::Path, outbound: bool) -> Vec<(u8, u8, u32)> {
    let mut reader = PcapNgReader::new(std::fs::File::open(file).unwrap()).unwrap();
    let mut all = Vec::new();
    while let Some(Ok(block)) = reader.next_block() {
        let Block::EnhancedPacket(frame) = block else { continue };
        let is_out = frame.options.contains(&EnhancedPacketOption::Flags(2));
        let (data, is_v4) = (&frame.data, frame.data.get(12..14) == Some(&[8, 0]));
        if is_out != outbound || !is_v4 || data.get(23) != Some(&6) {
            continue;
        }
        all.push((data[15] & 3, data[47], frame.original_len));
    }
    all
}

/// DCTCP takes its control at both ends: the receiver echoes each mark as it came. A receiver
/// without it repeats a mark until the sender has answered, so nearly all its acknowledgements bear
/// it.
#[test]
fn marks_are_echoed_as_the_control_of_an_entry_has_it() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::new(
        "duration: 8s\ntopology:\n  defaults: { node: { ipv6: none, kernel: own } }\n  \
           nodes: { a: , b: }\n  links:\n    \
           - name: way\n      endpoints: [\"a:eth1\", \"b:eth1\"]\n      rate: 10Mbit/s\n      \
             delay: 5ms\n      queue: { limit: 200packets, discipline: { red: \
               { min: 5packets, max: 20packets, ecn: true } } }\n\
         traffic:\n  - { name: t, from: a, to: b, tcp: { congestion_control: dctcp }, bulk: {} }\n\
         measure: { capture: [\"a:eth1\", \"b:eth1\"] }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let file = |node: &str| lab.path(&format!("results/captures/{node}-eth1.pcapng"));
    let data: Vec<_> = marks(&file("b"), false).into_iter().filter(|one| one.2 > 1000).collect();
    let acks: Vec<_> = marks(&file("a"), false).into_iter().filter(|one| one.1 & 2 == 0).collect();
    let marked = data.iter().filter(|one| one.0 == 3).count() as f64 / data.len() as f64;
    let echoed = acks.iter().filter(|one| one.1 & 0x40 != 0).count() as f64 / acks.len() as f64;
    assert!(data.len() > 500 && acks.len() > 200, "{} {}", data.len(), acks.len());
    // Marks of packets that one acknowledgement covers are one echo.
    assert!(marked > 0.0 && echoed > 0.0, "{marked} {echoed}");
    assert!(echoed < 3.0 * marked + 0.05, "{echoed} of acknowledgements for {marked} of packets");
}
