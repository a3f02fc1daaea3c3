//! The ends of links as data: a port of a segment, or interfaces of a node by their names.
//! Not here: devices for these interfaces, and models of them.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::Arc;

use netloom_fabric::{LinkEnd, SegmentId, SegmentPort, StationPort, SwitchPort, TreeSettings};
use netloom_link::MacKey;
use netloom_medium::{
    MediumChange, MediumSetup, Movement, Setting, StationConfig, StationId, StationProperties,
};
use netloom_scenario::{
    Interface, Node, NodeKind, Position, Scenario, StationChange, StationSetup,
};
use netloom_units::Time;
use thiserror::Error;

use crate::Plan;

/// The error for a segment with an invalid value. Loaded scenarios have no such segment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("nothing can be joined to `{segment}`: {why}")]
pub struct NoSegment {
    /// Name of the segment.
    pub segment: String,
    /// Fault of its values.
    pub why: String,
}

/// An interface at one end of a link.
#[derive(Debug, Clone, Copy)]
pub struct Wire<'s> {
    /// Node of the interface.
    pub node: &'s Node,
    /// Number of the node among all nodes.
    pub number: u32,
    /// Name of the interface.
    pub interface: &'s str,
}

/// The ends of the links of a network.
#[derive(Debug)]
pub struct Ends<'s> {
    scenario: &'s Scenario,
    plan: &'s Plan,
    /// Setup of each medium, by its name.
    media: HashMap<&'s str, Arc<MediumSetup>>,
}

impl<'s> Ends<'s> {
    /// Creates the ends for `scenario`, whose plan is `plan`.
    pub fn of(scenario: &'s Scenario, plan: &'s Plan) -> Self {
        let setup = |node: &'s Node| {
            let setup = medium_setup(scenario, node, scenario.seed)?;
            Some((node.name.as_str(), Arc::new(setup)))
        };
        Self { scenario, plan, media: scenario.nodes.iter().filter_map(setup).collect() }
    }

    /// Returns the end of a link at `here`, with `there` at its other end.
    ///
    /// # Errors
    /// [`NoSegment`].
    pub fn link_end(&self, here: Wire<'s>, there: Wire<'s>) -> Result<LinkEnd<&'s str>, NoSegment> {
        let Wire { node, number, interface } = here;
        match node.kind {
            NodeKind::Switch => Ok(LinkEnd::Segment(switch_port(node, number, interface)?.into())),
            NodeKind::Medium => {
                let station = self.station(node, number, there)?;
                Ok(LinkEnd::Segment(SegmentPort::Station(Box::new(station))))
            }
            NodeKind::Host | NodeKind::Router | NodeKind::Outside => {
                Ok(interfaces(node, interface))
            }
        }
    }

    /// Returns the station that the interface `at` has on a medium.
    fn station(&self, medium: &Node, number: u32, at: Wire<'_>) -> Result<StationPort, NoSegment> {
        let missing = |why: &str| NoSegment { segment: medium.name.clone(), why: why.into() };
        let setup = self.media.get(medium.name.as_str());
        let setup = setup.ok_or_else(|| missing("it is no medium of the scenario"))?;
        setup.build::<()>(Time::ZERO).map_err(|error| missing(&error.to_string()))?;
        let planned = self.plan.node(&at.node.name).into_iter().flat_map(|node| &node.interfaces);
        let planned = planned.into_iter().find(|planned| planned.name == at.interface);
        let address = planned.map(|planned| planned.mac.0);
        if address.is_none() && at.node.kind.has_stack() {
            return Err(missing("its member has no such interface"));
        }
        Ok(StationPort {
            medium: SegmentId(number),
            setup: setup.clone(),
            station: StationId(at.number),
            address: address.map(MacKey::new),
            config: station_config(medium, at.node, at.interface),
            moves: self
                .scenario
                .trajectory(at.node)
                .map_err(|error| missing(&error.to_string()))?,
        })
    }
}

/// Returns the properties of the station that a node has on a medium, at an interface.
pub fn station_config(medium: &Node, node: &Node, interface: &str) -> StationConfig {
    let mut points = medium.medium.iter().flat_map(|medium| &medium.access_points);
    let mut interfaces = node.interfaces.iter();
    let found = interfaces.find(|candidate| candidate.name == interface);
    let StationSetup { power, antenna, rate, cw } =
        found.map(|interface| interface.station.clone()).unwrap_or_default();
    StationConfig {
        name: node.name.clone(),
        power,
        antenna: antenna.unwrap_or_default(),
        rate,
        cw,
        access_point: points.any(|name| *name == node.name),
        ..StationConfig::default()
    }
}

/// Returns the setup of the medium `node`, with its random numbers from `seed`.
pub fn medium_setup(scenario: &Scenario, node: &Node, seed: u64) -> Option<MediumSetup> {
    let medium = node.medium.as_ref()?;
    let setting = Setting {
        seed,
        name: node.name.clone(),
        stations: scenario.nodes.iter().map(|node| node.name.clone()).collect(),
        plane: scenario.plane(),
        ..Setting::default()
    };
    let logged = scenario.measure.air.contains(&node.name);
    Some(MediumSetup { config: medium.config.clone(), setting, logged })
}

/// Returns an interface with its VLAN sub-interfaces.
fn interfaces<'s>(node: &'s Node, interface: &'s str) -> LinkEnd<&'s str> {
    let of_interface = node.interfaces.iter().filter_map(|sub| {
        let of = sub.subinterface.as_ref().filter(|of| of.of == interface)?;
        Some((of.vlan, sub.name.as_str()))
    });
    let vlans: Vec<_> = of_interface.collect();
    match vlans.is_empty() {
        true => LinkEnd::Port(interface),
        false => LinkEnd::Trunk { untagged: interface, vlans },
    }
}

fn switch_port(node: &Node, number: u32, interface: &str) -> Result<SwitchPort, NoSegment> {
    let port = node.interfaces.iter().find(|port| port.name == interface);
    let no_switch =
        |why: &dyn Display| NoSegment { segment: node.name.clone(), why: why.to_string() };
    let tree = |port: &Interface| {
        let tree = &port.spanning_tree;
        let cost = tree.path_cost().map_err(|error| no_switch(&error))?;
        let priority = tree.port_priority().map_err(|error| no_switch(&error))?;
        Ok(TreeSettings { cost, priority })
    };
    Ok(SwitchPort {
        switch: SegmentId(number),
        vlans: port.and_then(|port| port.vlan.clone()),
        bridge: node.bridge(number).map_err(|error| no_switch(&error))?,
        tree: port.map_or(Ok(TreeSettings::default()), tree)?,
    })
}

/// Converts a change of the station `id` into a change of its medium.
pub fn station_change(id: StationId, change: &StationChange) -> MediumChange {
    let StationChange { on, power, rate, cw, to, speed } = change.clone();
    let movement = to.map(|Position { x, y, z }| match speed {
        Some(speed) => Movement::Go([x, y, z], speed),
        None => Movement::Place([x, y, z]),
    });
    let properties = StationProperties { on, power, rate, cw };
    let says = (properties != StationProperties::default()).then_some((id, properties));
    MediumChange {
        properties: says.into_iter().collect(),
        movements: movement.map(|movement| (id, movement)).into_iter().collect(),
        ..MediumChange::default()
    }
}
