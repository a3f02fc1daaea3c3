//! Determinism: a network and a seed give the same events, whenever results are read, and however
//! the network is divided.

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, FrameEvent, PipeStatistics};
use netloom_sim::{
    Announcement, Binary, Division, FlowKind, FlowSample, FlowSpec, FlowTotals, Input, Network,
    PipeSample, Schedule, Simulation, Step, TcpFlow, TcpWork, Work,
};
use netloom_tcp::Config;
use netloom_units::Time;
use proptest::prelude::*;

use crate::common::{Sketch, at, datagrams, datagrams_in_turn, flow, over_tcp, ping};

const PROPERTIES: [&str; 8] = [
    r#"{"rate":"5Mbit/s","queue":{"limit":"10packets"}}"#,
    r#"{"delay":"3ms","jitter":"2ms","loss":"5%"}"#,
    r#"{"rate":"8Mbit/s","delay":"1ms","duplicate":"5%","reorder":{"probability":"10%"}}"#,
    r#"{"rate":"4Mbit/s","delay":"2ms","queue":{"discipline":"red"}}"#,
    r#"{"rate":"6Mbit/s","delay":"5ms","corrupt":"2%"}"#,
    r#"{"delay":"7ms","jitter":"1ms","reorder":{"probability":"0%"}}"#,
    r#"{"rate":"6Mbit/s","delay":"3ms","condition":[
        {"match":{"protocol":"udp"},"green":{"dscp":"ef"},"yellow":{"dscp":"af11"},"red":"drop",
         "meter":{"trtcm":{"cir":"1Mbit/s","cbs":"3kB","pir":"2Mbit/s","pbs":"3kB"}}}]}"#,
    r#"{"rate":"4Mbit/s","delay":"4ms","queue":{"limit":"40packets","discipline":{"prio":{
        "classes":[{"match":{"dscp":"ef"},"limit":"10packets"},
        {"limit":"30packets","discipline":{"red":{"min":"3packets","max":"9packets"}}}]}}}}"#,
];

/// Everything that can be observed of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    log: Vec<(PipeId, FrameEvent)>,
    statistics: Vec<PipeStatistics>,
    flows: Vec<(FlowTotals, String)>,
}

/// Returns random links in a row, and the flows sent over them.
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
    let everywhere: Vec<_> = (0..links.len()).map(|link| format!("10.0.{link}.2")).collect();
    let everywhere: Vec<&str> = everywhere.iter().map(String::as_str).collect();
    let sent_to_many = (0..200).map(|number| (number * 900_000, 300)).collect();
    let many = datagrams_in_turn(from, &everywhere, sent_to_many);
    let (once, again) = (datagrams(from, &there, sent), ping(to, "10.0.0.1", 50, 3, 500));
    let flows = vec![once, again, bulk, transfers, pages, many];
    (sketch.network, flows)
}

/// Runs a network in several processes, each of which has a part, and returns what they observe
/// together. Everything that passes between them is encoded as bytes.
fn seen_by(of: impl Fn() -> (Network, Vec<FlowSpec>), processes: u32, cells: u32) -> Seen {
    let part = |process| {
        let (network, flows) = of();
        Simulation::part(network, flows, Division { cells, processes, process })
    };
    let mut parts: Vec<Simulation> = (0..processes).map(part).collect();
    let all = parts.iter_mut().flat_map(Simulation::next_events);
    let mut plan = Schedule::new(all.collect::<Vec<_>>(), parts[0].hearers.clone(), Time::ZERO);
    let mut mail: Vec<Vec<Vec<u8>>> = vec![vec![]; parts.len()];
    let (mut log, mut statistics, mut flows) = (vec![], vec![], vec![]);
    let mut rounds = 0usize;
    for look in [37, 120, 5000] {
        let until = at(look);
        plan.extend(until);
        let regions = parts[0].regions.clone();
        let mut running: Vec<(usize, Round)> = Vec::new();
        loop {
            for (process, region) in regions.iter().enumerate() {
                if running.iter().all(|(other, _)| *other != process)
                    && let Some(bounds) = plan.pick_region(region.clone())
                {
                    let mail = std::mem::take(&mut mail[process]);
                    running.push((process, Round { until, bounds, mail }));
                }
            }
            if running.is_empty() {
                break;
            }
            // Some processes take longer than others.
            rounds = rounds.wrapping_mul(5).wrapping_add(3);
            let (process, round) = running.swap_remove(rounds / 16 % running.len());
            round.run(&mut parts[process], &mut plan, &mut mail);
        }
        let mut pipes = PipeSample::default();
        let mut ends = FlowSample::default();
        for part in &mut parts {
            part.reach(until).expect("no loop");
            pipes.join(copied(&part.sample_pipes()));
            ends.join(copied(&part.sample_flows(0..part.flows())));
        }
        log.append(&mut pipes.log);
        statistics = pipes.statistics.into_iter().map(|(_, counted)| counted).collect();
        flows = totals(&ends);
    }
    Seen { log, statistics, flows }
}

