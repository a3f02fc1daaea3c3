//! `netloom cleanup`

use anyhow::Result;

use crate::args::Cleanup;
use crate::{Cleaned, Machine, exit};

/// Removes what experiments left. One that cannot be cleaned up does not keep the others from it.
pub fn cleanup(machine: &dyn Machine, args: Cleanup) -> Result<i32> {
    if let Some(name) = &args.experiment {
        clean(machine, name, args.force || args.all)?;
        return Ok(exit::SUCCESS);
    }
    let (mut living, mut failed, mut cleaned) = (vec![], vec![], false);
    for name in machine.names() {
        match machine.inspect(&name) {
            Ok(found) if found.alive && !args.all => living.push(found),
            _ => {
                cleaned = true;
                if let Err(error) = clean(machine, &name, args.force || args.all) {
                    failed.push((name, error));
                }
            }
        }
    }
    if !cleaned {
        println!("nothing to clean up");
    }
    for found in living {
        let pid = found.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        println!("{}: left to its engine{pid}, which runs", found.name);
    }
    exit::all_of("cleaned up", failed)
}

/// Removes what the experiment `name` left; an engine that lives is killed first if it is to be.
fn clean(machine: &dyn Machine, name: &str, kill: bool) -> Result<()> {
    if kill {
        machine.kill_engine(name)?;
    }
    let Cleaned { removed, foreign } = machine.cleanup(name)?;
    match removed.is_empty() {
        true => println!("{name}: nothing was left"),
        false => println!("{name}: removed {}", removed.join(", ")),
    }
    for path in foreign {
        println!("{name}: left alone {}, which is not of this experiment", path.display());
    }
    Ok(())
}
