//! A walk through the network that stays among neighbours.

use std::cmp::Reverse;

use crate::routing::Graph;

/// Returns the position of every node in a depth-first walk along trees of fewest hops. There is
/// one tree in each connected part, with its best connected node as root. Larger branches come
/// first.
pub(super) fn rank(graph: &Graph) -> Vec<usize> {
    let count = graph.edges.len();
    let mut roots: Vec<usize> = (0..count).collect();
    roots.sort_by_key(|node| (!graph.forwards[*node], Reverse(graph.edges[*node].len())));
    let mut rank = vec![0; count];
    let mut seen = vec![false; count];
    let mut next = 0;
    for root in roots {
        if !seen[root] {
            for node in walk(&spanning_tree(graph, root, &mut seen)) {
                rank[node] = next;
                next += 1;
            }
        }
    }
    rank
}

/// A node of a tree: its index in the graph, and the index of its parent in the tree.
type Branch = (usize, Option<usize>);

/// Returns the tree of fewest hops from `root` over nodes that are not in `seen`. Parents come
/// first.
fn spanning_tree(graph: &Graph, root: usize, seen: &mut [bool]) -> Vec<Branch> {
    seen[root] = true;
    let mut tree = vec![(root, None)];
    let mut at = 0;
    while let Some((node, _)) = tree.get(at).copied() {
        for edge in &graph.edges[node] {
            if !std::mem::replace(&mut seen[edge.to], true) {
                tree.push((edge.to, Some(at)));
            }
        }
        at += 1;
    }
    tree
}

/// Returns the nodes of a tree such that every branch is contiguous.
fn walk(tree: &[Branch]) -> Vec<usize> {
    let mut sizes = vec![1; tree.len()];
    let mut children = vec![vec![]; tree.len()];
    for (index, (_, parent)) in tree.iter().enumerate().rev() {
        if let Some(parent) = parent {
            sizes[*parent] += sizes[index];
            children[*parent].push(index);
        }
    }
    let mut order = Vec::with_capacity(tree.len());
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        order.push(tree[at].0);
        let mut branches = std::mem::take(&mut children[at]);
        branches.sort_by_key(|branch| (sizes[*branch], Reverse(*branch)));
        waiting.extend(branches);
    }
    order
}
