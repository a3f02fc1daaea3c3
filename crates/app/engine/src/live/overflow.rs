//! Counts frames that a node's interface dropped because the engine did not read them in time.
//!
//! The kernel counts them together with the frames that an interface drops while it has no carrier.
//! Those drops belong to the model: a cut link loses frames as an unplugged cable would. Drops
//! between the loss of a carrier and the moment when the interface runs again are therefore left
//! out.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;
use netloom_nodes::Network;
use netloom_scenario::Endpoint;

use crate::deployment::{Deployment, is_cut};
use crate::interfaces::{InterfaceStates, states};

/// Longest time for an interface to run again once its carrier is back.
const PATIENCE: Duration = Duration::from_millis(100);

/// The account of one experiment.
#[derive(Debug, Default)]
pub struct Overflow {
    account: Mutex<Account>,
    turn: Mutex<()>,
}

#[derive(Debug, Default)]
struct Account {
    /// Interfaces without a carrier, each with its drops at the time when it lost the carrier.
    cut: HashMap<Endpoint, u64>,
    /// Drops of each interface while it had no carrier.
    excused: HashMap<Endpoint, u64>,
    /// Drops of interfaces that no longer exist, by name.
    gone: HashMap<Endpoint, u64>,
}

impl Overflow {
    /// Makes the account of a network that has just come up, whose cut links have no carrier.
    pub fn new(deployment: &Deployment) -> Self {
        let cut = deployment.mine.scenario.links.iter().filter(|link| is_cut(link));
        let cut = cut.flat_map(|link| deployment.interfaces_of(link));
        let cut = cut.map(|endpoint| (endpoint, 0)).collect();
        let account = Account { cut, ..Account::default() };
        Self { account: Mutex::new(account), turn: Mutex::default() }
    }

    /// Removes interfaces that are about to go. Their drops stay in the account.
    pub fn forget(&self, network: &Network, interfaces: &[Endpoint]) -> Result<()> {
        let states = states(network, interfaces)?;
        let mut account = self.account();
        for (endpoint, state) in states {
            let dropped = account.dropped(&endpoint, state.dropped);
            account.cut.remove(&endpoint);
            account.excused.remove(&endpoint);
            account.gone.insert(endpoint, dropped);
        }
        Ok(())
    }

    /// Lock for changes of carriers, so that changes do not mix.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of frames dropped so far because the engine did not read them in time,
    /// for each interface that dropped any.
    pub fn dropped(
        &self,
        deployment: &Deployment,
        network: &Network,
    ) -> Result<HashMap<Endpoint, u64>> {
        let counted = network.counters().dropped()?;
        // The engine does not read the interfaces of direct links, so their drops do not count.
        let direct: HashSet<Endpoint> = deployment.direct_ends().into_iter().collect();
        let account = self.account();
        let mut dropped = account.gone.clone();
        for (endpoint, frames) in counted {
            if !direct.contains(&endpoint) {
                let frames = account.dropped(&endpoint, frames);
                dropped.insert(endpoint, frames);
            }
        }
        dropped.retain(|_, frames| *frames > 0);
        Ok(dropped)
    }

    /// Records that interfaces have lost their carrier. `before` has their states before that.
    pub fn lost(&self, before: &InterfaceStates, interfaces: &[Endpoint]) {
        let mut account = self.account();
        for endpoint in interfaces {
            let dropped = before.get(endpoint).map_or(0, |state| state.dropped);
            account.cut.entry(endpoint.clone()).or_insert(dropped);
        }
    }

    /// Records that interfaces have their carrier back. Waits until the kernel uses them again.
    pub fn restored(&self, network: &Network, interfaces: &[Endpoint]) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut found = states(network, interfaces)?;
        // An interface that its owner has set down does not run again.
        while found.values().any(|state| !state.running) && Instant::now() < deadline {
            sleep(Duration::from_millis(1));
            found = states(network, interfaces)?;
        }
        // The kernel reports an interface as running a moment before it uses its queue again.
        sleep(Duration::from_millis(1));
        let states = states(network, interfaces)?;
        let mut account = self.account();
        for (endpoint, state) in states {
            if let Some(before) = account.cut.remove(&endpoint) {
                let excused = state.dropped.saturating_sub(before);
                *account.excused.entry(endpoint).or_default() += excused;
            }
        }
        Ok(())
    }
}

impl Account {
    /// Returns the drops of an interface that count, where the kernel has counted `counted`.
    fn dropped(&self, endpoint: &Endpoint, counted: u64) -> u64 {
        let of = |frames: &HashMap<Endpoint, u64>| frames.get(endpoint).copied();
        let counted = of(&self.cut).unwrap_or(counted);
        counted.saturating_sub(of(&self.excused).unwrap_or(0)) + of(&self.gone).unwrap_or(0)
    }
}
