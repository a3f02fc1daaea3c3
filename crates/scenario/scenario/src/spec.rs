//! The resolved scenario: every default filled in, every unit typed, every reference checked.
//!
//! A [`Scenario`] is what the rest of NetLoom runs on; what the user typed is in `raw`. It is
//! serializable, so that a run can keep exactly what it ran, and so that the engine can be handed
//! it by another process.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use netloom_link::{PipeChange, PipeConfig, PortVlans, SharedData, Vid};
use netloom_monitor::{Criteria, Trust};
use netloom_spanning_tree::Priority;
use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{AddressError, IpPrefix, Ipv4Prefix, Ipv6Prefix, MacAddress};
use crate::limits::{Controller, Limits};
use crate::publish::Publish;
use crate::service::ServiceTemplate;
use crate::software::Software;

/// One experiment, resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// The experiment's name.
    pub name: String,
    /// Seed of every random stream of the experiment.
    pub seed: u64,
    /// All nodes, in the order of the file.
    pub nodes: Vec<Node>,
    /// What all nodes together may use of the machine.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub total_limits: Limits,
    /// What the nodes of a group together may use of the machine, for groups that say it; a node is
    /// in at most one of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub group_limits: BTreeMap<String, Limits>,
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
        let of_nodes = self.nodes.iter().map(|node| &node.limits);
        let all = of_nodes.chain(self.group_limits.values()).chain([&self.total_limits]);
        all.flat_map(Limits::controllers).collect()
    }

    /// The group of a node whose nodes have limits together.
    pub fn limit_group(&self, node: &Node) -> Option<&str> {
        let mut groups = node.groups.iter();
        groups.find_map(|group| Some(self.group_limits.get_key_value(group)?.0.as_str()))
    }

    /// All limits that hold for a node: its own, those of its group, and those of the experiment.
    pub fn limits_over(&self, node: &Node) -> [Limits; 3] {
        let of_group = self.limit_group(node).and_then(|group| self.group_limits.get(group));
        [node.limits, of_group.copied().unwrap_or_default(), self.total_limits]
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

/// A node: a network stack of its own, or a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Unique name.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
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
    /// Of a switch that runs the Rapid Spanning Tree Protocol: how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spanning_tree: Option<SpanningTree>,
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
    /// What of the machine is at the ends of links: its interfaces are the machine's. Not written
    /// as a node: an end of a link names it.
    Outside,
}

impl NodeKind {
    /// Whether it is a network stack of its own, in which processes can run.
    pub fn has_stack(self) -> bool {
        matches!(self, Self::Host | Self::Router)
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

/// One end of a link.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct Endpoint {
    /// The node's name.
    pub node: String,
    /// The interface's name.
    pub interface: String,
}

impl std::str::FromStr for Endpoint {
    type Err = AddressError;
    fn from_str(text: &str) -> Result<Self, AddressError> {
        match text.split_once(':') {
            Some((node, interface)) if !node.is_empty() && !interface.is_empty() => {
                Ok(Self { node: node.into(), interface: interface.into() })
            }
            _ => {
                Err(AddressError { text: text.into(), expected: "an interface, like `node:eth1`" })
            }
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.node, self.interface)
    }
}

/// A link: two pipes between two interfaces, or a pair of kernel devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// Unique name; by default `a--b` from its nodes, or `a:eth1--b:eth1` where two links join the
    /// same nodes.
    pub name: String,
    /// Its two ends.
    pub endpoints: [Endpoint; 2],
    /// The pipe from the first end to the second.
    pub forward: PipeConfig,
    /// The pipe from the second end to the first.
    pub reverse: PipeConfig,
    /// Routing cost, for `routing: cost`.
    pub cost: u32,
    /// Whether it is a pair of kernel devices that join the two nodes without the engine; both
    /// pipes then have their defaults.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub direct: bool,
}

/// One direction of a link, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Both pipes (default).
    #[default]
    Both,
    /// From the first endpoint to the second.
    Forward,
    /// From the second endpoint to the first.
    Reverse,
}

/// Something that happens at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineEvent {
    /// When.
    pub at: Start,
    /// What.
    pub action: TimelineAction,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum TimelineAction {
    /// A link's properties change.
    SetLink {
        /// The link's name.
        link: String,
        /// Which of its pipes.
        direction: Direction,
        /// What changes.
        change: Box<PipeChange>,
    },
    /// All links of a node go down or up.
    SetNode {
        /// The node's name.
        node: String,
        /// The new state.
        state: netloom_link::LinkState,
    },
    /// A command is run in a node; its output is kept with the event.
    Run {
        /// The node's name.
        node: String,
        /// The command.
        command: Command,
    },
}

/// When something begins. Times count from the moment the network is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// At this time.
    At(Duration),
    /// When a process has reached a milestone (in every node in which it runs), and `delay` more.
    After {
        /// The process' name.
        process: String,
        /// The milestone.
        when: Milestone,
        /// Time to wait after it.
        delay: Duration,
    },
}

/// A point in a process' life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Milestone {
    /// It was started.
    Started,
    /// Its `ready` test has passed.
    #[default]
    Ready,
    /// It has ended.
    Done,
}

/// What to execute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// A line for `/bin/sh -c`.
    Shell(String),
    /// A program and its arguments, as they are.
    Exec(Vec<String>),
}

