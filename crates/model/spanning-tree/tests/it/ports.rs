//! A single bridge: ports to hosts, limits, deadlines, and received BPDUs.

use crate::common::{at, cost, id, ms};
use netloom_spanning_tree::{
    Bpdu, Bridge, Config, Flags, MessageRole, PathCost, PortPriority, PortState, Priority, Role,
    Times, Vector,
};
use netloom_units::Time;

fn bridge(ports: usize) -> Bridge {
    let mut bridge = Bridge::new(id(32_768, 1));
    for port in 0..ports {
        bridge.add_port(at(0), port, cost(20_000), PortPriority::default(), false).unwrap();
    }
    bridge
}

fn drain(bridge: &mut Bridge) -> Vec<(usize, [u8; 60])> {
    std::iter::from_fn(|| bridge.poll_transmit()).collect()
}

/// Returns a BPDU of another bridge that claims to be the root.
fn said(priority: u16, flags: Flags, role: MessageRole) -> [u8; 60] {
    let other = id(priority, 9);
    let vector = Vector { root: other, cost: 0, bridge: other, port: 0x8001 };
    let times = Times { message_age: 0, max_age: 5120, hello: 512, forward_delay: 3840 };
    Bpdu::Rst(Config { flags, role, vector, times }).encode([2, 0, 0, 0, 0, 9])
}

fn advance(bridge: &mut Bridge, until: Time) -> Vec<Time> {
    let mut times = Vec::new();
    while let Some(at) = bridge.next_deadline().filter(|at| *at <= until) {
        bridge.handle_timeout(at);
        times.push(at);
    }
    times
}

#[test]
fn a_port_to_a_host_forwards_after_3_s() {
    let mut bridge = bridge(1);
    advance(&mut bridge, at(2_999));
    assert!(!bridge.learns(0) && !bridge.forwards(0));
    advance(&mut bridge, at(3_000));
    let view = bridge.port(0).unwrap();
    assert!(bridge.learns(0) && bridge.forwards(0) && view.edge);
    assert_eq!((view.role, view.state), (Role::Designated, PortState::Forwarding));
    assert_eq!(bridge.poll_flush(), None, "a host is no change of the topology");
}

#[test]
fn a_port_that_is_said_to_be_an_edge_forwards_at_once_until_a_bridge_is_heard() {
    let mut bridge = bridge(1);
    bridge.add_port(at(0), 1, cost(20_000), PortPriority::default(), true).unwrap();
    assert!(bridge.forwards(1) && bridge.port(1).unwrap().edge && !bridge.forwards(0));
    bridge.receive(at(10), 1, &said(0, Flags::default(), MessageRole::Designated));
    assert!(!bridge.port(1).unwrap().edge);
    // The link goes down and up again. Whatever is behind it now, the port is an edge again.
    bridge.enable(at(20), 1, false);
    assert!(!bridge.forwards(1));
    bridge.enable(at(30), 1, true);
    assert!(bridge.forwards(1) && bridge.port(1).unwrap().edge);
}

#[test]
fn a_bridge_behind_the_port_makes_it_no_edge_port() {
    let mut bridge = bridge(2);
    advance(&mut bridge, at(4_000));
    bridge.receive(at(4_000), 0, &said(0, Flags::default(), MessageRole::Designated));
    assert!(!bridge.port(0).unwrap().edge && bridge.port(1).unwrap().edge);
    assert_eq!(bridge.root(), (id(0, 9), 20_000, Some(0)));
    advance(&mut bridge, at(10_500));
    assert_eq!(bridge.root(), (id(32_768, 1), 0, None), "three hellos later it is forgotten");
}

#[test]
fn what_is_too_old_is_not_believed() {
    let mut bridge = bridge(1);
    let frame = said(0, Flags::default(), MessageRole::Designated);
    let mut old = frame;
    old[17 + 27] = 20;
    bridge.receive(at(100), 0, &old);
    assert_eq!(bridge.root().2, None);
    bridge.receive(at(100), 0, &frame);
    assert_eq!(bridge.root().2, Some(0));
}

