//! One experiment, from the moment its network is up. Those who start and serve it hand its
//! parts to others one by one.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use netloom_api::flow::FlowStatus;
use netloom_api::state::ExperimentStatus;
use netloom_course::Carrier;
use netloom_nodes::Layout;
use netloom_watch::Watching;

use crate::end::End;
use crate::live::LiveNetwork;
use crate::monitoring::SharedMonitor;
use crate::publish::Publisher;
use crate::run::flows;
use crate::services::Services;
use crate::state::RunState;
use crate::usage::MemoryKills;

/// The origin of an experiment, and its paths.
pub struct Setting {
    /// The names and paths of the experiment.
    pub layout: Layout,
    /// The scenario file that it was started from. The deployment has the one in force.
    pub file: PathBuf,
    /// The directory of a run's results. `None` if the scenario is deployed and not run.
    pub results: Option<PathBuf>,
    /// Whether a run ends as soon as something has failed.
    pub fail_fast: bool,
    /// The settings for the command of `netloom shell`.
    pub shell: Option<netloom_api::launch::Shell>,
    /// The scenario's monitor, before a measure of the machine completed it.
    pub declared_monitor: netloom_scenario::Monitor,
}

/// The parts of an experiment.
pub struct Experiment {
    /// The settings that never change.
    pub setting: Setting,
    /// Nodes, data plane and deployment.
    pub network: Arc<LiveNetwork>,
    /// The course of the run.
    pub state: Arc<RunState>,
    /// The contention monitor.
    pub monitor: Arc<SharedMonitor>,
    /// The programs that run in nodes from the start.
    pub services: Arc<Services>,
    /// Ports of the machine that lead into nodes.
    pub publisher: Publisher,
    /// Processes that the kernel has killed because memory ran out.
    pub memory_kills: Arc<MemoryKills>,
    /// Those who watch the network live.
    pub watching: Arc<Watching>,
    /// The request to end the experiment.
    pub end: End,
    /// What is known of processes of the traffic that have ended.
    pub ended_traffic: flows::Ended,
}

impl Experiment {
    /// Returns the status of the whole experiment.
    pub fn status(&self) -> ExperimentStatus {
        let deployment = self.network.deployment();
        let size = deployment.whole.scenario.size();
        ExperimentStatus {
            name: deployment.name(),
            engine_pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            phase: self.state.phase(),
            file: deployment.file.clone(),
            now: self.network.since_zero(),
            started_unix: self.network.started_unix() as u64,
            nodes: size.nodes,
            links: size.links,
            results: self.setting.results.clone(),
            simulated: false,
        }
    }

    /// Returns the flows of the scenario's traffic so far.
    pub fn flows(&self) -> Result<Vec<FlowStatus>> {
        let results = self.setting.results.iter();
        let sent = results.flat_map(|results| {
            flows::flows(&self.network, &self.state.process_table, results, &self.ended_traffic)
        });
        let mut flows: Vec<FlowStatus> = sent.collect();
        flows.append(&mut self.network.carrying(|carriers| carriers.flows())?);
        Ok(flows)
    }
}
