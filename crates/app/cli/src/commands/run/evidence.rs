//! What the runs of a command leave for those who look into failures.

use std::path::PathBuf;

use crate::commands::junit::Suites;
use crate::find::Loaded;

/// What is known of the runs of a command, for those who look into failures.
#[derive(Default)]
pub struct Evidence {
    pub junit: Suites,
    pub loaded: Option<Loaded>,
    /// The results of runs that have failed.
    pub failed: Vec<PathBuf>,
    /// How it ended, in words.
    pub outcome: Vec<String>,
}
