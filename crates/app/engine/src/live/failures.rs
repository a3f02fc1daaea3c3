//! Nodes that have failed. Nothing runs in them until they recover.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use netloom_nodes::Killed;
use netloom_scenario::Disk;
use netloom_units::Time;

use super::LiveNetwork;

/// The failures of an experiment's nodes.
#[derive(Debug, Default)]
pub struct Failures(Mutex<HashMap<String, Failure>>);

#[derive(Debug)]
struct Failure {
    /// Time of the node's last failure.
    at: Time,
    /// Whether the node has recovered.
    is_over: bool,
}

impl Failures {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Failure>> {
        // Each step leaves the map whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LiveNetwork {
    /// Makes a node fail: kills all its processes, and starts none until
    /// [`recover`](Self::recover). `disk` says what becomes of its files. The caller handles its
    /// links.
    pub fn fail(&self, node: &str, disk: Disk) -> Result<Killed> {
        // Comes first, so that starts that are under way do not succeed meanwhile.
        let failure = Failure { at: self.now(), is_over: false };
        self.failures.lock().insert(node.into(), failure);
        self.with(|live| Ok(live.network.kill_processes(node, disk)?))
    }

    /// Makes a node work again. Returns whether it had failed.
    pub fn recover(&self, node: &str) -> bool {
        let mut failures = self.failures.lock();
        let failure = failures.get_mut(node).filter(|failure| !failure.is_over);
        failure.map(|failure| failure.is_over = true).is_some()
    }

    /// Whether a node has failed since `time`.
    pub fn has_failed_since(&self, node: &str, time: Time) -> bool {
        self.failures.lock().get(node).is_some_and(|failure| failure.at >= time)
    }

    /// Returns an error if a node has failed and has not recovered.
    pub(super) fn check_works(&self, node: &str) -> Result<()> {
        if self.failures.lock().get(node).is_some_and(|failure| !failure.is_over) {
            bail!("node `{node}` has failed: nothing runs in it until its `state` is `up` again");
        }
        Ok(())
    }
}
