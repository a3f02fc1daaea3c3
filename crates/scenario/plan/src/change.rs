//! From one network to another: what has to be done, in which order, and how each step is undone.
//! Pure; those who carry it out are `nodes` (everything about namespaces) and the engine (links in
//! the data plane).
//!
//! | order | what | why here |
//! |---|---|---|
//! | 1 | limits of what stays; groups with limits come | the kernel may refuse them; nodes need their groups |
//! | 2 | new nodes, interfaces, pairs and ends outside are made | nobody uses them yet: easy to undo |
//! | 3 | links that go, or become others, are taken out | |
//! | 4 | what stands in the way of something of the same name is removed, and that is made | names are free once |
//! | 5 | the links that come are put in, those that stay are changed | |
//! | 6 | parameters, addresses and routes of what stays | they need all interfaces |
//! | 7 | what runs in nodes from the start is started | its network is there |
//! | 8 | the rest is removed | nothing leads there any more |
//!
//! Which nodes see or run something else by now, others know: they say it by [`Inside`].

mod devices;
mod differ;

use std::collections::{BTreeMap, BTreeSet};

use netloom_link::PipeChange;
use netloom_medium::MediumConfig;
use netloom_scenario::{Direction, IpPrefix, Limits, Scenario};

use crate::{InterfacePlan, NodePlan, OutsidePlan, Plan, RoutePlan, SharedLimits};
use differ::Differ;

/// A network: its scenario, its links as they are now, and its plan.
#[derive(Debug, Clone, Copy)]
pub struct Network<'a> {
    /// What it was made from.
    pub scenario: &'a Scenario,
    /// Every address and route.
    pub plan: &'a Plan,
}

/// What changes inside nodes that are in both networks: what they see, and what runs in them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inside {
    /// Nodes that cannot stay, and why.
    pub anew: BTreeMap<String, String>,
    /// Nodes in which something is started again.
    pub restarted: BTreeSet<String>,
}

/// A step from one network to another.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// What nodes may use together. A group that comes gets its place, which its nodes need.
    SharedLimits(Change<SharedLimits>),
    /// What a node that stays may use.
    Limits {
        /// The node's name.
        node: String,
        /// Its limits.
        change: Change<Limits>,
    },
    /// A node with a network stack: its namespace with parameters and loopback addresses, without
    /// interfaces.
    Node(Existence<NodePlan>),
    /// An interface that the engine holds (a TAP), with all that the plan says of it.
    Interface {
        /// The node's name.
        node: String,
        /// The interface.
        interface: Existence<InterfacePlan>,
    },
    /// A pair of kernel devices.
    Pair {
        /// The nodes' names.
        nodes: [String; 2],
        /// The interfaces.
        interfaces: Existence<[InterfacePlan; 2]>,
    },
    /// The end of a link outside: a device of the machine is made, taken, or another is made beside
    /// it, or all of that is undone.
    Outside(Existence<OutsidePlan>),
    /// Links are taken out of the data plane, or, backwards, put back.
    TakeOut(Vec<String>),
    /// All links that there are to be are put into the data plane, or, backwards, those that are
    /// new are taken out.
    PutIn,
    /// A property of a link changes.
    Link {
        /// The link's name.
        link: String,
        /// Which of its pipes.
        direction: Direction,
        /// What it is to be, and was.
        change: Change<Box<PipeChange>>,
    },
    /// The configuration of a shared medium changes.
    Medium {
        /// The medium's name.
        medium: String,
        /// What it is to run on, and did.
        change: Change<Box<MediumConfig>>,
    },
    /// A kernel parameter; one that is not said any more gets its default.
    Parameter {
        /// The node's name.
        node: String,
        /// Like `net.ipv4.ip_forward`.
        key: String,
        /// The value.
        change: Change<Option<String>>,
    },
    /// Addresses, MTU, or MAC address of an interface that stays.
    Settings {
        /// The node's name.
        node: String,
        /// The interface.
        change: Change<Box<InterfacePlan>>,
    },
    /// Loopback addresses.
    Loopback {
        /// The node's name.
        node: String,
        /// The addresses.
        change: Change<Vec<IpPrefix>>,
    },
    /// Routes: those that come and those that go. One that changes is in both.
    Routes {
        /// The node's name.
        node: String,
        /// The routes.
        change: Change<Vec<RoutePlan>>,
    },
    /// What an interface that stays knows of its neighbours is forgotten: one of their addresses is
    /// another's now.
    Neighbours {
        /// The node's name.
        node: String,
        /// The interface's name.
        interface: String,
    },
    /// The text of `/etc/hosts` in all nodes.
    Hosts(Change<String>),
    /// What runs from the start is started: all of it in nodes that were made, and what [`Inside`]
    /// said in others. It goes with its node; in others, who has started it again does so once more
    /// to undo it.
    Start(Vec<String>),
}

/// Something is made, or removed.
#[derive(Debug, Clone, PartialEq)]
pub enum Existence<T> {
    /// It is made.
    Made(T),
    /// It is removed.
    Removed(T),
}

/// What was, and what is to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Change<T> {
    /// What was.
    pub from: T,
    /// What is to be.
    pub to: T,
}

impl<T> Existence<T> {
    fn inverse(self) -> Self {
        match self {
            Self::Made(it) => Self::Removed(it),
            Self::Removed(it) => Self::Made(it),
        }
    }
}

impl<T> Change<T> {
    fn inverse(self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

impl<T: PartialEq> Change<T> {
    fn between(from: T, to: T) -> Option<Self> {
        (from != to).then_some(Self { from, to })
    }
}

impl Operation {
    /// What undoes it; nothing for what is its own other side ([`TakeOut`](Self::TakeOut),
    /// [`PutIn`](Self::PutIn), [`Start`](Self::Start)).
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

/// What leads from one network to another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Changes {
    /// What has to be done, in this order; nothing if both are the same.
    pub operations: Vec<Operation>,
    /// Nodes of both that are not the same node any more, and why: they are removed, with all that
    /// runs in them, and made anew.
    pub replaced_nodes: Vec<(String, String)>,
    /// Links that come, by name, and links that go. One that becomes another is in both.
    pub links: Change<Vec<String>>,
    /// Switches that come, and switches that go.
    pub switches: Change<Vec<String>>,
}

impl<T: Default> Default for Change<T> {
    fn default() -> Self {
        Self { from: T::default(), to: T::default() }
    }
}

/// What leads from `old` to `new`, where this changes inside nodes.
pub fn changes(old: Network<'_>, new: Network<'_>, inside: &Inside) -> Changes {
    Differ::new(old, new, inside).changes()
}
