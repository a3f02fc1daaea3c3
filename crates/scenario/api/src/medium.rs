//! Shared media: who is on them, what they have done, and what can be changed.

use std::collections::BTreeMap;

use netloom_link::Count;
use netloom_medium::{
    FrameLoss, Kind, Losses, MediumConfig, MediumProperties, NeighbourView, StationCounters,
    StationId,
};
use netloom_scenario::{Endpoint, Scenario, TimelineAction};
pub use netloom_scenario::{Position, StationChange};
use netloom_units::{Rate, Time};
use serde::{Deserialize, Serialize};

/// A medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MediumStatus {
    /// Its name.
    pub name: String,
    /// Its complete configuration.
    pub config: MediumConfig,
    /// Its stations, in the order of its members.
    pub stations: Vec<StationStatus>,
}

/// A station on a medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Its counters.
    pub statistics: StationStatistics,
}

/// Counters of a station since it was added. Frames are counted with the bytes of their Ethernet
/// frames, without FCS.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The airtime by the kind of frame sent: `data`, `rts`, `cts`, `ack` or `jam`. Kinds that
    /// never occurred are absent.
    #[serde(default)]
    pub airtime_by_kind_ns: BTreeMap<String, u64>,
    /// Nanoseconds that it sensed others.
    pub busy_ns: u64,
    /// From when a frame's turn came to when it was sent, and acknowledged where that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_delay: Option<AccessDelay>,
}

impl From<&StationCounters> for StationStatistics {
    fn from(counters: &StationCounters) -> Self {
        // Frames that were given up have none.
        let done: u64 = counters.access_delay.buckets().map(|(_, frames)| frames).sum();
        let quantile = |share| counters.access_delay.quantile(share, done);
        Self {
            offered: counters.offered,
            sent: counters.sent,
            failed: counters.failed,
            received: counters.received,
            dropped: by_reason(&counters.drops),
            missed: by_reason(&counters.missed),
            attempts: counters.attempts,
            retries: counters.retries,
            collisions: counters.collisions,
            airtime_ns: counters.airtime,
            airtime_by_kind_ns: {
                let all = Kind::ALL.map(Kind::name).into_iter().zip(counters.airtime_by_kind);
                all.filter(|(_, time)| *time > 0).map(|(kind, time)| (kind.into(), time)).collect()
            },
            busy_ns: counters.busy,
            access_delay: (done > 0)
                .then(|| AccessDelay { p50_ns: quantile(0.5), p99_ns: quantile(0.99) }),
        }
    }
}

/// Those reasons for which something was lost.
fn by_reason(losses: &Losses) -> BTreeMap<String, Count> {
    let all = FrameLoss::ALL.into_iter().map(|reason| (reason.name().into(), losses.of(reason)));
    all.filter(|(_, count)| count.frames > 0).collect()
}

/// Those that a node reaches on a medium.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Neighbours {
    /// The medium.
    pub medium: String,
    /// The node that sends.
    pub node: String,
    /// Those that decode what it sends, or sense it.
    pub neighbours: Vec<Neighbour>,
}

/// How well a node is heard by another, as long as nobody else sends and without fading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Neighbour {
    /// The node that hears.
    pub node: String,
    /// How far away it is, in m.
    pub distance: f64,
    /// Power that arrives there, in dBm.
    pub power: f64,
    /// The ratio of that power to noise, in dB.
    pub snr: f64,
    /// Whether it can decode what arrives; if not, it only waits while the other sends.
    pub decodes: bool,
    /// The rate of the next frame to it.
    pub rate: Rate,
    /// The probability that a frame with a packet of 1500 bytes survives at that rate.
    pub delivery: f64,
    /// Nodes that it hears and that do not hear the sender: they may send at the same time. Absent
    /// where all nodes are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden_from: Vec<String>,
}

impl Neighbour {
    /// A neighbour with its nodes' names.
    pub fn new(view: &NeighbourView, name: &impl Fn(StationId) -> Option<String>) -> Option<Self> {
        Some(Self {
            node: name(view.station)?,
            distance: view.distance,
            power: view.power,
            snr: view.snr,
            decodes: view.decodes,
            rate: view.rate,
            delivery: view.delivery,
            hidden_from: view.hidden.iter().filter_map(|id| name(*id)).collect(),
        })
    }
}

/// How long frames took from their turn to their end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AccessDelay {
    /// Median in ns, within 1 %.
    pub p50_ns: u64,
    /// 99th percentile in ns, within 1 %.
    pub p99_ns: u64,
}

/// New positions, all at one time, in columns: the first node is at the first `x` and `y`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct MediumRequest {
    /// Properties of the medium.
    pub set: MediumProperties,
    /// Stations that change.
    pub stations: Vec<StationRequest>,
}

impl MediumRequest {
    /// Returns the changes that an action of a timeline makes to shared media, each with the
    /// medium's name.
    pub fn of_action(scenario: &Scenario, action: &TimelineAction) -> Vec<(String, Self)> {
        match action {
            TimelineAction::SetMedia { changes } => {
                let all = changes.iter().map(|(medium, set)| {
                    (medium.clone(), Self { set: set.clone(), stations: Vec::new() })
                });
                all.collect()
            }
            TimelineAction::SetStation { node, change } => {
                let station = StationRequest { node: node.clone(), change: change.clone() };
                let request = Self { stations: vec![station], ..Self::default() };
                let is_medium =
                    |name: &&String| scenario.node(name).is_some_and(|node| node.medium.is_some());
                let links = scenario.links.iter().map(|link| &link.endpoints);
                let others = links.filter(|[a, _]| a.node == *node).map(|[_, b]| &b.node);
                others.filter(is_medium).map(|medium| (medium.clone(), request.clone())).collect()
            }
            TimelineAction::SetLink { .. }
            | TimelineAction::SetNode { .. }
            | TimelineAction::Run { .. }
            | TimelineAction::Route { .. } => Vec::new(),
        }
    }

    /// Describes the changes in one line.
    pub fn in_words(&self) -> String {
        let keys = self.set.keys();
        let set = (!keys.is_empty()).then(|| format!("set {}", keys.join(", ")));
        let stations = self.stations.iter().map(|station| {
            let StationChange { on, power, rate, cw, to, .. } = &station.change;
            let what = [
                on.map(|on| format!("radio {}", if on { "on" } else { "off" })),
                power.map(|power| format!("power {power}")),
                rate.map(|rate| format!("rate {rate}")),
                cw.map(|_| "another contention window".into()),
                to.map(|to| format!("to ({}, {}, {}) m", to.x, to.y, to.z)),
            ];
            let what: Vec<String> = what.into_iter().flatten().collect();
            format!("{} {}", station.node, what.join(", "))
        });
        set.into_iter().chain(stations).collect::<Vec<_>>().join("; ")
    }
}

/// A change of a station; what is absent stays as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StationRequest {
    /// Its node.
    pub node: String,
    /// New properties of the station.
    #[serde(flatten)]
    pub change: StationChange,
}

/// Losses between pairs of stations, all at one time, in columns. They hold instead of those that
/// follow from propagation, until they are set anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MediumResponse {
    /// On the experiment's clock.
    pub at: Time,
}
