//! Arguments of `netloom machines`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Format;

/// `netloom machines`
#[derive(Debug, Subcommand)]
pub enum Machines {
    /// Check each machine and each way between two, before a run: all that would refuse or spoil
    /// it, with what to do. Nothing is made there. Code 2 if a run would be refused.
    Check(CheckMachines),
    /// Fetch what members have kept whose lead was killed or lost them, and merge it to results of
    /// one run each.
    Collect(Collect),
    /// Print what Kubernetes makes a list's machines of, for `kubectl apply -f -`.
    Manifest(Manifest),
}

/// `netloom machines check`
#[derive(Debug, Args)]
pub struct CheckMachines {
    /// The list of machines, or `local:N` for N engines on this one.
    #[arg(long, value_name = "FILE|local:N")]
    pub machines: String,
    /// The scenario that is to run: its programs and links are checked as well.
    #[arg(short = 't', long = "topology", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// `netloom machines manifest`
#[derive(Debug, Args)]
pub struct Manifest {
    /// The list of machines. Their addresses are those of the pods: `NAME-0`, `NAME-1` …
    #[arg(long, value_name = "FILE")]
    pub machines: String,
    /// The container image, in which `netloom` is a command.
    #[arg(long)]
    pub image: String,
}

/// `netloom machines collect`
#[derive(Debug, Args)]
pub struct Collect {
    /// The machines of the run: its list, or `local:N`.
    #[arg(long, value_name = "FILE|local:N")]
    pub machines: String,
    /// The new directory for the results; by default one in `netloom-results`. Of `local:N`, that
    /// of the run.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}
