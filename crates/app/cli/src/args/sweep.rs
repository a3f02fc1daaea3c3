//! The options of `netloom sweep` and `netloom table`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::Format;

/// `netloom sweep`
#[derive(Debug, Args)]
pub struct Sweep {
    /// The sweep file: scenario, values that differ, seeds and metrics.
    #[arg(value_name = "FILE", required_unless_present = "topology", conflicts_with = "topology")]
    pub file: Option<PathBuf>,
    /// Without a sweep file: the scenario.
    #[arg(short = 't', long = "topology", value_name = "SCENARIO", requires = "metric")]
    pub topology: Option<PathBuf>,
    /// Without a sweep file: values of the scenario at `PATH`, like
    /// `links.bottleneck.rate=5Mbit/s,10Mbit/s`. May be given several times.
    #[arg(long, value_name = "PATH=A,B", requires = "topology")]
    pub vary: Vec<String>,
    /// Without a sweep file: seeds of every point, `N` for 1 to N, or `A-B` (default 1).
    #[arg(long, value_name = "SEEDS", requires = "topology")]
    pub seeds: Option<String>,
    /// Without a sweep file: a measure of the only flow, or of that flow or direction of a link,
    /// like `goodput`, `goodput@a` or `load@bottleneck/forward`. May be given several times.
    #[arg(long, value_name = "MEASURE[@WHAT]", requires = "topology")]
    pub metric: Vec<String>,
    /// Simulate, whatever the file says.
    #[arg(long)]
    pub simulate: bool,
    /// How many runs at a time. Simulated: `auto` (default) is as many as CPUs and memory bear.
    /// Emulated: 1 by default; more are tested first, and get CPUs of their own.
    #[arg(long, value_name = "N|auto")]
    pub jobs: Option<Jobs>,
    /// Spread the runs over machines, one at a time on each: those of a list, `local:N`, N places
    /// on this one, or `ray:ADDRESS[,count=N][,cpus=N]`, each run a task of a Ray cluster.
    #[arg(long, value_name = "MACHINES", conflicts_with = "jobs")]
    pub machines: Option<String>,
    /// Least number of CPUs that each of several emulated runs at a time gets.
    #[arg(long, value_name = "N", default_value = "2")]
    pub cpus_each: NonZeroU32,
    /// Only points with this value of a key of `vary`. May be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    pub only: Vec<String>,
    /// Check all points and say what would be run; run nothing.
    #[arg(long, visible_alias = "check")]
    pub dry_run: bool,
    /// End the sweep at the first run that fails.
    #[arg(long)]
    pub fail_fast: bool,
    /// Leave runs out of means whose verdict is `suspect`, too.
    #[arg(long)]
    pub strict: bool,
    /// Folder for the results, by default `netloom-results/NAME` after the file. The same command
    /// does what is missing there.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// How progress and results are printed; `json` is an object a line.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print only the table and errors.
    #[arg(short, long)]
    pub quiet: bool,
}

/// How many runs at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jobs {
    /// As many as the machine bears.
    Auto,
    /// So many.
    Number(NonZeroU32),
}

impl FromStr for Jobs {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => text
                .parse()
                .map(Self::Number)
                .map_err(|_| "write a number from 1 on, or `auto`".to_owned()),
        }
    }
}

/// `netloom table`
#[derive(Debug, Args)]
pub struct Table {
    /// A Parquet file, like `pipes.parquet` of a run or `runs.parquet` of a sweep.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print comma-separated values.
    #[arg(long, conflicts_with = "format")]
    pub csv: bool,
    /// How it is printed; `json` is an object a line.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Only rows with this value in a column. May be given several times.
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    pub only: Vec<String>,
}
