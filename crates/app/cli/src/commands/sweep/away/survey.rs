//! Whether machines can carry the runs of a sweep: each is looked at as before a run, alone, since
//! no frame goes from one to another.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use anyhow::Result;
use futures_util::future::try_join_all;
use netloom_placement::Machines;
use netloom_scenario::Scenario;
use netloom_sweep::Mode;

use crate::commands::sweep::setup::Setup;
use crate::commands::sweep::trial::weight;
use crate::finding::{Check, State};
use crate::survey::{Finding, refuse, survey};
use crate::{controls, exit, programs};

/// Checks the machines of a list, if the sweep has one.
///
/// # Errors
/// With code 2: it has all that speaks against a machine.
pub async fn surveyed(setup: &Setup) -> Result<()> {
    let Some(machines) = setup.machines.as_ref().filter(|machines| machines.start.is_some()) else {
        return Ok(());
    };
    let wanted = match setup.sweep.mode {
        // It needs nothing but the binary.
        Mode::Simulate => Vec::new(),
        Mode::Emulate => different(setup),
    };
    let names = machines.list.iter().map(|machine| machine.name.as_str());
    let found = names.map(|name| of_one(machines, name, &wanted));
    let found: Vec<Finding> = try_join_all(found).await?.into_iter().flatten().collect();
    refuse(&found)
}

/// Returns the heaviest scenario of those that need the same programs and congestion controls.
fn different(setup: &Setup) -> Vec<&Scenario> {
    let mut different: BTreeMap<_, &Scenario> = BTreeMap::new();
    for loaded in &setup.loaded {
        let scenario = &loaded.scenario;
        let needs = (programs::needed(scenario), controls::named(scenario));
        let heaviest = different.entry(needs).or_insert(scenario);
        if weight(scenario) > weight(heaviest) {
            *heaviest = scenario;
        }
    }
    different.into_values().collect()
}

async fn of_one(machines: &Machines, name: &str, wanted: &[&Scenario]) -> Result<Vec<Finding>> {
    let mut alone = machines.clone();
    alone.keep(name).map_err(exit::usage)?;
    // It may have no address for frames: it gets none.
    alone.list.iter_mut().for_each(|machine| machine.frames = Some(Ipv4Addr::LOCALHOST.into()));
    if wanted.is_empty() {
        let mut found = survey(&alone, None).await?.findings();
        found.retain(|finding| finding.check.what == "start");
        return Ok(found);
    }
    let mut all: Vec<Finding> = Vec::new();
    for scenario in wanted {
        let survey = survey(&alone, Some(scenario)).await?;
        let nodes = scenario.nodes.iter().map(|node| (node.name.clone(), name.to_owned()));
        let missing = survey.missing(scenario, &nodes.collect());
        for finding in survey.findings().into_iter().map(certain).chain(missing) {
            if all.iter().all(|known| known.in_words() != finding.in_words()) {
                all.push(finding);
            }
        }
    }
    Ok(all)
}

/// The machine carries the whole scenario: what that names and the machine lacks refuses it.
fn certain(finding: Finding) -> Finding {
    let is_certain = finding.check.what.starts_with("congestion control");
    let state = if is_certain { State::Problem } else { finding.check.state };
    Finding { check: Check { state, ..finding.check }, ..finding }
}
