//! Nodes: kinds, interfaces, addresses and routes.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use netloom_link::{PortVlans, Vid};
use netloom_mobility::{Coordinates, Mobility};
use netloom_spanning_tree::Priority;
use serde::{Deserialize, Serialize};

use super::{Medium, NodeLoad, StationSetup};
use crate::address::{IpPrefix, Ipv4Prefix, Ipv6Prefix, MacAddress};
use crate::limits::Limits;
use crate::publish::Publish;
use crate::service::OptionValue;
use crate::software::Software;

/// A node: a network stack of its own, or a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// Kind of the node.
    pub kind: NodeKind,
    /// Whether the node is simulated. It then has no kernel, and no program runs in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Kernel that the node's network stack and processes run on.
    #[serde(default, skip_serializing_if = "Kernel::is_shared")]
    pub kernel: Kernel,
    /// Groups that the node belongs to.
    pub groups: Vec<String>,
    /// Interfaces, in the order in which the links name them, followed by VLAN sub-interfaces. For
    /// a switch, its ports.
    pub interfaces: Vec<Interface>,
    /// Source of the node's routes.
    pub routing: Routing,
    /// Routes of the node, in addition to those of `routing`. For the same prefix, these take
    /// precedence.
    pub routes: Vec<Route>,
    /// Loopback addresses of the node.
    pub loopback: Loopback,
    /// Kernel parameters of its network stack, like `net.ipv4.tcp_congestion_control`.
    pub sysctls: BTreeMap<String, String>,
    /// Files, services and other software of the node.
    #[serde(default, skip_serializing_if = "Software::is_empty")]
    pub software: Software,
    /// Limits on the machine's resources that the node's processes may use.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// Machine that carries the node in a run over several machines; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Label: all nodes with the same one are on the same machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<String>,
    /// Label: all nodes with the same one are on different machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<String>,
    /// Load that the node is expected to be for its machine; see [`Node::expected_load`].
    #[serde(default, skip_serializing_if = "NodeLoad::is_empty")]
    pub load: NodeLoad,
    /// Ports of the machine that are forwarded to ports of the node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub publish: Vec<Publish>,
    /// Initial position, for shared media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Coordinates>,
    /// Mobility model, for shared media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mobility: Option<Mobility>,
    /// Properties of the medium, if the node is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub medium: Option<Arc<Medium>>,
    /// Options of the Rapid Spanning Tree Protocol, if the node is a switch that runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spanning_tree: Option<SpanningTree>,
}

impl Node {
    /// Returns the limits that the machine's kernel enforces. Memory of a node with its own kernel
    /// is not among them: that kernel's own memory is the limit.
    pub fn machine_limits(&self) -> Limits {
        match self.kernel {
            Kernel::Shared => self.limits,
            Kernel::Own => Limits { memory: None, ..self.limits },
        }
    }

    /// Returns the load that the node is expected to be for its machine: what the scenario says,
    /// or else the node's limits.
    pub fn expected_load(&self) -> NodeLoad {
        NodeLoad {
            cpu: self.load.cpu.or(self.limits.cpu),
            memory: self.load.memory.or(self.limits.memory),
        }
    }

    /// Returns the MTU of one of its interfaces or ports.
    pub fn mtu(&self, interface: &str) -> Option<u32> {
        let mut interfaces = self.interfaces.iter();
        interfaces.find(|known| known.name == interface).map(|found| found.mtu)
    }
}

/// Options of a switch in the spanning tree (IEEE 802.1D-2004, clause 17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanningTree {
    /// Bridge priority: a multiple of 4096 from 0 to 61440. The switch with the lowest one becomes
    /// the root.
    pub priority: u16,
    /// Age in seconds at which information about the root is dropped; each switch on its way adds
    /// one. While the switch is the root, its three times are those of the whole tree.
    #[serde(default = "default_max_age")]
    pub max_age: u8,
    /// Seconds that a port spends in listening and then in learning, where it has to wait.
    #[serde(default = "default_forward_delay")]
    pub forward_delay: u8,
    /// Seconds between two hellos.
    #[serde(default = "default_hello")]
    pub hello: u8,
}

fn default_max_age() -> u8 {
    20
}

fn default_forward_delay() -> u8 {
    15
}

fn default_hello() -> u8 {
    2
}

impl Default for SpanningTree {
    fn default() -> Self {
        Self {
            priority: Priority::default().get(),
            max_age: default_max_age(),
            forward_delay: default_forward_delay(),
            hello: default_hello(),
        }
    }
}

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// An end system: it does not forward packets.
    #[default]
    Host,
    /// A router: it forwards IPv4 and IPv6 packets.
    Router,
    /// A learning layer-2 switch inside the engine: no network stack, no processes.
    Switch,
    /// A shared medium inside the engine, like a radio channel: no network stack, no processes.
    /// Files do not declare it as a node, but under `media`.
    Medium,
    /// Devices of the machine at the ends of links: the interfaces of this node are the machine's.
    /// Files do not declare it as a node: an end of a link names it.
    Outside,
}

