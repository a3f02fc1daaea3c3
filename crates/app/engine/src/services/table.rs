//! The states of services, and who may set them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use netloom_api::state::{ServiceState, ServiceStatus};

use super::NodeStart;

/// The states of the services of an experiment, and the paths of their output.
#[derive(Debug, Default)]
pub struct ServiceTable {
    logs: Logs,
    idle: bool,
    table: Mutex<Table>,
}

/// The directory of the output of services.
#[derive(Debug, Default)]
pub struct Logs {
    /// Its path for users.
    pub shown: PathBuf,
    /// Its path for the engine.
    pub reached: PathBuf,
    /// Whether all output is kept, as in a run, or only its beginning and end.
    pub whole: bool,
}

#[derive(Debug, Default)]
struct Table {
    /// In the order of arrival.
    rows: Vec<(ServiceStatus, Generation)>,
    /// The programs that run from the start, by node.
    starts: HashMap<String, NodeStart>,
}

/// Token of a service instance, valid while it is the one of its name in its node. Reports from an
/// instance that has been replaced are ignored.
#[derive(Debug, Clone, Default)]
pub struct Generation(Arc<AtomicBool>);

impl Generation {
    /// Whether the instance has been replaced or removed.
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl ServiceTable {
    /// Makes a table of services of which none has been started. Their output will be in `logs`.
    pub fn new(starts: &[NodeStart], logs: Logs) -> Self {
        let services = Self { idle: starts.is_empty(), logs, table: Mutex::default() };
        starts.iter().for_each(|start| services.enter(start.clone()));
        services
    }

    /// Whether nothing ran from the start of the experiment, not even a command.
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    /// Returns all services with their states, by node.
    pub fn rows(&self) -> Vec<ServiceStatus> {
        self.lock().rows.iter().map(|(row, _)| row.clone()).collect()
    }

    /// Returns the programs that run in a node from the start.
    pub fn start_of(&self, node: &str) -> Option<NodeStart> {
        self.lock().starts.get(node).cloned()
    }

    /// Adds the programs of a node that has been made, with new logs.
    pub fn add(&self, start: NodeStart) {
        let names = start.services.iter().map(|service| service.name.as_str());
        for name in names.chain(["startup"]) {
            // The output of an earlier instance is not this one's. The file need not exist.
            let _ = fs::remove_file(self.log(name, &start.node));
        }
        self.enter(start);
    }

    fn enter(&self, start: NodeStart) {
        let rows = start.services.iter().map(|service| {
            let status = ServiceStatus {
                service: service.name.clone(),
                node: start.node.clone(),
                state: ServiceState::Waiting,
                log: log_in(&self.logs.shown, &service.name, &start.node),
            };
            (status, Generation::default())
        });
        let mut table = self.lock();
        table.rows.extend(rows);
        table.starts.insert(start.node.clone(), start);
    }

    /// Removes and returns the programs of a node that is about to be removed. Later reports from
    /// them are ignored.
    pub fn dismiss(&self, node: &str) -> Option<NodeStart> {
        let mut table = self.lock();
        table.rows.retain(|(row, generation)| {
            let stays = row.node != node;
            if !stays {
                generation.end();
            }
            stays
        });
        table.starts.remove(node)
    }

    /// Replaces the programs of a node. The services named in `again` get new instances; returns
    /// the states of the earlier ones.
    pub fn replace(&self, start: NodeStart, again: &[String]) -> Vec<ServiceStatus> {
        let mut table = self.lock();
        let mut earlier = vec![];
        for (row, generation) in &mut table.rows {
            if row.node == start.node && again.contains(&row.service) {
                std::mem::take(generation).end();
                earlier.push(row.clone());
                row.state = ServiceState::Waiting;
            }
        }
        table.starts.insert(start.node.clone(), start);
        earlier
    }

    /// Records that the node has failed, and all its services with it.
    pub fn fail(&self, node: &str) {
        self.set_all(node, &ServiceState::Failed { reason: "was killed with its node".into() });
    }

    /// Returns the services of a node, which are to be started again. Its startup commands are left
    /// out, since their effects on the node's stack are still there.
    pub fn again(&self, node: &str) -> Option<NodeStart> {
        self.set_all(node, &ServiceState::Waiting);
        Some(NodeStart { startup: vec![], ..self.start_of(node)? })
    }

    /// Sets the state of all services of a node. Reports from their earlier instances are ignored.
    fn set_all(&self, node: &str, state: &ServiceState) {
        for (row, generation) in &mut self.lock().rows {
            if row.node == node {
                std::mem::take(generation).end();
                row.state = state.clone();
            }
        }
    }

    /// Returns the token of an existing service.
    pub fn generation(&self, service: &str, node: &str) -> Option<Generation> {
        let table = self.lock();
        let mut rows = table.rows.iter();
        let found = rows.find(|(row, _)| row.service == service && row.node == node);
        found.map(|(_, generation)| generation.clone())
    }

    /// Sets the state of a service, if its token is still valid.
    pub fn set(&self, service: &str, node: &str, generation: &Generation, state: ServiceState) {
        let mut table = self.lock();
        let mut rows = table.rows.iter_mut().map(|(row, _)| row);
        let row = rows.find(|row| row.service == service && row.node == node);
        if let Some(row) = row.filter(|_| !generation.is_over()) {
            row.state = state;
        }
    }

    /// Returns the directory of all output.
    pub fn logs(&self) -> &Path {
        &self.logs.reached
    }

    /// Whether all output is kept.
    pub fn keeps_all_output(&self) -> bool {
        self.logs.whole
    }

    /// Returns the file with the output of `what` in `node`.
    pub fn log(&self, what: &str, node: &str) -> PathBuf {
        log_in(&self.logs.reached, what, node)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn log_in(logs: &Path, what: &str, node: &str) -> PathBuf {
    logs.join(format!("{what}@{node}.log"))
}

#[cfg(test)]
mod tests {
    use netloom_services::Service;

    use super::*;

    fn start(node: &str) -> NodeStart {
        let service = Service {
            name: "web".into(),
            wave: 0,
            needs: vec![],
            files: vec![],
            user: None,
            prepare: vec![],
            command: vec!["web".into()],
            ready: None,
            health: None,
        };
        NodeStart { node: node.into(), startup: vec![], services: vec![service] }
    }

    #[test]
    fn reports_of_a_service_that_was_replaced_are_ignored() {
        let services = ServiceTable::new(&[start("a"), start("b")], Logs::default());
        let states =
            || -> Vec<ServiceState> { services.rows().into_iter().map(|row| row.state).collect() };
        let (waiting, ready) = (ServiceState::Waiting, |pid| ServiceState::Ready { pid });
        let first = services.generation("web", "a").unwrap();
        services.set("web", "a", &first, ready(7));
        assert_eq!(states(), [ready(7), waiting.clone()]);
        let earlier = services.replace(start("a"), &["web".into()]);
        assert_eq!(earlier.len(), 1);
        assert_eq!(earlier[0].state, ready(7));
        services.set("web", "a", &first, ready(8));
        assert!(first.is_over() && states() == [waiting.clone(), waiting.clone()]);
        let second = services.generation("web", "a").unwrap();
        services.dismiss("a").unwrap();
        services.add(start("a"));
        services.set("web", "a", &second, ready(9));
        assert_eq!(states(), [waiting.clone(), waiting]);
        assert!(services.start_of("c").is_none() && services.dismiss("c").is_none());
    }

    #[test]
    fn services_of_a_node_that_has_failed_are_started_again_without_its_startup_commands() {
        let startup = vec![netloom_scenario::Command::Shell("ip route".into())];
        let starts = [NodeStart { startup, ..start("a") }, start("b")];
        let services = ServiceTable::new(&starts, Logs::default());
        let state = |of: usize| services.rows()[of].state.clone();
        let first = services.generation("web", "a").unwrap();
        services.fail("a");
        assert!(matches!(state(0), ServiceState::Failed { .. }) && first.is_over());
        assert_eq!(state(1), ServiceState::Waiting);
        let again = services.again("a").unwrap();
        assert!(again.startup.is_empty() && again.services.len() == 1);
        let second = services.generation("web", "a").unwrap();
        services.set("web", "a", &first, ServiceState::Ready { pid: 7 });
        assert!(state(0) == ServiceState::Waiting && !second.is_over());
        services.set("web", "a", &second, ServiceState::Ready { pid: 8 });
        assert_eq!(state(0), ServiceState::Ready { pid: 8 });
        // The next start of the node runs them.
        assert_eq!(services.start_of("a").unwrap().startup.len(), 1);
        assert!(services.again("c").is_none());
    }
}