/// The next task of a process.
struct Round {
    until: Time,
    bounds: Vec<Time>,
    mail: Vec<Vec<u8>>,
}

impl Round {
    /// Advances the cells of the process as far as possible.
    fn run(self, part: &mut Simulation, plan: &mut Schedule, mail: &mut [Vec<Vec<u8>>]) {
        let region = part.region();
        for bytes in self.mail {
            let announcement: Announcement = Input::new(&bytes).only().expect("it was encoded");
            let cell = &mut part.cells[announcement.cell as usize - region.start];
            assert!(cell.expects(&announcement), "{announcement:?} cannot come there");
            cell.announce(announcement);
        }
        let mut own = part.schedule(self.until);
        own.bound(self.bounds);
        while let Step::Run { cell, horizon } = own.pick(0) {
            part.cells[cell].advance(horizon).expect("no loop");
            let announced: Vec<_> = part.cells[cell].take_announcements().collect();
            for announcement in announced {
                let (to, release) = (announcement.cell as usize, announcement.release);
                if region.contains(&to) {
                    own.announced(to - region.start, release);
                    part.cells[to - region.start].announce(announcement);
                } else {
                    plan.announced(to, release);
                    let to = part.regions.iter().position(|of| of.contains(&to)).expect("a cell");
                    let mut bytes = Vec::new();
                    announcement.encode(&mut bytes);
                    mail[to].push(bytes);
                }
            }
            own.finish(cell, part.cells[cell].next_event());
        }
        region.zip(part.next_events()).for_each(|(cell, next)| plan.finish(cell, next));
    }
}

/// Returns a value as another process receives it: encoded and decoded.
fn copied<T: Binary>(thing: &T) -> T {
    let mut bytes = Vec::new();
    thing.encode(&mut bytes);
    Input::new(&bytes).only().expect("it was encoded")
}

/// Returns the counts of flows.
fn totals(FlowSample { ends, tcp, delivered }: &FlowSample) -> Vec<(FlowTotals, String)> {
    let flows = ends.iter().map(|(flow, _)| flow + 1).max().unwrap_or(0);
    let of = |flow: u32| {
        let mut counted = FlowTotals::default();
        let ends = ends.iter().filter(|(of, _)| *of == flow);
        ends.for_each(|(_, end)| counted.add(end));
        let delivered = delivered.iter().find(|(of, _)| *of == flow);
        let connections = tcp.iter().filter(|one| one.flow == flow).copied();
        let connections = connections.reduce(|mut sum, other| {
            sum.add(&other);
            sum
        });
        (counted, format!("{delivered:?} {connections:?}"))
    };
    (0..flows).map(of).collect()
}

