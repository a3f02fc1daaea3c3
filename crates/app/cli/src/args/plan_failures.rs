//! The options of `netloom plan-failures`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Format, ScenarioFile};

/// `netloom plan-failures`
#[derive(Debug, Args)]
pub struct PlanFailures {
    /// The scenario file; by default the only one in this folder.
    #[arg(value_name = "FILE", conflicts_with = "file")]
    pub only_file: Option<PathBuf>,
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Let only these fail, instead of all links and all routers.
    #[arg(long, value_enum)]
    pub only: Option<Failing>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// What fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Failing {
    /// Each link, in both directions.
    Links,
    /// Each router, with all its links.
    Nodes,
}
