//! Pruning and contraction: finds the pipes of a network that real traffic can meet, and the chains
//! of them that one pipe of the small network stands for. This is DSCALE^R (Erazo 2013, §5.4). Not
//! here: the source of routes.

use std::collections::{BTreeMap, BTreeSet};

use netloom_fabric::{LinkId, PipeId};
use netloom_link::Direction;
use netloom_units::Duration;

/// A network as vertices and links. Hosts, routers and segments are vertices, with numbers that the
/// caller chooses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    /// All links.
    pub links: BTreeMap<LinkId, GraphLink>,
}

/// A link of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLink {
    /// The vertices at its ends.
    pub ends: [u32; 2],
    /// The propagation delay of its pipes, in the order of [`Direction::BOTH`].
    pub delays: [Duration; 2],
}

/// Returns the pipes on `routes`, which are those between all ordered pairs of real hosts.
pub fn prune<'a>(routes: impl IntoIterator<Item = &'a [PipeId]>) -> BTreeSet<PipeId> {
    routes.into_iter().flatten().copied().collect()
}

/// The small network: real hosts and junctions, joined by links whose pipes stand for chains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Small {
    /// Links of the small network.
    pub links: Vec<SmallLink>,
    /// The vertices at their ends that are not real hosts.
    pub junctions: BTreeSet<u32>,
    /// The small pipe that stands for each pruned pipe.
    places: BTreeMap<PipeId, SmallPipe>,
}

/// A link of the small network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmallLink {
    /// The vertices at its ends.
    pub ends: [u32; 2],
    /// The chains that its two pipes stand for, indexed as in [`Direction::BOTH`], each in the
    /// order of the path. A chain is empty if no real traffic goes in that direction.
    pub chains: [Vec<PipeId>; 2],
    /// The propagation delay of each chain.
    pub delays: [Duration; 2],
}

/// A pipe of the small network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SmallPipe {
    /// Index of its link in [`Small::links`].
    pub link: usize,
    /// The direction within the link.
    pub direction: Direction,
}

impl Small {
    /// Contracts the `pruned` pipes of `graph`: a chain becomes one link if each of its inner
    /// vertices has two links and is not one of the real `hosts`.
    ///
    /// # Panics
    /// If a pruned pipe is not in the graph.
    pub fn contracted(graph: &Graph, hosts: &BTreeSet<u32>, pruned: &BTreeSet<PipeId>) -> Self {
        let incident = incident(graph, pruned);
        let inner = |vertex: u32| incident[&vertex].len() == 2 && !hosts.contains(&vertex);
        Self::of(graph, hosts, pruned, &incident, &inner)
    }

    /// Keeps each of the `pruned` pipes of `graph` as it is.
    ///
    /// # Panics
    /// If a pruned pipe is not in the graph.
    pub fn uncontracted(graph: &Graph, hosts: &BTreeSet<u32>, pruned: &BTreeSet<PipeId>) -> Self {
        Self::of(graph, hosts, pruned, &incident(graph, pruned), &|_| false)
    }

    fn of(
        graph: &Graph,
        hosts: &BTreeSet<u32>,
        pruned: &BTreeSet<PipeId>,
        incident: &BTreeMap<u32, BTreeSet<LinkId>>,
        inner: &dyn Fn(u32) -> bool,
    ) -> Self {
        let mut small =
            Self { links: Vec::new(), junctions: BTreeSet::new(), places: BTreeMap::new() };
        let mut joined = BTreeSet::new();
        for (vertex, links) in incident.iter().filter(|(vertex, _)| !inner(**vertex)) {
            if !hosts.contains(vertex) {
                small.junctions.insert(*vertex);
            }
            for first in links {
                if !joined.contains(first) {
                    let (links, end) = walk(graph, incident, inner, *vertex, *first);
                    joined.extend(links.iter().map(|(link, _)| *link));
                    small.push([*vertex, end], &links, graph, pruned);
                }
            }
        }
        small
    }

