//! What a finished run leaves behind in `summary.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use netloom_monitor::Verdict;
use netloom_units::readable::seconds;
use netloom_units::{Dilation, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::EndReason;
use crate::flow::FlowStatus;
use crate::simulation::SimulationSummary;
use crate::state::{LinkStatus, ProcessStatus, VlanPortStatus};
use crate::timing::Timing;
use crate::usage::NodeUsage;

/// What carried the packets of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
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

/// A finished run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The experiment's name.
    pub name: String,
    /// What carried the packets.
    #[serde(default)]
    pub mode: Mode,
    /// The scenario file.
    pub file: PathBuf,
    /// Seed of every random stream.
    pub seed: u64,
    /// The machine's time divided by the experiment's; absent where that is 1.
    #[serde(default, skip_serializing_if = "Dilation::is_none")]
    pub dilation: Dilation,
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
    /// The events of the timeline, in the order of the scenario.
    #[serde(default)]
    pub timeline: Vec<TimelineStatus>,
    /// What was expected of processes, and whether it came true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<ExpectationStatus>,
    /// Whether every foreground process ended with exit code 0, every command of the timeline too,
    /// every change was
    /// made, and every expectation has come true.
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
    /// How exactly the engine kept its schedule; absent where no clock was, in a simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// How the simulation went, if this was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulation: Option<SimulationSummary>,
    /// The flows of traffic, and what was counted of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowStatus>,
    /// What to check before trusting the numbers.
    pub warnings: Vec<String>,
}

/// An event of the timeline: when it was to happen, and when it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineStatus {
    /// Its place in the scenario's timeline, from 0.
    #[serde(rename = "timeline")]
    pub number: usize,
    /// What was to happen.
    #[serde(rename = "action")]
    pub event: String,
    /// When it was to happen: nanoseconds since the network was ready. Nothing if its start
    /// condition was not met.
    pub planned: Option<Time>,
    /// When it happened; nothing if it did not.
    pub happened: Option<Time>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl TimelineStatus {
    /// What happened, how late, or why not, in a line.
    pub fn in_words(&self) -> String {
        let late = match (self.planned, self.happened) {
            (Some(planned), Some(happened)) => {
                format!(", {} after its time", seconds(happened.since(planned)))
            }
            _ => String::new(),
        };
        match &self.failure {
            Some(failure) => format!("timeline: {}: {failure}", self.event),
            None => format!("timeline: {}{late}", self.event),
        }
    }
}

/// What was expected of a process in one node, and whether it came true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectationStatus {
    /// The process.
    pub process: String,
    /// The node.
    pub node: String,
    /// What was expected, in words.
    pub expected: String,
    /// Whether it came true.
    pub met: bool,
    /// What was found instead, in words; empty if it came true.
    pub found: String,
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
