//! Placement changes nothing: a network that is divided among machines does to every frame what it
//! does on one machine, with the same draws, at the same times, and writes the same logs. All of it
//! happens in virtual time. What goes from one machine to another is the bytes of real datagrams,
//! through an underlay with latency, jitter, reordering and duplicates, stamped by clocks that
//! disagree.

#[path = "../common/mod.rs"]
mod common;
mod machine;
mod scenario;
mod underlay;
mod world;

use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_units::{Duration, Time};
use proptest::prelude::*;
use scenario::{CHANGES, Input, PROPERTIES, Scenario, Switching};
use underlay::{Conditions, Lengths};
use world::{Outcome, World};

/// Runs a scenario on some machines: `place` chooses one for each node.
fn run(scenario: &Scenario, machines: usize, place: &[usize], conditions: Conditions) -> Outcome {
    let mut world = World::new(scenario, machines, place, conditions);
    for (gap, input) in &scenario.inputs {
        world.run_until(world.now() + Duration::from_nanos(*gap));
        world.put(input);
    }
    world.run_until(world.now() + Duration::from_millis(800));
    world.outcome()
}

/// Runs a scenario on one machine.
fn run_alone(scenario: &Scenario) -> Outcome {
    run(scenario, 1, &vec![0; scenario.nodes()], Conditions::constant(Duration::ZERO))
}

fn forward(link: u32) -> PipeId {
    PipeId { link: LinkId(link), direction: Direction::Forward }
}

#[test]
fn every_property_and_change_is_the_same_on_one_machine_on_two_and_on_three() {
    let scenario = Scenario::of_everything(3000);
    let alone = run_alone(&scenario);
    let delivered = alone.seen.delivered.len();
    assert!(delivered > 1000, "{delivered} frames are too few to say something");
    for cause in ["loss", "down", "queue_full", "aqm", "bit_error"] {
        let dropped = alone.seen.dropped.iter().filter(|(.., reason)| *reason == cause);
        assert!(dropped.count() > 0, "nothing was dropped by {cause}");
    }
    for machines in [2, 3] {
        for (seed, segment) in [(1, 128), (2, 1400), (3, 8972), (4, 65_507)] {
            let place = scenario.scattered(machines as u64);
            let conditions = Conditions::up_to(Duration::from_micros(299), seed);
            let conditions = Conditions { lengths: Lengths::all(segment), ..conditions };
            let outcome = run(&scenario, machines, &place, conditions);
            assert!(outcome.cut.len() > 20, "{} pipes are cut", outcome.cut.len());
            assert!(outcome.crossed > 500, "few frames crossed");
            assert!(outcome.overtaken > 100, "few datagrams overtook others");
            assert_eq!(
                (outcome.late, outcome.losses),
                (vec![], vec![]),
                "datagrams of {segment} B"
            );
            alone.seen.assert_equals(&outcome.seen);
        }
    }
}

#[test]
fn switches_of_several_machines_agree_on_a_spanning_tree_and_heal_it() {
    let scenario = Scenario::of_a_ring(1500);
    let alone = run_alone(&scenario);
    let delivered = alone.seen.delivered.len();
    assert!(delivered > 1000, "{delivered} frames are too few to say something");
    for (machines, place) in [(2, [0, 1, 0, 1, 0, 1, 1, 0]), (3, [0, 1, 2, 1, 0, 1, 2, 1])] {
        let conditions = Conditions::up_to(Duration::from_micros(299), 5);
        let outcome = run(&scenario, machines, &place, conditions);
        assert!(outcome.cut.len() >= 8, "{} pipes are cut", outcome.cut.len());
        assert!(outcome.late.is_empty() && outcome.losses.is_empty());
        alone.seen.assert_equals(&outcome.seen);
    }
}

