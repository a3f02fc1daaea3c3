//! Tables of failures, against an independent computation and cases by hand.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use netloom_link::RateLimit;
use netloom_scenario::{Scenario, Unreadable};
use netloom_simulate::failures::{Failures, Kind, plan};

fn backbone() -> (Scenario, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/backbone");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let demands = read("demands.csv");
    let mut files = |name: &str| Ok(read(name));
    let loaded = netloom_scenario::load_with_files(&read("netloom.yaml"), &mut files).unwrap();
    (loaded.scenario, demands)
}

/// A network as this test understands it: links with their ends, cost and rate in bit/s. Nodes are
/// places among their sorted names, so that the least of them has the first name.
struct Network {
    names: Vec<String>,
    links: Vec<([usize; 2], u64, f64)>,
    demands: Vec<([usize; 2], f64)>,
}

/// A row: the busiest link and its load, demands cut off, their rate, and the rate lost elsewhere.
type Row = (String, f64, usize, f64, f64);

impl Network {
    fn of(scenario: &Scenario, demands: &str) -> Self {
        let mut names: Vec<String> = scenario.nodes.iter().map(|node| node.name.clone()).collect();
        names.sort();
        let place = |name: &str| names.iter().position(|known| known == name).unwrap();
        let link = |link: &netloom_scenario::Link| {
            let ends = link.endpoints.each_ref().map(|end| place(&end.node));
            let RateLimit::Limited(rate) = &link.forward.rate else { panic!("no rate") };
            (ends, u64::from(link.costs[0]), rate.bits_per_second() as f64)
        };
        let demand = |row: &str| {
            let [from, to, rate] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let rate = (rate.parse::<f64>().unwrap() * 1e6).round();
            ([place(from), place(to)], rate)
        };
        let links = scenario.links.iter().map(link).collect();
        let demands = demands.lines().skip(1).map(demand).collect();
        Self { links, demands, names }
    }

