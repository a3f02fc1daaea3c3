//! `netloom doctor`

use std::fs;

use anyhow::{Context, Result};
use netloom_api::launch::{Calibration, Mode};
use netloom_api::summary::Summary;
use netloom_api::timing::Scheduling;
use netloom_host::Demand;
use netloom_scenario::Controller;

use super::bring_up;
use crate::args::{Doctor, Format, ScenarioFile};
use crate::find::Loaded;
use crate::finding::{Check, State};
use crate::launch::Engine;
use crate::{controls, exit, find, preflight, profile_file, programs, results};

/// The scenario of the trial: two nodes, a link and a program.
const TRIAL: &str = "name: doctor
topology:
  nodes: { a: , b: }
  links: [{ endpoints: [a, b], delay: 1ms }]
processes:
  - { name: moment, node: a, command: sleep 0.3 }
";
/// Name of the trial's network in the output.
const NETWORK: &str = "network of two nodes";
/// The size that limits are checked for, unless a scenario sets another: a thousand nodes, two
/// thousand links.
pub const LARGE: Demand = Demand { nodes: 1000, interfaces: 4000, opened: 4000, neighbours: 4000 };
/// The oldest kernel that is supported.
const OLDEST: (u32, u32) = (5, 15);

/// Prints what this machine can do, and what to change for more.
pub async fn doctor(args: Doctor) -> Result<i32> {
    let loaded = match &args.file {
        None => None,
        Some(_) => Some(find::scenario(&ScenarioFile {
            file: args.file.clone(),
            ..ScenarioFile::default()
        })?),
    };
    let (checks, size) = checks(loaded.as_ref()).await?;
    let worst = checks.iter().map(|check| check.state).max().unwrap_or(State::Ok);
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&checks)?),
        Format::Table => print!("{}", in_words(&checks, size)),
    }
    Ok(if worst == State::Problem { exit::FAILURE } else { exit::SUCCESS })
}

/// Checks this machine, for a scenario if there is one. Returns also what it is to have room for.
///
/// # Errors
/// If the trial network fails in an unexpected way.
pub async fn checks(loaded: Option<&Loaded>) -> Result<(Vec<Check>, Demand)> {
    let size = loaded.map_or(LARGE, |loaded| preflight::size(&loaded.scenario));
    let mut checks = vec![kernel(&netloom_results::machine::describe().kernel), rights()];
    checks.extend(trial().await?);
    checks.push(shaping());
    checks.push(calibration());
    checks.extend(Controller::ALL.map(limits));
    checks.extend(capacities(size));
    if let Some(loaded) = loaded {
        checks.extend(programs::checks(&loaded.scenario, &loaded.directory));
        checks.extend(controls::missing(&loaded.scenario, true).into_iter().map(|missing| {
            let what = format!("congestion control {}", missing.control);
            Check::new(what, State::Problem, format!("{}: {}", missing.by, missing.why))
        }));
    }
    Ok((checks, size))
}

/// Returns the findings for people, a line each.
pub fn in_words(checks: &[Check], size: Demand) -> String {
    let line = |Check { what, state, found }: &Check| format!("{state:<8} {what}: {found}\n");
    let lines: String = checks.iter().map(line).collect();
    format!("{lines}\nRoom: for {} nodes with {} interfaces in all.\n", size.nodes, size.interfaces)
}

/// Checks the release of the kernel.
pub fn kernel(release: &str) -> Check {
    let mut numbers = release.split(['.', '-', '+']).map_while(|part| part.parse::<u32>().ok());
    let version = numbers.next().zip(numbers.next());
    let (state, more) = match version {
        Some(version) if version >= OLDEST => (State::Ok, ""),
        Some(_) => (State::Note, "; NetLoom is made for 5.15 and later"),
        None => (State::Note, "; not a version that is known"),
    };
    Check::new("kernel", state, format!("Linux {release}{more}"))
}

fn rights() -> Check {
    match nix::unistd::geteuid().is_root() {
        true => Check::new("user", State::Ok, "root"),
        false => Check::new(
            "user",
            State::Ok,
            "an ordinary user: networks live in a user namespace (docs/rootless.md)",
        ),
    }
}

