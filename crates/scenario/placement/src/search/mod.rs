//! The search: lower bounds, growth from several seeds, moves and swaps, and enumeration.
//!
//! | module | what |
//! |---|---|
//! | `contracted` | groups as vertices, links between them as edges |
//! | `state` | an assignment with the sums that follow from it |
//! | `growth` | first assignments |
//! | `moves` | better ones, a group or two at a time |
//! | `enumeration` | all assignments, but for those that bounds exclude |

mod contracted;
mod enumeration;
mod growth;
mod moves;
mod state;

use std::collections::BTreeMap;

use netloom_scenario::Objective;
use netloom_units::Stream;

use crate::groups::Groups;
use crate::problem::{Machine, Placement, Problem, Resource};
use crate::refusal::NoPlacement;
use contracted::Contracted;
use enumeration::Enumerated;
use state::{Key, State};

/// Steps of the enumeration that count as one second of [`Problem::steps`].
pub const STEPS_PER_SECOND: u64 = 1_000_000;

/// Assignments that the enumeration tries at most where moves found a placement before.
pub const ASSIGNMENTS: u64 = 1_000_000;

/// Largest number of groups that are enumerated.
const MOST_ENUMERATED: usize = 500;

/// A placement, and how good it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The placement.
    pub placement: Placement,
    /// Number of machines that no placement can go below.
    pub least_machines: usize,
    /// Whether no other placement is better: all assignments were tried or excluded.
    pub is_optimal: bool,
    /// Number of groups of nodes that cannot be separated.
    pub groups: usize,
}

/// Finds a placement. The same problem always has the same result.
///
/// # Errors
/// Fails if there is none, or if the search found none; the error says which.
pub fn place(problem: &Problem) -> Result<Solution, NoPlacement> {
    if problem.machines.is_empty() {
        return Err(NoPlacement::NoMachines);
    }
    let groups = Groups::new(problem)?;
    let contracted = Contracted::new(problem, &groups);
    let mut empty = State::empty(&contracted);
    for group in 0..groups.len() {
        fits_alone(&mut empty, group)?;
    }
    let least_machines = least_machines(&contracted);
    let found = by_moves(&contracted, least_machines);
    let best = found.as_ref().filter(|(key, _)| key.is_feasible());
    let limit = match best {
        Some(_) => problem.steps.min(ASSIGNMENTS),
        None => problem.steps,
    };
    let all = if groups.len() <= MOST_ENUMERATED && limit > 0 {
        enumeration::enumerate(&contracted, best.cloned(), limit)
    } else {
        Enumerated { best: best.map(|(_, machine)| machine.clone()), is_complete: false }
    };
    let Some(machine) = all.best else {
        return Err(refusal(&contracted, found.map(|(_, machine)| machine), all.is_complete));
    };
    let machine_of = groups.of.iter().map(|group| machine[*group]).collect();
    Ok(Solution {
        placement: Placement { machine_of },
        least_machines,
        is_optimal: all.is_complete,
        groups: groups.len(),
    })
}

/// Checks that some machine holds a group, alone. `state` is empty.
fn fits_alone(state: &mut State<'_, '_>, group: usize) -> Result<(), NoPlacement> {
    let of = state.of;
    let mut closest: Option<(f64, usize, Resource)> = None;
    for machine in of.machines_for(group) {
        state.place(group, machine);
        let (fits, uses) = (state.fits(), state.utilisation(machine));
        state.remove(group);
        if fits {
            return Ok(());
        }
        let worst = uses.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((resource, used)) = worst
            && closest.is_none_or(|(least, ..)| *used < least)
        {
            closest = Some((*used, machine, *resource));
        }
    }
    let Some((used, machine, resource)) = closest else { return Ok(()) };
    let nodes = &of.groups.members[group];
    Err(NoPlacement::GroupTooLarge {
        nodes: nodes.iter().map(|node| of.problem.nodes[*node].name.clone()).collect(),
        machine: of.problem.machines[machine].name.clone(),
        resource,
        used,
        by: Groups::bindings(of.problem, nodes),
    })
}

/// Returns a number of machines that no placement can go below.
fn least_machines(of: &Contracted<'_>) -> usize {
    let problem = of.problem;
    let mut fixed: Vec<usize> = of.groups.machine.iter().flatten().copied().collect();
    fixed.sort_unstable();
    fixed.dedup();
    let mut least = fixed.len().max(1);
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    for label in problem.nodes.iter().filter_map(|node| node.apart.as_deref()) {
        // No two nodes of a label are in one group.
        let nodes = labels.entry(label).or_default();
        *nodes += 1;
        least = least.max(*nodes);
    }
    let total = |of_vertex: &dyn Fn(&contracted::Vertex) -> f64| -> f64 {
        of.vertices.iter().map(of_vertex).sum()
    };
    let share = problem.headroom;
    let memory = |machine: &Machine| machine.memory * share;
    least = least.max(enough(total(&|vertex| vertex.memory), problem, &memory));
    // Every frame costs at least what it costs inside the cheapest machine.
    let cheapest = |cost: &dyn Fn(&Machine) -> f64| {
        problem.machines.iter().map(cost).fold(f64::INFINITY, f64::min)
    };
    if problem.machines.iter().all(|machine| machine.mnp.is_none()) {
        let mut traffic = contracted::Traffic::default();
        of.vertices.iter().for_each(|vertex| traffic.add(vertex.inside));
        of.edges.iter().for_each(|edge| traffic.add(edge.traffic));
        let most_cpus = -cheapest(&|machine| -machine.cpus);
        let need = total(&|vertex| vertex.cpu) / most_cpus
            + cheapest(&|machine| machine.inside.frame) * traffic.frames
            + cheapest(&|machine| machine.inside.byte) * traffic.bytes;
        least = least.max(enough(need, problem, &|_| share));
    } else if problem.machines.iter().all(|machine| machine.mnp.is_some()) {
        // Each link counts on one machine at least.
        let rates =
            total(&|vertex| vertex.anc) + of.edges.iter().map(|edge| edge.rate).sum::<f64>();
        let most = |machine: &Machine| {
            let values = machine.mnp.iter().flat_map(|mnp| mnp.0.values());
            values.copied().fold(0.0, f64::max)
        };
        least = least.max(enough(rates, problem, &most));
        let ports = total(&|vertex| f64::from(vertex.ports));
        let most = |machine: &Machine| {
            let ports = machine.mnp.iter().flat_map(|mnp| mnp.0.keys());
            ports.max().map_or(0.0, |ports| f64::from(*ports))
        };
        least = least.max(enough(ports, problem, &most));
    }
    least.min(problem.machines.len())
}

