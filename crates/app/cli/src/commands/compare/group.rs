//! Groups of runs: one run, or repetitions of it with other seeds.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use netloom_monitor::{Judgement, Verdict};
use netloom_units::Time;
use serde::Serialize;

use crate::commands::sweep::folder::runs_of;
use crate::exit;
use crate::part::{self, Part};
use crate::results::{self, has_summary};
use netloom_sweep::{Measure, Measured};

/// The part of a run that may be left out, above which the rest is too little to stand for it.
const MOST_LEFT_OUT: f64 = 0.5;

/// The values of runs that are compared as one.
#[derive(Debug, Default)]
pub struct Group {
    /// Flows and pipes with their measures, in the order of the first run that has them.
    pub keys: Vec<(String, Measure)>,
    /// The value of each run that has one.
    values: HashMap<(String, Measure), Vec<f64>>,
    /// Number of runs that have a flow or pipe.
    having: HashMap<String, usize>,
    /// Number of runs.
    pub runs: usize,
    /// What is left out of runs because their verdicts mark it.
    pub left_out: Vec<LeftOut>,
    /// Whether runs went on after their senders, and rates end before.
    pub is_cut: bool,
}

/// What is left out of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    /// The results of the run.
    pub run: PathBuf,
    /// How much is left out, in seconds.
    pub seconds: f64,
    /// Of how much, in seconds.
    pub of_seconds: f64,
}

impl Group {
    /// Collects the values of runs.
    pub fn of(runs: impl IntoIterator<Item = Vec<Measured>>) -> Self {
        let mut group = Self::default();
        for run in runs {
            group.runs += 1;
            let names: HashSet<&str> = run.iter().map(|one| one.what.as_str()).collect();
            for name in names {
                *group.having.entry(name.to_owned()).or_default() += 1;
            }
            for Measured { what, measure, value } in run {
                let key = (what, measure);
                if !group.values.contains_key(&key) {
                    group.keys.push(key.clone());
                }
                group.values.entry(key).or_default().push(value);
            }
        }
        group
    }

    /// Returns the values of a measure of a flow or pipe.
    pub fn values(&self, key: &(String, Measure)) -> Option<&[f64]> {
        self.values.get(key).map(Vec::as_slice)
    }

    /// Whether there are several runs, and all have the same figures.
    pub fn is_constant(&self) -> bool {
        let same = |values: &Vec<f64>| {
            values.len() == self.runs && values.iter().all(|value| *value == values[0])
        };
        self.runs > 1 && !self.values.is_empty() && self.values.values().all(same)
    }

    /// Returns the number of runs that have a flow or pipe.
    pub fn having(&self, what: &str) -> usize {
        self.having.get(what).copied().unwrap_or(0)
    }
}

/// Reads a group of runs. Prints a warning for each run that is not used, or not trusted.
///
/// # Errors
/// If a directory has no results, or no run can be used.
pub fn read(directories: &[PathBuf], part: Option<Part>) -> Result<Group> {
    let mut all: Vec<PathBuf> = Vec::new();
    for one in directories {
        all.extend(runs_in(one)?);
    }
    let mut seeds: HashMap<u64, &Path> = HashMap::new();
    let (mut used, mut left_out, mut is_cut) = (Vec::new(), Vec::new(), false);
    for directory in &all {
        let summary = results::summary(directory)?;
        let shown = directory.display();
        let verdict = summary.verdict.as_ref();
        let judgement = verdict.map(|verdict| verdict.judgement);
        let is_mended =
            part.is_some_and(|part| part.good) && verdict.is_some_and(Verdict::rest_is_usable);
        if judgement == Some(Judgement::Invalid) && !is_mended {
            if all.len() > 1 {
                eprintln!("warning: {shown} is left out: its verdict is `invalid`; run it again");
                continue;
            }
            eprintln!("warning: the verdict of {shown} is `invalid`");
        }
        if let Some(other) = seeds.insert(summary.seed, directory.as_path()) {
            eprintln!(
                "warning: {shown} and {} have the same seed, {}: they are no independent runs",
                other.display(),
                summary.seed
            );
        }
        used.push(match part {
            None => {
                let found = part::whole(directory, &summary)?;
                is_cut |= found.to < summary.ended.since(Time::ZERO);
                found.values
            }
            Some(part) => {
                let found = part::measured(directory, &summary, part)?;
                is_cut |= part.to.is_none() && found.to < summary.ended.since(Time::ZERO);
                let whole = found.to.as_secs_f64() - part.from.as_secs_f64();
                let seconds = found.left_out.as_secs_f64();
                if seconds > whole * MOST_LEFT_OUT {
                    eprintln!(
                        "warning: {shown} is left out: {seconds:.1} s of its {whole:.1} s are to \
                         be left out; run it again"
                    );
                    continue;
                }
                if seconds > 0.0 {
                    let run = directory.clone();
                    left_out.push(LeftOut { run, seconds, of_seconds: whole });
                }
                found.values
            }
        });
    }
    if used.is_empty() {
        return Err(exit::usage("no run of a group is left: all are left out"));
    }
    let group = Group { left_out, is_cut, ..Group::of(used) };
    if group.is_constant() {
        let (runs, first) = (group.runs, all[0].display());
        eprintln!(
            "warning: all figures of the {runs} runs from {first} on are the same: nothing in them \
             was drawn at random, so ± 0 is no precision"
        );
    }
    Ok(group)
}

/// Returns the directories of runs that a directory stands for: itself, or those in it. That of a
/// sweep may be followed by values of its parameters, as in `fair.sweep:control=cubic,nodes=3`.
fn runs_in(directory: &Path) -> Result<Vec<PathBuf>> {
    if has_summary(directory) {
        return Ok(vec![directory.to_owned()]);
    }
    let (folder, only) = of_sweep(directory)?;
    if let Some(runs) = runs_of(&folder, &only)? {
        return match runs.is_empty() {
            true => Err(exit::usage(format!("{} has no such run", directory.display()))),
            false => Ok(runs),
        };
    }
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut runs: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| has_summary(path)).collect();
    runs.sort();
    // Reading it says what is missing.
    Ok(if runs.is_empty() { vec![directory.to_owned()] } else { runs })
}

/// Splits `DIR:NAME=VALUE,…`, if there is no directory of this name.
fn of_sweep(directory: &Path) -> Result<(PathBuf, Vec<(String, String)>)> {
    let text = directory.to_string_lossy();
    let Some((folder, values)) = text.rsplit_once(':').filter(|_| !directory.exists()) else {
        return Ok((directory.to_owned(), Vec::new()));
    };
    let only = values.split(',').map(|value| {
        let (name, value) = value.split_once('=').ok_or_else(|| {
            exit::usage(format!("`{value}` selects no runs: write like `{folder}:control=cubic`"))
        })?;
        Ok((name.to_owned(), value.to_owned()))
    });
    Ok((folder.into(), only.collect::<Result<_>>()?))
}
