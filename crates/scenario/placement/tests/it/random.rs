//! Random instances against all assignments, which are tried here without the code of the crate.

use netloom_placement::{
    Cost, Flow, LinkDemand, Machine, NoPlacement, Problem, Solution, check, place,
};
use netloom_scenario::Cut;
use netloom_units::{Duration, Stream};

use crate::common::{cut, problem};

const NODES: usize = 9;
const MACHINES: usize = 3;

/// Nine nodes on three unequal machines: a random tree, and three more links.
fn instance(seed: u64) -> Problem {
    let mut random = Stream::new(seed, "instance");
    let mut below = |bound: usize| random.below(bound as u64) as usize;
    let mut ends: Vec<[usize; 2]> = (1..NODES).map(|node| [below(node), node]).collect();
    for _ in 0..NODES / 3 {
        let (a, b) = (below(NODES), below(NODES));
        if a != b && !ends.contains(&[a, b]) && !ends.contains(&[b, a]) {
            ends.push([a, b]);
        }
    }
    let links = ends.into_iter().enumerate().map(|(number, ends)| {
        let flow = |rate: usize| Flow { bits: [10e6, 20e6, 50e6, 100e6][rate], frame: 1514.0 };
        // A fifth is too short between the first and the last machine only.
        let least = if below(5) == 0 { 200 } else { 1000 };
        LinkDemand {
            name: format!("l{number}"),
            ends: ends.map(Some),
            flows: [flow(below(4)), flow(below(4))],
            least: [Duration::from_micros(least); 2],
            cut: Cut::Auto,
        }
    });
    let links: Vec<LinkDemand> = links.collect();
    let machines = (0..MACHINES).map(|number| {
        let frame = [1.0 / 150e3, 1.0 / 250e3][below(2)];
        Machine {
            cpus: [0.7, 1.0][below(2)],
            inside: Cost { frame, byte: 0.0 },
            across: Cost { frame: 3.0 * frame, byte: 0.0 },
            memory: [10e6, 14e6, 18e6][below(3)],
            uplink: [200e6, 400e6][below(2)],
            ..Machine::unlimited(format!("m{number}"))
        }
    });
    let machines = machines.collect();
    let mut problem = problem(NODES, links, machines);
    for (a, b) in [(0, 2), (2, 0)] {
        problem.bounds.set(a, b, Duration::from_micros(300));
    }
    for (a, b) in [(0, 1), (1, 0), (1, 2), (2, 1)] {
        problem.bounds.set(a, b, Duration::from_micros(150));
    }
    for node in &mut problem.nodes {
        node.cpu = [0.05, 0.1, 0.2][below(3)];
        node.memory = [1e6, 2e6, 4e6][below(3)];
    }
    problem.seed = seed;
    problem
}

/// Whether an assignment keeps all rules, by their definition.
fn is_valid(problem: &Problem, on: &[usize; NODES]) -> bool {
    let mut cpu = [0.0; MACHINES];
    let mut memory = [0.0; MACHINES];
    let mut rates = [[0.0; 2]; MACHINES];
    for (node, machine) in problem.nodes.iter().zip(on) {
        cpu[*machine] += node.cpu / problem.machines[*machine].cpus;
        memory[*machine] += node.memory;
    }
    for link in &problem.links {
        let [a, b] = link.ends.map(|end| on[end.unwrap()]);
        for (flow, from, to) in [(link.flows[0], a, b), (link.flows[1], b, a)] {
            let frames = flow.bits / (8.0 * flow.frame);
            if a == b {
                cpu[a] += frames * problem.machines[a].inside.frame;
                continue;
            }
            if link.least[0] < problem.bounds.between(from, to) {
                return false;
            }
            cpu[from] += frames * problem.machines[from].across.frame;
            cpu[to] += frames * problem.machines[to].across.frame;
            rates[from][0] += flow.between_machines();
            rates[to][1] += flow.between_machines();
        }
    }
    (0..MACHINES).all(|machine| {
        let has = &problem.machines[machine];
        cpu[machine] <= 1.0 + 1e-9
            && memory[machine] <= has.memory
            && rates[machine].iter().all(|rate| *rate <= has.uplink)
    })
}

