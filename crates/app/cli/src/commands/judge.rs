//! `netloom judge`

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_api::summary::Summary;
use netloom_monitor::{Judgement, MachinePart, Monitor, Verdict, trace};
use netloom_results::MACHINES;
use netloom_scenario::Monitor as Needs;

use super::summary::judged;
use crate::args::{Format, Judge, ScenarioFile};
use crate::{exit, find, results};

/// Judges a run again.
pub fn judge(args: &Judge) -> Result<i32> {
    let verdict = verdict(&args.directory, args.criteria_of.as_deref())?;
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&verdict)?),
        Format::Table => println!("verdict: {}", judged(&verdict, usize::MAX).join("\n")),
    }
    let invalid = verdict.judgement == Judgement::Invalid;
    Ok(if args.strict && invalid { exit::INVALID } else { exit::SUCCESS })
}

/// Returns the verdict on the recorded observations, from the beginning of the run to its end.
/// Those of each of several machines are judged by a monitor of their own first, as in the run.
fn verdict(directory: &Path, criteria_of: Option<&Path>) -> Result<Verdict> {
    let summary = results::summary(directory)?;
    let needs = needs(directory, criteria_of)?;
    if summary.machines.is_empty() {
        return of_one(directory, &summary, &needs);
    }
    let parts = summary.machines.iter().map(|machine| {
        let own = directory.join(MACHINES).join(&machine.name);
        // A machine that was lost may have left nothing.
        let verdict = match own.join("summary.json").exists() {
            true => Some(of_one(&own, &results::summary(&own)?, &needs)?),
            false => None,
        };
        let (machine, clock, lost) = (machine.name.clone(), machine.clock, machine.lost);
        Ok(MachinePart { machine, clock, lost, verdict })
    });
    let parts: Vec<MachinePart> = parts.collect::<Result<_>>()?;
    Ok(Verdict::of_machines(parts, &needs.trust, needs.criteria.brief))
}

/// Returns the verdict on what a single machine observed.
fn of_one(directory: &Path, summary: &Summary, needs: &Needs) -> Result<Verdict> {
    let given = summary.verdict.as_ref();
    let given =
        given.with_context(|| format!("{}: the run was not judged", directory.display()))?;
    let file = directory.join("observations.jsonl");
    if !file.exists() {
        bail!(
            "{} has no observations.jsonl: only a run whose scenario has \
             `measure: {{ observations: true }}` can be judged again",
            directory.display()
        );
    }
    let mut monitor = Monitor::new(needs.criteria.clone(), needs.trust.clone(), given.from);
    let observations = File::open(&file).map_err(anyhow::Error::from);
    observations
        .and_then(|stream| Ok(trace::replay(BufReader::new(stream), &mut monitor)?))
        .with_context(|| format!("cannot use {}", file.display()))?;
    // The cost of the monitor is a fact of the run, and does not depend on the judgement.
    Ok(Verdict { overhead: given.overhead, ..monitor.verdict(given.to) })
}

/// Returns the needs by which a run is judged: the scenario's criteria and its purpose.
fn needs(directory: &Path, of: Option<&Path>) -> Result<Needs> {
    match of {
        Some(file) => {
            let file = ScenarioFile { file: Some(file.into()), ..ScenarioFile::default() };
            Ok(find::scenario(&file)?.scenario.monitor)
        }
        None => {
            let file = directory.join("scenario.json");
            let scenario = results::scenario(directory)
                .with_context(|| format!("cannot find the run's criteria in {}", file.display()))?;
            Ok(scenario.monitor)
        }
    }
}
