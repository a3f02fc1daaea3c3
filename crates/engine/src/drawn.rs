//! The network as it is drawn: the scenario in force, its plan, and how its parts are numbered. Replaced as a whole
//! when the scenario is changed while the network runs. Not here: the network itself.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use netloom_nodes::Network;
use netloom_plan::Plan;
use netloom_scenario::{Endpoint, Scenario};

use crate::overflow::Look;

/// What is in force.
pub struct Drawn {
    /// What it was made from.
    pub scenario: Scenario,
    /// Every address and route.
    pub plan: Plan,
    /// The scenario's file.
    pub file: PathBuf,
    /// The data plane's links: their numbers there, by name.
    pub links: HashMap<String, usize>,
    /// The nodes' numbers, by name: for the monitor, and of switches in the data plane. None changes, and none is
    /// given again, as long as the experiment lives.
    pub numbers: HashMap<String, u32>,
    /// The ends of direct links when their devices were new.
    pub direct_at_start: Look,
}

/// Gives every node that there ever was a number of its own.
#[derive(Debug, Default)]
pub struct Numbers(Mutex<Vec<String>>);

impl Numbers {
    /// The numbers of the nodes of `scenario`; nodes that are new get new ones, in order.
    pub fn of(&self, scenario: &Scenario) -> HashMap<String, u32> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known: HashMap<String, u32> =
            (0..).zip(&*names).map(|(n, s)| (s.clone(), n)).collect();
        let mut numbers = HashMap::with_capacity(scenario.nodes.len());
        for node in &scenario.nodes {
            let number = *known.entry(node.name.clone()).or_insert_with(|| {
                names.push(node.name.clone());
                // More nodes than that fit into no machine.
                u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
            });
            numbers.insert(node.name.clone(), number);
        }
        numbers
    }

    /// All names so far, each at its number.
    pub fn names(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drawn {
    /// A network that is in force.
    pub fn new(
        scenario: Scenario,
        plan: Plan,
        numbers: HashMap<String, u32>,
        file: PathBuf,
    ) -> Self {
        let links =
            scenario.modelled_links().enumerate().map(|(i, l)| (l.name.clone(), i)).collect();
        Self { scenario, plan, file, links, numbers, direct_at_start: Look::new() }
    }

    /// The number of a node.
    pub fn number(&self, node: &str) -> Option<u32> {
        self.numbers.get(node).copied()
    }

    /// The nodes' numbers by the inodes of their network namespaces; switches have none.
    pub fn namespaces(&self, network: &Network) -> HashMap<u64, u32> {
        let found = self.scenario.nodes.iter().filter_map(|node| {
            Some((network.namespace_inode(&node.name)?, self.number(&node.name)?))
        });
        found.collect()
    }

    /// The ends of direct links.
    pub fn direct_ends(&self) -> Vec<Endpoint> {
        let direct = self.scenario.links.iter().filter(|link| link.direct);
        direct.flat_map(|link| link.endpoints.clone()).collect()
    }
}
