//! What a placement means: the load of each machine, and the links that are cut.

use netloom_scenario::Cut;
use netloom_units::Duration;
use serde::Serialize;

use crate::problem::{Placement, Problem};

/// What a placement means.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Account {
    /// All machines, those without nodes included.
    pub machines: Vec<MachineLoad>,
    /// Links whose ends are on different machines.
    pub cut: Vec<CutLink>,
    /// Their rates together, the busier direction of each, in bit/s.
    pub cut_bits_per_second: f64,
}

/// The load of one machine. Shares are of what may be used; 1 is all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MachineLoad {
    /// Name.
    pub machine: String,
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// Share of the CPUs; absent if it is unknown what the machine bears.
    pub cpu: Option<f64>,
    /// Memory that its nodes and links take, in bytes.
    pub memory_bytes: f64,
    /// Share of its memory; absent if it is unknown how much there is.
    pub memory: Option<f64>,
    /// Rate to other machines in bit/s, what the tunnel adds included.
    pub out_bits_per_second: f64,
    /// Rate from other machines in bit/s, what the tunnel adds included.
    pub in_bits_per_second: f64,
    /// Share of its uplink, the busier direction; absent if its rate is unknown.
    pub uplink: Option<f64>,
    /// Ends of links at its nodes.
    pub ports: u32,
    /// Rates of all links at its nodes, each once, in bit/s (Zheng's ANC).
    pub anc_bits_per_second: f64,
    /// What it bears with these ports in bit/s, if the list of machines says that.
    pub mnp_bits_per_second: Option<f64>,
}

/// A link whose ends are on different machines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CutLink {
    /// Name.
    pub link: String,
    /// Machines of its ends.
    pub machines: [String; 2],
    /// Expected rate of the busier direction, in bit/s.
    pub bits_per_second: f64,
    /// Shortest time that frames propagate, in the direction with less slack, in ns.
    pub least_ns: u64,
    /// Longest time that frames need between the machines in that direction, in ns.
    pub bound_ns: u64,
    /// Time that is left, in ns; negative if frames will be late.
    pub slack_ns: i64,
    /// Whether the link is cut only because the scenario says `cut: any`.
    pub is_late: bool,
}

impl Account {
    /// Adds up what a placement of the problem's nodes means.
    pub fn new(problem: &Problem, placement: &Placement) -> Self {
        let on = &placement.machine_of;
        let machines = (0..problem.machines.len()).map(|machine| load(problem, on, machine));
        let mut cut = Vec::new();
        let mut cut_bits_per_second = 0.0;
        for link in &problem.links {
            let Some([a, b]) = link.nodes().map(|nodes| nodes.map(|node| on[node])) else {
                continue;
            };
            if a == b {
                continue;
            }
            cut_bits_per_second += link.rate();
            let slack = |least: Duration, from: usize, to: usize| {
                let bound = problem.bounds.between(from, to);
                let slack = least.as_nanos() as i128 - bound.as_nanos() as i128;
                (slack.clamp(i64::MIN.into(), i64::MAX.into()) as i64, least, bound)
            };
            let both = [slack(link.least[0], a, b), slack(link.least[1], b, a)];
            let (slack_ns, least, bound) = if both[1].0 < both[0].0 { both[1] } else { both[0] };
            cut.push(CutLink {
                link: link.name.clone(),
                machines: [a, b].map(|machine| problem.machines[machine].name.clone()),
                bits_per_second: link.rate(),
                least_ns: least.as_nanos(),
                bound_ns: bound.as_nanos(),
                slack_ns,
                is_late: link.cut == Cut::Any && slack_ns < 0,
            });
        }
        Self { machines: machines.collect(), cut, cut_bits_per_second }
    }
}

fn load(problem: &Problem, on: &[usize], machine: usize) -> MachineLoad {
    let has = &problem.machines[machine];
    let nodes = problem.nodes.iter().zip(on).filter(|(_, on)| **on == machine);
    let nodes: Vec<_> = nodes.map(|(node, _)| node).collect();
    let memory_bytes: f64 = nodes.iter().map(|node| node.memory).sum();
    let cpus: f64 = nodes.iter().map(|node| node.cpu).sum();
    let mut cpu = if cpus > 0.0 { cpus / has.cpus } else { 0.0 };
    let (mut out, mut into, mut anc, mut ports) = (0.0, 0.0, 0.0, 0);
    for link in &problem.links {
        let here = link.ends.map(|end| end.is_some_and(|node| on[node] == machine));
        let is_cut = link.nodes().is_some() && here[0] != here[1];
        if here == [false; 2] {
            continue;
        }
        ports += here.iter().filter(|is_here| **is_here).count() as u32;
        anc += link.rate();
        let cost = if is_cut { has.across } else { has.inside };
        for (flow, leaves) in link.flows.iter().zip(here) {
            cpu += flow.frames() * (cost.frame + cost.byte * flow.frame);
            if is_cut {
                *(if leaves { &mut out } else { &mut into }) += flow.between_machines();
            }
        }
    }
    let is_known = has.cpus.is_finite() || has.inside != crate::problem::Cost::default();
    let may = |capacity: f64| capacity * problem.headroom;
    MachineLoad {
        machine: has.name.clone(),
        nodes: nodes.iter().map(|node| node.name.clone()).collect(),
        cpu: (is_known && has.mnp.is_none()).then_some(cpu / problem.headroom),
        memory_bytes,
        memory: has.memory.is_finite().then(|| memory_bytes / may(has.memory)),
        out_bits_per_second: out,
        in_bits_per_second: into,
        uplink: has.uplink.is_finite().then(|| f64::max(out, into) / may(has.uplink)),
        ports,
        anc_bits_per_second: anc,
        mnp_bits_per_second: has.mnp.as_ref().map(|mnp| mnp.at(ports)),
    }
}
