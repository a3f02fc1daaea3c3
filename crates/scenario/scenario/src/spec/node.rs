//! Nodes: what they are, their interfaces, addresses and routes.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use netloom_link::{PortVlans, Vid};
use netloom_mobility::{Mobility, Place};
use netloom_spanning_tree::Priority;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Medium, StationSetup};
use crate::address::{IpPrefix, Ipv4Prefix, Ipv6Prefix, MacAddress};
use crate::limits::Limits;
use crate::publish::Publish;
use crate::software::Software;

/// A node: a network stack of its own, or a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// Whether it is simulated: without a kernel, and with nothing running in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Whose kernel its network stack and its processes run on.
    #[serde(default, skip_serializing_if = "Kernel::is_shared")]
    pub kernel: Kernel,
    /// The groups it belongs to.
    pub groups: Vec<String>,
    /// Its interfaces, in the order in which the links name them, and then VLAN sub-interfaces. For
    /// a switch: its ports.
    pub interfaces: Vec<Interface>,
    /// Where its routes come from.
    pub routing: Routing,
    /// Routes of its own, over and above those that `routing` gives (same prefix: these win).
    pub routes: Vec<Route>,
    /// Its loopback addresses.
    pub loopback: Loopback,
    /// Kernel parameters of its network stack, like `net.ipv4.tcp_congestion_control`.
    pub sysctls: BTreeMap<String, String>,
    /// What is in it beside its network stack.
    #[serde(default, skip_serializing_if = "Software::is_empty")]
    pub software: Software,
    /// What its processes may use of the machine.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// Ports of the machine that lead into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub publish: Vec<Publish>,
    /// Where it is at first, for shared media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Place>,
    /// How it moves, for shared media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mobility: Option<Mobility>,
    /// Of a medium: what it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<Arc<Medium>>,
    /// Of a switch that runs the Rapid Spanning Tree Protocol: how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spanning_tree: Option<SpanningTree>,
}

impl Node {
    /// What the machine's kernel limits: a kernel of the node's own limits memory by what it has.
    pub fn machine_limits(&self) -> Limits {
        match self.kernel {
            Kernel::Shared => self.limits,
            Kernel::Own => Limits { memory: None, ..self.limits },
        }
    }
}

/// How a switch takes part in the spanning tree (IEEE 802.1D-2004, clause 17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpanningTree {
    /// The lowest becomes the root: a multiple of 4096 from 0 to 61440.
    pub priority: u16,
}

impl Default for SpanningTree {
    fn default() -> Self {
        Self { priority: Priority::default().get() }
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// An end system: does not forward.
    #[default]
    Host,
    /// Forwards IPv4 and IPv6.
    Router,
    /// A learning layer-2 segment inside the engine: no network stack, no processes.
    Switch,
    /// A shared medium inside the engine, like a radio channel: no network stack, no processes. Not
    /// written as a node: it is one of the `media`.
    Medium,
    /// What of the machine is at the ends of links: its interfaces are the machine's. Not written
    /// as a node: an end of a link names it.
    Outside,
}

impl NodeKind {
    /// Whether it is a network stack of its own, in which processes can run.
    pub fn has_stack(self) -> bool {
        matches!(self, Self::Host | Self::Router)
    }

    /// Whether it joins links inside the engine: frames that come by one may leave by the others.
    pub fn is_segment(self) -> bool {
        matches!(self, Self::Switch | Self::Medium)
    }
}

/// Whose kernel a node's network stack and its processes run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// The machine's: the node is a network namespace (default).
    #[default]
    Shared,
    /// A user-mode kernel of the node's own.
    Own,
}

impl Kernel {
    /// Whether it is the machine's.
    pub fn is_shared(&self) -> bool {
        *self == Self::Shared
    }
}

/// Where a node's routes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// Shortest paths by link delay; equal delays by hops (default).
    #[default]
    Delay,
    /// Shortest paths by number of hops.
    Hops,
    /// Shortest paths by the `cost` of the links.
    Cost,
    /// None: only connected networks and the node's own `routes`.
    None,
    /// None, because the node runs a routing daemon; its neighbours may be given routes through it.
    Daemon,
}

/// An interface of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interface {
    /// Name inside the node, at most 15 bytes.
    pub name: String,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Given MAC address; otherwise one is derived from the names.
    pub mac: Option<MacAddress>,
    /// IPv4 addresses.
    pub ipv4: Addresses<Ipv4Prefix>,
    /// IPv6 addresses (the link-local one comes on top).
    pub ipv6: Addresses<Ipv6Prefix>,
    /// What a port of a switch does with VLAN tags; nothing where the switch knows no VLANs, and in
    /// other nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vlan: Option<PortVlans>,
    /// What the way through a port of a switch that runs a spanning tree is worth to it.
    #[serde(default, skip_serializing_if = "PortTree::is_default")]
    pub spanning_tree: PortTree,
    /// The interface whose frames of one VLAN are this one's, if it is no interface of a link
    /// itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subinterface: Option<Subinterface>,
    /// What is particular to its station on a shared medium.
    #[serde(default, skip_serializing_if = "StationSetup::is_empty")]
    pub station: StationSetup,
}

impl Interface {
    /// An interface of a link, with automatic addresses.
    pub fn new(name: impl Into<String>, mtu: u32) -> Self {
        Self {
            name: name.into(),
            mtu,
            mac: None,
            ipv4: Addresses::Auto,
            ipv6: Addresses::Auto,
            vlan: None,
            spanning_tree: PortTree::default(),
            subinterface: None,
            station: StationSetup::default(),
        }
    }

    /// The interface at whose link its frames are: itself, or the one that it is a sub-interface
    /// of.
    pub fn at_link(&self) -> &str {
        self.subinterface.as_ref().map_or(&self.name, |sub| &sub.of)
    }
}

/// What the way through a port is worth to a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PortTree {
    /// Its cost, from 1 to 200,000,000; nothing for what the link's rate gives.
    pub cost: Option<u32>,
    /// Of ways that cost the same from one neighbour, the lowest wins: a multiple of 16 from 0 to
    /// 240; nothing for 128.
    pub priority: Option<u8>,
}

impl PortTree {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What a VLAN sub-interface, like `eth1.10`, is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Subinterface {
    /// The interface, like `eth1`.
    pub of: String,
    /// The VLAN, whose tag its frames have there.
    pub vlan: Vid,
}

/// Where an interface's addresses of one family come from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Addresses<P> {
    /// Assigned by the planner.
    #[default]
    Auto,
    /// None.
    None,
    /// These, as `address/length`.
    Fixed(Vec<P>),
}

/// A route of a node's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Where to; `0.0.0.0/0` or `::/0` for the default route.
    pub to: IpPrefix,
    /// Next hop, if not directly connected.
    pub via: Option<IpAddr>,
    /// Interface, if not given by the next hop.
    pub interface: Option<String>,
    /// Lower is preferred.
    pub metric: Option<u32>,
}

/// A node's loopback addresses, beside 127.0.0.1 and ::1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Loopback {
    /// IPv4.
    pub ipv4: LoopbackAddress<Ipv4Addr>,
    /// IPv6.
    pub ipv6: LoopbackAddress<Ipv6Addr>,
}

/// One loopback address of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoopbackAddress<A> {
    /// Assigned by the planner (default of routers).
    Auto,
    /// None (default of hosts).
    #[default]
    None,
    /// This one.
    Fixed(A),
}
