//! The smallest table that forwards every address as the given one permits.
//!
//! This is ORTC (Draves, King, Venkatachary and Zill 1999, "Constructing Optimal IP Routing
//! Tables"): from the leaves up, the set of labels that serve a prefix at the least cost; from the
//! root down, a route wherever what comes from above does not serve. Beyond it:
//!
//! - A destination may permit several exits, of which the table takes one: its leaf has a set of
//!   labels from the start.
//! - Addresses without a route stay without one, at no cost: no route is ever put above them.
//! - Prefixes for which the node has a route that is not ours (the kernel's for its networks, the
//!   scenario's own) are left alone. What is inside and has no destination follows that route;
//!   from outside, they can be covered by any.
//! - The node's own addresses never reach the table, so they can be covered by any, too.

use crate::cidr::Cidr;

use super::labels::{FEW, Label, Labels};
use super::trie::{Halves, Trie};

/// What a table says of exactly one prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Nothing: its addresses go as those around it do.
    Absent,
    /// They leave by one of these exits.
    Exits(Choice),
    /// There is a route of somebody else by this prefix.
    Foreign,
    /// It is an address of the node's own.
    Local,
}

/// Index of a set of labels that an entry may choose from.
pub(super) type Choice = u32;

/// The sets that entries choose from: ascending, none empty, of labels below `labels`.
pub(super) struct Choices {
    pub sets: Vec<Box<[Label]>>,
    pub labels: usize,
}

/// The smallest table for `entries` (by place in `trie`), in the order of prefixes.
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

/// Tells every place without an entry how the addresses in it go that are in no longer prefix: as
/// the prefix around it says. Absent are then those that go by no route of ours.
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

/// The routes, from the root down: one wherever what comes from above does not serve.
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

/// The set of every place, from the leaves up.
fn sets<S: Labels>(trie: &Trie, entries: &[Entry], choices: &[S]) -> Vec<S> {
    let mut sets = vec![S::none(); entries.len()];
    let mut below: Vec<S> = vec![];
    for (place, halves) in trie.halves.iter().enumerate().rev() {
        // Invariant: what is in the halves of a place has been pushed before, the low half last.
        let mut half = || below.pop().expect("the set of a half");
        // Of the addresses that are in no longer prefix.
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
