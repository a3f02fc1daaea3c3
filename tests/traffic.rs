//! Traffic between real nodes: what a run with `traffic:` sends and counts.

mod common;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use common::Lab;
use netloom_columnar::{Cell, Stored};
use pcap_file::pcapng::{Block, PcapNgReader};

/// Returns the numbers of a run's `traffic.parquet` at its end, by flow and sender.
fn sums(lab: &Lab) -> BTreeMap<(String, String), BTreeMap<&'static str, u64>> {
    const NUMBERS: [&str; 8] = [
        "sent_packets",
        "sent_bytes",
        "received_packets",
        "received_bytes",
        "refused_packets",
        "duplicated_packets",
        "begun_transfers",
        "completed_transfers",
    ];
    let table = Stored::open(File::open(lab.path("results/traffic.parquet")).unwrap()).unwrap();
    let columns = [&["flow", "from"], &NUMBERS[..]].concat();
    let mut sums: BTreeMap<_, BTreeMap<_, u64>> = BTreeMap::new();
    table
        .rows(&columns, |row| {
            let [Cell::Name(flow), Cell::Name(from), ref numbers @ ..] = *row else { panic!() };
            let entry = flow.split('/').next().unwrap();
            let of_sender = sums.entry((entry.to_string(), from.to_string())).or_default();
            for (name, cell) in NUMBERS.into_iter().zip(numbers) {
                match cell {
                    Cell::Number(number) => {
                        let before = of_sender.insert(name, *number);
                        assert!(before <= Some(*number), "{flow}: `{name}` falls");
                    }
                    Cell::Nothing => {}
                    other => panic!("{other:?}"),
                }
            }
        })
        .unwrap();
    sums
}

/// Returns the number of packets of a flow that were sent and did not arrive.
fn lost(flow: &BTreeMap<&'static str, u64>) -> u64 {
    flow["sent_packets"] - flow["refused_packets"] - flow["received_packets"]
}

