//! Shared media: who is on them, what they have done, and what can be changed.

use std::collections::BTreeMap;

use netloom_link::Count;
use netloom_medium::{MediumConfig, MediumProperties};
use netloom_scenario::Endpoint;
pub use netloom_scenario::{Position, StationChange};
use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MediumStatus {
    /// Its name.
    pub name: String,
    /// What it runs on.
    pub config: MediumConfig,
    /// Its stations, in the order of its members.
    pub stations: Vec<StationStatus>,
}

/// A station on a medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StationStatus {
    /// Its interface.
    pub interface: Endpoint,
    /// Where it is; absent while it is away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// Whether its radio is on.
    pub on: bool,
    /// Frames that wait in it, with the one that it serves.
    pub queued: u64,
    /// The contention window from which it draws its next backoff, in slots.
    pub window: u32,
    /// What it has done and met.
    pub statistics: StationStatistics,
}

/// What a station has done and met since it was added. Frames are counted with the bytes of their
/// Ethernet frames, without FCS.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StationStatistics {
    /// Frames that it was given to send.
    pub offered: Count,
    /// Frames that it is done with: sent, and acknowledged where that is asked for.
    pub sent: Count,
    /// Frames that it gave up.
    pub failed: Count,
    /// Frames for it that it received.
    pub received: Count,
    /// Frames that it was given, by why they were lost.
    pub dropped: BTreeMap<String, Count>,
    /// Frames of others that were for it and that it did not receive, by why; each try counts.
    pub missed: BTreeMap<String, Count>,
    /// How often it sent a frame, asked to, or tried.
    pub attempts: u64,
    /// Attempts that were not the first for their frame.
    pub retries: u64,
    /// Signals that it was receiving when another destroyed them.
    pub collisions: u64,
    /// Nanoseconds that it was sending.
    pub airtime_ns: u64,
    /// Nanoseconds that it sensed others.
    pub busy_ns: u64,
    /// From when a frame's turn came to when it was sent, and acknowledged where that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_delay: Option<AccessDelay>,
}

/// How long frames took from their turn to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccessDelay {
    /// Median in ns, within 1 %.
    pub p50_ns: u64,
    /// 99th percentile in ns, within 1 %.
    pub p99_ns: u64,
}

/// New positions, all at one time, in columns: the first node is at the first `x` and `y`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionsRequest {
    /// The nodes.
    pub nodes: Vec<String>,
    /// Metres to the east, one for each node.
    pub x: Vec<f64>,
    /// Metres to the north, one for each node.
    pub y: Vec<f64>,
    /// Metres upwards, one for each node (default: 0).
    #[serde(default)]
    pub z: Option<Vec<f64>>,
}

/// A change of a medium, all of it at one time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MediumRequest {
    /// Properties of the medium.
    pub set: MediumProperties,
    /// Stations that change.
    pub stations: Vec<StationRequest>,
}

/// A change of a station; what is absent stays as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StationRequest {
    /// Its node.
    pub node: String,
    /// What changes.
    #[serde(flatten)]
    pub change: StationChange,
}

/// Losses between pairs of stations, all at one time, in columns. They hold instead of those that
/// follow from propagation, until they are set anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LossesRequest {
    /// The nodes that send.
    pub from: Vec<String>,
    /// The nodes that receive, one for each sender.
    pub to: Vec<String>,
    /// Losses on the way in dB, one for each pair.
    pub loss: Vec<f64>,
}

/// When a change was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MediumResponse {
    /// On the experiment's clock.
    pub at: Time,
}
