//! A binary trie of all prefixes of one family that occur in any table. All tables share it.

use std::collections::HashMap;

use crate::cidr::{Cidr, Family};

/// Index of a prefix in the trie.
pub(super) type PrefixIndex = u32;

/// The halves of a prefix in which there are longer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halves {
    Neither,
    Low,
    High,
    Both,
}

impl Halves {
    pub fn count(self) -> usize {
        match self {
            Self::Neither => 0,
            Self::Low | Self::High => 1,
            Self::Both => 2,
        }
    }
}

/// Prefixes in preorder: a prefix, then everything in its low half, then everything in its high
/// half. They are the prefixes from which the trie was made, and those at which they branch.
///
/// A chain of prefixes without branches is represented by its two ends. That is sufficient for
/// compression: what holds between them also holds at the upper end.
pub(super) struct Trie {
    pub prefixes: Vec<Cidr>,
    pub halves: Vec<Halves>,
    places: HashMap<Cidr, PrefixIndex>,
}

impl Trie {
    /// Creates the trie of `prefixes`, which are networks (no host bits) of `family`, in any order.
    pub fn new(family: Family, prefixes: impl Iterator<Item = Cidr>) -> Self {
        let mut sorted: Vec<Cidr> = prefixes.collect();
        sorted.sort_unstable();
        sorted.dedup();
        let places = HashMap::with_capacity(sorted.len());
        let mut trie = Self { prefixes: vec![], halves: vec![], places };
        trie.grow(family.default_route(), &sorted);
        trie
    }

    /// Returns the place of a prefix from which the trie was made.
    pub fn place(&self, prefix: Cidr) -> Option<PrefixIndex> {
        self.places.get(&prefix).copied()
    }

    /// Adds `prefix` and the prefixes below it: `sorted`, all of which it contains.
    fn grow(&mut self, prefix: Cidr, sorted: &[Cidr]) {
        let below = match sorted {
            [first, below @ ..] if *first == prefix => {
                // Invariant: there are at most four places for a prefix, and prefixes fit in memory
                // far below 2^30.
                let place =
                    PrefixIndex::try_from(self.prefixes.len()).expect("fewer than 2^32 places");
                self.places.insert(prefix, place);
                below
            }
            below => below,
        };
        let [_, high] = prefix.halves();
        let (low, high) = below.split_at(below.partition_point(|below| below.bits < high.bits));
        self.prefixes.push(prefix);
        self.halves.push(match (low.is_empty(), high.is_empty()) {
            (true, true) => Halves::Neither,
            (false, true) => Halves::Low,
            (true, false) => Halves::High,
            (false, false) => Halves::Both,
        });
        for half in [low, high] {
            if !half.is_empty() {
                self.descend(prefix.length + 1, half);
            }
        }
    }

    /// Adds the chain from a prefix of `length` bits down to the one at which `sorted` branch.
    fn descend(&mut self, length: u8, sorted: &[Cidr]) {
        let common = common_prefix(sorted);
        let links = usize::from(common.length - length).min(2);
        for length in &[length, common.length - 1][..links] {
            let link = Cidr { length: *length, ..common }.network();
            let [_, high] = link.halves();
            self.prefixes.push(link);
            self.halves.push(if common.bits < high.bits { Halves::Low } else { Halves::High });
        }
        self.grow(common, sorted);
    }
}

/// Returns the longest prefix that contains all of `sorted`.
fn common_prefix(sorted: &[Cidr]) -> Cidr {
    // The order is ascending: the first is the lowest and, of several that begin there, the
    // shortest.
    let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
    let unused = 128 - u32::from(first.family.width());
    let common = (first.bits ^ last.bits).leading_zeros() - unused;
    let length = u8::try_from(common).map_or(first.length, |common| common.min(first.length));
    Cidr { length, ..first }.network()
}
