//! `netloom machines collect`: results that members have kept, since nobody fetched them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_api::member::Kept;
use netloom_lead::{PartOfResults, commands, files, merge};
use netloom_placement::Machines;
use netloom_units::Time;

use crate::args::Collect;
use crate::commands::run::part_of;
use crate::launch::results_of;
use crate::{exit, placing, results};

/// What one member has kept.
struct Part {
    kept: Kept,
    /// Where it is.
    directory: PathBuf,
    /// The command that leads there, if it is on another machine.
    command: Option<String>,
}

/// Fetches and merges what members have kept. A failure for one run does not affect the others.
pub fn collect(args: &Collect) -> Result<i32> {
    let machines = placing::machines(&args.machines)?;
    let (parts, mut failed) = match machines.local {
        Some(_) => (here(&machines, args.output.as_deref())?, Vec::new()),
        None => elsewhere(&machines)?,
    };
    let mut runs: BTreeMap<u64, Vec<Part>> = BTreeMap::new();
    for part in parts {
        runs.entry(part.kept.session).or_default().push(part);
    }
    if runs.is_empty() && failed.is_empty() {
        println!("nothing to collect");
    }
    let several = runs.len() > 1;
    for mut parts in runs.into_values() {
        let Some(Kept { experiment, machines, .. }) = parts.first().map(|part| part.kept.clone())
        else {
            continue;
        };
        parts.sort_by_key(|part| machines.iter().position(|name| *name == part.kept.machine));
        let output = match &args.output {
            Some(_) if several => Err(exit::usage(
                "there are results of several runs: leave `--output` away, and each gets a \
                 directory of its own",
            )),
            Some(output) => std::path::absolute(output).map_err(Into::into),
            None => match &parts[0].command {
                Some(_) => results_of(None, &experiment),
                None => whole_of(&parts[0]).context("it has no name"),
            },
        };
        match output.and_then(|output| one(&parts, &output).map(|()| output)) {
            Ok(output) => println!(
                "{experiment}: results of {} of {} machines are in {}",
                parts.len(),
                machines.len(),
                output.display()
            ),
            Err(error) => failed.push((experiment, error)),
        }
    }
    exit::all_of("collected", failed)
}

/// What is found, and machines that could not be asked.
type Found = (Vec<Part>, Vec<(String, anyhow::Error)>);

/// Asks the machines of a list what members have kept there.
fn elsewhere(machines: &Machines) -> Result<Found> {
    let word = files::word()?;
    let (mut parts, mut failed) = (Vec::new(), Vec::new());
    for (name, command) in commands(machines).map_err(|error| exit::usage(format!("{error:#}")))? {
        let all = match files::list(&command, &word) {
            Ok(all) => all,
            Err(error) => {
                failed.push((name.clone(), error.context(format!("machine `{name}`"))));
                continue;
            }
        };
        // Several machines of a list may be one, with one folder.
        for left in all.into_iter().filter(|left| left.kept.machine == name) {
            netloom_scenario::check_experiment_name(&left.kept.experiment).map_err(exit::usage)?;
            let (directory, command) = (left.directory, Some(command.clone()));
            push(&mut parts, Part { kept: left.kept, directory, command }, left.runs);
        }
    }
    Ok((parts, failed))
}

/// Finds what members on this machine have kept, beside the results of their whole.
fn here(machines: &Machines, output: Option<&Path>) -> Result<Vec<Part>> {
    let wholes = match output {
        Some(output) => vec![std::path::absolute(output)?],
        None => {
            let all = std::path::absolute("netloom-results")?;
            let folders = entries(&all).into_iter().flat_map(|folder| entries(&folder));
            let mut wholes: Vec<PathBuf> = folders.filter_map(|part| part_stem(&part)).collect();
            wholes.sort();
            wholes.dedup();
            wholes
        }
    };
    let mut parts = Vec::new();
    for (whole, machine) in
        wholes.iter().flat_map(|whole| machines.list.iter().map(move |machine| (whole, machine)))
    {
        let directory = part_of(whole, &machine.name);
        if let Ok(kept) = files::kept(&directory) {
            let runs = files::runs(&kept);
            push(&mut parts, Part { kept, directory, command: None }, runs);
        }
    }
    Ok(parts)
}

fn push(parts: &mut Vec<Part>, part: Part, runs: bool) {
    match runs {
        true => println!("{} on {}: left alone, it runs", part.kept.experiment, part.kept.machine),
        false => parts.push(part),
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten();
    all.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Returns the directory of the whole, of which this may be a part.
fn part_stem(part: &Path) -> Option<PathBuf> {
    let kept = files::kept(part).ok()?;
    whole_of(&Part { kept, directory: part.into(), command: None })
}

/// Returns the directory of the whole, of which a part is on this machine.
fn whole_of(part: &Part) -> Option<PathBuf> {
    let name = part.directory.file_name()?.to_str()?;
    let whole = name.strip_suffix(&format!(".{}", part.kept.machine))?;
    Some(part.directory.with_file_name(whole))
}

/// Fetches the parts of one run, and merges them into `output`. What was fetched stays if it cannot
/// be merged.
fn one(parts: &[Part], output: &Path) -> Result<()> {
    let Some(first) = parts.first() else { return Ok(()) };
    if output.exists() {
        return Err(exit::usage(format!(
            "{} exists already; results are never overwritten: choose another directory",
            output.display()
        )));
    }
    if let Some(folder) = output.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let mut directories = BTreeMap::new();
    for part in parts {
        let directory = part_of(output, &part.kept.machine);
        if let Some(command) = &part.command {
            files::get(
                command,
                &files::word()?,
                &part.directory,
                &directory,
                Some(files::PATIENCE),
            )
            .with_context(|| format!("machine `{}`", part.kept.machine))?;
        }
        directories.insert(part.kept.machine.as_str(), directory);
    }
    // Members write more at their end than was known when they were asked.
    let kept: Vec<Kept> =
        directories.values().map(|own| files::kept(own)).collect::<Result<_>>()?;
    let of = |machine: &String| {
        let kept = kept.iter().find(|kept| kept.machine == *machine);
        let directory = directories.get(machine.as_str()).cloned();
        let lost = directory.as_deref().and_then(|own| broke_off(own));
        PartOfResults {
            name: machine.clone(),
            directory,
            at_first: kept.map(|kept| kept.at_first.clone()).unwrap_or_default(),
            at_last: kept.map(|kept| kept.at_last.clone()).unwrap_or_default(),
            lost,
        }
    };
    let all: Vec<PartOfResults> = first.kept.machines.iter().map(of).collect();
    let of_first = directories.values().next().context("no machine has results")?;
    let scenario = results::scenario(of_first)?;
    merge(&all, &scenario, (&first.kept.nodes, &[]), output)?;
    // What is in them is in the whole now.
    directories.values().for_each(|own| _ = fs::remove_dir_all(own));
    Ok(())
}

/// Returns when a member has recorded its last event, if it was killed before it could write how
/// its run went.
fn broke_off(directory: &Path) -> Option<Time> {
    if directory.join("summary.json").exists() {
        return None;
    }
    let events = fs::read_to_string(directory.join("events.jsonl")).unwrap_or_default();
    let time = |line: &str| {
        let event: netloom_api::event::Event = serde_json::from_str(line).ok()?;
        Some(event.time)
    };
    Some(events.lines().rev().find_map(time).unwrap_or_default())
}
