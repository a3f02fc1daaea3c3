//! Shares of the parties in something, and the division of a sum of which only the whole was
//! observed. The parts always add up to the whole exactly.

use std::collections::BTreeMap;

use crate::names::Names;
use crate::party::{Party, Who};
use crate::signal::Share;

/// Amounts by party.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shares(BTreeMap<Party, u64>);

impl Shares {
    #[inline]
    pub fn add(&mut self, party: Party, amount: u64) {
        if amount > 0 {
            let sum = self.0.entry(party).or_default();
            *sum = sum.saturating_add(amount);
        }
    }

    pub fn add_all(&mut self, other: &Self) {
        for (party, amount) in &other.0 {
            self.add(*party, *amount);
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn total(&self) -> u64 {
        self.0.values().fold(0, |sum, amount| sum.saturating_add(*amount))
    }

    /// Divides the part of `whose` in the proportions of `weights`, which keeps the total. Without
    /// weights it stays with `whose`.
    pub fn divided(mut self, whose: Party, weights: &Self) -> Self {
        if weights.0.is_empty() {
            return self;
        }
        let Some(part) = self.0.remove(&whose) else { return self };
        for (party, amount) in apportion(part, weights) {
            self.add(party, amount);
        }
        self
    }

    /// The shares by name, the heaviest first: at most `most`, and the others as one.
    pub fn reported(&self, names: &Names, most: usize) -> Vec<Share> {
        let total = self.total();
        let mut parties: Vec<(Party, u64)> = self.0.iter().map(|(p, a)| (*p, *a)).collect();
        parties.sort_by_key(|(party, amount)| (std::cmp::Reverse(*amount), *party));
        let others: u64 = parties.iter().skip(most).map(|(_, amount)| amount).sum();
        parties.truncate(most);
        let named = parties.into_iter().map(|(party, amount)| (names.who(party), amount));
        let others = (others > 0).then_some((Who::Others, others));
        named
            .chain(others)
            .map(|(who, amount)| Share { who, amount, share: amount as f64 / total as f64 })
            .collect()
    }
}

/// Divides `total` in the proportions of `weights` into whole units, by largest remainders. There
/// must be weights.
fn apportion(total: u64, weights: &Shares) -> Vec<(Party, u64)> {
    let sum: u128 = weights.0.values().map(|weight| u128::from(*weight)).sum();
    let exact = |weight: u64| u128::from(total) * u128::from(weight);
    // The quotient is at most `total`.
    let mut parts: Vec<(Party, u64, u128)> = weights
        .0
        .iter()
        .map(|(party, weight)| (*party, (exact(*weight) / sum) as u64, exact(*weight) % sum))
        .collect();
    parts.sort_by_key(|(party, _, remainder)| (std::cmp::Reverse(*remainder), *party));
    let given: u64 = parts.iter().map(|(_, part, _)| part).sum();
    // Fewer units are left than there are parts.
    for (_, part, _) in parts.iter_mut().take((total - given) as usize) {
        *part += 1;
    }
    parts.into_iter().map(|(party, part, _)| (party, part)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shares(amounts: &[u64]) -> Shares {
        let mut shares = Shares::default();
        for (node, amount) in (0..).zip(amounts) {
            shares.add(Party::Node(node), *amount);
        }
        shares
    }

    proptest! {
        /// A division keeps the total, and every part is less than one unit away from its
        /// proportion.
        #[test]
        fn division_is_exact(
            known in prop::collection::vec(0u64..1 << 40, 0..6),
            unattributed in 0u64..1 << 50,
            weights in prop::collection::vec(0u64..1 << 50, 0..20),
        ) {
            let mut whole = shares(&known);
            whole.add(Party::Unattributed, unattributed);
            let weights = shares(&weights);
            let divided = whole.clone().divided(Party::Unattributed, &weights);
            prop_assert_eq!(divided.total(), whole.total());
            for (party, weight) in &weights.0 {
                let part = divided.0.get(party).unwrap_or(&0)
                    - whole.0.get(party).unwrap_or(&0);
                let product = u128::from(unattributed) * u128::from(*weight);
                let sum = u128::from(weights.total());
                prop_assert!((u128::from(part) * sum).abs_diff(product) < sum);
            }
        }

        /// Reported shares add up, however short the list.
        #[test]
        fn lists_add_up(amounts in prop::collection::vec(0u64..1 << 40, 0..20), most in 1usize..8) {
            let shares = shares(&amounts);
            let reported = shares.reported(&Names::default(), most);
            prop_assert_eq!(reported.iter().map(|share| share.amount).sum::<u64>(), shares.total());
            prop_assert!(reported.len() <= most + 1);
            let named = reported.iter().filter(|share| share.who != Who::Others);
            prop_assert!(named.map(|share| share.amount).is_sorted_by(|a, b| a >= b));
        }
    }
}
