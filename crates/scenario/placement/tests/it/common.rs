//! Short functions for building problems.

use netloom_placement::{
    Bounds, Flow, LinkDemand, Machine, Mnp, NodeDemand, Placement, Problem, check, place,
};
use netloom_scenario::{Cut, Objective};
use netloom_units::Duration;

pub fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// A link whose ends may always be apart, with the same rate in both directions.
pub fn link(name: &str, ends: [Option<usize>; 2], bits: f64) -> LinkDemand {
    let flow = Flow { bits, frame: 1514.0 };
    LinkDemand {
        name: name.into(),
        ends,
        flows: [flow; 2],
        least: [Duration::from_millis(10); 2],
        cut: Cut::Auto,
    }
}

/// A problem of these nodes and links on these machines, 300 µs from each other.
pub fn problem(nodes: usize, links: Vec<LinkDemand>, machines: Vec<Machine>) -> Problem {
    let node = |number: usize| NodeDemand { name: format!("n{number}"), ..NodeDemand::default() };
    Problem {
        nodes: (0..nodes).map(node).collect(),
        links,
        bounds: Bounds::uniform(machines.len(), micros(300)),
        machines,
        objective: Objective::Fewest,
        headroom: 1.0,
        steps: 10_000_000,
        seed: 1,
    }
}

/// Equal machines with this maximum network provision, in Mbit/s.
pub fn with_mnp(count: usize, mnp: &[(u32, f64)]) -> Vec<Machine> {
    let mnp = Mnp(mnp.iter().map(|(ports, rate)| (*ports, rate * 1e6)).collect());
    let machine =
        |number| Machine { mnp: Some(mnp.clone()), ..Machine::unlimited(format!("m{number}")) };
    (1..=count).map(machine).collect()
}

/// Places, and checks that the result is valid.
pub fn placed(problem: &Problem) -> (Placement, bool) {
    let solution = place(problem).unwrap_or_else(|why| panic!("{why}; {}", why.help()));
    assert_eq!(check(problem, &solution.placement), []);
    assert!(solution.placement.used().len() >= solution.least_machines);
    (solution.placement, solution.is_optimal)
}

/// Rates of links whose ends are on different machines, in bit/s.
pub fn cut(problem: &Problem, on: &[usize]) -> f64 {
    let is_cut = |link: &&LinkDemand| link.nodes().is_some_and(|[a, b]| on[a] != on[b]);
    problem.links.iter().filter(is_cut).map(LinkDemand::rate).sum()
}