fn seen(of: (Network, Vec<FlowSpec>), looks: &[u64], cells: u32) -> Seen {
    let (network, flows) = of;
    let links = network.links.len() as u32;
    let mut simulation = Simulation::new(network, flows, cells);
    let pipes = (0..links)
        .map(LinkId)
        .flat_map(|link| Direction::BOTH.map(|direction| PipeId { link, direction }));
    let pipes: Vec<PipeId> = pipes.collect();
    let mut seen = Seen { log: vec![], statistics: vec![], flows: vec![] };
    for look in looks.iter().chain([&5000]) {
        simulation.advance(at(*look)).expect("no loop");
        seen.statistics = pipes.iter().map(|pipe| simulation.statistics(*pipe).unwrap()).collect();
        seen.log.append(&mut simulation.take_log());
    }
    seen.flows = totals(&simulation.sample_flows(0..simulation.flows()));
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
        for (processes, cells) in [(2, 1), (2, 5), (3, 3)] {
            let seen = seen_by(of, processes, cells);
            prop_assert_eq!(&once, &seen, "{} processes, {} cells", processes, cells);
        }
        let looks: Vec<u64> = looks.into_iter().collect();
        prop_assert_eq!(&once.statistics, &seen(of(), &looks, 1).statistics);
        prop_assert_eq!(&once.log, &seen(of(), &looks, 3).log);
    }
}

/// Returns the work of a run in at most `cells` cells, and their number.
fn work((network, flows): (Network, Vec<FlowSpec>), cells: u32) -> (Work, usize) {
    let mut simulation = Simulation::new(network, flows, cells);
    for look in [37, 120, 5000] {
        simulation.advance(at(look)).expect("no loop");
    }
    (simulation.work(), simulation.cells.len())
}

#[test]
fn a_divided_network_has_as_many_events_as_a_whole_one() {
    let of = |choice, logged| {
        let (mut network, flows) = network(3, &[choice; 5], None);
        network.links.iter_mut().for_each(|link| link.logged = logged);
        (network, flows)
    };
    // With a rate and a delay, each frame leaves a pipe at the time that was expected at first.
    let (whole, _) = work(of(4, false), 1);
    assert!(whole.packet_hops > 2_000, "{whole:?}");
    for cells in [2, 3, 64] {
        let (divided, parts) = work(of(4, false), cells);
        assert!(parts > 1);
        assert_eq!(divided, whole, "{parts} cells");
    }
    // With a log, the release of a frame is an event of the sender's cell too.
    let (logged, parts) = work(of(4, true), 64);
    assert_eq!((logged.packet_hops, parts), (whole.packet_hops, 6));
    assert_eq!(logged.events, whole.events + whole.packet_hops);
    // A pipe that loses frames is polled in vain where it is not divided.
    let ((whole, _), (divided, _)) = (work(of(1, false), 1), work(of(1, false), 64));
    assert_eq!(divided.packet_hops, whole.packet_hops);
    assert!(divided.events <= whole.events, "{divided:?}, {whole:?}");
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
fn the_longest_links_are_between_processes() {
    // All links but one have a delay of a millisecond.
    let (whole, flows) = network(1, &[1, 1, 5, 1, 1, 1], None);
    let division = |process| Division { cells: 5, processes: 2, process };
    let part = Simulation::part(whole, flows, division(1));
    assert_eq!(part.regions.len(), 2);
    assert_eq!(part.region(), part.regions[1]);
    let between = part.regions.iter().flat_map(|region| {
        let own = part.hearers[region.clone()].iter().flatten();
        own.filter(|(to, _)| !region.contains(&(*to as usize)))
    });
    let between: Vec<_> = between.map(|(_, least)| least.as_nanos()).collect();
    assert_eq!(between, [6_000_000; 2]);
    // One process more than there are parts: it gets no cell.
    let (whole, flows) = network(1, &[0, 2], None);
    let none = Simulation::part(whole, flows, division(1));
    assert_eq!((none.regions.len(), none.cells.len()), (1, 0));
}

#[test]
fn another_seed_gives_other_events() {
    let of = |seed| seen(network(seed, &[1], None), &[], 1);
    assert_ne!(of(1).log, of(2).log);
}
