//! Direct links on a deployed network: pairs of kernel devices between nodes, counted and captured
//! like other links, and set by nobody.

mod common;

use std::fs::File;
use std::path::Path;

use common::{Lab, captured, eventually, kill};
use nix::sys::signal::Signal;
use pcap_file::pcapng::blocks::interface_statistics::InterfaceStatisticsOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use serde_json::Value;

/// A direct link, a router, and a link of the engine behind it.
const SCENARIO: &str = r#"
topology:
  nodes:
    a: { interfaces: { eth1: { mac: "02:00:00:00:00:aa" } } }
    r: { kind: router }
    b:
  links:
    - { name: fast, endpoints: ["a:eth1", "r:eth1"], direct: true, mtu: 9000 }
    - { name: slow, endpoints: ["r:eth2", "b:eth1"], delay: 20ms }
"#;

fn link(lab: &Lab, name: &str) -> Value {
    let links = lab.inspect()["links"].as_array().unwrap().clone();
    links.into_iter().find(|link| link["name"] == name).unwrap()
}

/// The lengths of all frames in a pcapng file, and how many frames it says are missing.
fn lengths(file: &Path) -> (Vec<u32>, u64) {
    let mut reader = PcapNgReader::new(File::open(file).unwrap()).unwrap();
    let (mut lengths, mut missing) = (Vec::new(), 0);
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::EnhancedPacket(packet) => lengths.push(packet.original_len),
            Block::InterfaceStatistics(statistics) => {
                for option in statistics.options {
                    if let InterfaceStatisticsOption::IsbIfDrop(frames) = option {
                        missing += frames;
                    }
                }
            }
            _ => {}
        }
    }
    (lengths, missing)
}

#[test]
fn traffic_crosses_direct_links_and_others_alike() {
    let lab = Lab::deployed(SCENARIO);
    let devices = "for i in /sys/class/net/eth1; do cat $i/mtu $i/address $i/carrier; done";
    assert_eq!(lab.sh("a", devices), "9000\n02:00:00:00:00:aa\n1\n");
    // A TAP names its flags; a veth has none.
    let taps = "ls -d /sys/class/net/eth*/tun_flags 2>/dev/null";
    assert_eq!(lab.try_sh("a", taps).1, "");
    assert_eq!(lab.sh("r", taps), "/sys/class/net/eth2/tun_flags\n");
    for family in ["-4", "-6"] {
        lab.sh("a", &format!("ping {family} -n -c 1 -W 2 -s 8000 -M do r"));
        let far = lab.sh("a", &format!("ping {family} -n -c 2 -i 0.1 -W 2 b"));
        assert!(far.contains("ttl=63") && far.contains("0% packet loss"), "{far}");
    }
    // Both names reach the far end, whose way back is through the link of the engine.
    lab.sh("b", "ping -n -c 1 -W 2 a");
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), Vec::<String>::new());
}

#[test]
fn the_kernel_counts_and_what_it_cannot_know_is_absent() {
    let lab = Lab::deployed(SCENARIO);
    // The kernel may drop what the nodes announce of themselves before both ends are up.
    lab.sh("a", "ping -4 -n -q -c 1 -W 5 r");
    let before = link(&lab, "fast");
    lab.sh("a", "ping -4 -n -q -c 20 -i 0.01 -s 1000 r");
    let after = link(&lab, "fast");
    for direction in ["forward", "reverse"] {
        let number = |link: &Value, path: &str| {
            let value = link[direction]["statistics"].pointer(path);
            value.and_then(Value::as_u64).unwrap_or_else(|| panic!("no {path} in {link}"))
        };
        for counter in ["/offered", "/delivered"] {
            let grown = |of: &str| {
                let path = format!("{counter}/{of}");
                number(&after, &path) - number(&before, &path)
            };
            // 1000 bytes of data in packets of ICMP, IP and Ethernet; ARP may come on top.
            assert!((20..30).contains(&grown("frames")), "{after}");
            assert!((20 * 1042..20 * 1042 + 1000).contains(&grown("bytes")), "{after}");
        }
        assert_eq!(number(&after, "/dropped_frames"), number(&before, "/dropped_frames"));
        assert_eq!(after[direction].get("config"), None);
        for absent in ["delay", "queue", "load"] {
            assert_eq!(after[direction]["statistics"].get(absent), None, "{after}");
        }
    }
    assert!(link(&lab, "slow")["forward"]["statistics"]["queue"].is_object());
    let table = lab.ok(&["inspect"]);
    assert!(
        table.lines().any(|row| row.contains("a:eth1 → r:eth1") && row.contains("direct")),
        "{table}"
    );
    // The kernel has no last seconds.
    let recent = lab.ok(&["inspect", "--last", "5s", "--format", "json"]);
    let recent: Value = serde_json::from_str(&recent).unwrap();
    assert_eq!(recent["links"][0]["forward"], serde_json::json!({ "statistics": null }));
    // What a node does to its interface is no loss of the engine's.
    lab.sh("r", "ip link set eth1 down");
    lab.try_sh("a", "ping -n -c 2 -i 0.1 -W 0.2 r");
    assert_eq!(lab.inspect()["timing"]["unmodelled_drops"], serde_json::json!({}));
    lab.sh("a", "ip link del eth1");
    assert_eq!(link(&lab, "fast")["forward"], serde_json::json!({ "statistics": null }));
}

