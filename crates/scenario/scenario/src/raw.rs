//! What the user types: the keys of a scenario file, as they are written and undecided. Only
//! `resolve` turns these types into what the rest of NetLoom runs on.
//!
//! A key that must be there is an `Option` all the same where the rest makes sense without it, so
//! that faults in the rest are found in the same pass.
//!
//! Doc comments here are the descriptions in the published JSON Schema: write them for users.

mod clock;
mod constellation;
mod expect;
mod link;
mod measure;
mod medium;
mod monitor;
mod node;
mod process;
mod simulation;
mod software;
mod symbiosis;
mod timeline;
mod traffic;
mod values;
mod workers;

use netloom_mobility::Geographic;
use netloom_monitor::Trust;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::decode::{Entries, Inline, Spanned};
pub(crate) use clock::RawClock;
pub(crate) use constellation::{RawConstellation, RawGround, RawIsl};
pub(crate) use expect::RawExpectation;
pub(crate) use link::{RawLink, RawLinkDefaults, RawLinkHead, RawPipe};
pub(crate) use measure::{RawCapture, RawFrames, RawMeasure};
pub use medium::StationKeys;
pub(crate) use medium::{RawMedium, RawRadio};
pub(crate) use monitor::RawMonitor;
pub(crate) use node::{
    RawAddresses, RawFamily, RawGroupHead, RawInterface, RawKind, RawLimits, RawNode,
    RawNodeDefaults, RawNodeHead, RawNodeProps, RawOrigin, RawPortTree, RawRoute,
};
pub(crate) use process::{RawProcess, RawReady};
pub(crate) use simulation::{RawCount, RawNumber, RawReroute, RawSimulation};
pub(crate) use software::{RawBind, RawFile, RawService, RawServices};
pub(crate) use symbiosis::{RawPeriod, RawSymbiosis};
pub(crate) use timeline::{RawEvent, RawFails, RawRouteChange, RawStart};
pub(crate) use traffic::{RawParties, RawTcp, RawTraffic, RawUdp};
pub(crate) use values::{RawEndpoint, RawTime};
pub(crate) use workers::RawWorkers;

/// A NetLoom scenario: a network, what runs in it, and what happens to it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Scenario")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawScenario {
    /// The experiment's name: letters, digits, `-` and `_`, at most 63.
    #[schemars(required)]
    pub name: Option<Spanned<String>>,
    /// Seed of every random stream (default 1): the same seed gives the same draws.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// How long a run lasts, like `60s`. Without it: until every foreground process has ended and
    /// the timeline has passed.
    #[serde(default)]
    pub duration: Option<Spanned<RawTime>>,
    /// How the experiment's time passes.
    #[serde(default)]
    pub time: RawClock,
    /// Nodes and links.
    pub topology: RawTopology,
    /// What happens at which time.
    #[serde(default)]
    pub timeline: Vec<Spanned<RawEvent>>,
    /// What runs in the nodes.
    #[serde(default)]
    pub processes: Vec<Spanned<RawProcess>>,
    /// What a run sends between nodes.
    #[serde(default)]
    pub traffic: Vec<Spanned<RawTraffic>>,
    /// What is expected of processes; a run in which it does not come true has failed.
    #[serde(default)]
    pub expect: Vec<Spanned<RawExpectation>>,
    /// What a run measures beside what it always does.
    #[serde(default)]
    pub measure: RawMeasure,
    /// What the run is needed for: how much of its machine may show in it.
    #[serde(default)]
    pub trust: Option<Spanned<Trust>>,
    /// How contention of the machine is observed, and what is done then.
    #[serde(default)]
    pub monitor: RawMonitor,
    /// Which of the machine's CPUs the engine's workers get, who carry the frames.
    #[serde(default)]
    pub workers: RawWorkers,
    /// How `netloom run --simulate` goes about it.
    #[serde(default)]
    pub simulation: RawSimulation,
    /// Makes the run symbiotic: real hosts meet over pipes that a simulation of the whole network
    /// calibrates.
    #[serde(default)]
    pub symbiosis: Option<Spanned<RawSymbiosis>>,
}

fn default_seed() -> u64 {
    1
}

/// Nodes and links.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Topology")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTopology {
    /// Properties of all nodes and of all links, where nothing else is said.
    #[serde(default)]
    pub defaults: RawDefaults,
    /// Properties of all nodes of a kind; they win over `defaults`.
    #[serde(default)]
    pub kinds: RawKinds,
    /// Properties of sets of nodes; they win over `kinds`, later groups over earlier ones.
    #[serde(default)]
    pub groups: Entries<Inline<RawGroupHead, RawNodeProps>>,
    /// What all nodes together may use of the machine.
    #[serde(default)]
    pub total_limits: Option<RawLimits>,
    /// The nodes by name. A node may be written as `name:` alone.
    pub nodes: Entries<Spanned<RawNode>>,
    /// The links, each between two interfaces.
    #[serde(default)]
    pub links: Vec<Spanned<RawLink>>,
    /// Where the plane is on which nodes are, for places in degrees: `{lat: 48.78, lon: 9.18}` is
    /// `[0m, 0m]`.
    #[serde(default)]
    pub origin: Option<Geographic>,
    /// Shared media by name, like radio channels.
    #[serde(default)]
    pub media: Entries<Spanned<RawMedium>>,
    /// Constellations of satellites by name.
    #[serde(default)]
    pub constellations: Entries<Spanned<RawConstellation>>,
}

/// Properties where nothing else is said.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Defaults")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDefaults {
    /// Of all nodes.
    #[serde(default)]
    pub node: RawNodeDefaults,
    /// Of all links, in both directions.
    #[serde(default)]
    pub link: RawLinkDefaults,
}

/// Properties of all nodes of a kind.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Kinds")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawKinds {
    /// Of all hosts.
    #[serde(default)]
    pub host: RawNodeProps,
    /// Of all routers.
    #[serde(default)]
    pub router: RawNodeProps,
    /// Of all switches.
    #[serde(default)]
    pub switch: RawNodeProps,
}
