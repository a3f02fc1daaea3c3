//! The configurations of all pipes, in whichever process the pipes are: those of the scenario, with
//! the changes that its timeline has made. Not here: how a change affects a pipe (`netloom-link`).

use netloom_fabric::PipeId;
use netloom_link::{PipeChange, PipeConfig};
use netloom_scenario::Scenario;
use netloom_sim::Change;
use netloom_units::Time;

/// The configuration of each pipe at a given time.
pub struct Configs {
    /// By link and direction.
    pipes: Vec<PipeConfig>,
    /// Changes still to be made, the last one first.
    changes: Vec<(Time, PipeId, PipeChange)>,
}

impl Configs {
    /// Returns the configurations of a scenario at the start. `changes` are those of its timeline,
    /// by time.
    pub fn new(scenario: &Scenario, changes: &[Change]) -> Self {
        let pipes = scenario.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
        let changes = changes.iter().rev().flat_map(|change| {
            let pipes = change.changes.iter().rev();
            pipes.map(|(pipe, set)| (change.at, *pipe, set.clone()))
        });
        Self { pipes: pipes.cloned().collect(), changes: changes.collect() }
    }

    /// Makes the changes up to and including `now`.
    pub fn reach(&mut self, now: Time) {
        while self.changes.last().is_some_and(|(at, ..)| *at <= now) {
            let Some((_, pipe, change)) = self.changes.pop() else { return };
            change.apply_to(&mut self.pipes[pipe.index()]);
        }
    }

    /// Returns the configuration of a pipe.
    pub fn of(&self, pipe: PipeId) -> &PipeConfig {
        &self.pipes[pipe.index()]
    }
}
