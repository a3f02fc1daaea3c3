//! What is wrong with a placement. This shares no code with the search: it goes over nodes and
//! links, not over groups, and adds everything up anew.

use std::fmt;

use netloom_scenario::Cut;
use netloom_units::Duration;

use crate::problem::{Placement, Problem, Resource};

/// A rule that a placement breaks.
#[derive(Debug, Clone, PartialEq)]
pub enum Violation {
    /// The placement is of another number of nodes, or names a machine that is not there.
    Shape {
        /// What is wrong, in words.
        what: String,
    },
    /// A node is not on the machine that the scenario names.
    WrongMachine {
        /// The node.
        node: String,
        /// The machine that the scenario names.
        wanted: String,
    },
    /// Two nodes that are together are on two machines.
    NotTogether {
        /// The nodes.
        nodes: [String; 2],
        /// Their label.
        label: String,
    },
    /// Two nodes that are apart are on one machine.
    NotApart {
        /// The nodes.
        nodes: [String; 2],
        /// Their label.
        label: String,
    },
    /// A link is cut that must not be.
    MustNotBeCut {
        /// The link.
        link: String,
    },
    /// A link is cut whose frames would be late.
    TooShort {
        /// The link.
        link: String,
        /// Shortest time that frames propagate, in the direction that falls short.
        least: Duration,
        /// Longest time that frames need between the machines of its ends.
        bound: Duration,
        /// The machines, from and to.
        machines: [String; 2],
    },
    /// A machine bears more than it may.
    Overload {
        /// The machine.
        machine: String,
        /// Its capacity.
        resource: Resource,
        /// Use of what may be used of it; 1 is all.
        used: f64,
    },
}

impl Violation {
    /// Whether it is a rule of the scenario, and not the load of a machine.
    pub fn is_rule(&self) -> bool {
        !matches!(self, Self::Overload { .. })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { what } => f.write_str(what),
            Self::WrongMachine { node, wanted } => {
                write!(f, "node `{node}` is not on machine `{wanted}`, which the scenario names")
            }
            Self::NotTogether { nodes: [a, b], label } => {
                write!(f, "`{a}` and `{b}` are on two machines, but `together: {label}`")
            }
            Self::NotApart { nodes: [a, b], label } => {
                write!(f, "`{a}` and `{b}` are on one machine, but `apart: {label}`")
            }
            Self::MustNotBeCut { link } => write!(f, "link `{link}` must not be cut"),
            Self::TooShort { link, least, bound, machines: [from, to] } => write!(
                f,
                "link `{link}` cannot be cut: its least delay is {least}, and frames need {bound} \
                 from `{from}` to `{to}`"
            ),
            Self::Overload { machine, resource, used } => write!(
                f,
                "machine `{machine}` uses {:.0} % of its {resource} that may be used",
                used * 100.0
            ),
        }
    }
}

/// Returns all rules that a placement breaks; none if it is valid.
pub fn check(problem: &Problem, placement: &Placement) -> Vec<Violation> {
    let on = &placement.machine_of;
    if on.len() != problem.nodes.len() {
        let what = format!("{} nodes are placed, and there are {}", on.len(), problem.nodes.len());
        return vec![Violation::Shape { what }];
    }
    if let Some(node) = on.iter().position(|machine| *machine >= problem.machines.len()) {
        let what = format!("node `{}` is on a machine that is not there", problem.nodes[node].name);
        return vec![Violation::Shape { what }];
    }
    let mut broken = nodes(problem, on);
    for link in &problem.links {
        let (Some(a), Some(b)) = (link.ends[0], link.ends[1]) else { continue };
        let (a, b) = (on[a], on[b]);
        if a == b || link.cut == Cut::Any {
            continue;
        }
        if link.cut == Cut::Never {
            broken.push(Violation::MustNotBeCut { link: link.name.clone() });
            continue;
        }
        for (least, from, to) in [(link.least[0], a, b), (link.least[1], b, a)] {
            let bound = problem.bounds.between(from, to);
            if least < bound {
                let name = |machine: usize| problem.machines[machine].name.clone();
                let machines = [name(from), name(to)];
                broken.push(Violation::TooShort {
                    link: link.name.clone(),
                    least,
                    bound,
                    machines,
                });
                break;
            }
        }
    }
    for machine in 0..problem.machines.len() {
        loads(problem, on, machine, &mut broken);
    }
    broken
}

