//! Sets of switches that are joined by links.

/// Sets of joined switches, which are identified by their indices in a list (union-find with path
/// halving; Tarjan and van Leeuwen 1984).
#[derive(Debug, Clone)]
pub struct JoinedSwitches(Vec<usize>);

impl JoinedSwitches {
    /// Creates sets of which each contains one switch.
    pub fn new(switches: usize) -> Self {
        Self((0..switches).collect())
    }

    /// Joins two switches. Returns whether they were not joined before.
    pub fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.first_of(a), self.first_of(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }

    /// Returns the first switch in the set of `switch`, which is the same for the whole set.
    pub fn first_of(&mut self, mut switch: usize) -> usize {
        while self.0[switch] != switch {
            self.0[switch] = self.0[self.0[switch]];
            switch = self.0[switch];
        }
        switch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_are_joined_have_the_same_first() {
        let mut joined = JoinedSwitches::new(6);
        assert!(joined.join(4, 1) && joined.join(0, 1) && joined.join(3, 2));
        assert!(!joined.join(0, 4), "they are joined by 1");
        let firsts: Vec<usize> = (0..6).map(|switch| joined.first_of(switch)).collect();
        assert_eq!(firsts, [0, 0, 2, 2, 0, 5]);
    }
}
