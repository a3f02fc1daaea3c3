//! The network as it is drawn: the scenario in force, its plan, and how its parts are numbered. Replaced as a whole
//! when the scenario is changed while the network runs. Not here: the network itself.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use netloom_fabric::LinkId;
use netloom_nodes::Network;
use netloom_plan::Plan;
use netloom_scenario::{Endpoint, Link, Scenario};

use crate::overflow::Look;

/// What is in force.
pub struct Drawn {
    /// What it was made from.
    pub scenario: Scenario,
    /// Every address and route.
    pub plan: Plan,
    /// The scenario's file.
    pub file: PathBuf,
    /// The identities of links that the data plane has, by name. None changes, and none is given
    /// again, as long as the experiment lives.
    pub links: HashMap<String, LinkId>,
    /// The nodes' numbers, by name: for the monitor, and of switches in the data plane. None changes,
    /// and none is given again, as long as the experiment lives.
    pub numbers: HashMap<String, u32>,
    /// The ends of direct links when their devices were new.
    pub direct_at_start: Look,
}

/// Gives every node and every link that there ever was a number of its own.
#[derive(Debug, Default)]
pub struct Numbers {
    nodes: Names,
    links: Names,
}

/// Names, each at its number.
#[derive(Debug, Default)]
struct Names(Mutex<Vec<String>>);

/// The numbers of the nodes and links of one scenario.
#[derive(Debug)]
pub struct Numbered {
    nodes: HashMap<String, u32>,
    links: HashMap<String, LinkId>,
}

impl Numbers {
    /// The numbers of what is in `scenario`; what is new gets new ones, in order.
    pub fn of(&self, scenario: &Scenario) -> Numbered {
        let nodes = scenario.nodes.iter().map(|node| node.name.as_str());
        let links = scenario.modelled_links().map(|link| link.name.as_str());
        let links = self.links.of(links).into_iter();
        Numbered {
            nodes: self.nodes.of(nodes),
            links: links.map(|(name, number)| (name, LinkId(number))).collect(),
        }
    }

    /// The names of all nodes so far, each at its number.
    pub fn names(&self) -> Vec<String> {
        self.nodes.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Numbered {
    /// Whether the nodes are those of `drawn`, with the same numbers.
    pub fn has_nodes_of(&self, drawn: &Drawn) -> bool {
        self.nodes == drawn.numbers
    }
}

impl Names {
    fn of<'a>(&self, wanted: impl Iterator<Item = &'a str>) -> HashMap<String, u32> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known: HashMap<String, u32> =
            (0..).zip(&*names).map(|(n, s)| (s.clone(), n)).collect();
        let mut numbers = HashMap::new();
        for name in wanted {
            let number = *known.entry(name.to_owned()).or_insert_with(|| {
                names.push(name.to_owned());
                // More than that fit into no machine.
                u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
            });
            numbers.insert(name.to_owned(), number);
        }
        numbers
    }
}

impl Drawn {
    /// A network that is in force.
    pub fn new(scenario: Scenario, plan: Plan, numbered: Numbered, file: PathBuf) -> Self {
        let Numbered { nodes, links } = numbered;
        Self { scenario, plan, file, links, numbers: nodes, direct_at_start: Look::new() }
    }

    /// The link of that identity.
    pub fn link(&self, id: LinkId) -> Option<&Link> {
        let name = self.links.iter().find(|(_, link)| **link == id).map(|(name, _)| name)?;
        self.scenario.link(name)
    }

    /// The links that the data plane has, each with its identity, in the order of the scenario.
    pub fn modelled_links(&self) -> impl Iterator<Item = (LinkId, &Link)> {
        let links = self.scenario.modelled_links();
        links.filter_map(|link| Some((*self.links.get(&link.name)?, link)))
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
