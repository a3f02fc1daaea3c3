//! Pruning and contraction: the thesis's example, and laws that hold for random networks.

use std::collections::{BTreeMap, BTreeSet};

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{Direction, Stream};
use netloom_symbiosis::{Graph, GraphLink, Small, prune};
use netloom_units::Duration;
use proptest::prelude::*;

/// A network with its real hosts, and the routes between all ordered pairs of them.
struct Network {
    graph: Graph,
    hosts: BTreeSet<u32>,
    routes: BTreeMap<(u32, u32), Vec<PipeId>>,
}

impl Network {
    /// Returns a network whose links are given by their ends and the delay of each direction in ms.
    /// Routes are the shortest by delay.
    fn new(links: &[(u32, u32, u64, u64)], hosts: &[u32]) -> Self {
        let ms = Duration::from_millis;
        let link = |(a, b, there, back)| GraphLink { ends: [a, b], delays: [ms(there), ms(back)] };
        let links = links.iter().copied().map(link);
        let graph = Graph { links: (0..).map(LinkId).zip(links).collect() };
        let hosts: BTreeSet<u32> = hosts.iter().copied().collect();
        let mut routes = BTreeMap::new();
        for from in &hosts {
            let ways = shortest(&graph, *from);
            for to in hosts.iter().filter(|to| *to != from) {
                let mut route = Vec::new();
                let mut at = *to;
                while let Some((pipe, before)) = ways.get(&at) {
                    route.insert(0, *pipe);
                    at = *before;
                }
                if at == *from {
                    routes.insert((*from, *to), route);
                }
            }
        }
        Self { graph, hosts, routes }
    }

    fn pruned(&self) -> BTreeSet<PipeId> {
        prune(self.routes.values().map(Vec::as_slice))
    }

    fn small(&self) -> Small {
        Small::contracted(&self.graph, &self.hosts, &self.pruned())
    }

    fn delay(&self, route: &[PipeId]) -> Duration {
        let each =
            route.iter().map(|pipe| self.graph.links[&pipe.link].delays[pipe.direction.index()]);
        each.fold(Duration::ZERO, |sum, delay| sum + delay)
    }
}

/// Returns, for each vertex that can be reached, the last pipe and the vertex before it (Bellman
/// and Ford).
fn shortest(graph: &Graph, from: u32) -> BTreeMap<u32, (PipeId, u32)> {
    let mut distances = BTreeMap::from([(from, 0)]);
    let mut ways = BTreeMap::new();
    loop {
        let mut is_better = false;
        for (link, GraphLink { ends, delays }) in &graph.links {
            for direction in Direction::BOTH {
                let begin = direction.index();
                let (a, b) = (ends[begin], ends[1 - begin]);
                let Some(distance) = distances.get(&a).map(|far| far + delays[begin].as_nanos())
                else {
                    continue;
                };
                if distances.get(&b).is_none_or(|known| distance < *known) {
                    distances.insert(b, distance);
                    ways.insert(b, (PipeId { link: *link, direction }, a));
                    is_better = true;
                }
            }
        }
        if !is_better {
            return ways;
        }
    }
}

fn pipe(link: u32, direction: Direction) -> PipeId {
    PipeId { link: LinkId(link), direction }
}

/// Follows the text of Fig. 5.5: links that no emulated host needs are removed, and links 2 and 3
/// become one with the sum of their delays. Emulated hosts are 0, 1 and 2; routers 10 to 14;
/// simulated hosts 20 and 21.
#[test]
fn the_thesis_s_example() {
    let links = [
        (0, 10, 1, 1),    // link 0: host 0
        (10, 11, 5, 5),   // link 1: to the junction
        (11, 12, 20, 20), // link 2
        (12, 1, 30, 30),  // link 3: host 1
        (11, 2, 7, 7),    // link 4: host 2
        (12, 20, 1, 1),   // link 5: a simulated host
        (11, 13, 2, 2),   // link 6: the simulated part
        (13, 21, 2, 2),   // link 7
    ];
    let network = Network::new(&links, &[0, 1, 2]);
    let pruned: BTreeSet<u32> = network.pruned().iter().map(|pipe| pipe.link.0).collect();
    assert_eq!(pruned, BTreeSet::from([0, 1, 2, 3, 4]));
    let small = network.small();
    assert_eq!(small.junctions, BTreeSet::from([11]));
    let links: Vec<_> = small.links.iter().map(|link| (link.ends, link.delays)).collect();
    let ms = |millis| [Duration::from_millis(millis); 2];
    assert_eq!(links, [([0, 11], ms(6)), ([1, 11], ms(50)), ([2, 11], ms(7))]);
    let (forward, reverse) = (Direction::Forward, Direction::Reverse);
    assert_eq!(
        small.links[1].chains,
        [vec![pipe(3, reverse), pipe(2, reverse)], vec![pipe(2, forward), pipe(3, forward)]]
    );
    assert_eq!(small.route(&network.routes[&(0, 1)]).len(), 2);
    let whole = Small::uncontracted(&network.graph, &network.hosts, &network.pruned());
    assert_eq!(whole.links.len(), 5);
    assert_eq!(whole.junctions, BTreeSet::from([10, 11, 12]));
}