impl NodeKind {
    /// Whether the node has a network stack, in which processes can run.
    pub fn has_stack(self) -> bool {
        matches!(self, Self::Host | Self::Router)
    }

    /// Whether the node joins links inside the engine, so that frames from one link may leave by
    /// others.
    pub fn is_segment(self) -> bool {
        matches!(self, Self::Switch | Self::Medium)
    }
}

/// Kernel that a node's network stack and processes run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kernel {
    /// The machine's kernel: the node is a network namespace (default).
    #[default]
    Shared,
    /// A user-mode kernel of the node's own.
    Own,
}

impl Kernel {
    /// Whether it is the machine's kernel.
    pub fn is_shared(&self) -> bool {
        *self == Self::Shared
    }
}

/// Source of a node's routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// Shortest paths by link delay, and by hops where delays are equal (default).
    #[default]
    Delay,
    /// Shortest paths by number of hops.
    Hops,
    /// Shortest paths by the `cost` of the links.
    Cost,
    /// No routes except those of connected networks and the node's own `routes`.
    None,
    /// No routes, because the node runs a routing daemon. Its neighbours may get routes through it.
    Daemon,
}

/// An interface of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interface {
    /// Name in the node, at most 15 bytes.
    pub name: String,
    /// MTU: largest IP packet in bytes.
    pub mtu: u32,
    /// MAC address, if the scenario sets it. Otherwise it is derived from the names.
    pub mac: Option<MacAddress>,
    /// IPv4 addresses.
    pub ipv4: Addresses<Ipv4Prefix>,
    /// IPv6 addresses, in addition to the link-local one.
    pub ipv6: Addresses<Ipv6Prefix>,
    /// How a port of a switch treats VLAN tags. Absent in other nodes, and where the switch does
    /// not interpret VLAN tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vlan: Option<PortVlans>,
    /// Cost and priority of a port of a switch that runs a spanning tree.
    #[serde(default, skip_serializing_if = "PortTree::is_default")]
    pub spanning_tree: PortTree,
    /// Parent interface and VLAN, if this is a VLAN sub-interface and not an interface of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subinterface: Option<Subinterface>,
    /// Properties of the interface's station on a shared medium.
    #[serde(default, skip_serializing_if = "StationSetup::is_empty")]
    pub station: StationSetup,
    /// Options of the node's services whose values at this interface differ from the node's, by
    /// service and option.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub services: BTreeMap<String, BTreeMap<String, OptionValue>>,
    /// Whether frames may pass it with unfinished checksums, and several as one.
    #[serde(default = "with_offloads", skip_serializing_if = "are_on")]
    pub offloads: bool,
}

fn with_offloads() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn are_on(offloads: &bool) -> bool {
    *offloads
}

impl Interface {
    /// Creates an interface of a link, with automatic addresses.
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
            offloads: true,
            services: BTreeMap::new(),
        }
    }

    /// Returns the interface of the link that carries this interface's frames: itself, or its
    /// parent if it is a sub-interface.
    pub fn at_link(&self) -> &str {
        self.subinterface.as_ref().map_or(&self.name, |sub| &sub.of)
    }
}

/// Spanning tree options of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortTree {
    /// Path cost, from 1 to 200,000,000. Absent: derived from the link's rate.
    pub cost: Option<u32>,
    /// Port priority, a multiple of 16 from 0 to 240. Absent: 128. If several ports of the same
    /// neighbour have equal costs, the one with the lowest priority wins.
    pub priority: Option<u8>,
}

impl PortTree {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Parent and VLAN of a VLAN sub-interface like `eth1.10`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Subinterface {
    /// Name of the parent interface, like `eth1`.
    pub of: String,
    /// VLAN whose tag the sub-interface's frames have at the parent.
    pub vlan: Vid,
}

/// Source of an interface's addresses of one family.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AddressesOf{P}"))]
#[serde(rename_all = "snake_case")]
pub enum Addresses<P> {
    /// The planner assigns addresses.
    #[default]
    Auto,
    /// No addresses.
    None,
    /// These addresses, as `address/length`.
    Fixed(Vec<P>),
}

/// A route of a node, written in the scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Destination; `0.0.0.0/0` or `::/0` is the default route.
    pub to: IpPrefix,
    /// Next hop; absent if the destination is directly connected.
    pub via: Option<IpAddr>,
    /// Interface to send through; absent if the next hop determines it.
    pub interface: Option<String>,
    /// Metric of the route. Of several routes to a destination, the kernel uses the one with the
    /// lowest metric.
    pub metric: Option<u32>,
}

/// Loopback addresses of a node, in addition to 127.0.0.1 and ::1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loopback {
    /// IPv4.
    pub ipv4: LoopbackAddress<Ipv4Addr>,
    /// IPv6.
    pub ipv6: LoopbackAddress<Ipv6Addr>,
}

/// One loopback address of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "LoopbackAddressOf{A}"))]
#[serde(rename_all = "snake_case")]
pub enum LoopbackAddress<A> {
    /// The planner assigns an address (default for routers).
    Auto,
    /// No address (default for hosts).
    #[default]
    None,
    /// This address.
    Fixed(A),
}
