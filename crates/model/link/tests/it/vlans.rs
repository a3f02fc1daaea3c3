//! A VLAN-aware switch, compared with the standard's rules (IEEE 802.1Q §6.9 classification, §8.6.2
//! ingress, §8.6.4 egress, §8.8.9 independent learning).

use netloom_link::{Forward, MacKey, PortVlans, Tag, Vid, VlanBridge, VlanDrop};
use netloom_units::{Duration, Time};
use proptest::prelude::*;

const A: MacKey = MacKey::new([2, 0, 0, 0, 0, 0xa]);
const B: MacKey = MacKey::new([2, 0, 0, 0, 0, 0xb]);
const ALL: MacKey = MacKey::new([0xff; 6]);

fn port(text: &str) -> PortVlans {
    serde_json::from_str(text).expect("a port")
}

fn vlan(number: u16) -> Vid {
    Vid::new(number).expect("a VLAN")
}

fn bridge(ports: &[&str]) -> VlanBridge {
    let mut bridge = VlanBridge::default();
    for text in ports {
        bridge.add_port(port(text));
    }
    bridge
}

/// Returns all ports by which a frame from `port` leaves, with its complete tag at each.
fn ways(
    bridge: &mut VlanBridge,
    port: usize,
    tag: Option<u16>,
    addresses: (MacKey, MacKey),
) -> Result<Vec<(usize, Option<u16>)>, VlanDrop> {
    let (frame, forward) = bridge.receive(Time::ZERO, port, tag.map(Tag), addresses)?;
    let out = |out| (out, bridge.tag_out(out, frame).map(|tag| tag.0));
    Ok(match forward {
        Forward::Filter => vec![],
        Forward::Port(only) => vec![out(only)],
        Forward::Flood => (0..bridge.ports().len())
            .filter(|other| *other != port && bridge.carries(*other, frame.vlan))
            .map(out)
            .collect(),
    })
}

const ACCESS_10: &str = r#"{"access": 10}"#;
const ACCESS_20: &str = r#"{"access": 20}"#;
const TRUNK: &str = r#"{"trunk": {"allowed": [10, "20-29"]}}"#;
const NATIVE_20: &str = r#"{"trunk": {"allowed": "all", "native": 20}}"#;
/// Tag bits of priority 5.
const PRIORITY: u16 = 5 << 13;

#[test]
fn an_access_port_takes_its_own_vlan_only() {
    for (tag, expected) in [
        (None, Ok(vlan(10))),
        (Some(10), Ok(vlan(10))),
        (Some(PRIORITY), Ok(vlan(10))),
        (Some(20), Err(VlanDrop::Foreign)),
        (Some(4095), Err(VlanDrop::Foreign)),
    ] {
        assert_eq!(port(ACCESS_10).classify(tag.map(Tag)), expected, "{tag:?}");
    }
}

#[test]
fn a_trunk_takes_what_is_allowed_and_untagged_frames_only_with_a_native_vlan() {
    for (ports, tag, expected) in [
        (TRUNK, None, Err(VlanDrop::Untagged)),
        (TRUNK, Some(PRIORITY), Err(VlanDrop::Untagged)),
        (TRUNK, Some(25), Ok(vlan(25))),
        (TRUNK, Some(30), Err(VlanDrop::Foreign)),
        (NATIVE_20, None, Ok(vlan(20))),
        (NATIVE_20, Some(20), Ok(vlan(20))),
        (NATIVE_20, Some(4094), Ok(vlan(4094))),
        (NATIVE_20, Some(4095), Err(VlanDrop::Foreign)),
    ] {
        assert_eq!(port(ports).classify(tag.map(Tag)), expected, "{ports} {tag:?}");
    }
}

#[test]
fn tags_come_and_go_as_each_port_says_and_priorities_stay() {
    let mut bridge = bridge(&[ACCESS_10, ACCESS_20, TRUNK, NATIVE_20, ACCESS_10]);
    let flood = (A, ALL);
    assert_eq!(
        ways(&mut bridge, 0, None, flood),
        Ok(vec![(2, Some(10)), (3, Some(10)), (4, None)]),
        "untagged to the other access port, tagged to the trunks, and not to VLAN 20"
    );
    assert_eq!(
        ways(&mut bridge, 0, Some(PRIORITY), flood),
        Ok(vec![(2, Some(PRIORITY | 10)), (3, Some(PRIORITY | 10)), (4, None)])
    );
    assert_eq!(
        ways(&mut bridge, 2, Some(PRIORITY | 20), flood),
        Ok(vec![(1, None), (3, None)]),
        "the native VLAN leaves untagged"
    );
    assert_eq!(ways(&mut bridge, 3, None, flood), Ok(vec![(1, None), (2, Some(20))]));
    assert_eq!(ways(&mut bridge, 3, Some(30), flood), Ok(vec![]), "nobody else is in VLAN 30");
}

