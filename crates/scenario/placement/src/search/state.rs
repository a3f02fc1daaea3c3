//! An assignment of groups to machines with the sums that follow from it. Placing or removing a
//! group changes them in steps that are proportional to its edges.
//!
//! A link counts as inside a machine as soon as one of its ends is there; once its other end is on
//! another machine, it counts as cut on both. So the sums of a part of an assignment are lower
//! bounds of those of the whole: cut links never cost less.

use std::cmp::Ordering;

use netloom_units::Duration;

use super::contracted::{Contracted, Traffic, Vertex};
use crate::problem::{Machine, Resource};

/// A group that has no machine yet.
pub(super) const NOWHERE: usize = usize::MAX;

/// Largest relative difference that counts as none.
const EPSILON: f64 = 1e-9;

/// Weight of a broken rule beside overloads, which count as shares.
const RULE: f64 = 10.0;

/// Utilisation where there is no capacity at all.
const HOPELESS: f64 = 100.0;

/// Sums of one machine.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    total: Vertex,
    across: Traffic,
    out: f64,
    into: f64,
    pub groups: u32,
}

/// How good an assignment is; less is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Key {
    /// Broken rules and overloads; 0 if there are none.
    pub violation: f64,
    /// Machines used; of those that should be used, the number that are not.
    pub machines: usize,
    /// Rates of cut links in bit/s.
    pub cut: f64,
    /// Greatest utilisation of a capacity.
    pub used: f64,
}

impl Key {
    /// Compares in the order of importance.
    pub fn compare(&self, other: &Self) -> Ordering {
        let floats = |a: f64, b: f64| {
            if (a - b).abs() <= EPSILON * a.abs().max(b.abs()).max(1e-3) {
                Ordering::Equal
            } else {
                a.total_cmp(&b)
            }
        };
        floats(self.violation, other.violation)
            .then(self.machines.cmp(&other.machines))
            .then(floats(self.cut, other.cut))
            .then(floats(self.used, other.used))
    }

    pub fn is_better_than(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Less
    }

    pub fn is_feasible(&self) -> bool {
        self.violation <= EPSILON
    }
}

/// An assignment.
#[derive(Debug, Clone)]
pub(super) struct State<'c, 'p> {
    pub of: &'c Contracted<'p>,
    pub machine: Vec<usize>,
    sums: Vec<Sums>,
    cut: f64,
    broken: u32,
    /// Whether more groups may come: capacities count as the best that they may become.
    is_partial: bool,
}

impl<'c, 'p> State<'c, 'p> {
    /// No group has a machine yet.
    pub fn empty(of: &'c Contracted<'p>) -> Self {
        let sums = vec![Sums::default(); of.problem.machines.len()];
        let machine = vec![NOWHERE; of.len()];
        Self { of, machine, sums, cut: 0.0, broken: 0, is_partial: true }
    }

    /// Every group has the machine of `machine`.
    pub fn whole(of: &'c Contracted<'p>, machine: &[usize]) -> Self {
        let mut state = Self::empty(of);
        machine.iter().enumerate().for_each(|(group, machine)| state.place(group, *machine));
        state.is_partial = false;
        state
    }

    pub fn place(&mut self, group: usize, machine: usize) {
        self.change(group, machine, true);
        self.machine[group] = machine;
    }

    pub fn remove(&mut self, group: usize) {
        let machine = std::mem::replace(&mut self.machine[group], NOWHERE);
        self.change(group, machine, false);
    }

    /// Moves a group to another machine.
    pub fn shift(&mut self, group: usize, machine: usize) {
        self.remove(group);
        self.place(group, machine);
    }

    pub fn groups_on(&self, machine: usize) -> u32 {
        self.sums[machine].groups
    }

    pub fn cut(&self) -> f64 {
        self.cut
    }

    /// Number of machines that have a group.
    pub fn used(&self) -> usize {
        self.sums.iter().filter(|sums| sums.groups > 0).count()
    }

