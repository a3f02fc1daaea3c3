//! `netloom machines`: the machines of a list, before a run and after it.

mod manifest;

use anyhow::Result;

use crate::args::Machines;

/// Runs a command of `netloom machines`.
pub fn machines(args: Machines) -> Result<i32> {
    match args {
        Machines::Manifest(args) => manifest::manifest(&args),
    }
}
