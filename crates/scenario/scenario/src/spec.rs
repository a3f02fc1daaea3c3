//! The resolved scenario: every default filled in, every unit typed, every reference checked.
//!
//! A [`Scenario`] is what the rest of NetLoom runs on; what the user typed is in `raw`. It is
//! serializable, so that a run can keep exactly what it ran, and so that the engine can be handed
//! it by another process.

mod constellation;
mod link;
mod medium;
mod node;
mod process;
mod simulation;
mod symbiosis;
mod timeline;
mod traffic;
mod waiting;
mod watching;

use std::collections::{BTreeMap, BTreeSet};

use netloom_link::SharedData;
use netloom_mobility::Geographic;
use netloom_units::{Dilation, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{Controller, Limits};
use crate::service::ServiceTemplate;

pub use constellation::{Constellation, Orbits};
pub use link::{Direction, Endpoint, Link};
pub use medium::{Medium, MediumAddressing, Position, StationChange, StationSetup};
pub use node::{
    Addresses, Interface, Kernel, Loopback, LoopbackAddress, Node, NodeKind, PortTree, Route,
    Routing, SpanningTree, Subinterface,
};
pub use process::{Command, Expectation, ExpectedExit, Process, Ready};
pub use simulation::{SimulationOptions, Threads};
pub use symbiosis::{CalibrationMethod, LossMethod, Symbiosis, TwinMethod};
pub use timeline::{
    Fails, Milestone, NodeState, Recurs, RouteChange, Start, TimelineAction, TimelineEvent, When,
};
pub use traffic::{IpFamily, Traffic, Transport};
pub use watching::{Capture, Measure, Monitor, OnContention};

/// One experiment, resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// The experiment's name.
    pub name: String,
    /// Seed of every random stream of the experiment.
    pub seed: u64,
    /// The machine's time divided by the experiment's.
    #[serde(default, skip_serializing_if = "Dilation::is_none")]
    pub dilation: Dilation,
    /// All nodes, in the order of the file.
    pub nodes: Vec<Node>,
    /// What all nodes together may use of the machine.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub total_limits: Limits,
    /// What the nodes of a group together may use of the machine, for groups that say it; a node is
    /// in at most one of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub group_limits: BTreeMap<String, Limits>,
    /// Where the plane is on which nodes are, if places are in degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Geographic>,
    /// Constellations whose satellites are among the nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constellations: Vec<Constellation>,
    /// All links, in the order of the file.
    pub links: Vec<Link>,
    /// What happens at which time, in the order of the file.
    pub timeline: Vec<TimelineEvent>,
    /// What runs in the nodes, in the order of the file.
    pub processes: Vec<Process>,
    /// What is sent between nodes, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Traffic>,
    /// What is expected of processes, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expectation>,
    /// What a run measures.
    pub measure: Measure,
    /// What a run is held to.
    pub monitor: Monitor,
    /// What the engine's workers get of the machine.
    #[serde(default, skip_serializing_if = "Workers::is_default")]
    pub workers: Workers,
    /// How a run in virtual time is made.
    #[serde(default, skip_serializing_if = "SimulationOptions::is_default")]
    pub simulation: SimulationOptions,
    /// Of a symbiotic run: how it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbiosis: Option<Symbiosis>,
    /// Templates of the services that nodes run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<String, ServiceTemplate>,
    /// How long a run lasts; without it, until every foreground process has ended and the
    /// timeline has passed.
    pub duration: Option<Duration>,
}

impl Scenario {
    /// The node called `name`.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// What must enforce the limits of this scenario, if it has any.
    pub fn controllers(&self) -> BTreeSet<Controller> {
        let of_nodes = self.nodes.iter().map(Node::machine_limits);
        let groups = self.group_limits.values().copied();
        let all = of_nodes.chain(groups).chain([self.total_limits]);
        all.flat_map(|limits| limits.controllers()).collect()
    }

    /// The group of a node whose nodes have limits together.
    pub fn limit_group(&self, node: &Node) -> Option<&str> {
        let mut groups = node.groups.iter();
        groups.find_map(|group| Some(self.group_limits.get_key_value(group)?.0.as_str()))
    }

    /// All limits by which the machine's kernel holds a node: its own, those of its group, and
    /// those of the experiment.
    pub fn limits_over(&self, node: &Node) -> [Limits; 3] {
        let of_group = self.limit_group(node).and_then(|group| self.group_limits.get(group));
        [node.machine_limits(), of_group.copied().unwrap_or_default(), self.total_limits]
    }

    /// The interfaces whose frames are at this end of a link: its own, and the VLAN sub-interfaces
    /// of that.
    pub fn interfaces_at(&self, end: &Endpoint) -> Vec<Endpoint> {
        let interfaces = self.node(&end.node).into_iter().flat_map(|node| &node.interfaces);
        let here = interfaces.filter(|interface| interface.at_link() == end.interface);
        let endpoint = |interface: &Interface| Endpoint {
            node: end.node.clone(),
            interface: interface.name.clone(),
        };
        here.map(endpoint).collect()
    }

    /// The link called `name`.
    pub fn link(&self, name: &str) -> Option<&Link> {
        self.links.iter().find(|link| link.name == name)
    }

    /// The links that the engine carries, in the order of the file: all that are not direct.
    pub fn modelled_links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| !link.direct)
    }

    /// Holds what many links take from one file in one copy. A scenario that was loaded does so
    /// already; one that came as text from elsewhere has a copy for each.
    pub fn share_data(&mut self) {
        let mut shared = SharedData::default();
        for pipe in self.links.iter_mut().flat_map(|link| [&mut link.forward, &mut link.reverse]) {
            pipe.share_data(&mut shared);
        }
        for event in &mut self.timeline {
            if let TimelineAction::SetLink { change, .. } = &mut event.action {
                change.share_data(&mut shared);
            }
        }
    }
}

/// What the engine's workers get of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Workers {
    /// On so many CPUs runs a worker each and nothing else of the experiment; of 0, they share all
    /// CPUs with it.
    pub dedicated_cpus: usize,
}

impl Workers {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
