//! One experiment, from the moment its network is ready: its parts, which those who start it and
//! those who serve it hand to others one by one.

use std::path::PathBuf;
use std::sync::Arc;

use netloom_api::state::ExperimentStatus;
use netloom_nodes::Layout;

use crate::end::End;
use crate::live::LiveNetwork;
use crate::monitoring::SharedMonitor;
use crate::publish::Publisher;
use crate::services::Services;
use crate::state::RunState;
use crate::usage::MemoryKills;

/// Where an experiment comes from and where its things are.
pub struct Setting {
    /// Where its things live.
    pub layout: Layout,
    /// The scenario file that it was started from; the deployment has the one in force.
    pub file: PathBuf,
    /// Where a run's results go; nothing where the scenario is deployed, not run.
    pub results: Option<PathBuf>,
    /// What is done for the command of `netloom shell`.
    pub shell: Option<netloom_api::launch::Shell>,
    /// The scenario's monitor, before a measure of the machine filled it in.
    pub declared_monitor: netloom_scenario::Monitor,
}

/// The parts of an experiment.
pub struct Experiment {
    /// What never changes.
    pub setting: Setting,
    /// Nodes and data plane, and what is deployed on them.
    pub network: Arc<LiveNetwork>,
    /// How the run goes.
    pub state: Arc<RunState>,
    /// The contention monitor.
    pub monitor: Arc<SharedMonitor>,
    /// What runs in nodes from the start.
    pub services: Arc<Services>,
    /// Ports of the machine that lead into nodes.
    pub publisher: Publisher,
    /// Processes that the kernel has killed for want of memory.
    pub memory_kills: Arc<MemoryKills>,
    /// Where to ask for the end.
    pub end: End,
}

impl Experiment {
    /// The experiment as a whole.
    pub fn status(&self) -> ExperimentStatus {
        let deployment = self.network.deployment();
        ExperimentStatus {
            name: deployment.scenario.name.clone(),
            engine_pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            phase: self.state.phase(),
            file: deployment.file.clone(),
            now: self.network.now(),
            started_unix: self.network.started_unix() as u64,
            nodes: deployment.whole().nodes.len(),
            links: deployment.whole().links.len(),
            results: self.setting.results.clone(),
        }
    }
}
