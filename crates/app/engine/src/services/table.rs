//! Where services stand, and who may say so.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use netloom_api::state::{ServiceState, ServiceStatus};

use super::NodeStart;

/// Where the services of an experiment stand, and where their output is.
#[derive(Debug, Default)]
pub struct ServiceTable {
    logs: Logs,
    idle: bool,
    table: Mutex<Table>,
}

/// The directory of what services print.
#[derive(Debug, Default)]
pub struct Logs {
    /// As people know it.
    pub shown: PathBuf,
    /// As the engine reaches it.
    pub reached: PathBuf,
    /// Whether all of it is kept, as a run's is, or its beginning and end.
    pub whole: bool,
}

#[derive(Debug, Default)]
struct Table {
    /// In the order in which they came.
    rows: Vec<(ServiceStatus, Tenure)>,
    /// What runs from the start, by node.
    starts: HashMap<String, NodeStart>,
}

/// The time for which a service is the one of its name in its node: reports from one that has been
/// replaced are ignored.
#[derive(Debug, Clone, Default)]
pub struct Tenure(Arc<AtomicBool>);

impl Tenure {
    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl ServiceTable {
    /// Services of which none has been started. Their output will be in `logs`.
    pub fn new(starts: &[NodeStart], logs: Logs) -> Self {
        let services = Self { idle: starts.is_empty(), logs, table: Mutex::default() };
        starts.iter().for_each(|start| services.enter(start.clone()));
        services
    }

    /// Whether nothing ran from the start of the experiment, not even a command.
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    /// All of them, by node.
    pub fn rows(&self) -> Vec<ServiceStatus> {
        self.lock().rows.iter().map(|(row, _)| row.clone()).collect()
    }

    /// What runs in a node from the start.
    pub fn start_of(&self, node: &str) -> Option<NodeStart> {
        self.lock().starts.get(node).cloned()
    }

    /// What is to run in a node from the start that has been made; with logs of its own.
    pub fn add(&self, start: NodeStart) {
        let names = start.services.iter().map(|service| service.name.as_str());
        for name in names.chain(["startup"]) {
            // What an earlier one printed is not this one's. None is fine.
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
            (status, Tenure::default())
        });
        let mut table = self.lock();
        table.rows.extend(rows);
        table.starts.insert(start.node.clone(), start);
    }

    /// What ran in a node from the start, which is about to go: reports of it are ignored.
    pub fn dismiss(&self, node: &str) -> Option<NodeStart> {
        let mut table = self.lock();
        table.rows.retain(|(row, tenure)| {
            let stays = row.node != node;
            if !stays {
                tenure.end();
            }
            stays
        });
        table.starts.remove(node)
    }

    /// What is to run in a node from now on. Those services of it that are called `again` are other
    /// ones now: where the earlier ones stood.
    pub fn replace(&self, start: NodeStart, again: &[String]) -> Vec<ServiceStatus> {
        let mut table = self.lock();
        let mut earlier = vec![];
        for (row, tenure) in &mut table.rows {
            if row.node == start.node && again.contains(&row.service) {
                std::mem::take(tenure).end();
                earlier.push(row.clone());
                row.state = ServiceState::Waiting;
            }
        }
        table.starts.insert(start.node.clone(), start);
        earlier
    }

    /// The node has failed, and all its services with it.
    pub fn fail(&self, node: &str) {
        self.set_all(node, &ServiceState::Failed { reason: "was killed with its node".into() });
    }

    /// The services of a node, which are to be started again; its startup commands are not, since
    /// what they have set up in the node's stack is still there.
    pub fn again(&self, node: &str) -> Option<NodeStart> {
        self.set_all(node, &ServiceState::Waiting);
        Some(NodeStart { startup: vec![], ..self.start_of(node)? })
    }

    /// Where all services of a node stand now: reports of those before are ignored.
    fn set_all(&self, node: &str, state: &ServiceState) {
        for (row, tenure) in &mut self.lock().rows {
            if row.node == node {
                std::mem::take(tenure).end();
                row.state = state.clone();
            }
        }
    }

    /// The time of a service that is there.
    pub fn tenure(&self, service: &str, node: &str) -> Option<Tenure> {
        let table = self.lock();
        let mut rows = table.rows.iter();
        let found = rows.find(|(row, _)| row.service == service && row.node == node);
        found.map(|(_, tenure)| tenure.clone())
    }

    /// Where one stands now, whose time this is.
    pub fn set(&self, service: &str, node: &str, tenure: &Tenure, state: ServiceState) {
        let mut table = self.lock();
        let mut rows = table.rows.iter_mut().map(|(row, _)| row);
        let row = rows.find(|row| row.service == service && row.node == node);
        if let Some(row) = row.filter(|_| !tenure.is_over()) {
            row.state = state;
        }
    }

    /// The directory of all output.
    pub fn logs(&self) -> &Path {
        &self.logs.reached
    }

    /// Whether all output is kept.
    pub fn keeps_all_output(&self) -> bool {
        self.logs.whole
    }

    /// The file with the output of `what` in `node`.
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
        let first = services.tenure("web", "a").unwrap();
        services.set("web", "a", &first, ready(7));
        assert_eq!(states(), [ready(7), waiting.clone()]);
        let earlier = services.replace(start("a"), &["web".into()]);
        assert_eq!(earlier.len(), 1);
        assert_eq!(earlier[0].state, ready(7));
        services.set("web", "a", &first, ready(8));
        assert!(first.is_over() && states() == [waiting.clone(), waiting.clone()]);
        let second = services.tenure("web", "a").unwrap();
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
        let first = services.tenure("web", "a").unwrap();
        services.fail("a");
        assert!(matches!(state(0), ServiceState::Failed { .. }) && first.is_over());
        assert_eq!(state(1), ServiceState::Waiting);
        let again = services.again("a").unwrap();
        assert!(again.startup.is_empty() && again.services.len() == 1);
        let second = services.tenure("web", "a").unwrap();
        services.set("web", "a", &first, ServiceState::Ready { pid: 7 });
        assert!(state(0) == ServiceState::Waiting && !second.is_over());
        services.set("web", "a", &second, ServiceState::Ready { pid: 8 });
        assert_eq!(state(0), ServiceState::Ready { pid: 8 });
        // The next start of the node runs them.
        assert_eq!(services.start_of("a").unwrap().startup.len(), 1);
        assert!(services.again("c").is_none());
    }
}
