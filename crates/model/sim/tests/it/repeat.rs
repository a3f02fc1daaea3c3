//! The same network and seed give the same events, whenever somebody looks.

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, FrameEvent};
use netloom_sim::Cell;
use proptest::prelude::*;

use crate::common::{Sketch, at, datagrams, ping};

/// What is logged of a network of random links, looked at at these times.
fn logged(seed: u64, links: &[usize], looks: &[u64]) -> Vec<Vec<FrameEvent>> {
    const PROPERTIES: [&str; 4] = [
        r#"{"rate":"5Mbit/s","queue":{"limit":"10packets"}}"#,
        r#"{"delay":"3ms","jitter":"2ms","loss":"5%"}"#,
        r#"{"rate":"8Mbit/s","delay":"1ms","duplicate":"5%","reorder":{"probability":"10%"}}"#,
        r#"{"rate":"4Mbit/s","queue":{"discipline":"red"}}"#,
    ];
    let properties: Vec<&str> = links.iter().map(|choice| PROPERTIES[*choice]).collect();
    let (sketch, from, to) = Sketch::chain(seed, &properties);
    let sent = (0..300).map(|number| (number * 500_000, 400 + number as u32)).collect();
    let there = format!("10.0.{}.2", links.len() - 1);
    let flows = vec![datagrams(from, &there, sent), ping(to, "10.0.0.1", 50, 3, 500)];
    let mut cell = Cell::new(sketch.network, flows);
    let mut log = Vec::new();
    for look in looks.iter().chain([&2000]) {
        cell.advance(at(*look)).expect("no loop");
        log.append(&mut cell.take_log());
    }
    let pipes = (0..links.len() as u32)
        .map(LinkId)
        .flat_map(|link| Direction::BOTH.map(|direction| PipeId { link, direction }));
    let of = |pipe: PipeId| {
        log.iter().filter(|(one, _)| *one == pipe).map(|(_, event)| *event).collect()
    };
    pipes.map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn what_happens_depends_on_the_seed_and_not_on_who_looks(
        seed in any::<u64>(),
        links in prop::collection::vec(0usize..4, 1..5),
        looks in prop::collection::btree_set(1u64..500, 0..20),
    ) {
        let once = logged(seed, &links, &[]);
        prop_assert!(once.iter().any(|pipe| !pipe.is_empty()));
        prop_assert_eq!(&once, &logged(seed, &links, &[]));
        let looks: Vec<u64> = looks.into_iter().collect();
        prop_assert_eq!(&once, &logged(seed, &links, &looks));
    }
}

#[test]
fn another_seed_gives_other_events() {
    assert_ne!(logged(1, &[1], &[]), logged(2, &[1], &[]));
}
