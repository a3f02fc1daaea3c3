//! What links end at, as data: a port of a switch, or interfaces of a node by their names.
//! Not here: devices for these interfaces, and models of them.

use std::fmt::Display;

use netloom_fabric::{LinkEnd, SegmentId, SwitchPort, TreeSettings};
use netloom_scenario::{Interface, Node, NodeKind};
use thiserror::Error;

/// A switch has a value that no spanning tree has. Scenarios that were loaded have none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("nothing can be joined to the switch `{switch}`: {why}")]
pub struct NoSwitch {
    /// The switch.
    pub switch: String,
    /// What is wrong with its values.
    pub why: String,
}

/// What a link to `interface` of `node` ends at. `number` is the node's own among all nodes.
///
/// # Errors
/// [`NoSwitch`].
pub fn link_end<'s>(
    node: &'s Node,
    number: u32,
    interface: &'s str,
) -> Result<LinkEnd<&'s str>, NoSwitch> {
    if node.kind == NodeKind::Switch {
        return Ok(LinkEnd::Segment(switch_port(node, number, interface)?));
    }
    let of_interface = node.interfaces.iter().filter_map(|sub| {
        let of = sub.subinterface.as_ref().filter(|of| of.of == interface)?;
        Some((of.vlan, sub.name.as_str()))
    });
    let vlans: Vec<_> = of_interface.collect();
    Ok(match vlans.is_empty() {
        true => LinkEnd::Port(interface),
        false => LinkEnd::Trunk { untagged: interface, vlans },
    })
}

fn switch_port(node: &Node, number: u32, interface: &str) -> Result<SwitchPort, NoSwitch> {
    let port = node.interfaces.iter().find(|port| port.name == interface);
    let no_switch =
        |why: &dyn Display| NoSwitch { switch: node.name.clone(), why: why.to_string() };
    let tree = |port: &Interface| {
        let tree = &port.spanning_tree;
        let cost = tree.path_cost().map_err(|error| no_switch(&error))?;
        let priority = tree.port_priority().map_err(|error| no_switch(&error))?;
        Ok(TreeSettings { cost, priority })
    };
    Ok(SwitchPort {
        switch: SegmentId(number),
        vlans: port.and_then(|port| port.vlan.clone()),
        bridge: node.bridge_id(number).map_err(|error| no_switch(&error))?,
        tree: port.map_or(Ok(TreeSettings::default()), tree)?,
    })
}
