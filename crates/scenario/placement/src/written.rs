//! Placements as files: `plan -o` writes them, `plan --check` and `run --placement` read them.

use std::collections::HashSet;

use netloom_document::{Diagnostic, Diagnostics, Dialect, Entries, Spanned, decode, parse};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::problem::{Placement, Problem};

/// A placement by names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenPlacement {
    /// Name of the experiment.
    pub scenario: String,
    /// Nodes with the machine of each, in the order of the scenario.
    #[serde(serialize_with = "as_map")]
    pub nodes: Vec<(String, String)>,
}

fn as_map<S: serde::Serializer>(
    nodes: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(nodes.iter().map(|(node, machine)| (node, machine)))
}

/// The keys of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPlacement {
    scenario: String,
    nodes: Entries<Spanned<String>>,
}

/// Words of placements.
static DIALECT: Dialect = Dialect {
    one_document: "a placement is one document",
    empty: "a placement needs `scenario` and `nodes`",
    ..Dialect::PLAIN
};

/// The reason for which a placement is not one of these nodes on these machines.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlacementError {
    /// It is of another scenario.
    #[error("it places scenario `{found}`, not `{wanted}`")]
    OtherScenario {
        /// The scenario that it names.
        found: String,
        /// The scenario that is to be placed.
        wanted: String,
    },
    /// A node of the scenario is missing.
    #[error("it has no machine for {}{}", listed(nodes), more(nodes))]
    Missing {
        /// The nodes.
        nodes: Vec<String>,
    },
    /// A node is not in the scenario.
    #[error("it places {}{}, and the scenario has no such node", listed(nodes), more(nodes))]
    Unknown {
        /// The nodes.
        nodes: Vec<String>,
    },
    /// A machine is not in the list.
    #[error("it places `{node}` on `{machine}`, which is not among the machines")]
    NoMachine {
        /// The node.
        node: String,
        /// The machine.
        machine: String,
    },
}

fn listed(nodes: &[String]) -> String {
    let some: Vec<String> = nodes.iter().take(5).map(|node| format!("`{node}`")).collect();
    some.join(", ")
}

fn more(nodes: &[String]) -> String {
    if nodes.len() > 5 { format!(" and {} more", nodes.len() - 5) } else { String::new() }
}

impl WrittenPlacement {
    /// Writes a placement with names.
    pub fn new(scenario: &str, problem: &Problem, placement: &Placement) -> Self {
        let nodes = problem.nodes.iter().zip(&placement.machine_of);
        let nodes = nodes
            .map(|(node, machine)| (node.name.clone(), problem.machines[*machine].name.clone()));
        Self { scenario: scenario.into(), nodes: nodes.collect() }
    }

    /// Reads the text of a file, YAML or JSON.
    ///
    /// # Errors
    /// All errors of the text, each with its place.
    pub fn parse(text: &str) -> Result<Self, Diagnostics> {
        let found = |list: Vec<Diagnostic>| Diagnostics::new(list, &DIALECT);
        let tree = parse(text, &DIALECT).map_err(|error| found(vec![error]))?;
        let decoded = decode::<RawPlacement>(&tree);
        match decoded.value {
            Some(raw) if decoded.errors.is_empty() => {
                let nodes = raw.nodes.0.into_iter();
                let nodes = nodes.map(|(node, machine)| (node.value, machine.value));
                Ok(Self { scenario: raw.scenario, nodes: nodes.collect() })
            }
            _ => Err(found(decoded.errors)),
        }
    }

    /// Returns the placement of the problem's nodes.
    ///
    /// # Errors
    /// Fails if it is of another scenario, other nodes or other machines. Whether it is valid is
    /// for [`check`](crate::check).
    pub fn resolve(&self, scenario: &str, problem: &Problem) -> Result<Placement, PlacementError> {
        if self.scenario != scenario {
            let (found, wanted) = (self.scenario.clone(), scenario.to_owned());
            return Err(PlacementError::OtherScenario { found, wanted });
        }
        let known: HashSet<&str> = problem.nodes.iter().map(|node| node.name.as_str()).collect();
        let unknown = self.nodes.iter().map(|(node, _)| node);
        let nodes: Vec<String> =
            unknown.filter(|node| !known.contains(node.as_str())).cloned().collect();
        if !nodes.is_empty() {
            return Err(PlacementError::Unknown { nodes });
        }
        let machine_of: std::collections::HashMap<&str, &str> =
            self.nodes.iter().map(|(node, machine)| (node.as_str(), machine.as_str())).collect();
        let mut missing = Vec::new();
        let mut placed = Vec::new();
        for node in &problem.nodes {
            let Some(name) = machine_of.get(node.name.as_str()) else {
                missing.push(node.name.clone());
                continue;
            };
            let machine = problem.machines.iter().position(|machine| machine.name == *name);
            let Some(machine) = machine else {
                let (node, machine) = (node.name.clone(), (*name).to_owned());
                return Err(PlacementError::NoMachine { node, machine });
            };
            placed.push(machine);
        }
        if missing.is_empty() {
            Ok(Placement { machine_of: placed })
        } else {
            Err(PlacementError::Missing { nodes: missing })
        }
    }
}
