//! Sets of a node's edges.

/// Edges of one node, by index: bit `e % 64` of word `e / 64` stands for edge `e`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct EdgeSet(Vec<u64>);

impl EdgeSet {
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Adds the edges of `words`, which have the format of a set.
    pub fn add(&mut self, words: &[u64]) {
        self.0.resize(words.len(), 0);
        add(&mut self.0, words);
    }

    /// Returns the edges in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let edge = (left != 0).then(|| 64 * index + left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                edge
            })
        })
    }
}

/// Adds the edges of `other` to those of `words`, which has the same length.
pub(super) fn add(words: &mut [u64], other: &[u64]) {
    for (word, other) in words.iter_mut().zip(other) {
        *word |= other;
    }
}
