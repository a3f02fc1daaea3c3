//! The data of a run. Only the summary is required; the page lists missing data.

use netloom_api::machine::Machine;
use netloom_api::summary::Summary;
use netloom_scenario::Scenario;

use crate::curves::Curves;
use crate::flow_curves::FlowCurves;
use crate::happened::Happened;
use crate::metrics::Metrics;
use crate::radio::Radio;

/// The data that were read from a run's results.
#[derive(Debug)]
pub struct Run {
    /// Summary of the run.
    pub summary: Summary,
    /// Time at which its network was ready, for people.
    pub started: String,
    /// The scenario as it was run.
    pub scenario: Option<Scenario>,
    /// The machine on which it ran.
    pub machine: Option<Machine>,
    /// Curves of the [drawn](crate::drawn) links over time.
    pub curves: Option<Curves>,
    /// Curves of the flows that brought most.
    pub flow_curves: Option<FlowCurves>,
    /// Events of the run.
    pub happened: Happened,
    /// Metrics that applications in nodes reported.
    pub metrics: Metrics,
    /// Data of shared media.
    pub radio: Radio,
    /// Data that could not be read, with a sentence about the reason for each.
    pub missing: Vec<String>,
}
