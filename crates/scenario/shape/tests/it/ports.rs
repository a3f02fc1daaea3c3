//! Lists of ports, and their keys.

use netloom_shape::{Key, PortRange, Ports, Side, Target, Tier};
use proptest::prelude::*;

use crate::support::claim;

fn ports() -> impl Strategy<Value = Ports> {
    let range = (1..=u16::MAX, 0..2000_u16)
        .prop_map(|(first, more)| PortRange { first, last: first.saturating_add(more) });
    prop::collection::vec(range, 1..8).prop_map(|ranges| Ports::new(ranges).unwrap())
}

proptest! {
    #[test]
    fn what_is_printed_is_read_again(ports in ports()) {
        prop_assert_eq!(ports.to_string().parse::<Ports>().unwrap(), ports);
    }

    #[test]
    fn ranges_do_not_touch(ports in ports()) {
        for pair in ports.ranges().windows(2) {
            prop_assert!(u32::from(pair[0].last) + 1 < u32::from(pair[1].first));
        }
    }

    #[test]
    fn keys_hold_each_port_once(ports in ports()) {
        let claim = claim(&format!("{{client: {{ports: '{ports}', protocol: tcp}}}}"));
        let target = Target { tier: Tier::Own, uid: Some(1001), cgroup: None };
        let mut held = vec![0_u8; 65536];
        for key in claim.selector.keys(&target).unwrap() {
            let Key::Port(Side::Remote, _, prefix) = key else { panic!("{key:?}") };
            let first = usize::from(prefix.first);
            let count = 1_usize << (16 - prefix.bits);
            prop_assert_eq!(first % count, 0);
            held[first..first + count].iter_mut().for_each(|held| *held += 1);
        }
        for port in 0..=u16::MAX {
            let is_meant = ports.ranges().iter().any(|r| (r.first..=r.last).contains(&port));
            prop_assert_eq!(held[usize::from(port)], u8::from(is_meant), "port {}", port);
        }
    }

    #[test]
    fn a_common_port_is_in_both(a in ports(), b in ports()) {
        let is_in = |ports: &Ports, port| {
            ports.ranges().iter().any(|range| (range.first..=range.last).contains(&port))
        };
        match a.common(&b) {
            Some(port) => prop_assert!(is_in(&a, port) && is_in(&b, port)),
            None => prop_assert!((1..=u16::MAX).all(|port| !(is_in(&a, port) && is_in(&b, port)))),
        }
    }

    #[test]
    fn no_text_is_a_panic(text in "\\PC{0,40}") {
        let _ = text.parse::<Ports>();
    }
}

#[test]
fn all_ports_need_few_keys() {
    let claim = claim("{server: {ports: 1-65535, protocol: udp}}");
    let target = Target { tier: Tier::Root, uid: None, cgroup: None };
    assert_eq!(claim.selector.keys(&target).unwrap().len(), 16);
}

#[test]
fn too_many_ports_with_addresses_are_refused() {
    let claim = claim("{server: {ports: 1-65535, from: [192.0.2.0/24]}}");
    let target = Target { tier: Tier::Root, uid: None, cgroup: None };
    let why = claim.selector.keys(&target).unwrap_err();
    assert!(why.contains("at most 4096 ports times addresses"), "{why}");
}
