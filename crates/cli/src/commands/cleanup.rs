//! `netloom cleanup`

use anyhow::Result;

use crate::args::Cleanup;
use crate::{Machine, exit};

/// Removes what experiments left.
pub fn cleanup(machine: &dyn Machine, args: Cleanup) -> Result<i32> {
    let names: Vec<String> = match args.experiment {
        Some(name) => vec![name],
        None => machine
            .experiments()?
            .into_iter()
            .filter(|found| args.all || !found.alive)
            .map(|found| found.name)
            .collect(),
    };
    if names.is_empty() {
        println!("nothing to clean up");
    }
    for name in names {
        if args.all || args.force {
            machine.kill_engine(&name)?;
        }
        let removed = machine.cleanup(&name)?;
        match removed.is_empty() {
            true => println!("{name}: nothing was left"),
            false => println!("{name}: removed {}", removed.join(", ")),
        }
    }
    Ok(exit::SUCCESS)
}
