//! Nodes, as the user wrote them.

mod addresses;
mod limits;
mod spanning_tree;

use netloom_document::{Entries, Inline, Spanned, is_default};
use netloom_link::PortVlans;
use netloom_medium::{Antenna, Window};
use netloom_mobility::{Coordinates, Mobility};
use netloom_units::{Power, Rate};
use serde::{Deserialize, Serialize};

use super::placement::RawNodeLoad;
use super::software::{RawBind, RawFile, RawServices};
use super::values::{RawCommand, RawMtu, RawNextHop, ScalarText};
use crate::address::{IpPrefix, Ipv4Prefix, Ipv6Prefix, MacAddress};
use crate::service::OptionValue;
use crate::spec::{Kernel, NodeKind, Routing};
pub(crate) use addresses::{RawAddresses, RawFamily, RawLoopback};
pub(crate) use limits::{Memory, Pids, RawLimit, RawLimits, RawPublish, Weight};
pub(crate) use spanning_tree::{RawPortTree, RawSpanningTree};

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NodeKind"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawKind {
    /// An end system: it does not forward packets.
    Host,
    /// A router: it forwards IPv4 and IPv6 packets.
    Router,
    /// A learning layer-2 switch inside the engine: no network stack, no processes.
    Switch,
}

impl From<RawKind> for NodeKind {
    fn from(kind: RawKind) -> Self {
        match kind {
            RawKind::Host => Self::Host,
            RawKind::Router => Self::Router,
            RawKind::Switch => Self::Switch,
        }
    }
}

/// Origin of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RawOrigin {
    /// The `nodes` of the file.
    #[default]
    Written,
    /// The end of a link that names something outside.
    Outside,
    /// A medium of the file.
    Medium,
    /// A constellation of the file: its satellites, and the places on the ground that are not among
    /// `nodes`.
    Constellation,
}

/// A node: its own keys, and the properties that groups can have too.
pub(crate) type RawNode = Inline<RawNodeHead, RawNodeProps>;

/// Properties of all nodes.
pub(crate) type RawNodeDefaults = Inline<RawNodeDefaultsHead, RawNodeProps>;

/// A node: a host, a router or a switch.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Node"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNodeHead {
    /// Kind of the node (default `host`).
    #[serde(default)]
    pub kind: Option<RawKind>,
    /// Origin of the node.
    #[serde(skip)]
    pub origin: RawOrigin,
    /// Group that the node belongs to.
    #[serde(default)]
    pub group: Option<Spanned<String>>,
    /// Groups that the node belongs to. Later ones take precedence over earlier ones.
    #[serde(default)]
    pub groups: Option<Vec<Spanned<String>>>,
    /// Interfaces by name, for properties that differ from the defaults. Links create the
    /// interfaces. A name like `eth1.10`, where a link has `eth1`, creates a VLAN sub-interface of
    /// `eth1`.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub interfaces: Entries<Spanned<RawInterface>>,
    /// Initial position, like `[10m, 5m]` or `[10m, 5m, 2m]`: distances to the east, to the north,
    /// and upwards (default: zero). Only shared media use it.
    #[serde(default)]
    pub position: Option<Spanned<Coordinates>>,
    /// Ports of the machine that are forwarded to ports of this node, like `8080:80`, or
    /// `127.0.0.1:5353:53/udp`. Without an address, the machine listens on 127.0.0.1 and ::1.
    /// Forwarded data crosses no link.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub publish: Vec<Spanned<RawPublish>>,
}

/// Properties of all nodes.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NodeDefaults"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNodeDefaultsHead {
    /// Kind of nodes that do not set it (default `host`).
    #[serde(default)]
    pub kind: Option<RawKind>,
}

/// A set of nodes and the properties that they share.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Group"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGroupHead {
    /// Kind of the group's nodes that do not set it.
    #[serde(default)]
    pub kind: Option<RawKind>,
    /// Limits on the machine's resources that the group's nodes together may use; `limits` applies
    /// to each of them.
    #[serde(default)]
    pub total_limits: Option<RawLimits>,
    /// Nodes that belong to the group, in addition to those that name it as their `group`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Spanned<String>>,
}

