//! Results of several machines as one directory, in the form of one machine's. Each machine has
//! written what happened on it; here each pipe, node, process and capture is there once, in cluster
//! time: that of the first machine.
//!
//! | module | files |
//! |---|---|
//! | `merging` | machines, and a merge that is going on |
//! | `owners` | which machine knows what |
//! | `rows` | tables with a row for each thing and sample |
//! | `traffic` | tables of flows, whose ends may be on two machines |
//! | `lines` | `events.jsonl`, `metrics.jsonl` |
//! | `frames` | `frames.nlf` |
//! | `trees` | output of processes, kept files, captures, air logs |
//! | `summary` | `summary.json` |
//! | `interleaved` | entries of several machines in the order of time |
//!
//! What a machine observed stays in its own clock, in `machines/NAME`: judged again, it gives the
//! same verdict to the last bit.

mod frames;
mod interleaved;
mod lines;
mod merging;
mod owners;
mod rows;
mod summary;
mod traffic;
mod trees;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_api::summary::Summary;
use netloom_scenario::Scenario;

use crate::Results;
pub use merging::{MACHINES, Member};
use merging::{Merging, Present};
use owners::Owners;

/// Merges the results of all machines of a run into a new directory. The first machine's clock is
/// cluster time. `placement` has the machine of each node, and `remarks` are among the summary's
/// warnings. What is missing in a file is among its failures, and does not affect other files.
///
/// # Errors
/// Fails if no machine has results, or none has a summary, if two have the same name or one has a
/// name that no folder can have, if a node's machine is none of them, if two machines have
/// different files of the same name, or if the directory cannot be written.
pub fn merge(
    members: &[Member],
    scenario: &Scenario,
    placement: &BTreeMap<String, String>,
    remarks: &[String],
    out: &Path,
) -> Result<Summary> {
    check(members, placement)?;
    let present: Vec<Present<'_>> = members.iter().filter_map(Present::of).collect();
    let Some(first) = present.first() else {
        bail!("no machine has results, so there is nothing to merge");
    };
    let source = fs::read_to_string(first.path("scenario.yaml"));
    let source = source.with_context(|| format!("the results of machine {}", first.name()))?;
    let results = Results::create(out, &source, scenario)?;
    let owners = Owners::new(scenario, placement);
    let mut merging = Merging { members: &present, owners, results, failures: Vec::new() };
    merging.keep_machines()?;
    let verdict = merging.verdict(members, scenario);
    merging.lines();
    merging.pipes(&verdict.marks());
    merging.tables();
    merging.traffic(scenario);
    let frame_log = merging.frames();
    merging.trees()?;
    let Merging { results, owners, failures, .. } = merging;
    let facts = summary::Facts { scenario, placement, verdict, frame_log, failures };
    let mut summary = summary::merged(members, &present, &owners, facts)?;
    summary.warnings.extend_from_slice(remarks);
    results.finish(&summary)?;
    Ok(summary)
}

fn check(members: &[Member], placement: &BTreeMap<String, String>) -> Result<()> {
    let names: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    if names.len() != members.len() {
        bail!("two of the machines have the same name; each must have its own");
    }
    for name in &names {
        if name.is_empty() || name.starts_with('.') || name.contains('/') {
            bail!("a machine cannot be called `{name}`: its results get a folder of that name");
        }
    }
    for (node, machine) in placement {
        if !names.contains(machine.as_str()) {
            bail!("node {node} is on machine {machine}, which is none of the experiment's");
        }
    }
    Ok(())
}