/// The summary of a run.
fn summary(lab: &Lab) -> serde_json::Value {
    let text = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A sender follows its model whatever the machine does. Packets that do not arrive are counted as
/// lost: here the link drops every tenth frame.
#[test]
fn a_run_sends_what_models_say_and_counts_what_links_lose() {
    let lab = Lab::new(
        "seed: 7\n\
         topology:\n  nodes: { a: , b: { group: all }, c: { group: all }, s: { kind: switch } }\n  \
           groups: { all: {} }\n  links:\n    \
             - { endpoints: [a, s] }\n    \
             - { name: lossy, endpoints: [b, s], forward: { loss: { every: 10 } } }\n    \
             - { endpoints: [c, s] }\n\
         traffic:\n  \
           - { name: many, from: { group: all }, to: a, udp: { dscp: ef }, size: imix,\n      \
               for: 2s, poisson: { rate: 2Mbit/s } }\n  \
           - { name: few, from: a, to: c, udp: {}, start: 200ms,\n      \
               trace: { file: [\"0 60\", \"0.3 1514\", \"0.3 100\"] } }\n  \
           - { name: bulk, from: a, to: c, tcp: {}, bulk: { bytes: 300kB, connections: 2 } }\n  \
           - { name: web, from: c, to: a, tcp: {},\n      \
               flows: { file: [\"0, 0, 100\", \"0.2, 0, 100000\"] } }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let sums = sums(&lab);
    let of = |entry: &str, from: &str| &sums[&(entry.to_string(), from.to_string())];
    for from in ["b", "c"] {
        let stream = format!("traffic/many/{from}");
        let model = ["poisson: {rate: 2Mbit/s}", "--size", "imix", "--for", "2s", "--seed", "7"];
        let generate = ["traffic", "generate", "-o", "-", "--stream", &stream];
        let lines = lab.ok(&[&generate[..], &model[..]].concat());
        let bytes: Vec<u64> = lines
            .lines()
            .skip(1)
            .map(|line| line.split_once(' ').unwrap().1.parse().unwrap())
            .collect();
        let of = of("many", from);
        assert_eq!(of["sent_packets"], bytes.len() as u64);
        // Those of Ethernet, IPv4 and UDP are no payload.
        assert_eq!(of["sent_bytes"], bytes.iter().map(|frame| frame - 42).sum::<u64>());
        assert!(of["sent_packets"] >= of["received_packets"] + of["refused_packets"]);
        assert_eq!(of["duplicated_packets"], 0);
    }
    let summary = summary(&lab);
    let links = summary["links"].as_array().unwrap();
    let lossy = links.iter().find(|link| link["name"] == "lossy").unwrap();
    let dropped = lossy["forward"]["statistics"]["dropped"]["loss"]["frames"].as_u64().unwrap();
    let lost = lost(of("many", "b"));
    // Hosts that begin to talk send frames of their own, of which some may be among the dropped.
    assert!(lost <= dropped && dropped - lost <= 10, "{lost} lost of {dropped} dropped");
    assert!(lost >= of("many", "b")["sent_packets"] / 10 - 10);
    assert_eq!(self::lost(of("many", "c")), 0);
    let few = of("few", "a");
    assert_eq!((few["sent_packets"], few["received_packets"], few["received_bytes"]), (3, 3, 1548));
    let bulk = of("bulk", "a");
    assert_eq!((bulk["sent_bytes"], bulk["received_bytes"]), (600_000, 600_000));
    assert!(!bulk.contains_key("sent_packets") && !bulk.contains_key("begun_transfers"));
    let web = of("web", "c");
    assert_eq!((web["begun_transfers"], web["completed_transfers"]), (2, 2));
    assert_eq!(web["received_bytes"], 100_100);
}

/// One node sends over UDP to a group, and others send over TCP.
const ALIKE: &str = "seed: 5\n\
    topology:\n  \
      nodes: { a: , r: { kind: router }, b: { group: all }, c: { group: all }, \
d: { group: all },\n    e: , f: }\n  \
      groups: { all: {} }\n  links:\n    \
      - { name: out, endpoints: [\"a:eth1\", r] }\n    \
      - { name: to-b, endpoints: [r, b] }\n    - { name: to-c, endpoints: [r, c] }\n    \
      - { name: to-d, endpoints: [r, d] }\n    \
      - { endpoints: [e, f], rate: 100Mbit/s, delay: 1ms }\n\
    traffic:\n  \
      - { name: load, from: a, to: { group: all }, udp: {}, size: imix, for: 2s,\n      \
          on_off: { sources: 3, on: { exponential: 100ms }, off: { exponential: 100ms },\n        \
            rate: 200kbit/s } }\n  \
      - { name: pages, from: e, to: f, tcp: {},\n      \
          http: { requests: 9, sizes: { exponential: 20kB }, think: { exponential: 10ms } } }\n  \
      - { name: bursts, from: f, to: e, tcp: {}, for: 1s,\n      \
          ppbp: { load: 1Mbit/s, bursts: 20, burst: 100ms, hurst: 0.8 } }\n  \
      - { name: echo, from: e, to: f, ping: { interval: 20ms, count: 10 } }\n";

/// Lengths of frames and times in ns.
type Sequence = Vec<(u64, u64)>;

/// Both kinds of runs send equal traffic: lengths, receivers and intended times of a sender depend
/// only on its random numbers.
#[test]
fn real_and_simulated_senders_send_the_same_sequence() {
    let real = Lab::new(&format!("{ALIKE}measure: {{ capture: [\"a:eth1\"] }}\n"));
    real.ok(&["run", "-o", "results"]);
    let simulated = Lab::new(ALIKE);
    simulated.ok(&["run", "--simulate", "--frames", "-o", "results"]);
    let intended = stamped(&real.path("results/captures/a-eth1.pcapng"));
    assert_eq!(intended.len(), 3, "each member of the group receives");
    let first = |all: &[Sequence]| all.iter().map(|one| one[0].1).min().unwrap();
    let from_first = |mut all: Vec<Sequence>| {
        let first = first(&all);
        all.iter_mut().flatten().for_each(|(_, at)| *at -= first);
        all.sort();
        all
    };
    let simulated_log = offered(&simulated, &["to-b", "to-c", "to-d"]);
    let (real_one, simulated_one) = (from_first(intended), from_first(simulated_log));
    assert!(real_one == simulated_one, "{real_one:?}\n{simulated_one:?}");
    let of = |lab: &Lab, name: &str| {
        let summary = summary(lab);
        let flows = summary["flows"].as_array().unwrap().clone();
        flows.into_iter().find(|flow| flow["name"] == name).unwrap()
    };
    for name in ["pages", "bursts"] {
        let [real, simulated] = [&real, &simulated].map(|lab| of(lab, name));
        assert_eq!(real["received"]["bytes"], simulated["received"]["bytes"], "{name}");
        for key in ["begun", "completed"] {
            assert_eq!(real["transfers"][key], simulated["transfers"][key], "{name}: {key}");
        }
        assert_eq!(real["transfers"]["begun"], real["transfers"]["completed"], "{name}");
    }
    let [real, simulated] = [&real, &simulated].map(|lab| of(lab, "echo"));
    assert_eq!((&real["sent"], &real["received"]), (&simulated["sent"], &simulated["sent"]));
}

/// Returns the frames that a sender intended to send over UDP to each receiver, from a capture at
/// its interface.
fn stamped(file: &Path) -> Vec<Sequence> {
    let mut reader = PcapNgReader::new(File::open(file).unwrap()).unwrap();
    let mut by_receiver: BTreeMap<Vec<u8>, Sequence> = BTreeMap::new();
    while let Some(Ok(block)) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block else { continue };
        // Behind the headers of Ethernet, IPv4 and UDP: `NLtr`, sender, number, time.
        let Some(stamp) = packet.data.get(42..60).filter(|stamp| stamp.starts_with(b"NLtr")) else {
            continue;
        };
        if stamp[6..10] == [0xff; 4] {
            continue;
        }
        let at = u64::from_be_bytes(stamp[10..18].try_into().unwrap());
        let sent = by_receiver.entry(packet.data[30..34].to_vec()).or_default();
        sent.push((packet.original_len.into(), at));
    }
    by_receiver.into_values().collect()
}

/// Returns the frames that were offered to each of these links in its forward direction, from the
/// log of a run.
fn offered(lab: &Lab, links: &[&str]) -> Vec<Sequence> {
    let lines = lab.ok(&["frames", "--csv", "-", "results/frames.nlf"]);
    let of_link = |link: &&str| {
        let of_link = format!(",{link},forward,offered,");
        let lines = lines.lines().filter(|line| line.contains(&of_link));
        let cells = lines.map(|line| line.split(',').collect::<Vec<_>>());
        cells.map(|cells| (cells[6].parse().unwrap(), cells[0].parse().unwrap())).collect()
    };
    links.iter().map(of_link).collect()
}

/// A run ends traffic that never ends by itself, and keeps the counts up to then.
#[test]
fn traffic_that_never_ends_is_ended_with_the_run() {
    let lab = Lab::new(
        "duration: 6s\n\
         topology:\n  nodes: { a: , b: }\n  links:\n    - { endpoints: [a, b] }\n\
         traffic:\n  \
           - { name: endless, from: a, to: b, udp: {}, cbr: { rate: 1Mbit/s } }\n  \
           - { name: bulk, from: b, to: a, tcp: {}, bulk: {}, background: true }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let sums = sums(&lab);
    let endless = &sums[&("endless".into(), "a".into())];
    assert!(endless["received_packets"] > 0);
    assert_eq!(lost(endless), 0);
    assert!(sums[&("bulk".into(), "b".into())]["received_bytes"] > 0);
}

#[test]
fn a_sender_that_cannot_send_fails_the_run() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: , b: }\n  links:\n    - { endpoints: [a, b] }\n\
         traffic:\n  \
           - { name: bulk, from: a, to: b, tcp: {}, bulk: { bytes: 1kB }, start: 2s }\n\
         processes:\n  \
           - { name: cut, node: a, command: ip address flush dev eth1 }\n",
    );
    let (code, error) = lab.fails(&["run", "-o", "results"]);
    assert_eq!(code, 3, "{error}");
    let failures = summary(&lab)["failures"].to_string();
    for part in ["`bulk.sender` in `a`", "Network is unreachable", "traffic.parquet lacks"] {
        assert!(failures.contains(part), "{part}: {failures}");
    }
}

