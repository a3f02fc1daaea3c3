//! Counts frames from outside that were not read in time, at the ends of links that the engine
//! reads by packet sockets. Not here: those of nodes' interfaces (`overflow`).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use netloom_ports::Losses;
use netloom_scenario::Endpoint;

/// The account of one experiment.
#[derive(Debug, Default)]
pub struct LostOutside(Mutex<Account>);

#[derive(Debug, Default)]
struct Account {
    open: HashMap<Endpoint, Losses>,
    /// Counts of ends that no longer exist.
    gone: HashMap<Endpoint, u64>,
}

impl LostOutside {
    /// Counts the losses at an end from now on.
    pub fn watch(&self, end: Endpoint, losses: Losses) {
        self.account().open.insert(end, losses);
    }

    /// Removes an end that is about to go. Its losses stay in the account.
    pub fn forget(&self, end: &Endpoint) {
        let mut account = self.account();
        if let Some(mut losses) = account.open.remove(end) {
            *account.gone.entry(end.clone()).or_default() += losses.count();
        }
    }

    /// Returns the number of frames lost so far, for each end that lost any.
    pub fn frames(&self) -> HashMap<Endpoint, u64> {
        let mut account = self.account();
        let mut lost = account.gone.clone();
        for (end, losses) in &mut account.open {
            *lost.entry(end.clone()).or_default() += losses.count();
        }
        lost.retain(|_, frames| *frames > 0);
        lost
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
