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
use netloom_nodes::{InterfaceState, Network};
use netloom_scenario::Endpoint;

/// How long an interface may take to run again once its carrier is back.
const PATIENCE: Duration = Duration::from_millis(100);

/// The account of one experiment.
#[derive(Debug, Default)]
pub struct Overflow {
    account: Mutex<Account>,
    turn: Mutex<()>,
    /// Interfaces that the engine does not read.
    direct: HashSet<Endpoint>,
}

#[derive(Debug, Default)]
struct Account {
    /// Interfaces without a carrier, and what each had dropped when it lost it.
    cut: HashMap<Endpoint, u64>,
    /// What interfaces have dropped while they had none.
    excused: HashMap<Endpoint, u64>,
}

impl Overflow {
    /// An account that begins with interfaces without a carrier. What those with a direct link drop is not
    /// the engine's.
    pub fn new(
        cut: impl IntoIterator<Item = Endpoint>,
        direct: impl IntoIterator<Item = Endpoint>,
    ) -> Self {
        let cut = cut.into_iter().map(|endpoint| (endpoint, 0)).collect();
        Self {
            account: Mutex::new(Account { cut, excused: HashMap::new() }),
            turn: Mutex::default(),
            direct: direct.into_iter().collect(),
        }
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
    pub fn dropped(&self, network: &Network) -> Result<HashMap<Endpoint, u64>> {
        let states = network.interfaces()?;
        let account = self.account();
        let dropped = states.iter().map(|state| {
            let endpoint = endpoint(state);
            let counted = account.cut.get(&endpoint).copied().unwrap_or(state.dropped);
            let excused = account.excused.get(&endpoint).copied().unwrap_or(0);
            (endpoint, counted.saturating_sub(excused))
        });
        let is_ours =
            |(endpoint, frames): &(Endpoint, u64)| *frames > 0 && !self.direct.contains(endpoint);
        Ok(dropped.filter(is_ours).collect())
    }

    /// Some interfaces have lost their carrier; `before` is how they were before they did.
    pub fn lost(&self, before: &Look, interfaces: &[Endpoint]) {
        let mut account = self.account();
        for endpoint in interfaces {
            let dropped = before.get(endpoint).map_or(0, |state| state.dropped);
            account.cut.entry(endpoint.clone()).or_insert(dropped);
        }
    }

    /// Some interfaces have their carrier back. Waits until the kernel uses them again.
    pub fn restored(&self, network: &Network, interfaces: &[Endpoint]) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let mut states = look(network, interfaces)?;
        // An interface that its owner has taken down does not run again.
        while states.values().any(|state| !state.running) && Instant::now() < deadline {
            sleep(Duration::from_millis(1));
            states = look(network, interfaces)?;
        }
        // The kernel calls an interface running a moment before it uses its queue again.
        sleep(Duration::from_millis(1));
        let states = look(network, interfaces)?;
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

fn endpoint(state: &InterfaceState) -> Endpoint {
    Endpoint { node: state.node.clone(), interface: state.name.clone() }
}

/// Some interfaces at one moment.
pub type Look = HashMap<Endpoint, InterfaceState>;

/// The states of some interfaces.
pub fn look(network: &Network, interfaces: &[Endpoint]) -> Result<Look> {
    let mut nodes: Vec<&str> = interfaces.iter().map(|i| i.node.as_str()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let states = network.interfaces_of(nodes)?;
    let states = states.into_iter().map(|state| (endpoint(&state), state));
    Ok(states.filter(|(endpoint, _)| interfaces.contains(endpoint)).collect())
}
