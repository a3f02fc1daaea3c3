//! The resolved scenario: every default filled in, every unit typed, every reference checked.
//!
//! The rest of NetLoom runs on a [`Scenario`]; the keys as the user wrote them are in `raw`. A
//! scenario is serializable, so that a run can keep exactly what it ran, and so that another
//! process can pass it to the engine.

mod constellation;
mod drawing;
mod link;
mod medium;
mod node;
mod placement;
mod places;
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
use serde::{Deserialize, Serialize};

use crate::limits::{Controller, Limits};
use crate::service::ServiceTemplate;

pub use constellation::{Constellation, Orbits};
pub(crate) use drawing::DrawnAtVisitor;
pub use drawing::{DrawingOptions, DrawnAt};
pub use link::{Called, Direction, Endpoint, Link};
pub use medium::{Medium, MediumAddressing, Position, StationChange, StationSetup};
pub use node::{
    Addresses, Interface, Kernel, Loopback, LoopbackAddress, Node, NodeKind, PortTree, Route,
    Routing, SpanningTree, Subinterface,
};
pub use placement::{Cut, LinkLoad, NodeLoad, Objective, PlacementOptions};
pub use places::Places;
pub use process::{Command, Expectation, ExpectedExit, Process, Ready};
pub use simulation::{SimulationOptions, Threads};
pub use symbiosis::{CalibrationMethod, LossMethod, Symbiosis, TwinMethod};
pub use timeline::{
    Disk, Fails, Milestone, NodeState, Recurs, RouteChange, Start, TimelineAction, TimelineEvent,
    When,
};
pub use traffic::{IpFamily, Traffic, Transport};
pub use watching::{Capture, Measure, Monitor, OnContention};

/// Whether nodes know the Ethernet addresses of their neighbours from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "KnownNeighbours"))]
#[serde(rename_all = "snake_case")]
pub enum Neighbours {
    /// Stations on shared media do.
    #[default]
    Auto,
    /// All do.
    Known,
    /// None do: they resolve addresses, by ARP and NDP.
    Resolved,
}

impl Neighbours {
    /// Whether this is the default.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// One experiment, resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scenario {
    /// Name of the experiment.
    pub name: String,
    /// Seed of all random streams of the experiment.
    pub seed: u64,
    /// Time dilation: the machine's time divided by the experiment's.
    #[serde(default, skip_serializing_if = "Dilation::is_none")]
    pub dilation: Dilation,
    /// All nodes, in the order of the file.
    pub nodes: Vec<Node>,
    /// Limits on the machine's resources that all nodes together may use.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub total_limits: Limits,
    /// Limits on the machine's resources that the nodes of a group together may use, for groups
    /// that have such limits. A node is in at most one of these groups.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub group_limits: BTreeMap<String, Limits>,
    /// Whether nodes know the Ethernet addresses of their neighbours from the start.
    #[serde(default, skip_serializing_if = "Neighbours::is_auto")]
    pub neighbours: Neighbours,
    /// Geographic origin of the plane that nodes are on, if positions are in degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Geographic>,
    /// Constellations whose satellites are among the nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constellations: Vec<Constellation>,
    /// All links, in the order of the file.
    pub links: Vec<Link>,
    /// Events, each with its time, in the order of the file.
    pub timeline: Vec<TimelineEvent>,
    /// Processes that run in the nodes, in the order of the file.
    pub processes: Vec<Process>,
    /// Traffic between nodes, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Traffic>,
    /// Expectations about processes, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Expectation>,
    /// Measurements that a run makes.
    pub measure: Measure,
    /// Criteria and options of the monitor.
    pub monitor: Monitor,
    /// CPUs of the engine's workers.
    #[serde(default, skip_serializing_if = "Workers::is_default")]
    pub workers: Workers,
    /// How nodes are placed on several machines.
    #[serde(default, skip_serializing_if = "PlacementOptions::is_default")]
    pub placement: PlacementOptions,
    /// How the network is drawn.
    #[serde(default, skip_serializing_if = "DrawingOptions::is_default")]
    pub drawing: DrawingOptions,
    /// Options of runs in virtual time.
    #[serde(default, skip_serializing_if = "SimulationOptions::is_default")]
    pub simulation: SimulationOptions,
    /// Options of a symbiotic run; present only if the run is symbiotic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbiosis: Option<Symbiosis>,
    /// Templates of the services that nodes run.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<String, ServiceTemplate>,
    /// Duration of a run. Without it, a run ends when every foreground process has ended and the
    /// timeline is over.
    pub duration: Option<Duration>,
    /// Where its nodes and links are, by name.
    #[serde(skip)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub places: Places,
}