/// Checks the rules of nodes.
fn nodes(problem: &Problem, on: &[usize]) -> Vec<Violation> {
    let mut broken = Vec::new();
    for (node, demand) in problem.nodes.iter().enumerate() {
        if let Some(wanted) = demand.machine.filter(|wanted| *wanted != on[node]) {
            let wanted = problem.machines[wanted].name.clone();
            broken.push(Violation::WrongMachine { node: demand.name.clone(), wanted });
        }
    }
    let mut together: std::collections::BTreeMap<&str, usize> = Default::default();
    let mut apart: std::collections::BTreeMap<(&str, usize), usize> = Default::default();
    for (node, demand) in problem.nodes.iter().enumerate() {
        let names = |other: usize| [problem.nodes[other].name.clone(), demand.name.clone()];
        for label in &demand.together {
            let first = *together.entry(label).or_insert(node);
            if on[first] != on[node] {
                broken.push(Violation::NotTogether { nodes: names(first), label: label.clone() });
            }
        }
        if let Some(label) = &demand.apart
            && let Some(other) = apart.insert((label, on[node]), node)
        {
            broken.push(Violation::NotApart { nodes: names(other), label: label.clone() });
        }
    }
    broken
}

/// Adds up all that is on one machine.
fn loads(problem: &Problem, on: &[usize], machine: usize, broken: &mut Vec<Violation>) {
    let has = &problem.machines[machine];
    let may = problem.headroom;
    let (mut share, mut memory, mut out, mut into, mut anc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut ports = 0;
    for (demand, _) in problem.nodes.iter().zip(on).filter(|(_, on)| **on == machine) {
        if demand.cpu > 0.0 {
            share += demand.cpu / has.cpus;
        }
        memory += demand.memory;
    }
    for link in &problem.links {
        let here = link.ends.map(|end| end.map(|node| on[node]) == Some(machine));
        let number = here.iter().filter(|is_here| **is_here).count();
        if number == 0 {
            continue;
        }
        ports += number as u32;
        anc += link.flows[0].bits.max(link.flows[1].bits);
        let is_cut = number == 1 && link.ends[0].is_some() && link.ends[1].is_some();
        let cost = if is_cut { has.across } else { has.inside };
        for (direction, flow) in link.flows.iter().enumerate() {
            if flow.bits > 0.0 {
                let frames = flow.bits / 8.0 / flow.frame;
                share += frames * (cost.frame + cost.byte * flow.frame);
            }
            if is_cut {
                let rate = flow.between_machines();
                // The first direction leaves from the first end.
                if here[direction] { out += rate } else { into += rate }
            }
        }
    }
    if let Some(mnp) = &has.mnp {
        share = 0.0;
        if anc > 0.0 {
            let used = anc / mnp.at(ports);
            push(Resource::Mnp, used, has, broken);
        }
    }
    push(Resource::Cpu, share / may, has, broken);
    push(Resource::Memory, memory / (has.memory * may), has, broken);
    push(Resource::Uplink, f64::max(out, into) / (has.uplink * may), has, broken);
}

fn push(
    resource: Resource,
    used: f64,
    machine: &crate::problem::Machine,
    broken: &mut Vec<Violation>,
) {
    // Sums are rounded.
    if used > 1.0 + 1e-6 {
        broken.push(Violation::Overload { machine: machine.name.clone(), resource, used });
    }
}
