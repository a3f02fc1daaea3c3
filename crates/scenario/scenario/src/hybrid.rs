//! Scenarios with simulated and real nodes, and their real part.

use std::collections::HashSet;

use crate::spec::{Endpoint, Link, Scenario, TimelineAction, TimelineEvent};

impl Scenario {
    /// Whether some of its nodes are simulated.
    pub fn is_hybrid(&self) -> bool {
        self.nodes.iter().any(|node| node.simulated)
    }

    /// Whether the run is symbiotic: real hosts joined by pipes that a simulation of the whole
    /// network calibrates.
    pub fn is_symbiotic(&self) -> bool {
        self.symbiosis.is_some()
    }

    /// Returns the names of simulated nodes.
    pub fn simulated_nodes(&self) -> HashSet<&str> {
        self.nodes.iter().filter(|node| node.simulated).map(|node| node.name.as_str()).collect()
    }

    /// Returns the links that the simulation carries in a hybrid run, those with a simulated end,
    /// in the order of the file.
    pub fn simulated_links(&self) -> impl Iterator<Item = &Link> {
        let simulated = self.simulated_nodes();
        let is_simulated = move |end: &Endpoint| simulated.contains(end.node.as_str());
        self.links.iter().filter(move |link| link.endpoints.iter().any(&is_simulated))
    }

    /// Returns the part that the kernel carries: nodes that are not simulated, the links between
    /// them, and the traffic that they send. The timeline is kept whole, except in symbiotic runs,
    /// which keep only its commands.
    #[must_use]
    pub fn real_part(&self) -> Self {
        let simulated = self.simulated_nodes();
        let is_real = |end: &Endpoint| !simulated.contains(end.node.as_str());
        let sends = |from: &[String]| from.iter().any(|node| !simulated.contains(node.as_str()));
        let happens = |event: &TimelineEvent| {
            !self.is_symbiotic() || matches!(event.action, TimelineAction::Run { .. })
        };
        Self {
            nodes: self.nodes.iter().filter(|node| !node.simulated).cloned().collect(),
            links: self
                .links
                .iter()
                .filter(|link| link.endpoints.iter().all(is_real))
                .cloned()
                .collect(),
            timeline: self.timeline.iter().filter(|event| happens(event)).cloned().collect(),
            traffic: self.traffic.iter().filter(|traffic| sends(&traffic.from)).cloned().collect(),
            ..self.clone()
        }
    }
}
