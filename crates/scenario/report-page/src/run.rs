//! What is known of a run. Only the summary must be there; the page says what is missing.

use netloom_api::machine::Machine;
use netloom_api::summary::Summary;
use netloom_scenario::Scenario;

use crate::curves::Curves;
use crate::happened::Happened;
use crate::metrics::Metrics;
use crate::radio::Radio;

/// What was read of a run's results.
#[derive(Debug)]
pub struct Run {
    /// How it went.
    pub summary: Summary,
    /// When its network was ready, as people write it.
    pub started: String,
    /// The scenario as it was run.
    pub scenario: Option<Scenario>,
    /// The machine it ran on.
    pub machine: Option<Machine>,
    /// How the [drawn](crate::drawn) links did over time.
    pub curves: Option<Curves>,
    /// What happened.
    pub happened: Happened,
    /// What applications in nodes reported.
    pub metrics: Metrics,
    /// What was on shared media.
    pub radio: Radio,
    /// What could not be read and why, a sentence each.
    pub missing: Vec<String>,
}