    /// Adds a link that stands for `links`, each with the direction in which it is passed.
    fn push(
        &mut self,
        ends: [u32; 2],
        links: &[(LinkId, Direction)],
        graph: &Graph,
        pruned: &BTreeSet<PipeId>,
    ) {
        let there = links.iter().map(|(link, direction)| (*link, *direction));
        let back = links.iter().rev().map(|(link, direction)| (*link, opposite(*direction)));
        let pipe = |(link, direction)| PipeId { link, direction };
        let used = |pipe: &PipeId| pruned.contains(pipe);
        let chains =
            [there.map(pipe).filter(used).collect(), back.map(pipe).filter(used).collect()];
        for (chain, direction) in std::iter::zip(&chains, Direction::BOTH) {
            let place = SmallPipe { link: self.links.len(), direction };
            let chain: &Vec<PipeId> = chain;
            self.places.extend(chain.iter().map(|pipe| (*pipe, place)));
        }
        let delays = chains.each_ref().map(|chain| delay(graph, chain));
        self.links.push(SmallLink { ends, chains, delays });
    }

    /// Returns the chain that a small pipe stands for.
    pub fn chain(&self, pipe: SmallPipe) -> &[PipeId] {
        &self.links[pipe.link].chains[pipe.direction.index()]
    }

    /// Returns the propagation delay of a small pipe.
    pub fn delay(&self, pipe: SmallPipe) -> Duration {
        self.links[pipe.link].delays[pipe.direction.index()]
    }

    /// Returns the small pipe that stands for a pruned pipe.
    pub fn place(&self, pipe: PipeId) -> Option<SmallPipe> {
        self.places.get(&pipe).copied()
    }

    /// Returns the small pipes that stand for the pruned pipes of `route`, in order.
    pub fn route(&self, route: &[PipeId]) -> Vec<SmallPipe> {
        let mut pipes: Vec<SmallPipe> = route.iter().filter_map(|pipe| self.place(*pipe)).collect();
        pipes.dedup();
        pipes
    }

    /// Returns all small pipes that stand for a chain.
    pub fn pipes(&self) -> impl Iterator<Item = SmallPipe> {
        let links = 0..self.links.len();
        let all =
            links.flat_map(|link| Direction::BOTH.map(|direction| SmallPipe { link, direction }));
        all.filter(|pipe| !self.chain(*pipe).is_empty())
    }
}

/// Returns the sum of the pipes' propagation delays.
fn delay(graph: &Graph, pipes: &[PipeId]) -> Duration {
    let each = pipes.iter().map(|pipe| graph.links[&pipe.link].delays[pipe.direction.index()]);
    each.fold(Duration::ZERO, |sum, delay| sum + delay)
}

/// Returns, for each vertex, its links that have a pruned pipe.
fn incident(graph: &Graph, pruned: &BTreeSet<PipeId>) -> BTreeMap<u32, BTreeSet<LinkId>> {
    let mut incident: BTreeMap<u32, BTreeSet<LinkId>> = BTreeMap::new();
    for pipe in pruned {
        for end in graph.links[&pipe.link].ends {
            incident.entry(end).or_default().insert(pipe.link);
        }
    }
    incident
}

/// Returns the chain that begins at `vertex` with the link `first`, and the vertex at which it
/// ends.
fn walk(
    graph: &Graph,
    incident: &BTreeMap<u32, BTreeSet<LinkId>>,
    inner: &dyn Fn(u32) -> bool,
    mut vertex: u32,
    first: LinkId,
) -> (Vec<(LinkId, Direction)>, u32) {
    let (mut chain, mut next) = (Vec::new(), Some(first));
    while let Some(id) = next {
        let link = &graph.links[&id];
        let direction = Direction::from_end(usize::from(link.ends[0] != vertex));
        chain.push((id, direction));
        vertex = link.ends[1 - direction.index()];
        let other = || incident[&vertex].iter().copied().find(|other| *other != id);
        next = if inner(vertex) { other() } else { None };
    }
    (chain, vertex)
}

fn opposite(direction: Direction) -> Direction {
    Direction::from_end(1 - direction.index())
}
