//! Nodes as they are written.

mod addresses;
mod limits;
mod spanning_tree;

use netloom_link::PortVlans;
use netloom_medium::{Antenna, Window};
use netloom_mobility::{Mobility, Place};
use netloom_units::{Power, Rate};
use schemars::JsonSchema;
use serde::Deserialize;

use super::software::{RawBind, RawFile, RawServices};
use super::values::{RawCommand, RawMtu, RawNextHop, RawText};
use crate::address::{IpPrefix, Ipv4Prefix, Ipv6Prefix, MacAddress};
use crate::decode::{Entries, Inline, Spanned};
use crate::spec::{Kernel, NodeKind, Routing};
pub(crate) use addresses::{RawAddresses, RawFamily, RawLoopback};
pub(crate) use limits::{RawLimits, RawPublish};
pub(crate) use spanning_tree::{RawPortTree, RawSpanningTree};

/// What a node can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "NodeKind")]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawKind {
    /// An end system: does not forward.
    Host,
    /// Forwards IPv4 and IPv6.
    Router,
    /// A learning layer-2 segment inside the engine: no network stack, no processes.
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

/// Where a node comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RawOrigin {
    /// The nodes of the file.
    #[default]
    Written,
    /// The end of a link that names the outside.
    Outside,
    /// A medium of the file.
    Medium,
    /// A constellation of the file: its satellites, and places on the ground that are not written.
    Constellation,
}

/// A node: its own keys, and the properties that it shares with groups beside them.
pub(crate) type RawNode = Inline<RawNodeHead, RawNodeProps>;

/// Properties of all nodes.
pub(crate) type RawNodeDefaults = Inline<RawNodeDefaultsHead, RawNodeProps>;

/// A node: a host, a router or a switch.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Node")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNodeHead {
    /// What the node is (default `host`).
    #[serde(default)]
    pub kind: Option<RawKind>,
    /// Where it comes from.
    #[serde(skip)]
    pub origin: RawOrigin,
    /// The group it belongs to.
    #[serde(default)]
    pub group: Option<Spanned<String>>,
    /// The groups it belongs to; later ones win over earlier ones.
    #[serde(default)]
    pub groups: Option<Vec<Spanned<String>>>,
    /// Its interfaces by name, where something is to be said about them. The links make them; one
    /// like `eth1.10`, beside an `eth1` of a link, is a VLAN sub-interface of that.
    #[serde(default)]
    pub interfaces: Entries<Spanned<RawInterface>>,
    /// Where it is, like `[10m, 5m]` or `[10m, 5m, 2m]`: to the east, to the north, and upwards
    /// (default: at zero). It matters on shared media.
    #[serde(default)]
    pub position: Option<Spanned<Place>>,
    /// Ports of the machine that lead to ports of this node, like `8080:80`, or
    /// `127.0.0.1:5353:53/udp`. Without an address, the machine listens on 127.0.0.1 and ::1. What
    /// comes that way crosses no link.
    #[serde(default)]
    pub publish: Vec<Spanned<RawPublish>>,
}

/// Properties of all nodes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "NodeDefaults")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNodeDefaultsHead {
    /// What a node is that does not say it (default `host`).
    #[serde(default)]
    pub kind: Option<RawKind>,
}

/// A set of nodes and the properties they share.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Group")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGroupHead {
    /// What its nodes are, where they do not say it.
    #[serde(default)]
    pub kind: Option<RawKind>,
    /// What its nodes together may use of the machine; `limits` is for each of them.
    #[serde(default)]
    pub total_limits: Option<RawLimits>,
    /// Nodes that belong to it, beside those that name it as their `group`.
    #[serde(default)]
    pub members: Vec<Spanned<String>>,
}