    /// Distances, in cost and then hops, of all nodes to `to` without the links in `down`: by
    /// relaxing all links until nothing changes (Bellman and Ford).
    fn distances(&self, to: usize, down: &BTreeSet<usize>) -> Vec<Option<(u64, u32)>> {
        let mut distances = vec![None; self.names.len()];
        distances[to] = Some((0, 0));
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (number, ([a, b], cost, _)) in self.links.iter().enumerate() {
                for (from, to) in [(*a, *b), (*b, *a)] {
                    let Some((far, hops)) = distances[to] else { continue };
                    let new = (far + cost, hops + 1);
                    if !down.contains(&number) && distances[from].is_none_or(|known| new < known) {
                        distances[from] = Some(new);
                        changed = true;
                    }
                }
            }
        }
        distances
    }

    /// The row without the links in `down` and the node `ended`. Of equally good next hops, the one
    /// whose name comes first is taken.
    fn row(&self, down: &BTreeSet<usize>, ended: Option<usize>) -> Row {
        let (mut cut_off, mut cut_rate) = (0, 0.0);
        let mut paths: Vec<(f64, Vec<usize>)> = Vec::new();
        let all: Vec<_> = (0..self.names.len()).map(|to| self.distances(to, down)).collect();
        for ([from, to], rate) in &self.demands {
            let distances = &all[*to];
            let is_over = Some(*from) == ended || Some(*to) == ended;
            if is_over || distances[*from].is_none() {
                cut_off += 1;
                cut_rate += rate;
                continue;
            }
            let (mut at, mut path) = (*from, Vec::new());
            while at != *to {
                let best =
                    self.links.iter().enumerate().filter_map(|(number, ([a, b], cost, _))| {
                        let (other, direction) = if *a == at { (*b, 0) } else { (*a, 1) };
                        let joins = (*a == at || *b == at) && !down.contains(&number);
                        let (far, hops) = distances[other].filter(|_| joins)?;
                        let fits = Some((far + cost, hops + 1)) == distances[at];
                        fits.then_some((other, 2 * number + direction))
                    });
                let (next, pipe) = best.min().unwrap();
                path.push(pipe);
                at = next;
            }
            paths.push((*rate, path));
        }
        let (arriving, kept) = self.carried(&paths);
        let sent: f64 = paths.iter().map(|(rate, _)| rate).sum();
        let mut busiest = (String::new(), -1.0);
        for (pipe, rate) in arriving.iter().enumerate() {
            let (_, _, capacity) = &self.links[pipe / 2];
            if !down.contains(&(pipe / 2)) && rate / capacity > busiest.1 {
                let direction = ["forward", "reverse"][pipe % 2];
                busiest = (format!("{}/{direction}", self.link(pipe / 2)), rate / capacity);
            }
        }
        (busiest.0, busiest.1, cut_off, cut_rate, sent - kept)
    }

    fn link(&self, number: usize) -> String {
        let [a, b] = self.links[number].0.map(|end| &self.names[end]);
        format!("{a}--{b}")
    }

    /// What arrives at each pipe, and what arrives at receivers in all. Rates are followed hop by
    /// hop, over and over, until the shares that pipes pass stay.
    fn carried(&self, paths: &[(f64, Vec<usize>)]) -> (Vec<f64>, f64) {
        let mut passes = vec![1.0; 2 * self.links.len()];
        loop {
            let mut arriving = vec![0.0; passes.len()];
            let mut kept = 0.0;
            for (rate, path) in paths {
                let mut rate = *rate;
                for pipe in path {
                    arriving[*pipe] += rate;
                    rate *= passes[*pipe];
                }
                kept += rate;
            }
            let now = |(pipe, rate): (usize, &f64)| (self.links[pipe / 2].2 / rate).min(1.0);
            let now: Vec<f64> = arriving.iter().enumerate().map(now).collect();
            let change = now.iter().zip(&passes).map(|(a, b)| f64::abs(a - b)).fold(0.0, f64::max);
            if change < 1e-12 {
                return (arriving, kept);
            }
            passes = now;
        }
    }
}

#[test]
fn every_failure_of_a_backbone_is_as_computed_independently() {
    let (scenario, demands) = backbone();
    let network = Network::of(&scenario, &demands);
    assert_eq!((network.links.len(), network.demands.len()), (88, 662));
    let found = plan(&scenario, None).unwrap();
    assert_eq!((found.demands, found.failures.len()), (662, 88 + 50));
    assert!(found.left_out.is_empty());
    let mut wanted: Vec<(Kind, String, Row)> = Vec::new();
    for number in 0..network.links.len() {
        let row = network.row(&BTreeSet::from([number]), None);
        wanted.push((Kind::Link, network.link(number), row));
    }
    for (node, name) in network.names.iter().enumerate() {
        let links = network.links.iter().enumerate();
        let down = links.filter(|(_, (ends, ..))| ends.contains(&node)).map(|(number, _)| number);
        wanted.push((Kind::Node, name.clone(), network.row(&down.collect(), Some(node))));
    }
    let mut overloads = 0;
    for (kind, name, row) in &wanted {
        let is_it =
            |one: &&netloom_simulate::failures::Failure| one.kind == *kind && one.name == *name;
        let failure = found.failures.iter().find(is_it).unwrap();
        check(name, &failure.outcome, row);
        overloads += u32::from(failure.outcome.lost_rate > 0);
    }
    assert!(overloads > 0, "no failure of the example overloads a link");
    check("nothing", &found.intact, &network.row(&BTreeSet::new(), None));
    let missing =
        |of: &netloom_simulate::failures::Failure| of.outcome.cut_off_rate + of.outcome.lost_rate;
    assert!(found.failures.windows(2).all(|pair| missing(&pair[0]) >= missing(&pair[1])));
    let links = plan(&scenario, Some(Kind::Link)).unwrap().failures;
    let nodes = plan(&scenario, Some(Kind::Node)).unwrap().failures;
    assert_eq!((links.len(), nodes.len()), (88, 50));
    assert!(links.iter().chain(&nodes).all(|one| found.failures.contains(one)));
}

