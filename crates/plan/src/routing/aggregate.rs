//! Fewer routes that say exactly the same.

use std::collections::{BTreeMap, HashSet};

use crate::cidr::Cidr;

use super::Exit;

/// Joins the two halves of a prefix where both go the same way, again and again. The result covers
/// exactly the same addresses; no prefix of `keep_apart` comes into being, because the node has
/// another route by that very prefix.
pub(super) fn aggregate(
    routes: Vec<(Cidr, Exit)>,
    keep_apart: &HashSet<Cidr>,
) -> Vec<(Cidr, Exit)> {
    let mut table: BTreeMap<Cidr, Exit> = routes.iter().copied().collect();
    let mut pending: Vec<Cidr> = table.keys().copied().collect();
    while let Some(prefix) = pending.pop() {
        let Some((parent, sibling)) = prefix.parent_and_sibling() else { continue };
        let Some(exit) = table.get(&prefix).copied() else { continue };
        if keep_apart.contains(&parent) || table.get(&sibling) != Some(&exit) {
            continue;
        }
        table.remove(&prefix);
        table.remove(&sibling);
        table.insert(parent, exit);
        pending.push(parent);
    }
    table.into_iter().collect()
}
