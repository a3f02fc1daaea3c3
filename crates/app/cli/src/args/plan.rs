//! The options of `netloom plan`.

use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::Args;

use super::{Format, ScenarioFile};

/// `netloom plan`
#[derive(Debug, Args)]
pub struct Plan {
    /// The scenario file; by default the only one in this folder.
    #[arg(value_name = "FILE", conflicts_with = "file")]
    pub only_file: Option<PathBuf>,
    /// Which scenario.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// The machines: a list like `machines.yaml`, or `local:N[,delay=TIME][,rate=RATE]
    /// [,loss=PERCENT]` for N machines that are made on this one, or `ray:ADDRESS,count=N`.
    #[arg(long, value_name = "FILE|local:N", required_unless_present = "like")]
    pub machines: Option<String>,
    /// The profile of machines that are all alike, from `netloom calibrate`.
    #[arg(long, value_name = "PROFILE", requires = "count", conflicts_with = "machines")]
    pub like: Option<PathBuf>,
    /// Number of machines that are all alike.
    #[arg(long, value_name = "N", requires = "like")]
    pub count: Option<NonZeroU16>,
    /// Write the placement to this file, as JSON if it ends with `.json`, else as YAML.
    #[arg(short, long, value_name = "FILE", conflicts_with = "check")]
    pub output: Option<PathBuf>,
    /// Check the placement in this file instead of searching for one.
    #[arg(long, value_name = "FILE")]
    pub check: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