#[test]
fn a_neighbour_that_learns_on_worse_information_is_not_believed_to_have_heard() {
    let mut bridge = bridge(1);
    let root = Flags { agreement: true, ..Flags::default() };
    let agreed = |bridge: &mut Bridge| {
        let vector = Vector { root: id(32_768, 1), cost: 5, bridge: id(61_440, 9), port: 0x8001 };
        let times = Times { message_age: 256, max_age: 5120, hello: 512, forward_delay: 3840 };
        let config = Config { flags: root, role: MessageRole::Root, vector, times };
        bridge.receive(at(10), 0, &Bpdu::Rst(config).encode([2; 6]));
    };
    agreed(&mut bridge);
    assert!(bridge.forwards(0), "agreement is enough");
    let harmless = said(61_440, Flags::default(), MessageRole::Designated);
    bridge.receive(at(20), 0, &harmless);
    assert!(bridge.forwards(0));
    let learning = Flags { learning: true, ..Flags::default() };
    bridge.receive(at(30), 0, &said(61_440, learning, MessageRole::Designated));
    assert!(!bridge.learns(0) && !bridge.forwards(0), "the port is disputed");
}

#[test]
fn an_agreement_to_something_else_is_none() {
    let mut bridge = bridge(1);
    let flags = Flags { agreement: true, ..Flags::default() };
    bridge.receive(at(10), 0, &said(61_440, flags, MessageRole::Root));
    assert!(!bridge.forwards(0), "it has another root");
}

#[test]
fn a_port_that_hears_itself_never_forwards() {
    let mut bridge = bridge(1);
    let mut now = at(0);
    for _ in 0..200 {
        for (port, frame) in drain(&mut bridge) {
            bridge.receive(now, port, &frame);
        }
        assert!(!bridge.forwards(0), "at {now}");
        now = bridge.next_deadline().unwrap();
        bridge.handle_timeout(now);
    }
    assert!(now > at(100_000));
}

/// Frames that were sent by the twin of a backup port may still be on their way (rbWhile).
#[test]
fn a_backup_port_that_leads_to_the_root_waits() {
    let mut bridge = bridge(2);
    let own = drain(&mut bridge).into_iter().find(|(port, _)| *port == 0).unwrap();
    bridge.receive(at(10), 1, &own.1);
    assert_eq!(bridge.port(1).unwrap().role, Role::Backup);
    for millis in (1010..=4010).step_by(1000) {
        bridge.receive(at(millis), 1, &said(0, Flags::default(), MessageRole::Designated));
        assert_eq!(bridge.port(1).unwrap().role, Role::Root);
        assert!(!bridge.forwards(1), "at {millis} ms");
    }
    advance(&mut bridge, at(5_010));
    assert!(bridge.forwards(1), "twice the hello time later");
}

#[test]
fn no_port_sends_more_than_six_bpdus_in_a_second() {
    let mut bridge = bridge(2);
    let mut sent: Vec<Time> = Vec::new();
    for millis in 0..10_000u64 {
        advance(&mut bridge, at(millis));
        // Each BPDU is better than the one before, so port 1 has something new to send each time.
        let other = id(0, 9);
        let cost = 1_000_000 - millis as u32;
        let vector = Vector { root: other, cost, bridge: other, port: 0x8001 };
        let times = Times { message_age: 0, max_age: 5120, hello: 512, forward_delay: 3840 };
        let flags = Flags { proposal: true, ..Flags::default() };
        let config = Config { flags, role: MessageRole::Designated, vector, times };
        bridge.receive(at(millis), 0, &Bpdu::Rst(config).encode([2; 6]));
        sent.extend(drain(&mut bridge).iter().filter(|(port, _)| *port == 1).map(|_| at(millis)));
    }
    assert!(sent.windows(7).all(|window| window[6].since(window[0]) >= ms(1000)));
    assert!(sent.windows(6).any(|window| window[5].since(window[0]) < ms(1000)), "it may send six");
    assert!((14..=16).contains(&sent.len()), "six, then one a second: {}", sent.len());
}

