//! The summary of a finished run: `summary.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use netloom_monitor::{Alignment, Verdict};
use netloom_units::{Dilation, Time};
use serde::{Deserialize, Serialize};

use crate::event::{EndReason, ExpectationStatus, TimelineStatus};
use crate::flow::FlowStatus;
use crate::medium::MediumStatus;
use crate::simulation::SimulationSummary;
use crate::state::{LinkStatus, ProcessStatus, VlanPortStatus};
use crate::timing::Timing;
use crate::usage::NodeUsage;

/// The part that carried the packets of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Network stacks of the kernel, in real time.
    #[default]
    Emulation,
    /// Models, in virtual time.
    Simulation,
    /// Both in one network, in real time.
    Hybrid,
    /// Network stacks of the kernel, over pipes that follow a simulation.
    Symbiosis,
}

/// Summary of a finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// Name of the experiment.
    pub name: String,
    /// The part that carried the packets.
    #[serde(default)]
    pub mode: Mode,
    /// Path of the scenario file.
    pub file: PathBuf,
    /// Seed of all random streams.
    pub seed: u64,
    /// Time dilation: the machine's time divided by the experiment's. Absent if it is 1.
    #[serde(default, skip_serializing_if = "Dilation::is_none")]
    pub dilation: Dilation,
    /// Version of NetLoom.
    pub version: String,
    /// Date of zero, when all that runs from the start was ready, in seconds since 1970-01-01 UTC.
    pub started_unix: f64,
    /// End of the run, in nanoseconds since zero. With a `duration`, what was sent by then has
    /// arrived or is given up, so all counts are of the time up to here.
    pub ended: Time,
    /// Reason for the end of the run.
    pub reason: EndReason,
    /// Time until the network was up, in seconds.
    pub deploy_seconds: f64,
    /// Time until all that runs from the start was ready, in seconds. Absent if nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_seconds: Option<f64>,
    /// Processes, and how they ended.
    pub processes: Vec<ProcessStatus>,
    /// Events of the timeline, in the order of the scenario.
    #[serde(default)]
    pub timeline: Vec<TimelineStatus>,
    /// Expectations about processes, and whether they were met.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<ExpectationStatus>,
    /// Whether every foreground process and every command of the timeline ended with exit code 0,
    /// every change was made, and every expectation was met.
    pub success: bool,
    /// Failures, in words. Empty if `success`.
    pub failures: Vec<String>,
    /// Links with their total statistics.
    pub links: Vec<LinkStatus>,
    /// Ports of switches with VLANs, by name.
    #[serde(default)]
    pub vlan_ports: BTreeMap<String, VlanPortStatus>,
    /// Resources of the machine that nodes used, by name of the node, as far as known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub usage: BTreeMap<String, NodeUsage>,
    /// Summary of the frame log, if the run wrote one.
    #[serde(default)]
    pub frame_log: Option<FrameLogSummary>,
    /// Whether the run can be trusted.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// How exactly the engine kept its schedule. Absent for a simulation, which uses no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// Results of the simulation, if this run was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<SimulationSummary>,
    /// Flows of traffic, with their counters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowStatus>,
    /// Shared media at the end of the run, with the counters of their stations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediumStatus>,
    /// Machines of the run, if there were several. Times of the results are those of the clock of
    /// the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineSummary>,
    /// Machine of each node, if there were several machines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub placement: BTreeMap<String, String>,
    /// Facts to check before relying on the results.
    pub warnings: Vec<String>,
}

/// A machine of a run on several machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MachineSummary {
    /// Name of the machine.
    pub name: String,
    /// Release of its kernel. Absent if its results are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// File of its profile. Absent if it was not calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Its clock, compared with that of the first machine.
    #[serde(flatten)]
    pub clock: Alignment,
    /// Time at which it was lost, in ns since zero. Absent if it was there to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Time>,
}

impl Summary {
    /// Describes how long the start took, as the end of a sentence.
    pub fn start_in_words(&self) -> String {
        start_in_words(self.deploy_seconds, self.ready_seconds)
    }
}

/// Describes how long it took until a network was up, and until all that runs from the start was
/// ready, if anything does, both in seconds.
pub fn start_in_words(up: f64, ready: Option<f64>) -> String {
    let ready = ready.map_or_else(String::new, |ready| format!(", ready in {ready:.2} s"));
    format!("up in {up:.2} s{ready}")
}

/// Summary of the frame log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FrameLogSummary {
    /// Number of entries written.
    pub entries: u64,
    /// Number of entries that are missing because they came faster than they could be written.
    pub lost: u64,
    /// Number of bytes written.
    pub bytes: u64,
    /// Reason of a write error. Nothing was written after it.
    pub failure: Option<String>,
}