/// A real host with two links does not forward, so its links are not contracted.
#[test]
fn a_real_host_in_a_line_stays() {
    let network = Network::new(&[(0, 10, 1, 1), (10, 1, 1, 1), (1, 2, 1, 1)], &[0, 1, 2]);
    let ends: Vec<_> = network.small().links.iter().map(|link| link.ends).collect();
    assert_eq!(ends, [[0, 1], [1, 2]]);
}

/// The path there goes over vertex 10, the path back over vertex 11: two links with one pipe each.
#[test]
fn ways_there_and_back_may_differ() {
    let links = [(0, 10, 1, 9), (10, 1, 1, 9), (0, 11, 9, 2), (11, 1, 9, 2)];
    let network = Network::new(&links, &[0, 1]);
    let small = network.small();
    let chains: Vec<_> =
        small.links.iter().map(|link| link.chains.each_ref().map(Vec::len)).collect();
    assert_eq!(chains, [[2, 0], [0, 2]]);
    let delays: Vec<_> = small.pipes().map(|pipe| small.delay(pipe)).collect();
    assert_eq!(delays, [2, 4].map(Duration::from_millis));
}

/// A random network: a tree, so that it is connected, with further links.
fn random(seed: u64) -> Network {
    let mut stream = Stream::new(seed, "network");
    let vertices = 3 + stream.below(20) as u32;
    let mut links = Vec::new();
    let mut link = |a, b, stream: &mut Stream| {
        links.push((a, b, 1 + stream.below(50), 1 + stream.below(50)));
    };
    for vertex in 1..vertices {
        // The tree is often a line, so that there is something to contract.
        let other =
            if stream.chance(0.6) { vertex - 1 } else { stream.below(vertex.into()) as u32 };
        link(other, vertex, &mut stream);
    }
    for _ in 0..stream.below(5) {
        let [a, b] = [0, 1].map(|_| stream.below(vertices.into()) as u32);
        if a != b {
            link(a, b, &mut stream);
        }
    }
    let hosts: Vec<u32> = (0..vertices).filter(|_| stream.chance(0.3)).collect();
    Network::new(&links, &hosts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn contraction_keeps_delays_and_who_shares_with_whom(seed: u64) {
        let network = random(seed);
        let small = network.small();
        let all: Vec<_> = small.pipes().flat_map(|pipe| small.chain(pipe).to_vec()).collect();
        let once: BTreeSet<_> = all.iter().copied().collect();
        prop_assert_eq!(once.len(), all.len(), "a pipe is in one chain");
        prop_assert_eq!(once, network.pruned());
        for route in network.routes.values() {
            let pipes = small.route(route);
            let delays = pipes.iter().map(|pipe| small.delay(*pipe));
            let sum = delays.fold(Duration::ZERO, |sum, delay| sum + delay);
            prop_assert_eq!(sum, network.delay(route));
            let chains: Vec<_> =
                pipes.iter().flat_map(|pipe| small.chain(*pipe).to_vec()).collect();
            prop_assert_eq!(&chains, route, "chains are whole, in the order of the way");
            for other in network.routes.values() {
                let shared = route.iter().any(|pipe| other.contains(pipe));
                let others = small.route(other);
                prop_assert_eq!(pipes.iter().any(|pipe| others.contains(pipe)), shared);
            }
        }
        // Nothing is left to contract: only real hosts join two links.
        for junction in &small.junctions {
            let ends = small.links.iter().flat_map(|link| link.ends);
            prop_assert_ne!(ends.filter(|end| end == junction).count(), 2);
        }
    }
}
