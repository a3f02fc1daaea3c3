//! Nodes that have failed. Nothing runs in them until they recover.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use netloom_units::Time;

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
    /// Records that a node has failed at `at`.
    pub fn begin(&self, node: &str, at: Time) {
        self.lock().insert(node.into(), Failure { at, is_over: false });
    }

    /// Records that a node works again. Returns whether it had failed.
    pub fn end(&self, node: &str) -> bool {
        let mut failures = self.lock();
        let failure = failures.get_mut(node).filter(|failure| !failure.is_over);
        failure.map(|failure| failure.is_over = true).is_some()
    }

    /// Whether a node has failed since `time`.
    pub fn has_failed_since(&self, node: &str, time: Time) -> bool {
        self.lock().get(node).is_some_and(|failure| failure.at >= time)
    }

    /// Returns an error if a node has failed and has not recovered.
    pub fn check_works(&self, node: &str) -> Result<()> {
        if self.lock().get(node).is_some_and(|failure| !failure.is_over) {
            bail!("node `{node}` has failed: nothing runs in it until its `state` is `up` again");
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Failure>> {
        // Each step leaves the map whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
