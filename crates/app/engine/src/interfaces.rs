//! States and counters of nodes' interfaces, as the kernel reports them.

use std::collections::HashMap;

use anyhow::Result;
use netloom_nodes::{InterfaceState, Network};
use netloom_scenario::Endpoint;

/// States of interfaces at one moment.
pub type InterfaceStates = HashMap<Endpoint, InterfaceState>;

/// Returns the states of some interfaces now.
pub fn states(network: &Network, interfaces: &[Endpoint]) -> Result<InterfaceStates> {
    let mut nodes: Vec<&str> = interfaces.iter().map(|i| i.node.as_str()).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let states = network.interfaces_of(nodes)?;
    let states = states.into_iter().map(|state| (endpoint(&state), state));
    Ok(states.filter(|(endpoint, _)| interfaces.contains(endpoint)).collect())
}

fn endpoint(state: &InterfaceState) -> Endpoint {
    Endpoint { node: state.node.clone(), interface: state.name.clone() }
}