    /// Adds, or subtracts, all that `group` contributes on `machine`.
    fn change(&mut self, group: usize, machine: usize, comes: bool) {
        let sign = if comes { 1.0 } else { -1.0 };
        let vertex = self.of.vertices[group];
        let here = &mut self.sums[machine];
        here.groups = if comes { here.groups + 1 } else { here.groups - 1 };
        here.total.cpu += sign * vertex.cpu;
        here.total.memory += sign * vertex.memory;
        here.total.anc += sign * vertex.anc;
        here.total.ports =
            if comes { here.total.ports + vertex.ports } else { here.total.ports - vertex.ports };
        shift(&mut here.total.inside, vertex.inside, comes);
        for edge in &self.of.near[group] {
            let edge = &self.of.edges[*edge];
            let there = self.machine[edge.other(group)];
            if there == machine {
                continue;
            }
            let here = &mut self.sums[machine];
            here.total.anc += sign * edge.rate;
            if there == NOWHERE {
                shift(&mut here.total.inside, edge.traffic, comes);
                continue;
            }
            let (out, into) = match edge.ends[0] == group {
                true => (edge.between[0], edge.between[1]),
                false => (edge.between[1], edge.between[0]),
            };
            shift(&mut here.across, edge.traffic, comes);
            here.out += sign * out;
            here.into += sign * into;
            let far = &mut self.sums[there];
            shift(&mut far.total.inside, edge.traffic, !comes);
            shift(&mut far.across, edge.traffic, comes);
            far.out += sign * into;
            far.into += sign * out;
            self.cut += sign * edge.rate;
            let least =
                if edge.ends[0] == group { edge.least } else { [edge.least[1], edge.least[0]] };
            self.broken = match (self.forbids(machine, there, least), comes) {
                (true, true) => self.broken + 1,
                (true, false) => self.broken - 1,
                _ => self.broken,
            };
        }
        let conflicts = self.of.groups.apart[group].iter();
        let conflicts = conflicts.filter(|other| self.machine[**other] == machine).count() as u32;
        self.broken = if comes { self.broken + conflicts } else { self.broken - conflicts };
    }

    /// Whether links with these least delays must not lead from one machine to another.
    fn forbids(&self, from: usize, to: usize, [there, back]: [Duration; 2]) -> bool {
        let bounds = &self.of.problem.bounds;
        there < bounds.between(from, to) || back < bounds.between(to, from)
    }

    /// Returns the utilisation of each capacity of a machine; 1 is all that may be used.
    pub fn utilisation(&self, machine: usize) -> [(Resource, f64); 4] {
        let Machine { cpus, inside, across, memory, uplink, mnp, .. } =
            &self.of.problem.machines[machine];
        let share = self.of.problem.headroom;
        let sums = &self.sums[machine];
        let total = &sums.total;
        let cpu = match mnp {
            Some(_) => 0.0,
            None => {
                ratio(total.cpu, *cpus)
                    + inside.frame * total.inside.frames
                    + inside.byte * total.inside.bytes
                    + across.frame * sums.across.frames
                    + across.byte * sums.across.bytes
            }
        };
        let mnp = mnp.as_ref().map_or(0.0, |mnp| {
            let ports = total.ports;
            let bears = match self.is_partial {
                true => mnp.0.range(ports..).map(|(_, bears)| *bears).fold(0.0, f64::max),
                false => mnp.at(ports),
            };
            ratio(total.anc, bears)
        });
        [
            (Resource::Cpu, cpu / share),
            (Resource::Memory, ratio(total.memory, memory * share)),
            (Resource::Uplink, ratio(sums.out.max(sums.into), uplink * share)),
            (Resource::Mnp, mnp),
        ]
    }

    /// Number of links between machines that must not have them, and of pairs that are not apart.
    pub fn broken(&self) -> u32 {
        self.broken
    }

    pub fn key(&self) -> Key {
        let mut violation = RULE * f64::from(self.broken);
        let mut worst: f64 = 0.0;
        for machine in 0..self.sums.len() {
            for (_, used) in self.utilisation(machine) {
                violation += (used - 1.0 - EPSILON).max(0.0);
                worst = worst.max(used);
            }
        }
        let used = self.used();
        let machines = match self.of.problem.objective {
            netloom_scenario::Objective::Fewest => used,
            netloom_scenario::Objective::Spread => self.sums.len() - used,
        };
        Key { violation, machines, cut: self.cut, used: worst }
    }

    /// Whether all capacities and rules hold so far.
    pub fn fits(&self) -> bool {
        self.broken == 0 && self.worst() <= 1.0 + EPSILON
    }

    /// Greatest utilisation.
    pub fn worst(&self) -> f64 {
        let all = (0..self.sums.len()).flat_map(|machine| self.utilisation(machine));
        all.map(|(_, used)| used).fold(0.0, f64::max)
    }
}

fn shift(sum: &mut Traffic, part: Traffic, comes: bool) {
    if comes { sum.add(part) } else { sum.subtract(part) }
}

/// Part of a capacity; nothing is no part of it, even where it is zero.
fn ratio(need: f64, has: f64) -> f64 {
    if need <= EPSILON {
        0.0
    } else if has <= 0.0 {
        HOPELESS
    } else {
        need / has
    }
}
