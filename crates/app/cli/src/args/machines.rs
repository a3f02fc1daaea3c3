//! Arguments of `netloom machines`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `netloom machines`
#[derive(Debug, Subcommand)]
pub enum Machines {
    /// Fetch what members have kept whose lead was killed or lost them, and merge it to results of
    /// one run each.
    Collect(Collect),
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