/// Properties of nodes.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NodeProperties"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNodeProps {
    /// Whether the node is simulated, while others are not (default `false`). A simulated node
    /// forwards and answers like a kernel and sends `traffic`, but no program can run in it.
    #[serde(default)]
    pub simulated: Option<bool>,
    /// Kernel of the node's network stack and processes: `shared` is the machine's (default). `own`
    /// is a user-mode kernel for this node alone, with all congestion controls and parameters of
    /// Debian's package `user-mode-linux`.
    #[serde(default)]
    pub kernel: Option<Kernel>,
    /// Source of the node's routes: shortest paths by link `delay` (default), by `hops`, or by link
    /// `cost`; `none`; or `daemon`: no routes, because the node runs a routing daemon.
    #[serde(default)]
    pub routing: Option<Routing>,
    /// Routes in addition to those of `routing`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<Spanned<RawRoute>>,
    /// Loopback addresses besides 127.0.0.1 and ::1: `auto` (default for routers), `none` (default
    /// for hosts), or one for each family.
    #[serde(default)]
    pub loopback: Option<RawLoopback>,
    /// IPv4 addresses of interfaces that do not set them: `auto` (default) or `none`.
    #[serde(default)]
    pub ipv4: Option<RawFamily>,
    /// IPv6 addresses of interfaces that do not set them: `auto` (default) or `none`.
    #[serde(default)]
    pub ipv6: Option<RawFamily>,
    /// Mobility model, like `{random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}}`
    /// (default: the node does not move). Only shared media use it.
    #[serde(default)]
    pub mobility: Option<Spanned<Mobility>>,
    /// Kernel parameters of the network stack, like `net.ipv4.tcp_congestion_control: bbr`.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub sysctls: Entries<ScalarText>,
    /// MTU of interfaces, where neither the interface nor its link sets it: largest IP packet in
    /// bytes.
    #[serde(default)]
    pub mtu: Option<RawMtu>,
    /// Source of the root file system (default: the machine's): a directory, a tarball (`.tar`,
    /// `.tar.gz`) or the directory of an OCI layout, relative to the scenario's folder. The source
    /// is never changed.
    #[serde(default)]
    pub root: Option<Spanned<String>>,
    /// Files by their absolute paths in the node.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub files: Entries<Spanned<RawFile>>,
    /// Environment variables of all processes of the node.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub env: Entries<ScalarText>,
    /// Files and directories of the machine, relative to the scenario's folder, that appear in the
    /// node. Each value is the path in the node, like `/srv/data`, or `{to: /srv/data, write:
    /// true}`.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub binds: Entries<Spanned<RawBind>>,
    /// Commands that run once in the node, in order, once the network is up and before services
    /// start. If one fails, the start of the experiment fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub startup: Vec<RawCommand>,
    /// Services: programs that run in the node from the start, with generated configuration. A list
    /// like `[ospf]`, or names with options, like `{bgp: {as: 65001}}`. `docs/services.md` lists
    /// them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub services: RawServices,
    /// Limits on the machine's resources that the node's processes may use. Each key takes
    /// precedence over the same key of groups, kinds and defaults.
    #[serde(default)]
    pub limits: Option<RawLimits>,
    /// Machine that carries the node in a run over several machines (default: any).
    #[serde(default)]
    pub machine: Option<Spanned<String>>,
    /// Label: all nodes with the same one are on the same machine.
    #[serde(default)]
    pub together: Option<Spanned<String>>,
    /// Label: all nodes with the same one are on different machines.
    #[serde(default)]
    pub apart: Option<Spanned<String>>,
    /// Load that the node is expected to be for its machine, like `{cpu: 0.5, memory: 64MiB}`
    /// (default: its `limits`). Each key takes precedence over the same key of groups, kinds and
    /// defaults.
    #[serde(default)]
    pub load: Option<RawNodeLoad>,
    /// For switches: whether the switch runs the Rapid Spanning Tree Protocol, which allows loops
    /// of switches: `true`, or `{priority: 4096}` (default `false`).
    #[serde(default)]
    pub spanning_tree: Option<RawSpanningTree>,
}

/// An interface of a node.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Interface"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawInterface {
    /// IPv4 addresses: `auto` (default), `none`, an address like `10.0.0.1/24`, or a list of
    /// addresses.
    #[serde(default)]
    pub ipv4: Option<RawAddresses<Ipv4Prefix>>,
    /// IPv6 addresses: `auto` (default), `none`, an address like `fd00::1/64`, or a list of
    /// addresses.
    #[serde(default)]
    pub ipv6: Option<RawAddresses<Ipv6Prefix>>,
    /// Ethernet (MAC) address, like `02:00:00:00:00:01` (default: derived from the names of node
    /// and interface).
    #[serde(default)]
    pub mac: Option<Spanned<MacAddress>>,
    /// MTU: largest IP packet in bytes (default: that of the link).
    #[serde(default)]
    pub mtu: Option<RawMtu>,
    /// Whether the kernel may leave checksums and cutting to the engine, as to a network card
    /// (default `true`). `false`: each frame is as on a wire, none longer than the MTU.
    #[serde(default)]
    pub offloads: Option<bool>,
    /// For ports of switches: how the port treats VLAN tags: `{access: 10}`, or `{trunk: {allowed:
    /// [10, 20-29], native: 1}}`. If no port of a switch has this key, the switch does not
    /// interpret VLAN tags and forwards tagged frames unchanged.
    #[serde(default)]
    pub vlan: Option<PortVlans>,
    /// For ports of switches that run a spanning tree: cost and priority of the port, like `{cost:
    /// 20000, priority: 128}`.
    #[serde(default)]
    pub spanning_tree: Option<RawPortTree>,
    /// For stations on a shared medium: transmit power (default: the medium's).
    #[serde(default)]
    pub power: Option<Power>,
    /// For stations: antenna, `omni` (default), `{sector: {azimuth, width, gain, back}}` or
    /// `{pattern: file.csv}`.
    #[serde(default)]
    pub antenna: Option<Antenna>,
    /// For stations: rate of data frames (default: that of the MAC).
    #[serde(default)]
    pub rate: Option<Rate>,
    /// For stations: smallest and largest contention window in slots, like `[31, 1023]`.
    #[serde(default)]
    pub cw: Option<Window>,
    /// Options of the node's services for this interface alone, like `{ospf: {area: 1}}`. Options
    /// that may differ between interfaces are marked in `docs/services.md`.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub services: Entries<Spanned<RawInterfaceOptions>>,
}

/// Options of one service at one interface, by name.
pub(crate) type RawInterfaceOptions = Entries<Spanned<OptionValue>>;

/// A route of a node, written in the scenario.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Route"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRoute {
    /// Destination, like `10.9.0.0/16`; `0.0.0.0/0` or `::/0` is the default route.
    pub to: Spanned<IpPrefix>,
    /// Address of the next hop.
    #[serde(default)]
    pub via: Option<Spanned<RawNextHop>>,
    /// Interface to send through. Required where `via` is absent.
    #[serde(default)]
    pub interface: Option<Spanned<String>>,
    /// Metric of the route. Of several routes to a destination, the kernel uses the one with the
    /// lowest metric.
    #[serde(default)]
    pub metric: Option<u32>,
}
