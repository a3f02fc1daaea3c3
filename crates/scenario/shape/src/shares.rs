//! Shares: how much of something of the daemon each guest may have at once, so that what one user
//! does never takes it from another.

use std::collections::BTreeMap;

use crate::Owner;

/// One who has shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guest {
    /// Root, whom the limits of others leave room.
    Root,
    /// A user whom the policy allows.
    User(u32),
    /// All users whom the policy does not allow, together: one of them can be as many as it likes.
    Strangers,
}

impl Guest {
    /// Returns the guest that a user is.
    pub fn of(owner: &Owner, is_allowed: bool) -> Self {
        match (owner.is_root(), is_allowed) {
            (true, _) => Self::Root,
            (false, true) => Self::User(owner.uid),
            (false, false) => Self::Strangers,
        }
    }
}

/// Limits on shares of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most of it for root, in addition to what all others have.
    pub root: u64,
    /// Most of it for each user.
    pub user: u64,
    /// Most of it for all strangers together.
    pub strangers: u64,
    /// Most of it for all but root.
    pub all: u64,
}

/// What guests have of one kind.
#[derive(Debug)]
pub struct Shares {
    limits: Limits,
    taken: BTreeMap<Guest, u64>,
}

impl Shares {
    /// Makes shares of which nobody has any.
    pub fn new(limits: Limits) -> Self {
        Self { limits, taken: BTreeMap::new() }
    }

    /// Returns the largest share of a guest.
    pub fn limit(&self, guest: Guest) -> u64 {
        match guest {
            Guest::Root => self.limits.root,
            Guest::User(_) => self.limits.user.min(self.limits.all),
            Guest::Strangers => self.limits.strangers.min(self.limits.all),
        }
    }

    /// Returns what a guest has.
    pub fn of(&self, guest: Guest) -> u64 {
        self.taken.get(&guest).copied().unwrap_or_default()
    }

    /// Gives a guest `amount` more. Returns `false`, and changes nothing, if that is too much.
    #[must_use]
    pub fn take(&mut self, guest: Guest, amount: u64) -> bool {
        let fits = |taken: u64, most| taken.checked_add(amount).is_some_and(|sum| sum <= most);
        let others = self.taken.iter().filter(|(other, _)| **other != Guest::Root);
        let all = others.fold(0_u64, |sum, (_, taken)| sum.saturating_add(*taken));
        let is_root = guest == Guest::Root;
        if !fits(self.of(guest), self.limit(guest)) || !(is_root || fits(all, self.limits.all)) {
            return false;
        }
        if amount > 0 {
            *self.taken.entry(guest).or_default() += amount;
        }
        true
    }

    /// Takes `amount` back from a guest.
    pub fn give_back(&mut self, guest: Guest, amount: u64) {
        if let Some(taken) = self.taken.get_mut(&guest) {
            *taken = taken.saturating_sub(amount);
            if *taken == 0 {
                self.taken.remove(&guest);
            }
        }
    }
}
