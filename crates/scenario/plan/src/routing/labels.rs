//! Sets of labels, which compression computes for the addresses below a prefix. A label stands for
//! an exit of the node.

/// Index of an exit.
pub(super) type Label = u32;

/// The labels that a prefix may inherit from above, at the least number of routes below it. There
/// are two special sets: any label will do (the addresses do not matter), or none (some of the
/// addresses must not be covered).
pub(super) trait Labels: Clone {
    fn any() -> Self;
    fn none() -> Self;
    /// Creates a set of `labels`, which are ascending.
    fn of(labels: &[Label]) -> Self;
    /// Returns the set of a prefix whose halves have these sets: the intersection, or the union if
    /// the intersection is empty; none if either is none.
    fn join(&self, other: &Self) -> Self;
    fn is_any(&self) -> bool;
    fn contains(&self, label: Label) -> bool;
    /// The lowest label; `None` if there is none, or if any will do.
    fn lowest(&self) -> Option<Label>;
}

/// Number of labels that fit into a [`u64`]. The highest bit is set only if any label will do.
pub(super) const FEW: usize = 63;

/// Bit `l` stands for label `l`, of which there are at most [`FEW`].
impl Labels for u64 {
    fn any() -> Self {
        Self::MAX
    }

    fn none() -> Self {
        0
    }

    fn of(labels: &[Label]) -> Self {
        labels.iter().fold(0, |set, label| set | 1 << label)
    }

    fn join(&self, other: &Self) -> Self {
        let either = if *self == 0 || *other == 0 { 0 } else { self | other };
        if self & other == 0 { either } else { self & other }
    }

    fn is_any(&self) -> bool {
        *self == Self::MAX
    }

    fn contains(&self, label: Label) -> bool {
        self & (1 << label) != 0
    }

    fn lowest(&self) -> Option<Label> {
        (*self != 0 && !self.is_any()).then(|| self.trailing_zeros())
    }
}

/// Any number of labels, ascending; `None` where any will do.
impl Labels for Option<Box<[Label]>> {
    fn any() -> Self {
        None
    }

    fn none() -> Self {
        Some(Box::default())
    }

    fn of(labels: &[Label]) -> Self {
        Some(labels.into())
    }

    fn join(&self, other: &Self) -> Self {
        let (Some(first), Some(second)) = (self, other) else {
            return self.clone().or_else(|| other.clone());
        };
        let both: Box<[Label]> =
            first.iter().copied().filter(|label| second.binary_search(label).is_ok()).collect();
        if !both.is_empty() || first.is_empty() || second.is_empty() {
            return Some(both);
        }
        let mut either: Vec<Label> = first.iter().chain(second).copied().collect();
        either.sort_unstable();
        Some(either.into())
    }

    fn is_any(&self) -> bool {
        self.is_none()
    }

    fn contains(&self, label: Label) -> bool {
        self.as_ref().is_none_or(|labels| labels.binary_search(&label).is_ok())
    }

    fn lowest(&self) -> Option<Label> {
        self.as_ref()?.first().copied()
    }
}
