//! `netloom cleanup`

use anyhow::Result;

use crate::args::Cleanup;
use crate::{Cleaned, Found, Machine, exit};

/// Removes what experiments left.
pub fn cleanup(machine: &dyn Machine, args: Cleanup) -> Result<i32> {
    let (names, living) = match args.experiment {
        Some(name) => (vec![name], vec![]),
        None => {
            let (living, dead): (Vec<Found>, Vec<Found>) =
                machine.experiments()?.into_iter().partition(|found| found.alive && !args.all);
            (dead.into_iter().map(|found| found.name).collect(), living)
        }
    };
    if names.is_empty() {
        println!("nothing to clean up");
    }
    for name in names {
        if args.all || args.force {
            machine.kill_engine(&name)?;
        }
        let Cleaned { removed, foreign } = machine.cleanup(&name)?;
        match removed.is_empty() {
            true => println!("{name}: nothing was left"),
            false => println!("{name}: removed {}", removed.join(", ")),
        }
        for path in foreign {
            println!("{name}: left alone {}, which is not of this experiment", path.display());
        }
    }
    for Found { name, pid, .. } in living {
        let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        println!("{name}: left to its engine{pid}, which runs");
    }
    Ok(exit::SUCCESS)
}
