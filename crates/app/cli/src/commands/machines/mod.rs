//! `netloom machines`: the machines of a list, before a run and after it.

mod collect;

use anyhow::Result;

use crate::args::Machines;

/// Runs a command of `netloom machines`.
pub fn machines(args: Machines) -> Result<i32> {
    match args {
        Machines::Collect(args) => collect::collect(&args),
    }
}
