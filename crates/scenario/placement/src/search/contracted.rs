//! The problem after contraction: each group is one vertex, and all links between two groups are
//! one edge.

use std::collections::BTreeMap;

use netloom_scenario::Cut;
use netloom_units::Duration;

use crate::groups::Groups;
use crate::problem::{LinkDemand, Problem};

/// What a group needs wherever it is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Vertex {
    pub cpu: f64,
    pub memory: f64,
    /// Traffic of links inside the group, and of those to the outside.
    pub inside: Traffic,
    /// Rates of these links, each once, in bit/s.
    pub anc: f64,
    /// Ends of links at the group's nodes.
    pub ports: u32,
}

/// Frames and bytes per second, both directions together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traffic {
    pub frames: f64,
    pub bytes: f64,
}

impl Traffic {
    fn of(link: &LinkDemand) -> Self {
        let mut traffic = Self::default();
        for flow in link.flows {
            traffic.frames += flow.frames();
            traffic.bytes += flow.frames() * flow.frame;
        }
        traffic
    }

    pub fn add(&mut self, other: Self) {
        self.frames += other.frames;
        self.bytes += other.bytes;
    }

    pub fn subtract(&mut self, other: Self) {
        self.frames -= other.frames;
        self.bytes -= other.bytes;
    }
}

/// Delay of links that may always be cut.
const LONGEST: Duration = Duration::from_nanos(u64::MAX);

/// All links between two groups.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub ends: [usize; 2],
    pub traffic: Traffic,
    /// Rates of the links, each once, in bit/s.
    pub rate: f64,
    /// Rate between machines from the first end to the second, and back, in bit/s.
    pub between: [f64; 2],
    /// Smallest of the least delays from the first end to the second, and back, of links that are
    /// cut only where their delay allows it.
    pub least: [Duration; 2],
}

impl Edge {
    /// Returns the other end.
    pub fn other(&self, end: usize) -> usize {
        if self.ends[0] == end { self.ends[1] } else { self.ends[0] }
    }
}

/// The problem with groups as vertices.
#[derive(Debug)]
pub(super) struct Contracted<'p> {
    pub problem: &'p Problem,
    pub groups: &'p Groups,
    pub vertices: Vec<Vertex>,
    pub edges: Vec<Edge>,
    /// Edges of each vertex.
    pub near: Vec<Vec<usize>>,
}

impl<'p> Contracted<'p> {
    pub fn new(problem: &'p Problem, groups: &'p Groups) -> Self {
        let mut vertices = vec![Vertex::default(); groups.len()];
        for (node, demand) in problem.nodes.iter().enumerate() {
            let vertex = &mut vertices[groups.of[node]];
            vertex.cpu += demand.cpu;
            vertex.memory += demand.memory;
        }
        let mut edges: BTreeMap<[usize; 2], Edge> = BTreeMap::new();
        for link in &problem.links {
            let ends = link.ends.map(|end| end.map(|node| groups.of[node]));
            ends.iter().flatten().for_each(|group| vertices[*group].ports += 1);
            match ends {
                [Some(a), Some(b)] if a != b => join(&mut edges, a, b, link),
                [Some(group), _] | [None, Some(group)] => {
                    vertices[group].inside.add(Traffic::of(link));
                    vertices[group].anc += link.rate();
                }
                [None, None] => {}
            }
        }
        let edges: Vec<Edge> = edges.into_values().collect();
        let mut near = vec![Vec::new(); groups.len()];
        for (number, edge) in edges.iter().enumerate() {
            edge.ends.iter().for_each(|end| near[*end].push(number));
        }
        Self { problem, groups, vertices, edges, near }
    }

    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Machines on which a group may be.
    pub fn machines_for(&self, group: usize) -> Vec<usize> {
        match self.groups.machine[group] {
            Some(fixed) => vec![fixed],
            None => (0..self.problem.machines.len()).collect(),
        }
    }
}

fn join(edges: &mut BTreeMap<[usize; 2], Edge>, a: usize, b: usize, link: &LinkDemand) {
    let ends = [a.min(b), a.max(b)];
    let edge = edges.entry(ends).or_insert_with(|| Edge {
        ends,
        traffic: Traffic::default(),
        rate: 0.0,
        between: [0.0; 2],
        least: [LONGEST; 2],
    });
    edge.traffic.add(Traffic::of(link));
    edge.rate += link.rate();
    for (direction, flow) in link.flows.iter().enumerate() {
        let along = if a < b { direction } else { 1 - direction };
        edge.between[along] += flow.between_machines();
        if link.cut != Cut::Any {
            edge.least[along] = edge.least[along].min(link.least[direction]);
        }
    }
}