#[test]
fn a_congestion_control_that_is_missing_is_named_before_anything_is_made() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: , b: }\n  links:\n    - { endpoints: [a, b] }\n\
         traffic:\n  \
           - { name: bulk, from: a, to: b, tcp: { congestion_control: bbr3 },\n      \
               bulk: { bytes: 1kB } }\n",
    );
    let (code, error) = lab.fails(&["run", "-o", "results"]);
    assert_eq!(code, 1, "{error}");
    for part in ["traffic `bulk`: `bbr3`", "nothing was made", "`kernel: own`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!lab.path("results/summary.json").exists());
    assert_eq!(lab.remains(), [""; 0]);
}

/// What nodes ask of the kernel by name is looked for before anything of the network is there, and
/// all that is missing is named at once, with who asks for it.
#[test]
fn features_that_the_kernel_lacks_are_found_before_anything_is_made() {
    let lab = Lab::new(
        "duration: 1s
topology:
  nodes:
    a: { sysctls: { net.ipv4.no_such_thing: 1 }, \
startup: [tc qdisc add dev eth1 root nosuchqdisc] }
    b: { sysctls: { net.ipv4.no_such_thing: 1 } }
  links: [{ endpoints: [a, b] }]
processes: [{ name: vrf, node: b, command: [ip, link, add, x, type, nosuchkind] }]
",
    );
    let (code, refused) = lab.fails(&["deploy"]);
    assert_eq!(code, 1, "{refused}");
    for part in [
        "parameter `net.ipv4.no_such_thing` (`a`, `b`)",
        "queueing discipline `nosuchqdisc` (`startup` in `a`)",
        "modprobe sch_nosuchqdisc",
        "`kernel: own`",
        "nothing was made",
    ] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    assert!(!refused.contains("nosuchkind"), "a network without a run: {refused}");
    let (_, refused) = lab.fails(&["run", "-o", "results"]);
    assert!(refused.contains("`nosuchkind` (process `vrf` in `b`)"), "{refused}");
    assert!(!lab.path("results/summary.json").exists());
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn traffic_goes_over_ipv6_where_it_says_so_or_there_is_nothing_else() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: { ipv4: none }, b: , c: { ipv4: none } }\n  links:\n    \
           - { endpoints: [a, b] }\n    - { endpoints: [a, c] }\ntraffic:\n  \
           - { name: said, from: b, to: a, family: ipv6, udp: { dscp: ef }, size: 80B,\n      \
               cbr: { rate: 1Mbit/s }, for: 200ms }\n  \
           - { name: bulk, from: b, to: a, family: ipv6, tcp: { dscp: af11 },\n      \
               bulk: { bytes: 100kB } }\n  \
           - { name: only, from: a, to: c, tcp: {}, http: { requests: 2, sizes: 10kB } }\n  \
           - { name: echo, from: b, to: a, family: ipv6, ping: { interval: 20ms, count: 5 } }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let sums = sums(&lab);
    let of = |entry: &str, from: &str| &sums[&(entry.to_string(), from.to_string())];
    for (entry, bytes) in [("said", 80 - 62), ("echo", 118 - 62)] {
        let of = of(entry, "b");
        assert!(of["sent_packets"] > 0, "{entry}: {of:?}");
        assert_eq!(of["sent_packets"], of["received_packets"], "{entry}: {of:?}");
        assert_eq!(of["received_bytes"], bytes * of["received_packets"], "{entry}: {of:?}");
    }
    assert_eq!(of("bulk", "b")["received_bytes"], 100_000);
    assert_eq!(of("only", "a")["completed_transfers"], 2);
}

