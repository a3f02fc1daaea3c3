//! `netloom cleanup`

use anyhow::Result;
use netloom_lead::{commands, files};

use crate::args::Cleanup;
use crate::{exit, placing};

/// Removes the remains of experiments. A failure for one does not affect the others.
pub fn cleanup(args: Cleanup) -> Result<i32> {
    if let Some(machines) = &args.machines {
        return everywhere(machines);
    }
    if let Some(name) = &args.experiment {
        clean(name, args.force || args.all)?;
        return Ok(exit::SUCCESS);
    }
    let (mut living, mut failed, mut cleaned) = (vec![], vec![], false);
    for name in netloom_host::names() {
        match netloom_host::inspect(&name) {
            Ok(found) if found.alive && !args.all => living.push(found),
            _ => {
                cleaned = true;
                if let Err(error) = clean(&name, args.force || args.all) {
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

/// Removes the remains of experiments on the machines of a list.
fn everywhere(named: &str) -> Result<i32> {
    let machines = placing::standing_machines(named)?;
    if machines.local.is_some() {
        return cleanup(Cleanup { experiment: None, all: false, force: false, machines: None });
    }
    let mut failed = Vec::new();
    let all = commands(&machines).map_err(|error| exit::usage(format!("{error:#}")))?;
    for (name, command) in all {
        match files::clean_up(&command, &files::word()?, None) {
            Ok(said) => said.lines().for_each(|line| println!("{name}: {line}")),
            Err(error) => failed.push((name.clone(), error.context(format!("machine `{name}`")))),
        }
    }
    exit::all_of("cleaned up", failed)
}

/// Removes the remains of the experiment `name`. With `kill`, a living engine is killed first.
fn clean(name: &str, kill: bool) -> Result<()> {
    if kill {
        netloom_host::kill_engine(name)?;
    }
    let cleaned = netloom_host::cleanup(name)?;
    let removed = cleaned.in_words();
    match removed.is_empty() {
        true => println!("{name}: nothing was left"),
        false => println!("{name}: removed {}", removed.join(", ")),
    }
    for path in cleaned.nodes.foreign {
        println!("{name}: left alone {}, which is not of this experiment", path.display());
    }
    Ok(())
}
