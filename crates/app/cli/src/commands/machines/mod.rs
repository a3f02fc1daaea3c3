//! `netloom machines`: the machines of a list, before a run and after it.

mod check;
mod collect;
mod manifest;

use anyhow::Result;

use crate::args::Machines;

/// Runs a command of `netloom machines`.
pub async fn machines(args: Machines) -> Result<i32> {
    match args {
        Machines::Check(args) => check::check(args).await,
        Machines::Collect(args) => collect::collect(&args),
        Machines::Manifest(args) => manifest::manifest(&args),
    }
}
