//! From a scenario to a simulation of it, or of the part that one process has. Not here: how it is
//! run (`run`, `worker`).

use std::sync::Arc;

use anyhow::Result;
use netloom_scenario::Scenario;
use netloom_sim::{Division, Simulation};

use crate::configs::Configs;
use crate::describe::{Part, describe};
use crate::timeline::Timeline;
use crate::traffic::{self, Flow};

/// What a process needs to run its part, and to say what it was.
pub struct Prepared {
    /// The part.
    pub simulation: Simulation,
    /// All flows.
    pub flows: Vec<Flow>,
    /// All of the timeline.
    pub timeline: Timeline,
    /// What all pipes run on.
    pub configs: Configs,
}

/// Makes the part of a scenario's network that a process has.
///
/// # Errors
/// If there is no such network.
pub fn prepare(scenario: &Scenario, division: Division) -> Result<Prepared> {
    let plan = Arc::new(netloom_plan::plan(scenario)?);
    let mut described = describe(scenario, &plan, Part::All)?;
    let (flows, specs) = traffic::flows(scenario, &plan, &described)?;
    let (timeline, changes) = Timeline::new(scenario, &plan, &described)?;
    let configs = Configs::new(scenario, &changes);
    described.network.timeline = changes;
    let simulation = Simulation::part(described.network, specs, division);
    Ok(Prepared { simulation, flows, timeline, configs })
}
