//! Fewer routes that say exactly the same.

use std::collections::BTreeSet;

use crate::cidr::Cidr;

use super::Exit;

/// Joins the two halves of a prefix where both go the same way, again and again. The result covers
/// exactly the same addresses; no prefix of `keep_apart` comes into being, because the node has
/// another route by that very prefix. `routes` are in the order of their prefixes, so that halves
/// are neighbours (unless a longer prefix lies between them: then they stay apart, which is exact,
/// too).
pub(super) fn aggregate(
    routes: Vec<(Cidr, Exit)>,
    keep_apart: &BTreeSet<Cidr>,
) -> Vec<(Cidr, Exit)> {
    let mut joined: Vec<(Cidr, Exit)> = Vec::with_capacity(routes.len());
    for route in routes {
        joined.push(route);
        while let Some(parent) = join_last(&joined, keep_apart) {
            let (_, exit) = joined[joined.len() - 1];
            joined.truncate(joined.len() - 2);
            // A route by the parent itself served nobody: both halves were more specific.
            joined.pop_if(|(prefix, _)| *prefix == parent);
            joined.push((parent, exit));
        }
    }
    joined
}

/// What the last two routes can be joined to.
fn join_last(routes: &[(Cidr, Exit)], keep_apart: &BTreeSet<Cidr>) -> Option<Cidr> {
    let [.., (first, first_exit), (second, second_exit)] = routes else { return None };
    let (parent, sibling) = second.parent_and_sibling()?;
    let same = sibling == *first && first_exit == second_exit && !keep_apart.contains(&parent);
    same.then_some(parent)
}