impl Scenario {
    /// Parses JSON text, which results have and engines receive. All others call this one, since a
    /// call of serde's would be compiled again in each crate that has one.
    ///
    /// # Errors
    /// Fails if the text is no JSON of a scenario.
    pub fn from_json(text: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(text)
    }

    /// Returns the node called `name`.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.places.node(&self.nodes, name, |node| &node.name)
    }

    /// Returns the controllers of the kernel's cgroups that the limits of this scenario need.
    pub fn controllers(&self) -> BTreeSet<Controller> {
        let of_nodes = self.nodes.iter().map(Node::machine_limits);
        let groups = self.group_limits.values().copied();
        let all = of_nodes.chain(groups).chain([self.total_limits]);
        all.flat_map(|limits| limits.controllers()).collect()
    }

    /// Returns the node's group that has limits for its nodes together, if there is one.
    pub fn limit_group(&self, node: &Node) -> Option<&str> {
        let mut groups = node.groups.iter();
        groups.find_map(|group| Some(self.group_limits.get_key_value(group)?.0.as_str()))
    }

    /// Returns all limits that the machine's kernel enforces on a node: its own, those of its
    /// group, and those of the experiment.
    pub fn limits_over(&self, node: &Node) -> [Limits; 3] {
        let of_group = self.limit_group(node).and_then(|group| self.group_limits.get(group));
        [node.machine_limits(), of_group.copied().unwrap_or_default(), self.total_limits]
    }

    /// Returns the interfaces that send and receive at this end of a link: the interface itself and
    /// its VLAN sub-interfaces.
    pub fn interfaces_at(&self, end: &Endpoint) -> Vec<Endpoint> {
        let interfaces = self.node(&end.node).into_iter().flat_map(|node| &node.interfaces);
        let here = interfaces.filter(|interface| interface.at_link() == end.interface);
        let endpoint = |interface: &Interface| Endpoint {
            node: end.node.clone(),
            interface: interface.name.clone(),
        };
        here.map(endpoint).collect()
    }

    /// Returns the link called `name`.
    pub fn link(&self, name: &str) -> Option<&Link> {
        self.places.link(&self.links, name, |link| &link.name)
    }

    /// Returns the link that a user calls `name` and whether that has its ends in the other order;
    /// see [`Called`].
    ///
    /// # Errors
    /// The names of several links that it stands for; none if there is no such link.
    pub fn link_called(&self, name: &str) -> Result<(&Link, bool), Vec<&str>> {
        if let Some(link) = self.link(name) {
            return Ok((link, false));
        }
        match Called::of(name, self.links.iter().map(Link::called)) {
            Called::One { place, turned } => Ok((&self.links[place], turned)),
            Called::Unknown => Err(Vec::new()),
            Called::Several(places) => {
                Err(places.into_iter().map(|place| self.links[place].name.as_str()).collect())
            }
        }
    }

    /// Returns the links that the engine carries, all except direct ones, in the order of the file.
    pub fn modelled_links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().filter(|link| !link.direct)
    }

    /// Makes links that use data of the same file share one copy. A loaded scenario shares already;
    /// a deserialized one has a copy for each link.
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

/// CPUs of the engine's workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Workers {
    /// Number of CPUs that each run one worker and nothing else of the experiment. With 0, workers
    /// share all CPUs with the rest of the experiment.
    pub dedicated_cpus: usize,
}

impl Workers {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