#[test]
fn a_tunnel_that_is_slower_than_the_link_makes_frames_late_and_loses_none() {
    let scenario = Scenario::of_one_link(r#"{"delay":"3ms"}"#, 20);
    let slow = Conditions::constant(Duration::from_micros(3700));
    let outcome = run(&scenario, 2, &[0, 1], slow);
    assert_eq!(outcome.late, vec![(forward(0), Duration::from_micros(700)); 20]);
    assert!(outcome.losses.is_empty());
    assert_eq!(outcome.seen.delivered.len(), 20);
    // The sender's account is that of the model.
    let alone = run_alone(&scenario);
    assert_eq!(outcome.seen.statistics, alone.seen.statistics);
    assert_eq!(outcome.seen.logs, alone.seen.logs);
    // A tunnel that takes just as long as the link is not late.
    let exact = run(&scenario, 2, &[0, 1], Conditions::constant(Duration::from_millis(3)));
    alone.seen.assert_equals(&exact.seen);
    assert!(exact.late.is_empty());
}

#[test]
fn a_lost_datagram_is_a_loss_of_its_pipe_with_its_number() {
    let scenario = Scenario::of_one_link(r#"{"delay":"3ms"}"#, 20);
    for lost in [0, 7, 19] {
        let conditions = Conditions::constant(Duration::from_millis(1));
        let conditions = Conditions { loses: vec![lost], ..conditions };
        let outcome = run(&scenario, 2, &[0, 1], conditions);
        // Each frame goes in a datagram of its own.
        assert_eq!(outcome.losses, [(forward(0), lost)]);
        let numbers: Vec<u64> = outcome.seen.delivered.iter().map(|frame| frame.number).collect();
        assert_eq!(numbers, (0..20).filter(|number| *number != lost).collect::<Vec<u64>>());
        assert!(outcome.late.is_empty());
    }
}

#[test]
fn frames_behind_a_lost_datagram_lose_nothing_but_what_it_carried() {
    // Frames of several datagrams each.
    let scenario = Scenario::of_one_link(r#"{"delay":"3ms"}"#, 20);
    let conditions = Conditions::constant(Duration::from_millis(1));
    let lengths = Lengths::all(128);
    let conditions = Conditions { loses: vec![25, 26, 100], lengths, ..conditions };
    let outcome = run(&scenario, 2, &[0, 1], conditions);
    assert!((2..=3).contains(&outcome.losses.len()), "{:?}", outcome.losses);
    assert_eq!(outcome.seen.delivered.len() + outcome.losses.len(), 20);
}

fn input(hosts: Vec<u32>, links: u32) -> impl Strategy<Value = (u64, Input)> {
    let host = prop::sample::select(hosts);
    let size = prop_oneof![
        9 => (0usize..1400).prop_map(|bytes| (bytes, None)),
        1 => (0usize..6_000, 100u16..1448).prop_map(|(bytes, piece)| (bytes, Some(piece))),
    ];
    let send = (host.clone(), prop::option::of(host), 0u8..6, size, any::<bool>());
    let send = send.prop_map(|(from, to, flow, (bytes, piece), tagged)| Input::Send {
        from,
        to,
        flow,
        bytes,
        tagged,
        piece,
    });
    let change = (0..links, any::<bool>(), 0..CHANGES.len())
        .prop_map(|(link, both, change)| Input::Change { link, both, change });
    (0u64..1_000_000, prop_oneof![9 => send, 1 => change])
}

/// Returns random trees of switches with hosts at them, and media behind some.
fn scenario() -> impl Strategy<Value = Scenario> {
    let links =
        prop::collection::vec((any::<u32>(), [0..PROPERTIES.len(), 0..PROPERTIES.len()]), 9);
    let kinds = prop::sample::select(vec![Switching::Plain, Switching::Plain, Switching::Vlans]);
    let media = prop::collection::vec((any::<u32>(), 1u32..4), 0..3);
    let shape = (1u32..5, 2u32..6, links, any::<bool>(), kinds, media);
    shape.prop_flat_map(|(switches, hosts, links, logged, switching, media)| {
        let mut scenario = Scenario::tree(switches, hosts, &links, logged);
        // Stations know no VLANs.
        scenario.switching = switching;
        for (switch, stations) in media.iter().filter(|_| switching == Switching::Plain) {
            scenario.add_medium(switch % switches, *stations);
        }
        let links = scenario.links.len() as u32;
        let inputs = prop::collection::vec(input(scenario.hosts(), links), 1..120);
        inputs.prop_map(move |inputs| Scenario { inputs, ..scenario.clone() })
    })
}

/// Number of random scenarios: as many as this variable says, or few.
fn cases() -> u32 {
    let wanted = std::env::var("NETLOOM_PLACEMENT_CASES").ok();
    wanted.and_then(|number| number.parse().ok()).unwrap_or(100)
}

fn lengths() -> impl Strategy<Value = Lengths> {
    let length = prop_oneof![128usize..300, 300usize..9000, Just(65_507)];
    prop::collection::vec(length, 4).prop_map(Lengths)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn networks_do_the_same_wherever_their_nodes_are(
        scenario in scenario(),
        place in prop::collection::vec(0usize..3, 20),
        machines in 1usize..=3,
        seed in any::<u64>(),
        lengths in lengths(),
        slowest in 0u64..300,
    ) {
        let place: Vec<usize> = place.iter().map(|machine| machine % machines).collect();
        let conditions = Conditions::up_to(Duration::from_micros(slowest), seed);
        let conditions = Conditions { lengths, duplicates: 0.1, ..conditions };
        let outcome = run(&scenario, machines, &place, conditions);
        prop_assert!(outcome.late.is_empty() && outcome.losses.is_empty());
        run_alone(&scenario).seen.assert_equals(&outcome.seen);
    }

    #[test]
    fn each_frame_that_does_not_come_is_counted_once(
        scenario in scenario(),
        place in prop::collection::vec(0usize..3, 20),
        seed in any::<u64>(),
        lengths in lengths(),
        loss in 0.0f64..0.5,
    ) {
        let conditions = Conditions::up_to(Duration::from_micros(299), seed);
        let conditions = Conditions { lengths, duplicates: 0.1, loss, ..conditions };
        let outcome = run(&scenario, 3, &place, conditions);
        // What was sent and did not come is what the receivers counted, frame by frame.
        prop_assert_eq!(outcome.losses, outcome.missing);
    }
}

#[test]
fn times_before_the_zero_of_a_clock_are_read_back() {
    for (offset, ppm) in [(0, 0), (-5, 3), (100_000_000_000_000, 40), (-7, 83_333)] {
        let clock = machine::Clock { offset, ppm };
        for nanos in [0, 1, 2, 3, 999_999, 1_000_000, 123_456_789_012, 86_400_000_000_001] {
            let time = Time::from_nanos(nanos);
            assert_eq!(clock.time_at(clock.stamp(time)), time);
        }
    }
}
