//! Compression to the smallest table that forwards every address as the given table permits.
//!
//! This is ORTC (Draves, King, Venkatachary and Zill 1999, "Constructing Optimal IP Routing
//! Tables"). From the leaves up, it computes the set of labels that serve a prefix at the least
//! cost. From the root down, it adds a route wherever the inherited label does not serve. There are
//! these extensions:
//!
//! - A destination may permit several exits, of which the table takes one: its leaf has a set of
//!   labels from the start.
//! - Addresses without a route stay without one, at no cost: no route is ever put above them.
//! - Prefixes for which the node has a route from elsewhere (the kernel's for its networks, the
//!   scenario's own) are left alone. Addresses inside without a destination follow that route. From
//!   outside, any route may cover such a prefix.
//! - The node's own addresses never reach the table, so any route may cover them, too.

use crate::cidr::Cidr;

use super::labels::{FEW, Label, Labels};
use super::trie::{Halves, Trie};

/// The entry of a table for exactly one prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// No entry: the addresses follow the prefix around them.
    Absent,
    /// Packets leave by one of these exits.
    Exits(Choice),
    /// There is a route from elsewhere for this prefix.
    Foreign,
    /// The prefix is one of the node's own addresses.
    Local,
}

/// Index of a set of labels from which an entry may choose.
pub(super) type Choice = u32;

/// The sets from which entries choose. Each is ascending, not empty, and has labels below `labels`.
pub(super) struct Choices {
    pub sets: Vec<Box<[Label]>>,
    pub labels: usize,
}

/// Returns the smallest table for `entries` (by place in `trie`), in the order of prefixes.
pub(super) fn compress(trie: &Trie, entries: Vec<Entry>, choices: &Choices) -> Vec<(Cidr, Label)> {
    let entries = spread(trie, entries);
    let mut routes = if choices.labels <= FEW {
        choose::<u64>(trie, &entries, choices)
    } else {
        choose::<Option<Box<[Label]>>>(trie, &entries, choices)
    };
    routes.sort_unstable();
    routes
}

/// Copies to every place without an entry the entry of the prefix around it, which applies to its
/// addresses that are in no longer prefix. Places that are still absent then have no route of the
/// planner.
pub(super) fn spread(trie: &Trie, mut entries: Vec<Entry>) -> Vec<Entry> {
    let mut around = vec![Entry::Absent];
    for (entry, halves) in entries.iter_mut().zip(&trie.halves) {
        // Invariant: a place has pushed what its halves pop.
        let outer = around.pop().expect("what is around a place");
        if *entry == Entry::Absent {
            *entry = outer;
        }
        let inner = if *entry == Entry::Foreign { Entry::Absent } else { *entry };
        around.extend(std::iter::repeat_n(inner, halves.count()));
    }
    entries
}

/// Returns the routes, from the root down: one wherever the inherited label does not serve.
pub(super) fn choose<S: Labels>(
    trie: &Trie,
    entries: &[Entry],
    choices: &Choices,
) -> Vec<(Cidr, Label)> {
    let choices: Vec<S> = choices.sets.iter().map(|set| S::of(set)).collect();
    let sets = sets::<S>(trie, entries, &choices);
    let mut routes = vec![];
    let mut inherited = vec![None];
    for (place, set) in sets.iter().enumerate() {
        // Invariant: a place has pushed what its halves pop.
        let above: Option<Label> = inherited.pop().expect("what a place inherits");
        let label = match above {
            _ if entries[place] == Entry::Foreign => None,
            Some(label) if set.contains(label) => above,
            _ => set.lowest().or(above),
        };
        if let (true, Some(label)) = (label != above, label) {
            routes.push((trie.prefixes[place], label));
        }
        let halves = trie.halves[place];
        inherited.extend(std::iter::repeat_n(label, halves.count()));
        if let (Halves::Low | Halves::High, Entry::Exits(choice)) = (halves, entries[place]) {
            let wanted = &choices[choice as usize];
            let served = label.is_some_and(|label| wanted.contains(label));
            if let (false, Some(wanted)) = (served, wanted.lowest()) {
                let [low, high] = trie.prefixes[place].halves();
                routes.push((if halves == Halves::Low { high } else { low }, wanted));
            }
        }
    }
    routes
}

/// Returns the set of labels of every place, from the leaves up.
fn sets<S: Labels>(trie: &Trie, entries: &[Entry], choices: &[S]) -> Vec<S> {
    let mut sets = vec![S::none(); entries.len()];
    let mut below: Vec<S> = vec![];
    for (place, halves) in trie.halves.iter().enumerate().rev() {
        // Invariant: the sets of the halves of a place have been pushed before, the low half last.
        let mut half = || below.pop().expect("the set of a half");
        // The set for the addresses that are in no longer prefix.
        let rest = || match entries[place] {
            Entry::Exits(choice) => choices[choice as usize].clone(),
            _ => S::none(),
        };
        let set = match halves {
            Halves::Neither => rest(),
            Halves::Low | Halves::High => half().join(&rest()),
            Halves::Both => half().join(&half()),
        };
        let covered = matches!(entries[place], Entry::Foreign | Entry::Local);
        let set = if covered { S::any() } else { set };
        below.push(set.clone());
        sets[place] = set;
    }
    sets
}
