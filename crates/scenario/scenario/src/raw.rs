//! Types of a scenario file's keys, as the user wrote them. They are not resolved: only `resolve`
//! turns them into the types that the rest of NetLoom uses.
//!
//! A required key is an `Option` where the rest of the file makes sense without it. Errors in the
//! rest are then found in the same pass.
//!
//! Doc comments here are the descriptions in the published JSON Schema: write them for users.

mod clock;
mod constellation;
mod drawing;
mod expect;
mod link;
mod lint;
mod measure;
mod medium;
mod monitor;
mod node;
mod placement;
mod process;
#[cfg(feature = "schema")]
mod shown;
mod simulation;
mod software;
mod symbiosis;
mod timeline;
mod traffic;
mod values;
mod workers;
mod written;

use netloom_document::{Entries, Inline, Spanned, is_default};
use netloom_mobility::Geographic;
use netloom_monitor::GivenTrust;
use serde::{Deserialize, Serialize};

use crate::spec::Neighbours;
pub(crate) use clock::RawClock;
pub(crate) use constellation::{RawConstellation, RawGround, RawIsl};
pub(crate) use drawing::{RawDrawing, RawDrawnAt};
pub(crate) use expect::RawExpectation;
pub(crate) use link::{PipeKeys, RawLink, RawLinkDefaults, RawLinkHead, RawPipe};
pub(crate) use lint::{Level, Lint, RawLint};
pub(crate) use measure::{RawCapture, RawFrames, RawMeasure};
pub use medium::StationKeys;
pub(crate) use medium::{RawMedium, RawRadio};
pub(crate) use monitor::RawMonitor;
pub(crate) use node::{
    RawAddresses, RawFamily, RawGroupHead, RawInterface, RawInterfaceOptions, RawKind, RawLimits,
    RawNode, RawNodeDefaults, RawNodeHead, RawNodeProps, RawOrigin, RawPortTree, RawRoute,
};
pub(crate) use placement::RawPlacement;
pub(crate) use process::{RawProcess, RawReady};
pub(crate) use simulation::{RawCount, RawNumber, RawReroute, RawSimulation};
pub(crate) use software::{RawBind, RawFile, RawService, RawServices};
pub(crate) use symbiosis::{RawPeriod, RawSymbiosis};
pub(crate) use timeline::{RawEvent, RawFails, RawRouteChange, RawStart};
pub(crate) use traffic::{RawMatrix, RawMatrixForm, RawParties, RawTcp, RawTraffic, RawUdp};
pub(crate) use values::{RawEndpoint, RawTime, ScalarText};
pub(crate) use workers::RawWorkers;

/// A NetLoom scenario: a network, the programs that run in it, and the events that change it.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Scenario"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawScenario {
    /// The experiment's name: letters, digits, `-` and `_`, at most 63.
    #[cfg_attr(feature = "schema", schemars(required))]
    pub name: Option<Spanned<String>>,
    /// Seed of all random streams (default 1). The same seed gives the same random numbers.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Duration of a run, like `60s`. Without it, a run ends when every foreground process has
    /// ended and the timeline is over.
    #[serde(default)]
    pub duration: Option<Spanned<RawTime>>,
    /// Speed of the experiment's clock.
    #[serde(default, skip_serializing_if = "is_default")]
    pub time: RawClock,
    /// Nodes, links, media and constellations of the network.
    pub topology: RawTopology,
    /// Events, each with the time at which it happens.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<Spanned<RawEvent>>,
    /// Processes that the run starts in the nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<Spanned<RawProcess>>,
    /// Traffic that the run sends between nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<Spanned<RawTraffic>>,
    /// Expectations about processes. The run fails if one of them is not met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expect: Vec<Spanned<RawExpectation>>,
    /// Measurements that a run makes in addition to the usual ones.
    #[serde(default, skip_serializing_if = "is_default")]
    pub measure: RawMeasure,
    /// Purpose of the run, which decides how much influence of the machine its results may have.
    #[serde(default)]
    pub trust: Option<Spanned<GivenTrust>>,
    /// How contention for the machine's resources is detected, and what happens then.
    #[serde(default, skip_serializing_if = "is_default")]
    pub monitor: RawMonitor,
    /// CPUs of the machine that the engine's workers, the threads that carry frames, use.
    #[serde(default, skip_serializing_if = "is_default")]
    pub workers: RawWorkers,
    /// How nodes are placed on several machines. Without `--machines`, this has no effect.
    #[serde(default, skip_serializing_if = "is_default")]
    pub placement: RawPlacement,
    /// How the network is drawn. No run depends on it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub drawing: RawDrawing,
    /// Mistakes in the network that are warnings here, so that a class can see them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lint: RawLint,
    /// Options of `netloom run --simulate`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub simulation: RawSimulation,
    /// Makes the run symbiotic: real hosts are joined by pipes, and a simulation of the whole
    /// network calibrates these pipes.
    #[serde(default)]
    pub symbiosis: Option<Spanned<RawSymbiosis>>,
}

fn default_seed() -> u64 {
    1
}

/// Nodes, links, media and constellations of a network.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Topology"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTopology {
    /// Properties of all nodes and all links, unless a kind, a group, the node or the link sets
    /// them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub defaults: RawDefaults,
    /// Properties of all nodes of a kind. They take precedence over `defaults`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kinds: RawKinds,
    /// Properties of sets of nodes. They take precedence over `kinds`, and later groups over
    /// earlier ones.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub groups: Entries<Inline<RawGroupHead, RawNodeProps>>,
    /// Limits on the machine's resources that all nodes together may use.
    #[serde(default)]
    pub total_limits: Option<RawLimits>,
    /// Congestion control of all TCP connections, like `cubic`, in emulated and simulated nodes
    /// alike; `sysctls` and `traffic` may set others. Without it, an emulated node has the
    /// machine's default, and a simulated one `cubic`.
    #[serde(default)]
    pub tcp: Option<Spanned<String>>,
    /// Whether nodes know the Ethernet addresses of their neighbours from the start: `auto`
    /// (default: on shared media), `known`, or `resolved` (by ARP and NDP).
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "shown::is_shown"))]
    pub neighbours: Neighbours,
    /// Nodes by name. `name:` alone is a node with default properties.
    pub nodes: Entries<Spanned<RawNode>>,
    /// Links, each between two interfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Spanned<RawLink>>,
    /// Geographic origin of the plane that nodes are on. Required for positions in degrees: with
    /// `{lat: 48.78, lon: 9.18}`, that position is `[0m, 0m]`.
    #[serde(default)]
    pub origin: Option<Geographic>,
    /// Shared media by name, like radio channels.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub media: Entries<Spanned<RawMedium>>,
    /// Constellations of satellites by name.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub constellations: Entries<Spanned<RawConstellation>>,
}

/// Default properties of nodes and links.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Defaults"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDefaults {
    /// Properties of all nodes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub node: RawNodeDefaults,
    /// Properties of all links, in both directions.
    #[serde(default, skip_serializing_if = "is_default")]
    pub link: RawLinkDefaults,
}

/// Properties of all nodes of a kind.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Kinds"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawKinds {
    /// Properties of all hosts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub host: RawNodeProps,
    /// Properties of all routers.
    #[serde(default, skip_serializing_if = "is_default")]
    pub router: RawNodeProps,
    /// Properties of all switches.
    #[serde(default, skip_serializing_if = "is_default")]
    pub switch: RawNodeProps,
}
