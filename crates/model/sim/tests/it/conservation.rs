//! Conservation of frames in random networks, at any time: none appears from nowhere, and none is
//! lost without being counted.

use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_sim::Simulation;
use proptest::prelude::*;

use crate::common::{Sketch, at, counted, datagrams, ping, whole};

const PROPERTIES: [&str; 6] = [
    "{}",
    r#"{"rate":"2Mbit/s","queue":{"limit":"5packets"}}"#,
    r#"{"rate":"1Mbit/s","delay":"3ms","loss":"10%"}"#,
    r#"{"delay":"2ms","jitter":"1ms","reorder":{"probability":"20%"},"duplicate":"5%"}"#,
    r#"{"rate":"3Mbit/s","queue":{"discipline":"codel","limit":"20packets"}}"#,
    r#"{"rate":"3Mbit/s","queue":{"discipline":"fq_codel"},"corrupt":"3%"}"#,
];

fn balanced(cell: &mut Simulation, links: u32) {
    for link in (0..links).map(LinkId) {
        for direction in Direction::BOTH {
            let s = cell.statistics(PipeId { link, direction }).expect("it is here");
            assert_eq!(
                s.offered + s.duplicated,
                s.delivered + s.dropped.total() + s.queue.now + s.in_flight,
                "{link} {direction}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_pipe_and_every_flow_balances_at_any_time(
        seed in any::<u64>(),
        links in prop::collection::vec(0usize..PROPERTIES.len(), 1..6),
        sent in prop::collection::vec((0u64..200_000_000, 0u32..3000), 1..200),
        cut in prop::option::of((0usize..6, 10u64..100, 1u64..100)),
        looks in prop::collection::vec(1u64..400, 1..5),
    ) {
        let properties: Vec<&str> = links.iter().map(|choice| PROPERTIES[*choice]).collect();
        let (mut sketch, from, to) = Sketch::chain(seed, &properties);
        if let Some((link, after, lasts)) = cut {
            let link = LinkId((link % links.len()) as u32);
            sketch.change_at(after, link, r#"{"state":"down"}"#);
            sketch.change_at(after + lasts, link, r#"{"state":"up"}"#);
        }
        let mut sent = sent;
        sent.sort_unstable();
        let count = links.len() as u32;
        let there = format!("10.0.{}.2", count - 1);
        let flows = vec![
            datagrams(from, &there, sent.clone()),
            ping(to, "10.0.0.1", 20, 7, 56),
        ];
        let mut cell = whole(sketch.network, flows);
        let mut looks = looks;
        looks.sort_unstable();
        for look in looks {
            cell.advance(at(look)).expect("no loop");
            balanced(&mut cell, count);
        }
        cell.advance(at(60_000)).expect("no loop");
        balanced(&mut cell, count);
        // Everything has ended: each offered frame was delivered or dropped.
        for link in (0..count).map(LinkId) {
            for direction in Direction::BOTH {
                let s = cell.statistics(PipeId { link, direction }).expect("it is here");
                prop_assert_eq!((s.queue.now.frames, s.in_flight.frames), (0, 0));
            }
        }
        let counts = counted(&cell, 0);
        prop_assert_eq!(counts.sent.frames, sent.len() as u64);
        prop_assert!(counts.received.frames <= counts.sent.frames);
        prop_assert_eq!(counted(&cell, 1).sent.frames, 20);
    }
}
