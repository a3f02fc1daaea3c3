//! Nodes that no placement can separate, since a link between them must not be cut on any pair of
//! machines, or since the scenario wants them together.

use std::collections::{HashMap, VecDeque};

use netloom_scenario::Cut;
use netloom_units::Duration;

use crate::binding::Binding;
use crate::problem::{LinkDemand, Problem};
use crate::refusal::NoPlacement;

/// Groups of nodes that share a machine.
#[derive(Debug, Clone)]
pub struct Groups {
    /// Group of each node.
    pub of: Vec<usize>,
    /// Nodes of each group, in order.
    pub members: Vec<Vec<usize>>,
    /// Machine that each group must be on.
    pub machine: Vec<Option<usize>>,
    /// Groups that each group must not share a machine with.
    pub apart: Vec<Vec<usize>>,
}

impl Groups {
    /// Finds the groups.
    ///
    /// # Errors
    /// Fails if nodes of one group must be on different machines; the error has the links between
    /// them.
    pub fn new(problem: &Problem) -> Result<Self, NoPlacement> {
        let bindings = Bindings::new(problem);
        let (of, members) = bindings.components(problem.nodes.len());
        let mut machine = vec![None; members.len()];
        for (group, nodes) in members.iter().enumerate() {
            let mut fixed = nodes.iter().filter(|node| problem.nodes[**node].machine.is_some());
            let Some(first) = fixed.next() else { continue };
            machine[group] = problem.nodes[*first].machine;
            let other = fixed.find(|node| problem.nodes[**node].machine != machine[group]);
            if let Some(other) = other {
                let name = |node: usize| problem.nodes[node].name.clone();
                let on = |node: usize| {
                    let machine = problem.nodes[node].machine.unwrap_or_default();
                    problem.machines[machine].name.clone()
                };
                return Err(NoPlacement::OnTwoMachines {
                    nodes: [name(*first), name(*other)],
                    machines: [on(*first), on(*other)],
                    by: bindings.between(*first, *other),
                });
            }
        }
        let mut apart = vec![Vec::new(); members.len()];
        let mut by_label: HashMap<&str, Vec<usize>> = HashMap::new();
        for (node, demand) in problem.nodes.iter().enumerate() {
            let Some(label) = &demand.apart else { continue };
            let others = by_label.entry(label).or_default();
            for other in others.iter().copied() {
                let (a, b) = (of[node], of[other]);
                if a == b {
                    let name = |node: usize| problem.nodes[node].name.clone();
                    return Err(NoPlacement::NotApart {
                        nodes: [name(other), name(node)],
                        label: label.clone(),
                        by: bindings.between(other, node),
                    });
                }
                apart[a].push(b);
                apart[b].push(a);
            }
            others.push(node);
        }
        for others in &mut apart {
            others.sort_unstable();
            others.dedup();
        }
        Ok(Self { of, members, machine, apart })
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns what binds the nodes of a group, each link and label once.
    pub fn bindings(problem: &Problem, nodes: &[usize]) -> Vec<Binding> {
        let mut found: Vec<Binding> = Vec::new();
        for (a, b, binding) in Bindings::new(problem).all {
            if nodes.contains(&a) && nodes.contains(&b) && !found.contains(&binding) {
                found.push(binding);
            }
        }
        found
    }
}

/// All reasons for which two nodes share a machine.
struct Bindings {
    all: Vec<(usize, usize, Binding)>,
}

impl Bindings {
    fn new(problem: &Problem) -> Self {
        let mut all = Vec::new();
        for link in &problem.links {
            let Some([a, b]) = link.nodes() else { continue };
            all.extend(binding(problem, link).map(|binding| (a, b, binding)));
        }
        let mut labels: HashMap<&str, usize> = HashMap::new();
        for (node, demand) in problem.nodes.iter().enumerate() {
            for label in &demand.together {
                let first = *labels.entry(label).or_insert(node);
                if first != node {
                    all.push((first, node, Binding::Together { label: label.clone() }));
                }
            }
        }
        Self { all }
    }

    /// Returns the component of each node, and the nodes of each component.
    fn components(&self, nodes: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut parent: Vec<usize> = (0..nodes).collect();
        for (a, b, _) in &self.all {
            let (a, b) = (root(&mut parent, *a), root(&mut parent, *b));
            parent[a.max(b)] = a.min(b);
        }
        let mut number: HashMap<usize, usize> = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        let of = (0..nodes).map(|node| {
            let group = *number.entry(root(&mut parent, node)).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[group].push(node);
            group
        });
        (of.collect(), members)
    }

    /// Returns what joins two nodes of a component: a shortest chain of bindings.
    fn between(&self, from: usize, to: usize) -> Vec<Binding> {
        let mut near: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
        for (number, (a, b, _)) in self.all.iter().enumerate() {
            near.entry(*a).or_default().push((*b, number));
            near.entry(*b).or_default().push((*a, number));
        }
        let mut came: HashMap<usize, (usize, usize)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for (next, number) in near.get(&node).into_iter().flatten() {
                if *next != from && !came.contains_key(next) {
                    came.insert(*next, (node, *number));
                    queue.push_back(*next);
                }
            }
        }
        let mut chain = Vec::new();
        let mut at = to;
        while let Some((before, number)) = came.get(&at).filter(|_| at != from) {
            chain.push(self.all[*number].2.clone());
            at = *before;
        }
        chain.reverse();
        chain
    }
}

fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// Returns why a link must not be cut on any pair of machines, if it must not.
fn binding(problem: &Problem, link: &LinkDemand) -> Option<Binding> {
    match link.cut {
        Cut::Any => return None,
        Cut::Never => return Some(Binding::Uncut { link: link.name.clone() }),
        Cut::Auto => {}
    }
    let [forward, reverse] = link.least;
    let short = |least| Binding::Short {
        link: link.name.clone(),
        least,
        bound: problem
            .bounds
            .pairs()
            .map(|(a, b)| problem.bounds.between(a, b).max(problem.bounds.between(b, a)))
            .min()
            .unwrap_or_default(),
    };
    if forward.min(reverse) == Duration::ZERO {
        return Some(short(Duration::ZERO));
    }
    let fits = |(a, b): (usize, usize)| {
        forward >= problem.bounds.between(a, b) && reverse >= problem.bounds.between(b, a)
    };
    let may_be_cut = problem.machines.len() < 2 || problem.bounds.pairs().any(fits);
    (!may_be_cut).then(|| short(forward.min(reverse)))
}