fn check(name: &str, is: &netloom_simulate::failures::Outcome, should: &Row) {
    let (link, load, cut_off, cut_rate, lost) = should;
    let busiest = is.busiest.as_ref().unwrap();
    assert_eq!(format!("{}/{}", busiest.link, busiest.direction), *link, "{name}");
    assert!((busiest.load - load).abs() < 1e-9, "{name}: {} not {load}", busiest.load);
    assert_eq!(is.cut_off, *cut_off, "{name}");
    assert!((is.cut_off_rate as f64 - cut_rate).abs() < 2.0, "{name}: {is:?}, not {cut_rate}");
    assert!((is.lost_rate as f64 - lost).abs() < 2.0, "{name}: {is:?}, not {lost}");
}

fn failures(text: &str) -> Result<Failures, String> {
    let mut files = |_: &str| Err(Unreadable::because("there are no files"));
    let loaded = netloom_scenario::load_with_files(text, &mut files).unwrap();
    plan(&loaded.scenario, None).map_err(|error| format!("{error:#}"))
}

/// Two ways from a to d, of 10 and of 5 Mbit/s.
const SQUARE: &str = "
name: square
duration: 1s
topology:
  kinds: { router: { ipv6: none, ROUTING } }
  nodes: { a: { kind: router }, b: { kind: router }, c: { kind: router }, d: { kind: router } }
  defaults: { link: { rate: 10Mbit/s } }
  links:
    - { endpoints: [a, b], cost: 1 }
    - { endpoints: [b, d], cost: 1 }
    - { endpoints: [a, c], cost: 2 }
    - { endpoints: [c, d], cost: 2, rate: 5Mbit/s, queue: { discipline: fq_codel } }
traffic:
  - { name: x, from: a, to: d, udp: {}, cbr: { rate: 8Mbit/s } }
  - { name: y, from: a, to: d, udp: {}, poisson: { rate: 8Mbit/s } }
";

#[test]
fn a_square_by_hand() {
    for routing in ["routing: cost", "services: { ospf: }", "services: { isis: , bgp: { as: 1 } }"]
    {
        let found = failures(&SQUARE.replace("ROUTING", routing)).unwrap();
        assert_eq!(found.left_out, ["y"]);
        let rows = found.failures.iter().map(|one| {
            let Some(busiest) = &one.outcome.busiest else { panic!("{one:?}") };
            let load = (busiest.load * 1000.0).round();
            let of = &one.outcome;
            (one.name.as_str(), &*busiest.link, load, of.cut_off_rate, of.lost_rate)
        });
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [
                ("a", "b--d", 0.0, 8_000_000, 0),
                ("d", "a--b", 0.0, 8_000_000, 0),
                ("a--b", "c--d", 1600.0, 0, 3_000_000),
                ("b--d", "c--d", 1600.0, 0, 3_000_000),
                ("b", "c--d", 1600.0, 0, 3_000_000),
                ("a--c", "a--b", 800.0, 0, 0),
                ("c--d", "a--b", 800.0, 0, 0),
                ("c", "a--b", 800.0, 0, 0),
            ],
            "{routing}"
        );
    }
}

#[test]
fn what_has_no_table_is_refused() {
    let none = SQUARE.replace("cbr: { rate: 8Mbit/s }", "poisson: { rate: 8Mbit/s }");
    let fault = failures(&none.replace("ROUTING", "routing: cost")).unwrap_err();
    assert!(fault.contains("`square` has no demands: add traffic with a `matrix`"), "{fault}");
    let switch = SQUARE.replace("b: { kind: router }", "b: { kind: switch }");
    let fault = failures(&switch.replace("ROUTING", "routing: cost")).unwrap_err();
    assert!(fault.contains("traffic `x` leaves `a` by a link that ends at a switch"), "{fault}");
}
