//! One network and seed give the same events, whenever somebody looks, and however the network
//! is divided.

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, FrameEvent, PipeStatistics};
use netloom_sim::{FlowKind, FlowSpec, Network, Simulation, TcpFlow, TcpWork};
use netloom_tcp::Config;
use proptest::prelude::*;

use crate::common::{Sketch, at, datagrams, flow, over_tcp, ping};

const PROPERTIES: [&str; 6] = [
    r#"{"rate":"5Mbit/s","queue":{"limit":"10packets"}}"#,
    r#"{"delay":"3ms","jitter":"2ms","loss":"5%"}"#,
    r#"{"rate":"8Mbit/s","delay":"1ms","duplicate":"5%","reorder":{"probability":"10%"}}"#,
    r#"{"rate":"4Mbit/s","delay":"2ms","queue":{"discipline":"red"}}"#,
    r#"{"rate":"6Mbit/s","delay":"5ms","corrupt":"2%"}"#,
    r#"{"delay":"7ms","jitter":"1ms","reorder":{"probability":"0%"}}"#,
];

/// Everything that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    log: Vec<(PipeId, FrameEvent)>,
    statistics: Vec<PipeStatistics>,
    flows: Vec<String>,
}

/// Random links in a row, and what is sent over them.
fn network(seed: u64, links: &[usize], cut: Option<u64>) -> (Network, Vec<FlowSpec>) {
    let properties: Vec<&str> = links.iter().map(|choice| PROPERTIES[*choice]).collect();
    let (mut sketch, from, to) = Sketch::chain(seed, &properties);
    if let Some(cut) = cut {
        let link = LinkId((cut % links.len() as u64) as u32);
        sketch.change_at(40 + cut % 50, link, r#"{"state":"down"}"#);
        sketch.change_at(130, link, r#"{"state":"up"}"#);
        sketch.change_at(200, link, r#"{"delay":"4ms"}"#);
    }
    let sent = (0..300).map(|number| (number * 500_000, 400 + number as u32)).collect();
    let there = format!("10.0.{}.2", links.len() - 1);
    let (sender, receiver) = (Config::default(), Config::default());
    let work = TcpWork::Bulk { bytes: Some(50_000), to: vec![0, 0] };
    let tcp = TcpFlow { port: 80, work, sender, receivers: vec![receiver] };
    let bulk = flow(to, "10.0.0.1", FlowKind::Tcp(Box::new(tcp)));
    let transfers = over_tcp(
        from,
        &there,
        81,
        r#"{"on_off":{"sources":2,"on":{"exponential":"20ms"},"off":{"exponential":"50ms"}}}"#,
    );
    let pages = over_tcp(
        to,
        "10.0.0.1",
        82,
        r#"{"http":{"sizes":{"exponential":"4kB"},"think":{"exponential":"5ms"},
            "persistent":false}}"#,
    );
    let (once, again) = (datagrams(from, &there, sent), ping(to, "10.0.0.1", 50, 3, 500));
    let flows = vec![once, again, bulk, transfers, pages];
    (sketch.network, flows)
}

fn seen(of: (Network, Vec<FlowSpec>), looks: &[u64], cells: u32) -> Seen {
    let (network, flows) = of;
    let (links, count) = (network.links.len() as u32, flows.len() as u32);
    let mut simulation = Simulation::new(network, flows, cells);
    let pipes = (0..links)
        .map(LinkId)
        .flat_map(|link| Direction::BOTH.map(|direction| PipeId { link, direction }));
    let pipes: Vec<PipeId> = pipes.collect();
    let mut seen = Seen { log: vec![], statistics: vec![], flows: vec![] };
    for look in looks.iter().chain([&5000]) {
        simulation.advance(at(*look)).expect("no loop");
        seen.statistics = pipes.iter().map(|pipe| simulation.statistics(*pipe).1).collect();
        seen.log.append(&mut simulation.take_log());
    }
    for flow in 0..count {
        let ends = simulation.counts(flow);
        let ends = ends.map(|counts| {
            (counts.sent, counts.received, counts.delay.sum_ns(), counts.duplicated, counts.errors)
        });
        let mut sum = ends.fold([0; 7], |sum, (sent, received, delay, again, errors)| {
            let delay = delay as u64;
            let new =
                [sent.frames, sent.bytes, received.frames, received.bytes, delay, again, errors];
            std::array::from_fn(|place| sum[place] + new[place])
        });
        sum[6] += simulation.delivered_at(flow).map_or(0, |at| at.as_nanos() << 8);
        let begun: u64 = simulation.counts(flow).map(|ends| ends.begun).sum();
        seen.flows.push(format!("{sum:?} {begun}"));
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn what_happens_depends_on_the_seed_and_not_on_who_looks_or_on_cells(
        seed in any::<u64>(),
        links in prop::collection::vec(0usize..PROPERTIES.len(), 1..6),
        looks in prop::collection::btree_set(1u64..500, 0..20),
        cut in prop::option::of(any::<u64>()),
    ) {
        let of = || network(seed, &links, cut);
        let once = seen(of(), &[], 1);
        prop_assert!(!once.log.is_empty());
        prop_assert_eq!(&once, &seen(of(), &[], 1));
        for cells in [2, 3, 64] {
            prop_assert_eq!(&once, &seen(of(), &[], cells), "in {} cells", cells);
            let (mut network, flows) = of();
            network.links.iter_mut().for_each(|link| link.logged = false);
            let unseen = seen((network, flows), &[], cells);
            prop_assert_eq!(&once.statistics, &unseen.statistics, "in {} cells, no log", cells);
            prop_assert_eq!(&once.flows, &unseen.flows, "in {} cells, no log", cells);
        }
        let looks: Vec<u64> = looks.into_iter().collect();
        prop_assert_eq!(&once.statistics, &seen(of(), &looks, 1).statistics);
        prop_assert_eq!(&once.log, &seen(of(), &looks, 3).log);
    }
}

#[test]
fn a_network_with_delays_is_divided_and_one_without_is_not() {
    let divided = |properties: usize, cut: Option<u64>| {
        let (network, flows) = network(1, &[properties; 5], cut);
        let simulation = Simulation::new(network, flows, 3);
        let least = simulation.hearers.iter().flatten().map(|(_, least)| least.as_nanos()).min();
        (simulation.cells.len(), least)
    };
    assert_eq!(divided(4, None), (3, Some(5_000_000)));
    assert_eq!(divided(1, None), (3, Some(1_000_000)), "jitter takes its part");
    assert_eq!(divided(0, None), (1, None));
    assert_eq!(divided(2, None), (1, None), "what overtakes skips the delay");
}

#[test]
fn another_seed_gives_other_events() {
    let of = |seed| seen(network(seed, &[1], None), &[], 1);
    assert_ne!(of(1).log, of(2).log);
}
