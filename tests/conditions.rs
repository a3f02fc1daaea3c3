//! Traffic conditioning in both kinds of runs: captures at both ends of a link agree with the
//! decisions of its meter.

mod common;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use common::Lab;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};

/// Four times what is committed, and twice the peak, in both versions of IP. No other link has a
/// rate: what the meter lets through arrives.
const SCENARIO: &str = "seed: 11\n\
    topology:\n  \
      nodes: { a: , r: { kind: router }, b: }\n  links:\n    \
      - name: edge\n      endpoints: [\"a:eth1\", r]\n      forward:\n        \
          framing: none\n        condition:\n          \
            - match: { protocol: udp }\n            \
              meter: { trtcm: { cir: 1Mbit/s, cbs: 10kB, pir: 2Mbit/s, pbs: 10kB } }\n            \
              green: { dscp: af11 }\n            yellow: { dscp: af12 }\n            \
              red: drop\n    \
      - { endpoints: [r, \"b:eth1\"] }\n\
    traffic:\n  \
      - { name: four, from: a, to: b, udp: { dscp: cs3 }, poisson: { rate: 2Mbit/s }, \
size: imix, for: 2s }\n  \
      - { name: six, from: a, to: b, family: ipv6, udp: { dscp: cs3 }, \
poisson: { rate: 2Mbit/s },\n      size: 500B, for: 2s }\n\
    measure: { capture: [\"a:eth1\", \"b:eth1\"] }\n";

/// A UDP packet of a capture.
struct Seen {
    nanos: u128,
    /// Whether its interface sent it.
    outbound: bool,
    length: u32,
    /// From the IP header on.
    packet: Vec<u8>,
}

impl Seen {
    fn is_v4(&self) -> bool {
        self.packet[0] >> 4 == 4
    }

    fn traffic_class(&self) -> u8 {
        if self.is_v4() { self.packet[1] } else { self.packet[0] << 4 | self.packet[1] >> 4 }
    }
}

/// All UDP packets of a capture, in their order.
fn udp(file: &Path) -> Vec<Seen> {
    let mut reader = PcapNgReader::new(File::open(file).unwrap()).unwrap();
    let mut all = Vec::new();
    while let Some(Ok(block)) = reader.next_block() {
        let Block::EnhancedPacket(frame) = block else { continue };
        let outbound = frame.options.contains(&EnhancedPacketOption::Flags(2));
        let packet = frame.data.get(14..).unwrap_or_default().to_vec();
        let protocol = match frame.data.get(12..14) {
            Some([0x08, 0x00]) => packet.get(9),
            Some([0x86, 0xdd]) => packet.get(6),
            _ => None,
        };
        if protocol == Some(&17) {
            let (nanos, length) = (frame.timestamp.as_nanos(), frame.original_len);
            all.push(Seen { nanos, outbound, length, packet });
        }
    }
    all
}

/// The bytes that the two-rate three-colour marker of the scenario (RFC 2698) lets through, by
/// DSCP, of what was offered to it.
fn metered(offered: &[Seen]) -> BTreeMap<u8, u64> {
    let (cir, pir, depth) = (1e6 / 8e9, 2e6 / 8e9, 10_000.0_f64);
    let (mut committed, mut peak) = (depth, depth);
    let mut last = offered[0].nanos;
    let mut passed = BTreeMap::new();
    for one in offered {
        let nanos = (one.nanos - last) as f64;
        last = one.nanos;
        committed = depth.min(committed + nanos * cir);
        peak = depth.min(peak + nanos * pir);
        let bytes = f64::from(one.length);
        if peak < bytes {
            continue;
        }
        peak -= bytes;
        let dscp = if committed < bytes {
            12
        } else {
            committed -= bytes;
            10
        };
        *passed.entry(dscp).or_default() += u64::from(one.length);
    }
    passed
}

/// RFC 1071: the sum over a right header is all ones.
fn header_sum(packet: &[u8]) -> u32 {
    let words = packet[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let sum: u32 = words.sum();
    (sum & 0xffff) + (sum >> 16)
}

/// Checks that the arriving frames are those that the meter lets through, with its marks. A
/// difference of `burst` bytes is allowed.
fn marks_are_those_of_the_meter(lab: &Lab, burst: u64) {
    let capture = |interface: &str| {
        let file = lab.path("results/captures").join(format!("{interface}-eth1.pcapng"));
        let outbound = interface == "a";
        let all = udp(&file).into_iter().filter(|one| one.outbound == outbound);
        all.collect::<Vec<_>>()
    };
    let (offered, arrived) = (capture("a"), capture("b"));
    assert!(offered.iter().all(|one| one.traffic_class() >> 2 == 24), "as sent: cs3");
    let mut bytes = BTreeMap::new();
    for one in &arrived {
        *bytes.entry(one.traffic_class() >> 2).or_insert(0u64) += u64::from(one.length);
        if one.is_v4() {
            assert_eq!(header_sum(&one.packet), 0xffff, "{:02x?}", &one.packet[..20]);
        }
    }
    for version in [true, false] {
        let of = |all: &[Seen]| all.iter().filter(|one| one.is_v4() == version).count();
        assert!(of(&offered) > of(&arrived) && of(&arrived) > 50, "{}", of(&arrived));
    }
    let expected = metered(&offered);
    assert_eq!(bytes.keys().collect::<Vec<_>>(), [&10, &12]);
    for (dscp, bytes) in &bytes {
        assert!(bytes.abs_diff(expected[dscp]) <= burst, "{dscp}: {bytes}, not {expected:?}");
    }
    let text = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    let edge = &summary["links"].as_array().unwrap()[0]["forward"]["statistics"];
    let policed = edge["dropped"]["policed"]["frames"].as_u64().unwrap();
    assert_eq!(policed, (offered.len() - arrived.len()) as u64);
    assert_eq!(edge["dropped"]["aqm"]["frames"], 0);
}

#[test]
fn real_packets_are_marked_and_policed() {
    let lab = Lab::new(SCENARIO);
    lab.ok(&["run", "-o", "results"]);
    // A capture has the times at which the link got its frames.
    marks_are_those_of_the_meter(&lab, 10_000);
}

#[test]
fn simulated_packets_are_marked_and_policed() {
    let lab = Lab::new(SCENARIO);
    lab.ok(&["run", "--simulate", "-o", "results"]);
    marks_are_those_of_the_meter(&lab, 0);
}

#[test]
fn conditions_are_set_on_a_running_link() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
           - { name: l, endpoints: [\"a:eth1\", \"b:eth1\"] }\n",
    );
    let ping = || lab.try_sh("a", "ping -4 -n -c 2 -i 0.05 -W 1 b").0;
    assert_eq!(ping(), 0);
    let policed = "condition=[{match: {protocol: icmp}, conform: drop}]";
    let said = lab.ok(&["set", "l", "--direction", "forward", policed]);
    assert!(said.contains("l: changed at"), "{said}");
    assert_eq!(ping(), 1);
    let link = &lab.inspect()["links"][0];
    let dropped = |way: &str| link[way]["statistics"]["dropped"]["policed"]["frames"].clone();
    assert_eq!((dropped("forward"), dropped("reverse")), (2.into(), 0.into()));
    lab.ok(&["set", "l", "condition=none"]);
    assert_eq!(ping(), 0);
    let (code, error) = lab.fails(&["set", "l", "condition=[{exceed: drop}]"]);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("without a `meter`"), "{error}");
}