/// The fewest machines, and the least cut with these, over all assignments.
fn exhaustive(problem: &Problem) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for number in 0..MACHINES.pow(NODES as u32) {
        let mut rest = number;
        let on: [usize; NODES] = std::array::from_fn(|_| {
            let machine = rest % MACHINES;
            rest /= MACHINES;
            machine
        });
        let used = (0..MACHINES).filter(|machine| on.contains(machine)).count();
        if best.is_some_and(|(least, _)| used > least) || !is_valid(problem, &on) {
            continue;
        }
        let found = (used, cut(problem, &on));
        if best.is_none_or(|best| found < best) {
            best = Some(found);
        }
    }
    best
}

fn found(problem: &Problem, solution: &Solution) -> (usize, f64) {
    assert_eq!(check(problem, &solution.placement), []);
    (solution.placement.used().len(), cut(problem, &solution.placement.machine_of))
}

#[test]
fn enumeration_finds_the_best_and_moves_nearly_do() {
    let (mut feasible, mut fewest, mut cuts) = (0, 0, [0.0; 2]);
    for seed in 0..500 {
        let mut problem = instance(seed);
        let best = exhaustive(&problem);
        match (place(&problem), best) {
            (Ok(solution), Some(best)) => {
                assert!(solution.is_optimal);
                assert_eq!(found(&problem, &solution), best, "{seed}");
            }
            (Err(NoPlacement::Overload { is_certain, .. }), None)
            | (Err(NoPlacement::Rules { is_certain, .. }), None) => assert!(is_certain, "{seed}"),
            (Err(NoPlacement::GroupTooLarge { .. }), None) => {}
            (found, best) => panic!("{seed}: {found:?}, {best:?}"),
        }
        // Moves alone.
        problem.steps = 0;
        let moved = place(&problem).ok().map(|solution| found(&problem, &solution));
        let Some((machines, least_cut)) = best else {
            assert_eq!(moved, None, "{seed}");
            continue;
        };
        feasible += 1;
        if let Some((_, cut)) = moved.filter(|(used, _)| *used == machines) {
            fewest += 1;
            cuts[0] += cut;
            cuts[1] += least_cut;
        }
    }
    println!(
        "{feasible} of 500 feasible; moves alone have the fewest machines in {fewest}, and {:.3} \
         of the least cut",
        cuts[0] / cuts[1]
    );
    assert!((150..=450).contains(&feasible), "{feasible}");
    assert!(fewest as f64 >= 0.99 * f64::from(feasible), "{fewest} of {feasible}");
    assert!(cuts[0] <= 1.15 * cuts[1], "{cuts:?}");
}

#[test]
fn the_same_problem_has_the_same_placement() {
    for seed in 500..520 {
        let problem = instance(seed);
        assert_eq!(place(&problem), place(&problem));
    }
}

#[test]
fn a_large_network_is_spread_along_few_links() {
    // A grid of 20 × 20 on four machines that hold 100 nodes and a few more.
    let side = 20;
    let mut links = Vec::new();
    for node in 0..side * side {
        let right = (node % side + 1 < side).then_some(node + 1);
        let below = Some(node + side).filter(|below| *below < side * side);
        for other in [right, below].into_iter().flatten() {
            let name = format!("l{}", links.len());
            links.push(crate::common::link(&name, [Some(node), Some(other)], 1e6));
        }
    }
    let machine =
        |number: usize| Machine { memory: 110.0, ..Machine::unlimited(format!("m{number}")) };
    let mut problem = problem(side * side, links, (0..5).map(machine).collect());
    problem.nodes.iter_mut().for_each(|node| node.memory = 1.0);
    let solution = place(&problem).unwrap();
    let (machines, cut) = found(&problem, &solution);
    assert_eq!((machines, solution.least_machines), (4, 4));
    // The best has 40 links; random ones cut three of four, 570.
    assert!(cut <= 80e6, "{cut}");
}