#[test]
fn hellos_of_a_thousand_ports_fall_together_and_nothing_else_is_due() {
    let mut bridge = bridge(1000);
    advance(&mut bridge, at(9_000));
    drain(&mut bridge);
    let times = advance(&mut bridge, at(20_000));
    assert_eq!(times, [10, 12, 14, 16, 18, 20].map(|second| at(second * 1000)));
    assert_eq!(drain(&mut bridge).len(), 6 * 1000);
}

#[test]
fn a_hello_that_comes_late_does_not_hurry_the_next() {
    let mut bridge = bridge(1);
    advance(&mut bridge, at(4_000));
    bridge.handle_timeout(at(9_500));
    assert_eq!(bridge.next_deadline(), Some(at(11_500)));
    bridge.handle_timeout(at(11_600));
    assert_eq!(bridge.next_deadline(), Some(at(13_500)), "a little late changes nothing");
}

#[test]
fn a_port_that_goes_down_or_away_takes_its_frames_and_addresses_with_it() {
    let mut bridge = bridge(2);
    advance(&mut bridge, at(5_000));
    bridge.handle_timeout(at(6_000));
    bridge.enable(at(6_000), 0, false);
    assert_eq!(bridge.poll_flush(), Some(0));
    assert!(drain(&mut bridge).iter().all(|(port, _)| *port == 1));
    assert_eq!(bridge.port(0).unwrap().role, Role::Disabled);
    bridge.remove_port(at(6_000), 0);
    bridge.remove_port(at(6_000), 1);
    assert_eq!((bridge.port(0), bridge.next_deadline()), (None, None));
    bridge.add_port(at(7_000), 0, cost(1), PortPriority::default(), false).unwrap();
    assert!(!bridge.forwards(0), "another link may be there");
}

#[test]
fn a_cheaper_way_becomes_the_way_to_the_root() {
    let mut bridge = bridge(2);
    for port in 0..2 {
        bridge.receive(at(10), port, &said(0, Flags::default(), MessageRole::Designated));
    }
    assert_eq!(bridge.root(), (id(0, 9), 20_000, Some(0)), "between equals, the lower port");
    assert_eq!(bridge.port(1).unwrap().role, Role::Alternate);
    bridge.set_cost(at(20), 1, cost(4));
    assert_eq!(bridge.root(), (id(0, 9), 4, Some(1)));
    assert!(bridge.forwards(1) && !bridge.forwards(0));
}

#[test]
fn costs_and_priorities_are_those_of_the_standard() {
    let costs = [
        (Some(10_000_000), 2_000_000),
        (Some(100_000_000), 200_000),
        (Some(1_000_000_000), 20_000),
        (Some(10_000_000_000), 2_000),
        (Some(10_000_000_000_000), 2),
        (Some(1), 200_000_000),
        (Some(0), 200_000_000),
        (Some(u64::MAX), 1),
        (None, 2),
    ];
    for (rate, cost) in costs {
        assert_eq!(PathCost::of_rate(rate).get(), cost, "{rate:?}");
    }
    assert!(PathCost::try_from(0).is_err() && PathCost::try_from(200_000_001).is_err());
    assert_eq!(Priority::default().get(), 32_768);
    assert!(Priority::try_from(61_440).is_ok());
    let error = Priority::try_from(100).unwrap_err().to_string();
    assert!(error.contains("100") && error.contains("4096"), "{error}");
    assert_eq!(id(4096, 1).to_string(), "4096.02:00:00:00:00:01");
    assert!(id(0, 9) < id(4096, 1) && id(4096, 1) < id(4096, 2));
    let mut bridge = Bridge::new(id(0, 1));
    assert!(bridge.add_port(at(0), 4094, cost(1), PortPriority::default(), false).is_ok());
    assert!(bridge.add_port(at(0), 4095, cost(1), PortPriority::default(), false).is_err());
}
