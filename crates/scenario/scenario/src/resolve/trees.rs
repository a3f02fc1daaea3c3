//! Depths of spanning trees: information about the root is dropped after as many switches as the
//! root's `max_age` has seconds. Not here: the protocol (`netloom-spanning-tree`).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use netloom_document::Diagnostic;
use netloom_link::PipeConfig;
use netloom_spanning_tree::PathCost;

use super::nodes::NodeDraft;
use super::report::Report;
use crate::spec::{Link, NodeKind, PortTree, Scenario};

/// Links of a switch: the other switch, and the cost of the path to here through its port.
type Neighbours = Vec<Vec<(usize, u32)>>;

/// Reports switches that are too far from the root of their tree.
pub(super) fn check(nodes: &[NodeDraft<'_>], scenario: &Scenario, report: &mut Report<'_>) {
    let runs_tree = |node: usize| scenario.nodes[node].spanning_tree.is_some();
    if !(0..scenario.nodes.len()).any(runs_tree) {
        return;
    }
    let neighbours = neighbours(scenario);
    let mut seen = vec![false; scenario.nodes.len()];
    for start in (0..scenario.nodes.len()).filter(|node| runs_tree(*node)) {
        if seen[start] {
            continue;
        }
        let members = members(start, &neighbours, &mut seen);
        let priority = |node: usize| scenario.nodes[node].spanning_tree.map(|tree| tree.priority);
        let bridges = members.into_iter().filter(|node| runs_tree(*node));
        // Of equal priorities, the first in the file is the root.
        let Some(root) = bridges.min_by_key(|node| (priority(*node), *node)) else { continue };
        let Some(Ok(times)) = scenario.nodes[root].spanning_tree.map(|tree| tree.times()) else {
            continue;
        };
        let most = times.most_hops();
        let hops = hops(root, &neighbours, runs_tree);
        let far = hops.iter().filter(|(_, hops)| **hops > most);
        let count = far.clone().count();
        // The one that is nearest among those that are too far.
        let Some((switch, hops)) = far.min_by_key(|(node, hops)| (**hops, **node)) else {
            continue;
        };
        let name = |node: usize| &scenario.nodes[node].name;
        let others = match count {
            1 => String::new(),
            count => format!("; {} more are as far or farther", count - 1),
        };
        let message = format!(
            "the switch `{}` is {hops} hops from `{}`, the root of its spanning tree, which \
             reaches {most}: it would take itself for a root{others}",
            name(*switch),
            name(root)
        );
        let help = match most {
            40.. => "let the root be in the middle, by a low `priority`".into(),
            _ => format!(
                "let the root be in the middle, by a low `priority`, or write `spanning_tree: \
                 {{max_age: 40s, forward_delay: 21s}}` at `{}`",
                name(root)
            ),
        };
        report.error(Diagnostic::warning(nodes[*switch].name.span, message).with_help(help));
    }
}

fn neighbours(scenario: &Scenario) -> Neighbours {
    let index: HashMap<&str, usize> =
        scenario.nodes.iter().enumerate().map(|(index, node)| (&*node.name, index)).collect();
    let mut neighbours = vec![Vec::new(); scenario.nodes.len()];
    for link in &scenario.links {
        let ends = link.endpoints.each_ref().map(|end| index.get(end.node.as_str()).copied());
        let [Some(a), Some(b)] = ends else { continue };
        let is_switch = |node: usize| scenario.nodes[node].kind == NodeKind::Switch;
        if is_switch(a) && is_switch(b) {
            // A path costs what its receiving ports cost.
            neighbours[a].push((b, cost(scenario, link, 1, &link.reverse)));
            neighbours[b].push((a, cost(scenario, link, 0, &link.forward)));
        }
    }
    neighbours
}

/// Returns the cost of the path through the port at one end of a link, whose pipe leads out of it.
fn cost(scenario: &Scenario, link: &Link, end: usize, out: &PipeConfig) -> u32 {
    let end = &link.endpoints[end];
    let interfaces = scenario.node(&end.node).map_or(&[][..], |node| &node.interfaces);
    let port = interfaces.iter().find(|port| port.name == end.interface);
    let own = port.and_then(|port| PortTree::path_cost(&port.spanning_tree).ok().flatten());
    let rate = out.rate.nominal().map(|rate| rate.bits_per_second());
    own.unwrap_or_else(|| PathCost::of_rate(rate)).get()
}

fn members(start: usize, neighbours: &Neighbours, seen: &mut [bool]) -> Vec<usize> {
    let (mut open, mut members) = (vec![start], Vec::new());
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            members.push(node);
            open.extend(neighbours[node].iter().map(|(other, _)| *other));
        }
    }
    members
}

/// Returns how many switches information passes on the cheapest path from the root to each switch.
/// A switch without a tree passes BPDUs on as they are, at no cost.
fn hops(
    root: usize,
    neighbours: &Neighbours,
    runs_tree: impl Fn(usize) -> bool,
) -> HashMap<usize, u32> {
    let mut found = HashMap::new();
    let mut open = BinaryHeap::from([Reverse((0_u64, 0_u32, root))]);
    while let Some(Reverse((cost, hops, node))) = open.pop() {
        if found.contains_key(&node) {
            continue;
        }
        found.insert(node, hops);
        for (other, link) in &neighbours[node] {
            let (more, hop) = if runs_tree(*other) { (u64::from(*link), 1) } else { (0, 0) };
            open.push(Reverse((cost + more, hops + hop, *other)));
        }
    }
    found.retain(|node, _| runs_tree(*node));
    found
}