/// Runs a network of two nodes, and checks how it was watched.
async fn trial() -> Result<Vec<Check>> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let file = folder.path().join("netloom.yaml");
    fs::write(&file, TRIAL).with_context(|| format!("cannot write {}", file.display()))?;
    let mut loaded = find::scenario(&ScenarioFile { file: Some(file), ..ScenarioFile::default() })?;
    let name = format!("doctor-{}", std::process::id());
    loaded.scenario.name.clone_from(&name);
    let results = folder.path().join("results");
    let why = "a trial needs none".into();
    let mode = Mode::Run { results: results.clone(), fail_fast: false };
    let mut engine = Engine::start(&loaded, None, Calibration::Missing { why }, mode).await?;
    if let Err(error) = engine.ready().await {
        bring_up::clean_after_death(&mut engine, &name).await?;
        let why = netloom_api::in_words(error.as_ref());
        return Ok(vec![Check::new(NETWORK, State::Problem, why.trim_end())]);
    }
    engine.wait().await?;
    // Removes the remains of an engine that died. Others leave nothing.
    netloom_host::cleanup(&name)?;
    let summary = results::read(&results)?.summary;
    let network = match summary.success {
        true => Check::new(NETWORK, State::Ok, "comes up, runs a program, and goes"),
        false => Check::new(NETWORK, State::Problem, summary.failures.join("; ")),
    };
    Ok(std::iter::once(network).chain(seen(&summary)).collect())
}

/// Returns checks of how the trial was scheduled and watched.
fn seen(summary: &Summary) -> Vec<Check> {
    let mut workers = summary.timing.iter().flat_map(|timing| &timing.workers);
    let real_time = workers.all(|worker| worker.scheduling == Scheduling::RealTime);
    let workers = self::workers(real_time);
    let coverage = summary.verdict.iter().flat_map(|verdict| &verdict.coverage);
    let watched = coverage.map(|coverage| {
        let state = if coverage.observed { State::Ok } else { State::Note };
        let by = coverage.probes.join(", ");
        let blind = coverage.blind_spots.join("; ");
        let found = match (coverage.observed, blind.is_empty()) {
            (true, _) => format!("observed by {by}"),
            (false, true) => "not observed".into(),
            (false, false) => blind,
        };
        Check::new(format!("signal {}", coverage.signal.name()), state, found)
    });
    std::iter::once(workers).chain(watched).collect()
}

/// Returns the check of how workers are scheduled.
pub fn workers(real_time: bool) -> Check {
    match real_time {
        true => Check::new("workers", State::Ok, "real-time threads"),
        false => Check::new(
            "workers",
            State::Note,
            "not real-time threads: beside other load, frames leave late sooner; root, or a limit \
             of real-time priority of 2 or more (`ulimit -r`, `rtprio` in limits.conf), gives them",
        ),
    }
}

/// Checks whether `netloom shape` can work here.
fn shaping() -> Check {
    const WHAT: &str = "shape";
    if let Some(missing) = netloom_selector::missing() {
        return Check::new(WHAT, State::Note, format!("cannot shape traffic: {missing}"));
    }
    let restrictions = netloom_selector::restrictions();
    match restrictions.is_empty() {
        true => Check::new(WHAT, State::Ok, "can send traffic of this host through links"),
        false => Check::new(WHAT, State::Note, restrictions.join("; ")),
    }
}

fn calibration() -> Check {
    match profile_file::calibration() {
        Calibration::Measured { source, .. } => Check::new("calibration", State::Ok, source),
        Calibration::Missing { why } => Check::new("calibration", State::Note, why),
    }
}

fn limits(controller: Controller) -> Check {
    let what = format!("limits: {}", controller.name());
    match netloom_host::enforcer(controller) {
        Ok(by) => Check::new(what, State::Ok, format!("enforced by {by}")),
        Err(why) => Check::new(what, State::Note, why),
    }
}

/// Checks what this machine has room for.
pub fn capacities(size: Demand) -> impl Iterator<Item = Check> {
    netloom_host::capacities(size).into_iter().map(|capacity| {
        let what = format!("room: {}", capacity.what);
        match capacity.needs <= capacity.has {
            true => Check::new(what, State::Ok, format!("{} of {}", capacity.needs, capacity.has)),
            false => {
                let state = if capacity.stops_start { State::Problem } else { State::Note };
                Check::new(what, state, preflight::words(&capacity))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_kernels_are_recognised() {
        for (release, state) in [
            ("5.15.0-91-generic", State::Ok),
            ("6.1.0", State::Ok),
            ("6.18.44-fc", State::Ok),
            ("5.10.209", State::Note),
            ("4.19", State::Note),
            ("odd", State::Note),
        ] {
            assert_eq!(kernel(release).state, state, "{release}");
        }
    }
}
