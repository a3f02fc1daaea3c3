//! Checks that the verdict on a recorded run follows from the formulas over the whole record.
//!
//!     cargo run --release -p netloom-monitor --example formulas -- RESULTS
//!
//! `RESULTS` is the directory of a run whose scenario has `measure: { observations: true }`. Prints
//! the differences, and ends with code 1 if there are any.

#[path = "../tests/offline/mod.rs"]
mod offline;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use netloom_monitor::{Criteria, Monitor, Observation, Subject, Verdict, trace};
use offline::Offline;
use offline::compare::differences;
use serde_json::Value;

fn json(file: &Path) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_reader(BufReader::new(File::open(file)?))?)
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let results: PathBuf = std::env::args_os().nth(1).ok_or("which results?")?.into();
    let scenario = json(&results.join("scenario.json"))?;
    let criteria: Criteria = serde_json::from_value(scenario["monitor"]["criteria"].clone())?;
    let summary = json(&results.join("summary.json"))?;
    let given: Verdict = serde_json::from_value(summary["verdict"].clone())?;
    let record = BufReader::new(File::open(results.join("observations.jsonl"))?);
    let mut observations = trace::read(record).collect::<Result<Vec<_>, _>>()?;
    // The formulas use numbers only.
    observations.retain(|(_, seen)| !is_name(seen));

    let mut monitor = Monitor::new(criteria.clone(), given.trust.clone(), given.from);
    for (at, seen) in &observations {
        monitor.observe(*at, seen);
    }
    let verdict = monitor.verdict(given.to);
    let mut differ = differences(&verdict, &Offline::new(&observations, &criteria, given.to));
    if verdict.judgement != given.judgement {
        differ
            .push(format!("the run was {}, the record is {}", given.judgement, verdict.judgement));
    }
    differ.iter().for_each(|difference| println!("{difference}"));
    Ok(if differ.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn is_name(seen: &Observation) -> bool {
    matches!(seen, Observation::Named { what, .. } if !matches!(what, Subject::Metric(_)))
}