/// Properties of nodes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "NodeProperties")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawNodeProps {
    /// Whether the node is simulated, beside others that are not (default `false`): it forwards
    /// and answers as a kernel would, sends `traffic`, and no program can run in it.
    #[serde(default)]
    pub simulated: Option<bool>,
    /// The kernel that the node's network stack and processes run on: `shared`, the machine's
    /// (default), or `own`, a user-mode kernel of the node's own, with all congestion controls and
    /// parameters of Debian's package `user-mode-linux`.
    #[serde(default)]
    pub kernel: Option<Kernel>,
    /// Where routes come from: shortest paths by link `delay` (default), `hops` or link `cost`;
    /// `none`; or `daemon`: none, because the node runs a routing daemon.
    #[serde(default)]
    pub routing: Option<Routing>,
    /// Routes over and above those that `routing` gives.
    #[serde(default)]
    pub routes: Vec<Spanned<RawRoute>>,
    /// Loopback addresses beside 127.0.0.1 and ::1: `auto` (default of routers), `none` (default of
    /// hosts), or one for each family.
    #[serde(default)]
    pub loopback: Option<RawLoopback>,
    /// IPv4 addresses of interfaces that do not say it: `auto` (default) or `none`.
    #[serde(default)]
    pub ipv4: Option<RawFamily>,
    /// IPv6 addresses of interfaces that do not say it: `auto` (default) or `none`.
    #[serde(default)]
    pub ipv6: Option<RawFamily>,
    /// How the node moves, like `{random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}}`
    /// (default: not at all). It matters on shared media.
    #[serde(default)]
    pub mobility: Option<Spanned<Mobility>>,
    /// Kernel parameters of the network stack, like `net.ipv4.tcp_congestion_control: bbr`.
    #[serde(default)]
    pub sysctls: Entries<RawText>,
    /// Largest IP packet of interfaces in bytes, where neither interface nor link say it.
    #[serde(default)]
    pub mtu: Option<RawMtu>,
    /// Where the root file system comes from, if not from the machine: a directory, a tarball
    /// (`.tar`, `.tar.gz`) or the directory of an OCI layout, relative to the scenario's folder. It
    /// is never changed.
    #[serde(default)]
    pub root: Option<Spanned<String>>,
    /// Files by their absolute paths in the node.
    #[serde(default)]
    pub files: Entries<Spanned<RawFile>>,
    /// Environment variables of all processes of the node.
    #[serde(default)]
    pub env: Entries<RawText>,
    /// Files and directories of the machine, relative to the scenario's folder, that the node sees:
    /// where each is seen, like `/srv/data`, or `{to: /srv/data, write: true}`.
    #[serde(default)]
    pub binds: Entries<Spanned<RawBind>>,
    /// Commands that are run in the node once, in order, when the network is ready and before
    /// services are started. One that fails ends the start.
    #[serde(default)]
    pub startup: Vec<RawCommand>,
    /// Programs that run in the node from the start, with configuration made for them: a list like
    /// `[ospf]`, or names with options, like `{bgp: {as: 65001}}`. `docs/services.md` lists them.
    #[serde(default)]
    pub services: RawServices,
    /// What the processes of a node may use of the machine; each key by itself wins over layers
    /// below.
    #[serde(default)]
    pub limits: Option<RawLimits>,
    /// Of a switch: whether it runs the Rapid Spanning Tree Protocol, so that switches may form
    /// loops: `true`, or `{priority: 4096}` (default `false`).
    #[serde(default)]
    pub spanning_tree: Option<RawSpanningTree>,
}

/// An interface of a node.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Interface")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawInterface {
    /// IPv4 addresses: `auto` (default), `none`, one like `10.0.0.1/24`, or a list.
    #[serde(default)]
    pub ipv4: Option<RawAddresses<Ipv4Prefix>>,
    /// IPv6 addresses: `auto` (default), `none`, one like `fd00::1/64`, or a list.
    #[serde(default)]
    pub ipv6: Option<RawAddresses<Ipv6Prefix>>,
    /// Ethernet address, like `02:00:00:00:00:01` (default: derived from the names).
    #[serde(default)]
    pub mac: Option<Spanned<MacAddress>>,
    /// Largest IP packet in bytes; wins over the link's.
    #[serde(default)]
    pub mtu: Option<RawMtu>,
    /// Of a port of a switch: what it does with VLAN tags. `{access: 10}`, or `{trunk: {allowed:
    /// [10, 20-29], native: 1}}`. A switch of which no port says it knows no VLANs, and carries
    /// tags as they are.
    #[serde(default)]
    pub vlan: Option<PortVlans>,
    /// Of a port of a switch that runs a spanning tree: what the way through it is worth, like
    /// `{cost: 20000, priority: 128}`.
    #[serde(default)]
    pub spanning_tree: Option<RawPortTree>,
    /// Of a station on a shared medium: the power that it sends with (default: the medium's).
    #[serde(default)]
    pub power: Option<Power>,
    /// Of a station: its antenna: `omni` (default), `{sector: {azimuth, width, gain, back}}` or
    /// `{pattern: file.csv}`.
    #[serde(default)]
    pub antenna: Option<Antenna>,
    /// Of a station: the rate of its data frames (default: the MAC's).
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Of a station: its least and largest contention window, like `[31, 1023]`.
    #[serde(default)]
    pub cw: Option<Window>,
}

/// A route of a node's own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Route")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRoute {
    /// Where to, like `10.9.0.0/16`; `0.0.0.0/0` or `::/0` for the default route.
    pub to: Spanned<IpPrefix>,
    /// Address of the next hop.
    #[serde(default)]
    pub via: Option<Spanned<RawNextHop>>,
    /// Interface to send through, where no next hop says it.
    #[serde(default)]
    pub interface: Option<Spanned<String>>,
    /// Lower is preferred.
    #[serde(default)]
    pub metric: Option<u32>,
}
