//! Frames that a node's interface dropped because the engine did not read them in time.
//!
//! The kernel counts them together with those that an interface drops while it has no carrier,
//! which are the model's: a link that is cut loses them as a cable would. So what an interface
//! drops between losing its carrier and running again does not count here.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Result;
use netloom_nodes::Network;
use netloom_scenario::Endpoint;

use crate::deployment::{Deployment, is_cut};
use crate::interfaces::{InterfaceStates, states};

/// How long an interface may take to run again once its carrier is back.
const PATIENCE: Duration = Duration::from_millis(100);

/// The account of one experiment.
#[derive(Debug, Default)]
pub struct Overflow {
    account: Mutex<Account>,
    turn: Mutex<()>,
}

#[derive(Debug, Default)]
struct Account {
    /// Interfaces without a carrier, and what each had dropped when it lost it.
    cut: HashMap<Endpoint, u64>,
    /// What interfaces have dropped while they had none.
    excused: HashMap<Endpoint, u64>,
    /// What interfaces of these names had dropped that are there no more.
    gone: HashMap<Endpoint, u64>,
}

impl Overflow {
    /// An account of a network that has just come up, whose cut links have no carrier.
    pub fn new(deployment: &Deployment) -> Self {
        let cut = deployment.scenario.links.iter().filter(|link| is_cut(link));
        let cut = cut.flat_map(|link| deployment.interfaces_of(link));
        let cut = cut.map(|endpoint| (endpoint, 0)).collect();
        let account = Account { cut, ..Account::default() };
        Self { account: Mutex::new(account), turn: Mutex::default() }
    }

    /// Interfaces are about to be removed: what they have dropped stays in the account.
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

    /// Held by whoever changes carriers, so that changes do not mix.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frames dropped so far because the engine did not read them in time, for each interface that
    /// dropped any.
    pub fn dropped(
        &self,
        deployment: &Deployment,
        network: &Network,
    ) -> Result<HashMap<Endpoint, u64>> {
        let counted = network.dropped()?;
        // What those with a direct link drop is not the engine's.
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

    /// Some interfaces have lost their carrier; `before` is how they were before they did.
    pub fn lost(&self, before: &InterfaceStates, interfaces: &[Endpoint]) {
        let mut account = self.account();
        for endpoint in interfaces {
            let dropped = before.get(endpoint).map_or(0, |state| state.dropped);
            account.cut.entry(endpoint.clone()).or_insert(dropped);
        }
    }

    /// Some interfaces have their carrier back. Waits until the kernel uses them again.
    pub fn restored(&self, network: &Network, interfaces: &[Endpoint]) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut found = states(network, interfaces)?;
        // An interface that its owner has taken down does not run again.
        while found.values().any(|state| !state.running) && Instant::now() < deadline {
            sleep(Duration::from_millis(1));
            found = states(network, interfaces)?;
        }
        // The kernel calls an interface running a moment before it uses its queue again.
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
    /// What an interface has dropped that the kernel says has dropped so many frames.
    fn dropped(&self, endpoint: &Endpoint, counted: u64) -> u64 {
        let of = |frames: &HashMap<Endpoint, u64>| frames.get(endpoint).copied();
        let counted = of(&self.cut).unwrap_or(counted);
        counted.saturating_sub(of(&self.excused).unwrap_or(0)) + of(&self.gone).unwrap_or(0)
    }
}
