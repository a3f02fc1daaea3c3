//! Turns a scenario into a simulation of it, or of one process's part. Not here: how it is run
//! (`run`, `worker`).

use std::sync::Arc;

use anyhow::Result;
use netloom_scenario::Scenario;
use netloom_sim::{Division, Simulation};

use crate::configs::Configs;
use crate::describe::{Part, describe};
use crate::fluid::Course;
use crate::timeline::Timeline;
use crate::traffic::{self, Flow};

/// Everything that a process needs to run its part and to report on it.
pub struct Prepared {
    /// The process's part.
    pub simulation: Simulation,
    /// All flows of packets.
    pub flows: Vec<Flow>,
    /// All fluid traffic.
    pub course: Course,
    /// The whole timeline.
    pub timeline: Timeline,
    /// The configurations of all pipes.
    pub configs: Configs,
}

/// Makes one process's part of a scenario's network.
///
/// # Errors
/// If the scenario does not describe a valid network.
pub fn prepare(scenario: &Scenario, division: Division) -> Result<Prepared> {
    let plan = Arc::new(netloom_plan::plan(scenario)?);
    let mut described = describe(scenario, &plan, Part::All)?;
    let (flows, specs) = traffic::flows(scenario, &plan, &described)?;
    let (timeline, course, changes) = Timeline::new(scenario, &plan, &described)?;
    let configs = Configs::new(scenario, &changes);
    described.network.timeline = changes;
    let simulation = Simulation::part(described.network, specs, division);
    Ok(Prepared { simulation, flows, course, timeline, configs })
}
