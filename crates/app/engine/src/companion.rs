//! Parts of a network that run beside the data plane and carry frames of their own: the simulated
//! part of a hybrid run, or the small network of a symbiotic one. Whoever samples, changes or ends
//! the network asks all carriers alike; what only companions have is here.

use std::sync::Arc;

use anyhow::Result;
use netloom_api::event::TimelineStatus;
use netloom_api::flow::FlowStatus;
use netloom_api::path::PathStatus;
use netloom_api::simulation::SimulationSummary;
use netloom_api::summary::Mode;
use netloom_course::Carrier;
use netloom_dataplane::Clock;
use netloom_monitor::Observation;
use netloom_nodes::Network;
use netloom_results::Results;
use netloom_scenario::{Scenario, TimelineAction};
use netloom_units::{Duration, Time};

use crate::events::EventLog;

/// The network and the course of the run in which a companion begins.
pub struct Begin<'b> {
    /// The results of the run.
    pub results: &'b Results,
    /// The real nodes.
    pub nodes: &'b Network,
    /// The log of events.
    pub events: Arc<EventLog>,
    /// Reports to the monitor.
    pub observe: Arc<dyn Fn(&Observation) + Send + Sync>,
    /// The experiment's clock.
    pub clock: Clock,
    /// The zero of the run's time, by that clock.
    pub zero: Time,
}

/// Reports to the monitor what a companion hands to real nodes.
pub trait Border: Send {
    /// Number of pipes that it reports on.
    fn pipes(&self) -> u32;

    /// Reports the names of the pipes.
    fn start(&self, sink: &mut dyn FnMut(Observation));

    /// Reports what has happened until `now`, which may be the `last` time.
    fn look(&mut self, now: Time, last: bool, sink: &mut dyn FnMut(Observation));
}

/// A carrier that runs beside the data plane.
pub trait Companion: Carrier + Send + Sync {
    /// Begins with a run.
    ///
    /// # Errors
    /// If it has ended, or cannot make its files.
    fn begin(&self, begin: Begin<'_>) -> Result<()>;

    /// Returns the time at which a run may end by itself, as far as its traffic is concerned.
    /// `None` while some is yet to be sent.
    ///
    /// # Errors
    /// If it has ended.
    fn done_at(&self) -> Result<Option<Time>>;

    /// Whether the run samples its flows. Otherwise it writes `flows.parquet` itself.
    fn has_sampled_flows(&self) -> bool;

    /// Ends its work for the run, whose zero is `zero` by the experiment's clock. Returns how that
    /// went, with times since zero, or `None` if it never began.
    fn finish(&self, zero: Time) -> Option<Went>;

    /// Returns the paths between real hosts, if it knows them.
    fn paths(&self) -> Option<Vec<PathStatus>> {
        None
    }

    /// Begins to watch at `now` what it hands to real nodes. For the monitor, its pipes have the
    /// numbers from `first` on. Frames that are later than `needed` are too late.
    fn watch(&self, first: u32, needed: Duration, now: Time) -> Box<dyn Border>;

    /// Ends it, and closes its devices.
    fn stop(&self);
}

/// How a run went in a companion.
#[derive(Default)]
pub struct Went {
    /// The kind of run that it makes.
    pub mode: Mode,
    /// The summary of its simulation.
    pub simulation: SimulationSummary,
    /// The flows that it sent itself.
    pub flows: Vec<FlowStatus>,
    /// The events of the timeline, if they happened in it: all of the scenario's, by number.
    pub timeline: Option<Vec<TimelineStatus>>,
    /// Failures, in words.
    pub failures: Vec<String>,
    /// The reason why it may have been late at times, with advice.
    pub busy: Option<Busy>,
}

/// A simulation that may have been late.
pub struct Busy {
    /// What it took, and what would have sufficed.
    pub advice: String,
    /// The warning to users.
    pub warning: String,
}

/// Merges the events of a timeline that happened in nodes with those that happened in a companion,
/// by their numbers in the whole `scenario`.
pub fn whole_timeline(
    scenario: &Scenario,
    real: &[TimelineStatus],
    simulated: Vec<TimelineStatus>,
) -> Vec<TimelineStatus> {
    let mut real = real.iter();
    let merged = scenario.happenings().into_iter().zip(simulated).map(|(event, simulated)| {
        match event.action {
            TimelineAction::Run { .. } => real.next().map_or(simulated.clone(), |real| {
                TimelineStatus { number: simulated.number, ..real.clone() }
            }),
            _ => simulated,
        }
    });
    merged.collect()
}
