//! Options of `netloom run`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::Args;

use super::{Format, StartOptions};

/// `netloom run`
#[derive(Debug, Args)]
pub struct Run {
    /// Options of the start.
    #[command(flatten)]
    pub start: StartOptions,
    /// Directory for the results, which must not exist yet; by default
    /// `netloom-results/NAME/TIME`. With `--repeat` it has a folder for each run.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Log what happens to every frame of every link into the results; see `netloom frames`.
    #[arg(long)]
    pub frames: bool,
    /// Exit with code 4 if the verdict on the run is `invalid`.
    #[arg(long)]
    pub strict: bool,
    /// Write what went well and what failed into this file, as JUnit's XML; with `--repeat`, a
    /// suite for each run.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Run it so many times, one after another. The first has the scenario's seed, and each other
    /// one the next seed.
    #[arg(long, value_name = "N", conflicts_with = "metadata")]
    pub repeat: Option<NonZeroU32>,
    /// If a run fails, write into this file what others need to understand why: the scenario and
    /// the files that it names, results, report and logs, versions, and the words of `doctor`.
    #[arg(long, value_name = "FILE.tar.gz", conflicts_with = "metadata", value_parser = tarball)]
    pub bundle: Option<PathBuf>,
    /// Print only the outcome, failures and errors.
    #[arg(short, long)]
    pub quiet: bool,
    /// End the run as soon as something has failed. The default with `--junit`.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
          default_missing_value = "true")]
    pub fail_fast: Option<bool>,
    /// Watch the run in a browser: prints the address of a page that is there until the run ends.
    #[arg(long, conflicts_with_all = ["machines", "metadata"])]
    pub ui: bool,
    /// Have a simulation found like an experiment while it lasts, as with `--ui`, without a page of
    /// its own.
    #[arg(long, hide = true, requires = "simulate", conflicts_with = "metadata")]
    pub watched: bool,
    /// Output format: `json` prints progress, events and outcome as lines of JSON.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Run it on several machines, each of which carries a part of the network: those of a list,
    /// `local:N`, N engines on this one, or `ray:ADDRESS[,count=N][,cpus=N]`, nodes of a Ray
    /// cluster.
    #[arg(long, value_name = "MACHINES", conflicts_with_all = ["simulate", "metadata"])]
    pub machines: Option<String>,
    /// Place nodes as this file says, which `netloom plan --output` has written.
    #[arg(long, value_name = "FILE", requires = "machines")]
    pub placement: Option<PathBuf>,
    /// Run the whole experiment on this machine of the list, wherever its nodes belong.
    #[arg(long, value_name = "NAME", requires = "machines", conflicts_with = "placement")]
    pub on: Option<String>,
    /// Simulate: the same network and its `traffic` in virtual time, on models. Needs no
    /// privileges; commands cannot be simulated.
    #[arg(long, conflicts_with_all = ["workers", "dilation"])]
    pub simulate: bool,
    /// Most processes that a simulation is divided among, in place of the scenario's (default 1).
    #[arg(long, value_name = "N", requires = "simulate")]
    pub processes: Option<NonZeroU32>,
    /// Threads of a simulation, of all its processes together, instead of what the scenario says
    /// (default 1); each process has one at least. The results do not depend on it.
    #[arg(long, value_name = "N", requires = "simulate")]
    pub threads: Option<NonZeroU32>,
    /// Into how many cells a simulation is divided at most, instead of what the scenario says
    /// (default four for each of several threads); one for each process at least. The results do
    /// not depend on it.
    #[arg(long, value_name = "N", requires = "simulate")]
    pub cells: Option<NonZeroU32>,
    /// Leave processes and commands out of a simulation.
    #[arg(long, requires = "simulate")]
    pub without_commands: bool,
    /// Repeat the simulation of a symbiotic run from its `metadata.parquet`, which says what real
    /// programs did: the calibrations are the same, byte for byte.
    #[arg(long, value_name = "FILE", requires = "simulate", conflicts_with_all = [
        "without_commands", "frames", "threads", "cells",
    ])]
    pub metadata: Option<PathBuf>,
}

/// Reads the name of a compressed archive.
fn tarball(name: &str) -> Result<PathBuf, String> {
    let is_tarball = [".tar.gz", ".tgz"].iter().any(|end| name.ends_with(end));
    is_tarball.then(|| name.into()).ok_or_else(|| "the name ends with `.tar.gz`".to_owned())
}