impl Command {
    /// The program and its arguments.
    pub fn argv(&self) -> Vec<String> {
        match self {
            Self::Shell(line) => vec!["/bin/sh".into(), "-c".into(), line.clone()],
            Self::Exec(argv) => argv.clone(),
        }
    }
}

/// A process that a run starts, in one node or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Unique name.
    pub name: String,
    /// The nodes it runs in: each gets an instance.
    pub nodes: Vec<String>,
    /// What to execute. Its working directory is the scenario's directory.
    pub command: Command,
    /// Environment variables, over and above the run's own.
    pub env: BTreeMap<String, String>,
    /// When it begins.
    pub start: Start,
    /// How to tell that it is ready; without it, ready is started.
    pub ready: Option<Ready>,
    /// Whether the run ends without waiting for it.
    pub background: bool,
    /// Files inside the node to keep with the results.
    pub keep: Vec<String>,
}

/// Traffic that a run sends between nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Unique name.
    pub name: String,
    /// The nodes that send, each by itself.
    pub from: Vec<String>,
    /// The node that receives.
    pub to: String,
    /// The family of the receiver's address; by default IPv4 if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<IpFamily>,
    /// What it goes over.
    pub transport: Transport,
    /// What is sent when. The random numbers of a sender are those of the stream
    /// `traffic/NAME/NODE`.
    pub model: Model,
    /// Lengths of frames, Ethernet header included. TCP makes its own.
    pub sizes: Sizes,
    /// When it begins.
    pub start: Start,
    /// For how long it sends; without it, until the model or the run ends.
    pub time: Option<Duration>,
    /// Whether the run ends without waiting for it.
    pub background: bool,
}

/// A version of the Internet Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IpFamily {
    /// Version 4.
    Ipv4,
    /// Version 6.
    Ipv6,
}

/// What traffic goes over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// ICMP echo, which the model `ping` asks for.
    Icmp,
    /// UDP: an open loop.
    Udp {
        /// The receiver's port.
        port: u16,
        /// The code point of the packets.
        dscp: Option<u8>,
    },
    /// The node's own TCP.
    Tcp {
        /// The receiver's port.
        port: u16,
        /// The code point of the packets.
        dscp: Option<u8>,
        /// The congestion control, if not the node's own.
        congestion_control: Option<String>,
    },
}

impl Traffic {
    /// Why real nodes cannot send it, in words; nothing if they can.
    pub fn only_simulated(&self) -> Option<&'static str> {
        match (&self.transport, self.family) {
            (Transport::Icmp, _) => Some("`ping`"),
            (_, Some(IpFamily::Ipv6)) => Some("IPv6"),
            _ => None,
        }
    }
}

impl Transport {
    /// Whether it is TCP, and the receiver's port, if it has ports.
    pub fn port(&self) -> Option<(bool, u16)> {
        match self {
            Self::Icmp => None,
            Self::Udp { port, .. } => Some((false, *port)),
            Self::Tcp { port, .. } => Some((true, *port)),
        }
    }
}

/// What is expected of a process, at least one of the three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The process' name.
    pub process: String,
    /// The nodes in which it is expected.
    pub nodes: Vec<String>,
    /// How it ends.
    pub exit: Option<ExpectedExit>,
    /// Within which time of its start it ends.
    pub within: Option<Duration>,
    /// A text that its output has.
    pub output: Option<String>,
}

/// How a process is expected to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedExit {
    /// With this exit code: 128 + the signal's number if a signal ends it.
    Code(i32),
    /// It still runs when the run ends.
    Running,
}

impl std::fmt::Display for Expectation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let exit = self.exit.map(|exit| match exit {
            ExpectedExit::Code(code) => format!("exit code {code}"),
            ExpectedExit::Running => "to run until the end".into(),
        });
        let within = self.within.map(|time| format!("an end within {time}"));
        let output = self.output.as_ref().map(|text| format!("the output `{text}`"));
        let parts: Vec<String> = [exit, within, output].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// How to tell that a process is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ready {
    /// A TCP socket listens on this port in the node.
    Port(u16),
    /// This path exists in the node.
    Path(String),
    /// This text has appeared in the process' output.
    Output(String),
    /// This command, tried every 100 ms in the node, has succeeded.
    Command(Command),
}

/// Frames at an interface, captured into the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capture {
    /// The interface.
    pub interface: Endpoint,
    /// Whether it has what the link drops on its way from or to the interface, with the reasons.
    pub drops: bool,
}

/// When a run counts as disturbed by its own machine, and what is done then.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Monitor {
    /// Whether the run is watched. One that is not is never said to be valid.
    pub enabled: bool,
    /// What is done when contention begins.
    pub on_contention: OnContention,
    /// How long the experiment warms up: contention that ends before is reported, but not held
    /// against the run.
    pub warm_up: Duration,
    /// What the run is needed for: how much of its machine may show in it.
    pub trust: Trust,
    /// Thresholds and windows.
    pub criteria: Criteria,
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

/// What is done when contention begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnContention {
    /// It is reported, and the run goes on.
    #[default]
    Report,
    /// The run ends; what it has measured is kept.
    Abort,
}

/// What a run measures beside what it always does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// How often the statistics of every pipe are sampled.
    pub interval: Duration,
    /// Interfaces whose frames are captured into the results.
    pub capture: Vec<Capture>,
    /// Links of which it is logged what happens to every frame.
    pub frames: Vec<String>,
    /// Whether everything that the contention monitor observes is kept.
    #[serde(default)]
    pub observations: bool,
}
