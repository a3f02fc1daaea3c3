//! Where services stand.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use netloom_api::state::{ServiceState, ServiceStatus};

use super::NodeStart;

/// The services of an experiment, and where their output is.
#[derive(Debug, Default)]
pub struct Services {
    logs: PathBuf,
    idle: bool,
    rows: Mutex<Vec<ServiceStatus>>,
}

impl Services {
    /// Services of which none has been started. Their output will be in `logs`.
    pub fn new(starts: &[NodeStart], logs: PathBuf) -> Self {
        let rows = starts.iter().flat_map(|start| {
            start.services.iter().map(|service| ServiceStatus {
                service: service.name.clone(),
                node: start.node.clone(),
                state: ServiceState::Waiting,
                log: log(&logs, &service.name, &start.node),
            })
        });
        Self { rows: Mutex::new(rows.collect()), idle: starts.is_empty(), logs }
    }

    /// Whether nothing runs from the start, not even a command.
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    /// All of them, by node.
    pub fn rows(&self) -> Vec<ServiceStatus> {
        self.lock().clone()
    }

    /// Where one stands now.
    pub fn set(&self, service: &str, node: &str, state: ServiceState) {
        let mut rows = self.lock();
        if let Some(row) = rows.iter_mut().find(|row| row.service == service && row.node == node) {
            row.state = state;
        }
    }

    /// The directory of all output.
    pub fn logs(&self) -> &Path {
        &self.logs
    }

    /// The file with the output of `what` in `node`.
    pub fn log(&self, what: &str, node: &str) -> PathBuf {
        log(&self.logs, what, node)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ServiceStatus>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn log(logs: &Path, what: &str, node: &str) -> PathBuf {
    logs.join(format!("{what}@{node}.log"))
}
