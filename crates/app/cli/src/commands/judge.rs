//! `netloom judge`

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_monitor::{Judgement, Monitor, Verdict, trace};
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
fn verdict(directory: &Path, criteria_of: Option<&Path>) -> Result<Verdict> {
    let given = results::summary(directory)?.verdict;
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
    let needs = needs(directory, criteria_of)?;
    let mut monitor = Monitor::new(needs.criteria, needs.trust, given.from);
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
