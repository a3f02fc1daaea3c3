//! Nodes that have failed: nothing runs in them until they work again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use netloom_nodes::Killed;
use netloom_units::Time;

use super::LiveNetwork;

/// The failures of an experiment's nodes.
#[derive(Debug, Default)]
pub struct Failures(Mutex<HashMap<String, Failure>>);

#[derive(Debug)]
struct Failure {
    /// When the node failed last.
    at: Time,
    /// Whether it works again.
    is_over: bool,
}

impl Failures {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Failure>> {
        // Each step leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveNetwork {
    /// Has a node fail: all its processes are killed, and none is started until
    /// [`recover`](Self::recover). Its links are the caller's.
    pub fn fail(&self, node: &str) -> Result<Killed> {
        // First, so that what is under way starts nothing behind our back.
        let failure = Failure { at: self.now(), is_over: false };
        self.failures.lock().insert(node.into(), failure);
        self.with(|live| Ok(live.network.kill_processes(node)?))
    }

    /// Has a node work again; whether it had failed.
    pub fn recover(&self, node: &str) -> bool {
        let mut failures = self.failures.lock();
        let failure = failures.get_mut(node).filter(|failure| !failure.is_over);
        failure.map(|failure| failure.is_over = true).is_some()
    }

    /// Whether a node has failed since `time`.
    pub fn has_failed_since(&self, node: &str, time: Time) -> bool {
        self.failures.lock().get(node).is_some_and(|failure| failure.at >= time)
    }

    /// An error if a node has failed, and does not work again.
    pub(super) fn check_works(&self, node: &str) -> Result<()> {
        if self.failures.lock().get(node).is_some_and(|failure| !failure.is_over) {
            bail!("node `{node}` has failed: nothing runs in it until its `state` is `up` again");
        }
        Ok(())
    }
}
