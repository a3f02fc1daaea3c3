//! What is simulated, as those see it who watch.

use std::path::PathBuf;

use netloom_scenario::Scenario;

/// What is simulated.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The scenario.
    pub scenario: Scenario,
    /// Its text, as the user wrote it.
    pub source: String,
    /// Its file.
    pub file: PathBuf,
    /// The directory of the results.
    pub results: PathBuf,
}
