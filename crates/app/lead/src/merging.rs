//! One result of what several machines leave.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use netloom_api::member::ClockStatus;
use netloom_monitor::Alignment;
use netloom_results::Member;
use netloom_scenario::Scenario;
use netloom_units::{Duration, Time};

/// What one machine leaves.
#[derive(Debug)]
pub struct PartOfResults {
    /// The machine.
    pub name: String,
    /// The directory of its results, if they could be had.
    pub directory: Option<PathBuf>,
    /// What it knew of the others' clocks when the run began.
    pub at_first: BTreeMap<String, ClockStatus>,
    /// What it knew of them at the end.
    pub at_last: BTreeMap<String, ClockStatus>,
    /// When it was lost.
    pub lost: Option<Time>,
}

impl PartOfResults {
    /// Returns how its clock reads in that of the first machine. Both began at zero, by what this
    /// one knew of the other's clock then.
    fn clock(&self, first: &str) -> Alignment {
        let bound = |clocks: &BTreeMap<String, ClockStatus>| {
            clocks.get(first).map_or(0, |clock| clock.bound)
        };
        let last = self.at_last.get(first).or_else(|| self.at_first.get(first));
        Alignment {
            offset_ns: 0,
            drift_ppb: last.map_or(0, |clock| clock.drift),
            bound: Duration::from_nanos(bound(&self.at_first) + bound(&self.at_last)),
        }
    }
}

/// Merges the results of machines to one, in `directory`. `nodes` has the machine of each node, and
/// `remarks` are among the summary's warnings. The first machine's clock is that of the experiment.
///
/// # Errors
/// If results cannot be read, or the directory cannot be written.
pub fn merge(
    parts: &[PartOfResults],
    scenario: &Scenario,
    (nodes, remarks): (&BTreeMap<String, String>, &[String]),
    directory: &Path,
) -> Result<()> {
    let first = parts.first().context("no machine has nodes")?.name.as_str();
    let members: Vec<Member> = parts
        .iter()
        .map(|part| Member {
            name: part.name.clone(),
            directory: part.directory.clone(),
            clock: part.clock(first),
            profile: None,
            lost: part.lost,
        })
        .collect();
    netloom_results::merge(&members, scenario, nodes, remarks, directory).map(drop)
}