#[test]
fn an_address_is_learned_in_its_vlan_and_moves_there() {
    let mut bridge = bridge(&[TRUNK, ACCESS_10, ACCESS_20, ACCESS_10]);
    assert_eq!(ways(&mut bridge, 1, None, (A, ALL)), Ok(vec![(0, Some(10)), (3, None)]));
    assert_eq!(ways(&mut bridge, 3, None, (B, A)), Ok(vec![(1, None)]), "known in VLAN 10");
    assert_eq!(ways(&mut bridge, 2, None, (B, A)), Ok(vec![(0, Some(20))]), "unknown in VLAN 20");
    assert_eq!(ways(&mut bridge, 0, Some(10), (A, B)), Ok(vec![(3, None)]), "A has moved");
    assert_eq!(ways(&mut bridge, 3, None, (B, A)), Ok(vec![(0, Some(10))]));
    // The same address may be behind different ports in different VLANs: a router on a stick.
    assert_eq!(ways(&mut bridge, 2, None, (A, B)), Ok(vec![]), "B was last seen behind port 2");
    assert_eq!(ways(&mut bridge, 3, None, (B, A)), Ok(vec![(0, Some(10))]));
    bridge.forget_port(0);
    assert_eq!(ways(&mut bridge, 3, None, (B, A)), Ok(vec![(0, Some(10)), (1, None)]));
}

#[test]
fn refused_frames_are_not_learned() {
    let mut bridge = bridge(&[ACCESS_10, ACCESS_10, ACCESS_10]);
    assert_eq!(ways(&mut bridge, 0, Some(20), (A, ALL)), Err(VlanDrop::Foreign));
    assert_eq!(ways(&mut bridge, 1, None, (B, A)), Ok(vec![(0, None), (2, None)]));
}

#[test]
fn addresses_age_in_each_vlan_by_themselves() {
    let mut bridge = bridge(&[TRUNK, TRUNK]);
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    let mut receive = |seconds, port, number, addresses| {
        bridge.receive(at(seconds), port, Some(Tag(number)), addresses).unwrap().1
    };
    receive(0, 0, 10, (A, ALL));
    receive(0, 0, 20, (A, ALL));
    receive(200, 0, 20, (A, ALL));
    assert_eq!(receive(400, 1, 10, (B, A)), Forward::Flood);
    assert_eq!(receive(400, 1, 20, (B, A)), Forward::Port(0));
}

fn any_port() -> impl Strategy<Value = String> {
    let number = 1..=6u16;
    let allowed = prop::collection::vec(number.clone(), 1..4);
    prop_oneof![
        number.clone().prop_map(|vlan| format!(r#"{{"access": {vlan}}}"#)),
        (allowed, prop::option::of(number)).prop_map(|(allowed, native)| {
            let native = native.map_or(String::new(), |vlan| format!(r#", "native": {vlan}"#));
            format!(r#"{{"trunk": {{"allowed": {allowed:?}{native}}}}}"#)
        }),
    ]
}

proptest! {
    /// After any history, a frame leaves only by ports that carry its VLAN and never by the one by
    /// which it came. Each of these ports would accept it back into the same VLAN.
    #[test]
    fn a_frame_never_leaves_its_vlan(
        ports in prop::collection::vec(any_port(), 2..6),
        frames in prop::collection::vec(
            (0..6usize, prop::option::of(0..8u16), 0..8u16, 0..4u8, 0..4u8), 1..60),
    ) {
        let ports: Vec<&str> = ports.iter().map(String::as_str).collect();
        let mut bridge = bridge(&ports);
        let mac = |index| MacKey::new([2, 0, 0, 0, 0, index]);
        for (port, number, priority, source, destination) in frames {
            let port = port % ports.len();
            let tag = number.map(|number| priority << 13 | number);
            let vlan = bridge.ports()[port].classify(tag.map(Tag));
            let Ok(out) = ways(&mut bridge, port, tag, (mac(source), mac(destination))) else {
                prop_assert!(vlan.is_err());
                continue;
            };
            let vlan = vlan.expect("what is forwarded was accepted");
            for (out, tag) in out {
                prop_assert_ne!(out, port);
                prop_assert!(bridge.carries(out, vlan));
                prop_assert_eq!(bridge.ports()[out].classify(tag.map(Tag)), Ok(vlan));
                if let Some(tag) = tag {
                    prop_assert_eq!(tag >> 13, if number.is_some() { priority } else { 0 });
                }
            }
        }
    }
}
