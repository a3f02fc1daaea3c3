//! The values in force, and where they come from.

use std::collections::BTreeMap;

use netloom_api::ui::graph::{Resolved, ResolvedValue};
use netloom_scenario::{Layered, Layers, Scenario};

/// Returns the values that a text sets for each node and link.
pub fn of(text: &str, scenario: &Scenario) -> Resolved {
    let Layers { nodes, links } = Layers::of(text, scenario);
    Resolved { nodes: values(nodes), links: values(links) }
}

fn values(layers: BTreeMap<String, Vec<Layered>>) -> BTreeMap<String, Vec<ResolvedValue>> {
    let value = |Layered { key, value, layer, line }| ResolvedValue { key, value, layer, line };
    layers.into_iter().map(|(name, all)| (name, all.into_iter().map(value).collect())).collect()
}
