//! The facts that the summary of every run begins with.

use std::path::Path;

use netloom_api::event::EndReason;
use netloom_api::summary::{Mode, Summary};
use netloom_scenario::Scenario;
use netloom_units::Time;

/// What is known of every run at its end.
pub struct Facts<'r> {
    /// What carried the packets.
    pub mode: Mode,
    /// The scenario.
    pub scenario: &'r Scenario,
    /// Its file.
    pub file: &'r Path,
    /// Date of time zero, in seconds since 1970-01-01 UTC.
    pub started_unix: f64,
    /// End of the run.
    pub ended: Time,
    /// Reason for its end.
    pub reason: EndReason,
    /// Time until the network was up, in seconds.
    pub deploy_seconds: f64,
    /// What failed, in words.
    pub failures: Vec<String>,
}

impl Facts<'_> {
    /// Returns the summary of a run of which only these facts are known.
    pub fn summary(self) -> Summary {
        let Self { mode, scenario, file, started_unix, ended, reason, deploy_seconds, failures } =
            self;
        Summary {
            name: scenario.name.clone(),
            mode,
            file: file.to_owned(),
            seed: scenario.seed,
            dilation: match mode {
                Mode::Simulation => netloom_units::Dilation::NONE,
                Mode::Emulation | Mode::Hybrid | Mode::Symbiosis => scenario.dilation,
            },
            version: env!("CARGO_PKG_VERSION").into(),
            started_unix,
            ended,
            reason,
            deploy_seconds,
            ready_seconds: None,
            success: failures.is_empty(),
            failures,
            processes: Vec::new(),
            timeline: Vec::new(),
            expectations: Vec::new(),
            links: Vec::new(),
            vlan_ports: Default::default(),
            usage: Default::default(),
            frame_log: None,
            verdict: None,
            timing: None,
            simulation: None,
            flows: Vec::new(),
            media: Vec::new(),
            machines: Vec::new(),
            placement: Default::default(),
            warnings: Vec::new(),
        }
    }
}