#[test]
fn nothing_can_be_set_on_a_direct_link() {
    let lab = Lab::deployed(SCENARIO);
    for change in ["delay=5ms", "state=down"] {
        let (_, words) = lab.fails(&["set", "fast", change]);
        assert!(words.contains("link `fast` is direct"), "{words}");
    }
    lab.ok(&["set", "slow", "delay=1ms"]);
    assert_eq!(link(&lab, "slow")["forward"]["config"]["delay"], "1ms");
    let (_, words) = lab.fails(&["capture", "a:eth1", "--drops", "-w", "-"]);
    assert!(words.contains("the kernel only counts it"), "{words}");
}

#[test]
fn a_run_captures_and_samples_direct_links() {
    let lab = Lab::new(&format!(
        "{SCENARIO}measure: {{ interval: 100ms, capture: [\"a:eth1\", \"r:eth2\"], \
         frames: true }}\n\
         processes:\n  \
         - {{ name: server, node: r, command: python3 -m http.server 5201, ready: {{ port: \
         5201 }}, background: true }}\n  \
         - {{ name: client, node: a, command: python3 fetch.py, start: {{ after: server, \
         when: ready }} }}\n  \
         - {{ name: ping, node: a, command: ping -4 -n -q -c 10 -i 0.02 -s 777 b, start: {{ after: \
         client, when: done }} }}\n"
    ));
    std::fs::write(lab.path("data"), [0; 500 << 10]).unwrap();
    let fetch =
        "from urllib.request import urlopen; print(len(urlopen('http://r:5201/data').read()))";
    std::fs::write(lab.path("fetch.py"), fetch).unwrap();
    lab.ok(&["run", "-o", "results"]);
    // 777 bytes of data, ICMP, IP and Ethernet: ten there and ten back, at both interfaces.
    for capture in ["a-eth1", "r-eth2"] {
        let file = lab.path(&format!("results/captures/{capture}.pcapng"));
        assert_eq!(captured(&file, 777 + 42).len(), 20, "{capture}");
    }
    // TCP's super-frames are shown as frames of the wire: of 9000 bytes and an Ethernet header.
    let (lengths, missing) = lengths(&lab.path("results/captures/a-eth1.pcapng"));
    assert_eq!(lengths.iter().max(), Some(&9014));
    let captured = lengths.iter().sum::<u32>();
    // Frames beyond the buffer of an ordinary user's socket (`net.core.rmem_max`) may be missed.
    // The capture reports this.
    assert!(captured > 500 << 10 || missing > 0, "{captured} bytes and none missing: {lengths:?}");
    assert!(missing == 0 || !nix::unistd::geteuid().is_root(), "{missing} missed");
    let read = |file: &str| std::fs::read_to_string(lab.path(file)).unwrap();
    let summary: Value = serde_json::from_str(&read("results/summary.json")).unwrap();
    assert!(
        summary["links"][0]["forward"]["statistics"]["delivered"]["frames"].as_u64() >= Some(10)
    );
    let coverage = summary["verdict"]["coverage"].to_string();
    assert!(coverage.contains("direct links"), "{coverage}");
    assert!(read("results/report.html").contains("direct"));
    assert_eq!(summary["frame_log"]["failure"], Value::Null);
    lab.ok(&["frames", "results/frames.nlf", "--csv", "frames.csv"]);
    let frames = read("frames.csv");
    assert!(frames.contains("slow") && !frames.contains("fast"), "the engine's links only");
    assert_eq!(lab.remains(), Vec::<String>::new());
}

/// Captures hold namespaces of their own accord; the end of the experiment must end them.
#[test]
fn an_open_capture_ends_with_the_experiment() {
    let lab = Lab::deployed(SCENARIO);
    let mut capture = lab.command(&["capture", "r:eth1", "-w", "seen.pcapng"]).spawn().unwrap();
    lab.sh("a", "ping -4 -n -q -c 100 -i 0.01 -s 555 r");
    eventually("captured frames", || {
        lab.path("seen.pcapng").exists() && captured(&lab.path("seen.pcapng"), 597).len() > 10
    });
    // The kernel keeps the tag of a frame that was received apart from it.
    let send = "import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); \
        s.bind(('eth1', 0)); \
                s.send(b'\\xff' * 6 + b'\\x02\\0\\0\\0\\0\\x01\\x81\\0\\0\\x07\\x88\\xb5' + \
                bytes(300))";
    lab.sh("a", &format!("python3 -c \"{send}\""));
    eventually("the tagged frame with its tag", || {
        captured(&lab.path("seen.pcapng"), 14 + 4 + 300).len() == 1
    });
    lab.ok(&["destroy"]);
    capture.wait().unwrap();
    assert_eq!(lab.remains(), Vec::<String>::new());
}

#[test]
fn what_a_dead_engine_leaves_is_removed() {
    let lab = Lab::deployed(SCENARIO);
    kill(lab.engine_pid(), Signal::SIGKILL);
    // The nodes' kernel devices live on until they are cleaned up.
    lab.ok(&["cleanup", &lab.name]);
    assert_eq!(lab.remains(), Vec::<String>::new());
}