/// A fluid in a link: packets wait for the fluid in front of them, it is counted separately, and
/// changes that a pipe with a fluid does not support are refused while it runs.
#[test]
fn packets_wait_for_a_fluid_in_their_link() {
    let lab = Lab::new(
        "seed: 3\n\
         topology:\n  nodes: { a: , b: }\n  links:\n    \
           - name: line\n      endpoints: [a, b]\n      rate: 10Mbit/s\n      \
             queue: { limit: 50ms }\n      \
             forward: { background: [{ cbr: { load: 105% }, size: 500B, as: fluid }] }\n\
         timeline:\n  \
           - { at: 2s, link: line, direction: forward, set: { background: none } }\n  \
           - { at: 2500ms, link: line, direction: forward,\n      \
               set: { queue: { discipline: codel } } }\n\
         traffic:\n  \
           - { name: probes, from: a, to: b, udp: {}, size: 100B,\n      \
               start: 1200ms, for: 600ms, cbr: { rate: 80kbit/s } }\n\
         duration: 3s\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let forward = &summary(&lab)["links"][0]["forward"]["statistics"];
    // From 1 s on 50 ms of fluid wait, and a frame that is taken waits behind them.
    let delay = forward["delay"]["p50_ns"].as_u64().unwrap();
    assert!((49_000_000..60_000_000).contains(&delay), "{delay} ns");
    let of = |what: &str| forward["background"][what]["bytes"].as_u64().unwrap();
    let [offered, delivered, dropped] = ["offered", "delivered", "dropped"].map(of);
    assert_eq!(offered, delivered + dropped + of("queued"));
    // Two seconds of 10.5 Mbit/s on the line, where 500 bytes are 524.
    let expected = 2.0 * 10.5e6 / 8.0 * 500.0 / 524.0;
    assert!((offered as f64 / expected - 1.0).abs() < 0.05, "{offered} of {expected} bytes");
    // What came after 1 s and did not fit.
    assert!(dropped > offered / 100 && dropped < offered / 20, "{dropped} of {offered}");
    let table = Stored::open(File::open(lab.path("results/pipes.parquet")).unwrap()).unwrap();
    let mut last = None;
    table
        .rows(&["direction", "background_offered_bytes"], |row| {
            let [Cell::Name(direction), ref cell] = *row else { panic!() };
            match (direction, cell) {
                ("forward", Cell::Number(bytes)) => last = Some(*bytes),
                ("reverse", Cell::Nothing) => {}
                other => panic!("{other:?}"),
            }
        })
        .unwrap();
    assert_eq!(last, Some(offered));
}

#[test]
fn a_fluid_is_set_on_a_running_link_and_keeps_it_as_it_can_be() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
           - { name: line, endpoints: [a, b], rate: 10Mbit/s }\n",
    );
    lab.ok(&["set", "line", "background=[{cbr: {load: 20%}, as: fluid}]"]);
    let (_, words) = lab.fails(&["set", "line", "queue.discipline=codel"]);
    assert!(words.contains("fluid needs discipline fifo, not codel"), "{words}");
    let (_, words) = lab.fails(&["set", "line", "rate=unlimited"]);
    assert!(words.contains("fluid needs a rate, not unlimited"), "{words}");
    lab.ok(&["set", "line", "rate=20Mbit/s"]);
    let forward = || lab.inspect()["links"][0]["forward"].clone();
    common::eventually("the fluid flows", || {
        forward()["statistics"]["background"]["delivered"]["bytes"].as_u64().unwrap() > 0
    });
    lab.ok(&["set", "line", "background=none"]);
    lab.ok(&["set", "line", "queue.discipline=codel"]);
}

