//! Operations of a change, each with its inverse, and what they are computed from.

use std::collections::{BTreeMap, BTreeSet};

use netloom_link::PipeChange;
use netloom_medium::MediumConfig;
use netloom_scenario::{Direction, IpPrefix, Limits, Scenario};

use crate::{InterfacePlan, NodePlan, OutsidePlan, Plan, RoutePlan, SharedLimits};

/// A network: its scenario, with its links as they are now, and its plan.
#[derive(Debug, Clone, Copy)]
pub struct Network<'a> {
    /// The scenario from which the plan was made.
    pub scenario: &'a Scenario,
    /// The plan: every address and route.
    pub plan: &'a Plan,
}

/// Changes inside nodes that are in both networks: the files that they see, and what runs in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inside {
    /// Nodes that must be made anew, with the reasons.
    pub anew: BTreeMap<String, String>,
    /// Nodes in which programs are started again.
    pub restarted: BTreeSet<String>,
}

/// One step of a change from one network to another.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Limits that nodes share change. A new group is created, because its nodes need it.
    SharedLimits(Change<SharedLimits>),
    /// The limits of a node that stays change.
    Limits {
        /// The node's name.
        node: String,
        /// Its limits.
        change: Change<Limits>,
    },
    /// A node with a network stack is made or removed: its namespace with parameters and loopback
    /// addresses, without interfaces.
    Node(Existence<NodePlan>),
    /// An interface that the engine holds (a TAP) is made or removed, with all its properties in
    /// the plan.
    Interface {
        /// The node's name.
        node: String,
        /// The interface.
        interface: Existence<InterfacePlan>,
    },
    /// A pair of kernel devices is made or removed.
    Pair {
        /// The nodes' names.
        nodes: [String; 2],
        /// The interfaces.
        interfaces: Existence<[InterfacePlan; 2]>,
    },
    /// An end of a link outside is set up or undone: a device of the machine is made, taken over,
    /// or gets another device beside it.
    Outside(Existence<OutsidePlan>),
    /// These links are taken out of the data plane. The reverse step puts them back.
    TakeOut(Vec<String>),
    /// All links of the new network are put into the data plane. The reverse step takes the new
    /// ones out.
    PutIn,
    /// The properties of a link change.
    Link {
        /// The link's name.
        link: String,
        /// The pipes that change.
        direction: Direction,
        /// The new properties, and the old ones for the inverse.
        change: Change<Box<PipeChange>>,
    },
    /// The configuration of a shared medium changes.
    Medium {
        /// The medium's name.
        medium: String,
        /// The new configuration, and the old one.
        change: Change<Box<MediumConfig>>,
    },
    /// A kernel parameter changes. A parameter that the plan no longer sets gets its default.
    Parameter {
        /// Name of the node.
        node: String,
        /// Key of the parameter, like `net.ipv4.ip_forward`.
        key: String,
        /// The new value, and the old one.
        change: Change<Option<String>>,
    },
    /// Addresses, MTU, or MAC address of an interface that stays change.
    Settings {
        /// The node's name.
        node: String,
        /// The interface.
        change: Change<Box<InterfacePlan>>,
    },
    /// Loopback addresses change.
    Loopback {
        /// The node's name.
        node: String,
        /// The addresses.
        change: Change<Vec<IpPrefix>>,
    },
    /// Routes are removed and added. A route that changes is in both lists.
    Routes {
        /// The node's name.
        node: String,
        /// The routes.
        change: Change<Vec<RoutePlan>>,
    },
    /// An interface that stays forgets its neighbours, because one of their addresses belongs to
    /// another device now.
    Neighbours {
        /// The node's name.
        node: String,
        /// The interface's name.
        interface: String,
    },
    /// The text of `/etc/hosts` changes in all nodes.
    Hosts(Change<String>),
    /// The programs that run from the start are started: all of them in new nodes, and in other
    /// nodes those that [`Inside`] requires. In new nodes they end with the node. In other nodes,
    /// whoever has started them again does so once more to undo it.
    Start(Vec<String>),
}

/// Something is made or removed.
#[derive(Debug, Clone, PartialEq)]
pub enum Existence<T> {
    /// It is made.
    Made(T),
    /// It is removed.
    Removed(T),
}

/// An old and a new value.
#[derive(Debug, Clone, PartialEq)]
pub struct Change<T> {
    /// The old value.
    pub from: T,
    /// The new value.
    pub to: T,
}

impl<T> Existence<T> {
    pub(super) fn inverse(self) -> Self {
        match self {
            Self::Made(it) => Self::Removed(it),
            Self::Removed(it) => Self::Made(it),
        }
    }
}

impl<T> Change<T> {
    pub(super) fn inverse(self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

impl<T: PartialEq> Change<T> {
    pub(super) fn between(from: T, to: T) -> Option<Self> {
        (from != to).then_some(Self { from, to })
    }
}

impl Operation {
    /// Returns the operation that undoes this one; `None` for operations that are paired with
    /// others or undone by their executors ([`TakeOut`](Self::TakeOut), [`PutIn`](Self::PutIn),
    /// [`Start`](Self::Start)).
    #[must_use]
    pub fn inverse(self) -> Option<Self> {
        Some(match self {
            Self::SharedLimits(change) => Self::SharedLimits(change.inverse()),
            Self::Limits { node, change } => Self::Limits { node, change: change.inverse() },
            Self::Node(node) => Self::Node(node.inverse()),
            Self::Interface { node, interface } => {
                Self::Interface { node, interface: interface.inverse() }
            }
            Self::Pair { nodes, interfaces } => {
                Self::Pair { nodes, interfaces: interfaces.inverse() }
            }
            Self::Outside(end) => Self::Outside(end.inverse()),
            Self::TakeOut(_) | Self::PutIn | Self::Start(_) => return None,
            Self::Link { link, direction, change } => {
                Self::Link { link, direction, change: change.inverse() }
            }
            Self::Medium { medium, change } => Self::Medium { medium, change: change.inverse() },
            Self::Parameter { node, key, change } => {
                Self::Parameter { node, key, change: change.inverse() }
            }
            Self::Settings { node, change } => Self::Settings { node, change: change.inverse() },
            Self::Loopback { node, change } => Self::Loopback { node, change: change.inverse() },
            Self::Routes { node, change } => Self::Routes { node, change: change.inverse() },
            Self::Neighbours { .. } => self,
            Self::Hosts(change) => Self::Hosts(change.inverse()),
        })
    }
}

/// The changes from one network to another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// Operations in the order in which they must be carried out; empty if both networks are the
    /// same.
    pub operations: Vec<Operation>,
    /// Nodes of both networks that must be replaced, with the reasons. They are removed, with all
    /// that runs in them, and made anew.
    pub replaced_nodes: Vec<(String, String)>,
    /// Names of links that are removed and that are added. A link that is replaced is in both
    /// lists.
    pub links: Change<Vec<String>>,
    /// Names of switches that are removed and that are added.
    pub switches: Change<Vec<String>>,
}

impl<T: Default> Default for Change<T> {
    fn default() -> Self {
        Self { from: T::default(), to: T::default() }
    }
}