/// Number of machines, the largest first, whose capacities together are enough.
fn enough(need: f64, problem: &Problem, has: &dyn Fn(&Machine) -> f64) -> usize {
    let mut all: Vec<f64> = problem.machines.iter().map(has).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    for (number, capacity) in all.into_iter().enumerate() {
        sum += capacity;
        if sum >= need * (1.0 - 1e-9) {
            return number + 1;
        }
    }
    problem.machines.len()
}

/// Sets of machines of one size that are tried.
const MOST_SETS: usize = 4;

/// Returns the best assignment that moves found. It may break rules if none was found that does
/// not.
fn by_moves(of: &Contracted<'_>, least: usize) -> Option<(Key, Vec<usize>)> {
    let machines = of.problem.machines.len();
    let starts = match of.len() {
        0..=64 => 24,
        65..=2000 => 4,
        _ => 1,
    };
    let sizes: Vec<usize> = match of.problem.objective {
        Objective::Fewest => (least..=machines).collect(),
        Objective::Spread => (least..=machines.min(of.len()).max(least)).rev().collect(),
    };
    let order = strongest_first(of);
    let mut best: Option<(Key, Vec<usize>)> = None;
    for size in sizes {
        for set in sets(of, &order, size) {
            for start in 0..starts {
                let mut random = Stream::new(of.problem.seed, &format!("{size}/{start}"));
                let first = match start % 2 {
                    0 => growth::divided(of, &set, &mut random),
                    _ => growth::scattered(of, &set, &mut random),
                };
                let mut state = State::whole(of, &first);
                moves::improve(&mut state, &set);
                // Sums of many changes are off by rounding.
                let key = State::whole(of, &state.machine).key();
                if best.as_ref().is_none_or(|(best, _)| key.is_better_than(best)) {
                    best = Some((key, state.machine));
                }
                if size == 1 {
                    break;
                }
            }
        }
        if best.as_ref().is_some_and(|(key, _)| key.is_feasible()) {
            break;
        }
    }
    best
}

/// Returns the machines by the load that everything would be on them, the least first.
fn strongest_first(of: &Contracted<'_>) -> Vec<usize> {
    let worst = |machine: usize| {
        let state = State::whole(of, &vec![machine; of.len()]);
        state.utilisation(machine).into_iter().map(|(_, used)| used).fold(0.0, f64::max)
    };
    let mut all: Vec<(f64, usize)> =
        (0..of.problem.machines.len()).map(|machine| (worst(machine), machine)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all.into_iter().map(|(_, machine)| machine).collect()
}

/// Returns some sets of `size` machines that contain all to which nodes are bound, those of the
/// strongest machines first.
fn sets(of: &Contracted<'_>, order: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut fixed: Vec<usize> = of.groups.machine.iter().flatten().copied().collect();
    fixed.sort_unstable();
    fixed.dedup();
    let free: Vec<usize> = order.iter().copied().filter(|one| !fixed.contains(one)).collect();
    let Some(wanted) = size.checked_sub(fixed.len()) else { return Vec::new() };
    let mut all = Vec::new();
    // Each set leaves one of the strongest out, so that unequal machines are tried by turns.
    for left_out in 0..=free.len().min(MOST_SETS - 1) {
        let taken = free.iter().enumerate().filter(|(place, _)| *place + 1 != left_out);
        let taken: Vec<usize> = taken.map(|(_, machine)| *machine).take(wanted).collect();
        let set: Vec<usize> = fixed.iter().copied().chain(taken).collect();
        if set.len() == size && !all.contains(&set) {
            all.push(set);
        }
    }
    all
}

/// Explains why nothing was found, by the best assignment that breaks rules.
fn refusal(of: &Contracted<'_>, best: Option<Vec<usize>>, is_certain: bool) -> NoPlacement {
    let Some(best) = best else {
        let what = "nodes are bound to more machines than there are".into();
        return NoPlacement::Rules { what, is_certain: true };
    };
    let state = State::whole(of, &best);
    if state.broken() > 0 {
        let placement =
            Placement { machine_of: of.groups.of.iter().map(|group| best[*group]).collect() };
        let broken = crate::check(of.problem, &placement);
        let rule = broken.iter().find(|violation| violation.is_rule()).or(broken.first());
        let what = rule.map_or_else(String::new, ToString::to_string);
        return NoPlacement::Rules { what, is_certain };
    }
    let all = (0..of.problem.machines.len()).flat_map(|machine| {
        state.utilisation(machine).map(|(resource, used)| (used, machine, resource))
    });
    let worst = all.max_by(|a, b| a.0.total_cmp(&b.0));
    let (used, machine, resource) = worst.unwrap_or((0.0, 0, Resource::Cpu));
    let machine = of.problem.machines[machine].name.clone();
    NoPlacement::Overload { machine, resource, used, is_certain }
}
