//! Names of nodes in natural order: `n2` before `n10`.

use std::cmp::Ordering;

/// A node's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    name: String,
    /// Length of the name without the number at its end.
    prefix: usize,
}

impl Name {
    pub fn new(name: &str) -> Self {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        Self { name: name.into(), prefix }
    }

    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the part in front of the number, and the number without leading zeros.
    fn parts(&self) -> (&str, &str) {
        let (prefix, number) = self.name.split_at(self.prefix);
        (prefix, number.trim_start_matches('0'))
    }
}

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((prefix, number), (others, than)) = (self.parts(), other.parts());
        let by_number = || number.len().cmp(&than.len()).then_with(|| number.cmp(than));
        prefix.cmp(others).then_with(by_number).then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
