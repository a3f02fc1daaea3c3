//! Blocks of addresses, which are taken in ascending order around addresses that are already in
//! use.

use crate::cidr::Cidr;

/// A range of addresses from which blocks are taken.
pub(crate) struct Pool {
    range: Cidr,
    next: u128,
    /// Ranges that are already taken (first, last), ascending and disjoint.
    taken: Vec<(u128, u128)>,
}

impl Pool {
    /// Creates a pool of the addresses of `range` from its `start`th on, without those of `taken`.
    pub fn new(range: Cidr, start: u128, taken: impl Iterator<Item = Cidr>) -> Self {
        let mut ranges: Vec<_> = taken
            .filter(|cidr| cidr.family == range.family)
            .map(|cidr| (cidr.first(), cidr.last()))
            .collect();
        ranges.sort_unstable();
        let mut disjoint: Vec<(u128, u128)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match disjoint.last_mut() {
                Some(previous) if first <= previous.1 => previous.1 = previous.1.max(last),
                _ => disjoint.push((first, last)),
            }
        }
        Self { range, next: range.first() + start, taken: disjoint }
    }

    /// The whole range.
    pub fn range(&self) -> Cidr {
        self.range
    }

    /// Takes the next free block with a prefix of `length` bits; `None` if there is none.
    pub fn take(&mut self, length: u8) -> Option<Cidr> {
        if length < self.range.length {
            return None;
        }
        let size = 1u128 << (self.range.family.width() - length);
        let mut first = self.next;
        loop {
            first = first.checked_next_multiple_of(size)?;
            let last = first.checked_add(size - 1)?;
            if last > self.range.last() {
                return None;
            }
            let after = self.taken.partition_point(|taken| taken.1 < first);
            match self.taken.get(after) {
                Some(taken) if taken.0 <= last => first = taken.1.checked_add(1)?,
                _ => {
                    self.next = last + 1;
                    return Some(Cidr { family: self.range.family, bits: first, length });
                }
            }
        }
    }
}