/// The sum of RFC 1071 over some bytes: 0xffff if a checksum among them is right.
fn sum(bytes: &[u8]) -> u32 {
    let words = bytes
        .chunks(2)
        .map(|two| u32::from(two[0]) << 8 | two.get(1).map_or(0, |low| u32::from(*low)));
    words.fold(0, |sum, word| ((sum + word) & 0xffff) + ((sum + word) >> 16))
}

/// Mark of the frames of the capture, to distinguish them from those of kernels.
const MARK: &[u8] = b"replayed";

/// Ethernet frames of a made-up capture: UDP, TCP and ICMP over IPv4, UDP over IPv6, by turns, each
/// with its number. Their checksums are left to an interface that never was.
fn recorded(number: u8) -> Vec<u8> {
    let payload = [MARK, &[number; 9]].concat();
    let (protocol, mut upper) = match number % 4 {
        0 | 3 => {
            let length = 8 + payload.len() as u8;
            (17, vec![0x13, 0xc4, 0x13, 0xc5, 0, length, 0x12, 0x34])
        }
        1 => {
            // A SYN to a port on which nothing listens.
            let mut header = vec![0x20, number, 0x13, 0xc5, 0, 0, 0, 1, 0, 0, 0, 0];
            header.extend([0x50, 2, 0x10, 0, 0, 0, 0, 0]);
            (6, header)
        }
        _ => (1, vec![8, 0, 0, 0, 0, 7, 0, number]),
    };
    upper.extend(payload);
    let length = upper.len() as u8;
    let ethernet = [2, 9, 9, 9, 9, 9, 2, 8, 8, 8, 8, 8];
    let header = match number % 4 {
        3 => {
            let mut header = vec![0x86, 0xdd, 0x60, 0, 0, 0, 0, length, 17, 64];
            header.extend("2001:db8::1".parse::<std::net::Ipv6Addr>().unwrap().octets());
            header.extend("2001:db8::2".parse::<std::net::Ipv6Addr>().unwrap().octets());
            header
        }
        _ => {
            let mut header = vec![8, 0, 0x45, 0, 0, 20 + length, 1, number, 0x40, 0, 64, protocol];
            header.extend([0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
            header
        }
    };
    [&ethernet[..], &header, &upper].concat()
}

/// Compares a frame that arrived with that of the capture: all bytes are equal except for addresses
/// and checksums, which must be right.
fn is_rewritten(came: &[u8], number: u8) {
    let was = recorded(number);
    let (v6, header) = (number % 4 == 3, if number % 4 == 3 { 54 } else { 34 });
    let (at, protocol) = match number % 4 {
        0 | 3 => (header + 6, 17),
        1 => (header + 16, 6),
        _ => (header + 2, 1),
    };
    let addresses = if v6 { 22..54 } else { 26..34 };
    let wanted: &[u8] = match v6 {
        true => &[
            [0xfd, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1],
            [0xfd, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2],
        ]
        .concat(),
        false => &[10, 0, 0, 1, 10, 0, 0, 2],
    };
    assert_eq!(&came[addresses.clone()], wanted, "frame {number}");
    let mut same = came.to_vec();
    same[..12].copy_from_slice(&was[..12]);
    same[addresses.clone()].copy_from_slice(&was[addresses.clone()]);
    same[at..at + 2].copy_from_slice(&was[at..at + 2]);
    if !v6 {
        assert_eq!(sum(&came[14..34]), 0xffff, "the header of frame {number}");
        same[24..26].copy_from_slice(&was[24..26]);
    }
    assert_eq!(same, was, "frame {number}");
    let pseudo = match protocol {
        1 => vec![],
        _ => [&came[addresses], &[0, protocol, 0, (came.len() - header) as u8]].concat(),
    };
    assert_eq!(sum(&[&pseudo, &came[header..]].concat()), 0xffff, "frame {number}");
}

/// Frames of a capture leave with the addresses of this network, in their order, none before its
/// time, and kernels take them for their own.
#[test]
fn a_capture_is_replayed_with_other_addresses_and_never_too_early() {
    const FRAMES: u8 = 40;
    let lab = Lab::new(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
           - { endpoints: [\"a:eth1\", \"b:eth1\"] }\nmeasure: { capture: ['b:eth1'] }\n\
         traffic:\n  \
           - name: day\n    from: a\n    to: b\n    for: 3s\n    replay:\n      \
             file: day.pcap\n      \
             stretch: 2\n      rewrite: { 192.0.2.1: a, 192.0.2.2: b, '2001:db8::1': a, \
             '2001:db8::2': b }\n",
    );
    // Three at once, then a gap of 30 ms, and so on.
    let after = |number: u8| u64::from(number / 3) * 30_000_000;
    let mut file =
        vec![0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0];
    for number in 0..FRAMES {
        let frame = recorded(number);
        let at = 500_000_000 + after(number);
        let length = frame.len() as u32;
        let head = [
            1_700_000_000 + (at / 1_000_000_000) as u32,
            (at % 1_000_000_000) as u32,
            length,
            length,
        ];
        file.extend(head.map(u32::to_le_bytes).as_flattened());
        file.extend(frame);
    }
    std::fs::write(lab.path("day.pcap"), &file).unwrap();
    lab.ok(&["run", "-o", "results"]);
    let zero = (summary(&lab)["started_unix"].as_f64().unwrap() * 1e9) as u64;
    let mut reader =
        PcapNgReader::new(File::open(lab.path("results/captures/b-eth1.pcapng")).unwrap()).unwrap();
    let (mut next, mut answers) = (0, [0; 3]);
    while let Some(Ok(block)) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block else { continue };
        let bytes = &packet.data[..];
        let is_marked = bytes.len() > 34 && bytes.windows(MARK.len()).any(|part| part == MARK);
        match (bytes.get(12..14), bytes.get(26..30), bytes.get(34)) {
            // An echo reply, a port that is unreachable; and a TCP reset, which quotes nothing.
            (Some([8, 0]), Some([10, 0, 0, 2]), Some(0)) if is_marked => answers[0] += 1,
            (Some([8, 0]), Some([10, 0, 0, 2]), Some(3)) if is_marked => answers[1] += 1,
            (Some([8, 0]), Some([10, 0, 0, 2]), Some(0x13)) => answers[2] += 1,
            // What b answers over IPv6.
            (Some([0x86, 0xdd]), ..) if bytes[20] == 58 => {}
            _ if is_marked => {
                assert_eq!(bytes[bytes.len() - 1], next, "the order is not that of the capture");
                is_rewritten(bytes, next);
                let left = (packet.timestamp.as_nanos() as u64).saturating_sub(zero);
                // The summary has microseconds of the zero; time 0 of the sender is after it.
                let due = 2 * after(next);
                assert!(left + 1_000_000 >= due, "frame {next} left at {left}, due at {due}");
                next += 1;
            }
            _ => {}
        }
    }
    assert_eq!(next, FRAMES);
    assert!(
        answers.iter().all(|answers| *answers > 0),
        "b answers what it understands: {answers:?}"
    );
    let sums = sums(&lab);
    let day = &sums[&("day".into(), "a".into())];
    let bytes: usize = (0..FRAMES).map(|number| recorded(number).len()).sum();
    assert_eq!((day["sent_packets"], day["refused_packets"]), (FRAMES.into(), 0));
    assert_eq!(day["sent_bytes"], bytes as u64);
    assert_eq!(day.get("received_packets"), None, "nobody counts what comes");
    assert_eq!(summary(&lab)["flows"][0]["protocol"], "replay");
    // Simulated packets have no bytes.
    let (code, error) = lab.fails(&["run", "--simulate", "-o", "simulated"]);
    assert!(code != 0 && error.contains("replays the bytes of a capture"), "{error}");
    // What cannot be sent is known before anything is made.
    file.truncate(file.len() - 1);
    std::fs::write(lab.path("day.pcap"), &file).unwrap();
    let (code, error) = lab.fails(&["run", "-o", "again"]);
    assert!(code == 2 && error.contains("was not written to its end"), "{code}: {error}");
}

/// A sender without a route begins nevertheless: a routing daemon may find one. What it cannot send
/// until then is refused, and not lost on a link.
#[test]
fn a_sender_waits_for_a_route() {
    let lab = Lab::new(
        "duration: 3s
topology:
  defaults: { node: { ipv6: none } }
  nodes:
    a: { routing: none }
    r: { kind: router }
    b:
  links: [{ endpoints: [a, r] }, { endpoints: [r, b] }]
traffic:
  - { name: flow, from: a, to: b, udp: {}, cbr: { rate: 1Mbit/s } }
timeline:
  - { at: 1s, run: ip route add default via 10.0.0.2, node: a }
",
    );
    lab.ok(&["run", "-o", "results"]);
    let sums = sums(&lab);
    let flow = &sums[&("flow".to_owned(), "a".to_owned())];
    assert!(flow["refused_packets"] > 0, "{flow:?}");
    assert!(flow["received_packets"] > 0, "{flow:?}");
}
