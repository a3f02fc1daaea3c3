//! The class of a frame, observed through `prio`, which serves classes in order.

use netloom_link::{DropReason, Ecn};

use crate::common::ns;
use crate::common::packet::{Arrival, queue_pipe, run};

/// Returns the flows in the order in which a burst of their frames leaves. Flow 0 only occupies the
/// line.
fn order(classes: &str, arrivals: impl IntoIterator<Item = Arrival>) -> Vec<u16> {
    let queue =
        format!(r#"{{"discipline":{{"prio":{{"classes":[{classes}]}}}},"limit":"1000packets"}}"#);
    let first = Arrival { header: None, ..Arrival::new(ns(0), 0, 1000) };
    let outcome = run(&mut queue_pipe(&queue), std::iter::once(first).chain(arrivals));
    outcome.delivered.iter().skip(1).map(|d| d.packet.flow).collect()
}

fn from(flow: u16, source: &str) -> Arrival {
    Arrival::new(ns(1), flow, 1000).with(|header| header.source = source.parse().unwrap())
}

fn to(flow: u16, destination: &str) -> Arrival {
    Arrival::new(ns(1), flow, 1000).with(|header| header.destination = destination.parse().unwrap())
}

#[test]
fn prefixes_pick_by_source_and_destination() {
    let classes = r#"{"match":{"source":"10.1.0.0/16"}},{"match":{"destination":"fd00::/64"}},{}"#;
    let arrivals = [
        from(1, "10.2.0.1"),
        to(2, "fd00::7"),
        to(3, "10.1.0.1"),
        from(4, "10.1.255.255"),
        from(5, "fd00::7"),
    ];
    assert_eq!(order(classes, arrivals), [4, 2, 1, 3, 5]);
}

#[test]
fn a_match_requires_all_its_conditions() {
    let classes = r#"{"match":{"source":"10.1.0.0/16","dscp":[10,"ef"]}}"#;
    let arrivals = [
        from(1, "10.1.0.1"),
        from(2, "10.2.0.1").dscp(46),
        from(3, "10.1.0.1").dscp(46),
        from(4, "10.1.0.1").dscp(10),
    ];
    assert_eq!(order(classes, arrivals), [3, 4, 1, 2]);
}

#[test]
fn the_first_class_that_matches_has_the_frame() {
    let classes = r#"{"match":{"source":"10.0.0.0/8"}},{"match":{"dscp":46}}"#;
    let arrivals =
        [from(1, "11.0.0.1").dscp(46), from(2, "10.0.0.1").dscp(46), from(3, "10.0.0.1")];
    assert_eq!(order(classes, arrivals), [2, 3, 1]);
}

/// The class without a match may be at any position. Frames that are not IP belong to it.
#[test]
fn the_rest_and_all_that_is_not_ip_share_a_class() {
    let arp = Arrival { header: None, ..Arrival::new(ns(1), 2, 60) };
    let arrivals = [from(1, "10.0.0.1").dscp(1), arp, from(3, "10.0.0.1")];
    assert_eq!(order(r#"{},{"match":{"dscp":1}}"#, arrivals), [2, 3, 1]);
    assert_eq!(order(r#"{"match":{"dscp":1}}"#, arrivals), [1, 2, 3], "added behind the others");
}

#[test]
fn a_class_can_have_a_limit_of_its_own() {
    let queue = r#"{"discipline":{"drr":{"classes":[
        {"match":{"dscp":1},"limit":"3packets"}, {"match":{"dscp":2},"limit":"5ms"}]}},
        "limit":"1000packets"}"#;
    let burst = |dscp: u8| (0..20).map(move |_| Arrival::new(ns(1), dscp.into(), 1000).dscp(dscp));
    let first = Arrival::new(ns(0), 9, 1000);
    let arrivals = std::iter::once(first).chain(burst(1)).chain(burst(2)).chain(burst(3));
    let outcome = run(&mut queue_pipe(queue), arrivals);
    assert_eq!([1, 2, 3].map(|flow| outcome.of(flow).count()), [3, 5, 20]);
    assert!(outcome.lost.iter().all(|lost| lost.reason == DropReason::QueueFull));
}

#[test]
fn the_ecn_field_picks() {
    let of = |flow: u16, ecn| Arrival::new(ns(1), flow, 1000).with(|header| header.ecn = ecn);
    let classes = r#"{"match":{"ecn":"ce"}},{"match":{"ecn":["ect0","ect1"]}},{}"#;
    let arrivals = [
        of(1, Ecn::NotCapable),
        of(2, Ecn::Capable0),
        of(3, Ecn::Congestion),
        of(4, Ecn::Capable1),
    ];
    assert_eq!(order(classes, arrivals), [3, 2, 4, 1]);
}

#[test]
fn protocols_and_ports_pick_and_fragments_have_none() {
    let of = |flow: u16, protocol: u8, ports: (u16, u16)| {
        Arrival::new(ns(1), flow, 1000).with(|header| {
            header.protocol = protocol;
            (header.source_port, header.destination_port) = ports;
        })
    };
    let classes = r#"{"match":{"protocol":"udp","destination_port":[5004,"6000-6999"]}},
        {"match":{"source_port":80}}, {"match":{"protocol":"icmp"}}"#;
    let arrivals = [
        // A fragment has no ports.
        of(1, 17, (0, 0)),
        of(2, 1, (0, 0)),
        of(3, 6, (80, 5004)),
        of(4, 17, (9, 5004)),
        of(5, 17, (9, 6999)),
        of(6, 17, (9, 7000)),
        of(7, 6, (9, 6500)),
    ];
    assert_eq!(order(classes, arrivals), [4, 5, 3, 2, 1, 6, 7]);
}
