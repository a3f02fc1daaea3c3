//! Arguments of `netloom symbiosis`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `netloom symbiosis`
#[derive(Debug, Subcommand)]
pub enum Symbiosis {
    /// Show which pipes real packets can meet, and the small network that stands for them.
    Plan(SymbiosisPlan),
}

/// `netloom symbiosis plan`
#[derive(Debug, Args)]
pub struct SymbiosisPlan {
    /// The scenario file; by default the only `netloom.yaml` or `*.netloom.yaml` in this folder.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Print both networks as JSON.
    #[arg(long, conflicts_with = "dot")]
    pub json: bool,
    /// Print both networks as drawings for Graphviz.
    #[arg(long)]
    pub dot: bool,
}
