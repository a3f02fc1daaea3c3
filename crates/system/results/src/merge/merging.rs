//! Machines with their results, and a merge that is going on.

use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_api::summary::Summary;
use netloom_monitor::{Alignment, MachinePart, Verdict};
use netloom_scenario::Scenario;
use netloom_units::Time;

use super::owners::Owners;
use crate::{Results, private_file, private_folder};

/// Directory of what each of several machines has left besides the merged results.
pub const MACHINES: &str = "machines";

/// A machine of an experiment, and its results.
#[derive(Debug, Clone)]
pub struct Member {
    /// Name of the machine.
    pub name: String,
    /// Its results; `None` if they could not be had.
    pub directory: Option<PathBuf>,
    /// Its clock, compared with that of the first machine.
    pub clock: Alignment,
    /// File of its profile, if it has one.
    pub profile: Option<String>,
    /// When it was lost, in cluster time.
    pub lost: Option<Time>,
}

/// A machine that has results.
pub(super) struct Present<'m> {
    pub member: &'m Member,
    pub directory: &'m Path,
    /// `None` if the machine did not come to write it.
    pub summary: Option<Summary>,
}

impl<'m> Present<'m> {
    pub fn of(member: &'m Member) -> Option<Self> {
        let directory = member.directory.as_deref()?;
        let summary = fs::read(directory.join("summary.json"));
        let summary = summary.ok().and_then(|text| Summary::from_json(&text).ok());
        Some(Self { member, directory, summary })
    }

    pub fn name(&self) -> &'m str {
        &self.member.name
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.directory.join(file)
    }

    /// Opens one of its files, if it is there.
    pub fn open(&self, file: &str) -> io::Result<Option<File>> {
        match File::open(self.path(file)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A merge that is going on.
pub(super) struct Merging<'m> {
    pub members: &'m [Present<'m>],
    pub owners: Owners<'m>,
    pub results: Results,
    /// What is missing in which file, in words.
    pub failures: Vec<String>,
}

impl Merging<'_> {
    /// Keeps what only one machine can have: what it is, how its own part went, and what it
    /// observed.
    pub fn keep_machines(&mut self) -> Result<()> {
        for (number, member) in self.members.iter().enumerate() {
            let folder = self.results.path(MACHINES).join(member.name());
            private_folder(&folder)?;
            for file in ["machine.json", "summary.json", "observations.jsonl"] {
                self.copy(member, file, &folder.join(file))?;
            }
            if number == 0 {
                self.copy(member, "machine.json", &self.results.path("machine.json"))?;
            }
        }
        Ok(())
    }

    /// Copies a file of a machine, if it is there.
    fn copy(&self, member: &Present<'_>, file: &str, to: &Path) -> Result<()> {
        let copy = || -> io::Result<()> {
            if let Some(mut source) = member.open(file)? {
                io::copy(&mut source, &mut private_file(to)?)?;
            }
            Ok(())
        };
        copy().with_context(|| format!("cannot copy {file} of machine {}", member.name()))
    }

    /// The verdict on all machines.
    pub fn verdict(&self, members: &[Member], scenario: &Scenario) -> Verdict {
        let own = |member: &Member| {
            let present = self.members.iter().find(|present| present.name() == member.name);
            present?.summary.as_ref()?.verdict.clone()
        };
        let parts = members.iter().map(|member| MachinePart {
            machine: member.name.clone(),
            clock: member.clock,
            lost: member.lost,
            verdict: own(member),
        });
        let needs = &scenario.monitor;
        Verdict::of_machines(parts.collect(), &needs.trust, needs.criteria.brief)
    }

    /// Opens a file of all machines that have it.
    pub fn open(&mut self, file: &str) -> Vec<(usize, File)> {
        let mut open = Vec::new();
        for (number, member) in self.members.iter().enumerate() {
            match member.open(file) {
                Ok(found) => open.extend(found.map(|found| (number, found))),
                Err(error) => self.fail(file, number, &error),
            }
        }
        open
    }

    /// Notes that a file lacks a part of what a machine has.
    pub fn fail(&mut self, file: &str, member: usize, why: &dyn std::fmt::Display) {
        let name = self.members[member].name();
        self.failures.push(format!("{file} lacks a part of what machine {name} wrote: {why}"));
    }

    /// Notes an error of writing a file.
    pub fn keep<T>(&mut self, file: &str, written: Result<T>) -> Option<T> {
        let keep = |error: &anyhow::Error| {
            let why = netloom_api::in_words(error.as_ref());
            self.failures.push(format!("{file} is not complete: {why}"));
        };
        written.inspect_err(keep).ok()
    }
}

/// Reads a file in large pieces.
pub(super) fn buffered(file: File) -> BufReader<File> {
    BufReader::with_capacity(1 << 16, file)
}
