//! What a finished run leaves behind in `summary.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use netloom_monitor::Verdict;
use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::EndReason;
use crate::state::{LinkStatus, ProcessStatus, VlanPortStatus};
use crate::timing::Timing;
use crate::usage::NodeUsage;

/// A finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The experiment's name.
    pub name: String,
    /// The scenario file.
    pub file: PathBuf,
    /// Seed of every random stream.
    pub seed: u64,
    /// NetLoom's version.
    pub version: String,
    /// When the network was ready: seconds since 1970-01-01 UTC.
    pub started_unix: f64,
    /// How long the run lasted: nanoseconds since the network was ready.
    pub ended: Time,
    /// Why it ended.
    pub reason: EndReason,
    /// How long the network took to come up, in seconds.
    pub deploy_seconds: f64,
    /// The processes and how they ended.
    pub processes: Vec<ProcessStatus>,
    /// Whether every foreground process ended with exit code 0, every command of the timeline too,
    /// and every change was made.
    pub success: bool,
    /// What went wrong, in words; empty if `success`.
    pub failures: Vec<String>,
    /// The links with their totals.
    pub links: Vec<LinkStatus>,
    /// The ports of switches that know VLANs, by name.
    #[serde(default)]
    pub vlan_ports: BTreeMap<String, VlanPortStatus>,
    /// What nodes have used of the machine, by name, as far as that is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, NodeUsage>,
    /// What became of the frame log, if one was asked for.
    #[serde(default)]
    pub frame_log: Option<FrameLogSummary>,
    /// Whether the run can be trusted.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// How exactly the engine kept its schedule.
    pub timing: Timing,
    /// What to check before trusting the numbers.
    pub warnings: Vec<String>,
}

/// What became of the frame log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FrameLogSummary {
    /// Entries written.
    pub entries: u64,
    /// Entries that came faster than they could be written: they are missing.
    pub lost: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Why writing failed, if it did; nothing was written from then on.
    pub failure: Option<String>,
}
