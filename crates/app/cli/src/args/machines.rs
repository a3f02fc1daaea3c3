//! Arguments of `netloom machines`.

use clap::{Args, Subcommand};

/// `netloom machines`
#[derive(Debug, Subcommand)]
pub enum Machines {
    /// Print what Kubernetes makes a list's machines of, for `kubectl apply -f -`.
    Manifest(Manifest),
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
