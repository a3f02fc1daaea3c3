//! Machines and placements that the user names.

use std::fs;
use std::path::Path;

use anyhow::Result;
use netloom_placement::{Bounds, Machines, Placement, Problem, WrittenPlacement, capacities};
use netloom_plan::Plan;
use netloom_profile::Profile;
use netloom_scenario::Scenario;

use crate::exit::{self, WithCode};
use crate::profile_file;

/// Nodes whose routes are all counted; of larger networks, those of some.
const COUNTED: usize = 256;
/// Nodes of larger networks whose routes are counted. The mean of these is that of all.
const SAMPLE: usize = 64;

/// Reads the machines that `--machines` names: `local:N`, `ray:ADDRESS`, or a file.
///
/// # Errors
/// With code 2, if there is no such file or it has faults.
pub fn machines(named: &str) -> Result<Machines> {
    if let Some(local) = Machines::local(named) {
        return local.map_err(exit::usage);
    }
    if let Some(ray) = Machines::ray(named) {
        return ray.map_err(exit::usage);
    }
    let text = read(Path::new(named), "list of machines")?;
    Machines::parse(&text).map_err(|findings| faults(findings.render(named, &text)))
}

/// Reads machines that are there whenever a command asks, as [`machines`] does.
///
/// # Errors
/// Also if they are a Ray cluster's, which are there while a run has them.
pub fn standing_machines(named: &str) -> Result<Machines> {
    let machines = machines(named)?;
    match machines.ray {
        None => Ok(machines),
        Some(_) => Err(exit::usage(format!(
            "{named}: nodes of a Ray cluster are machines while `run --machines` has them, which \
             checks them first; name them in a list with `start: {{command: …}}`"
        ))),
    }
}

/// Reads the profiles of machines, those of a list relative to its folder. Machines that are made
/// on this one have the profile of this one, if there is any.
///
/// # Errors
/// With code 2, if a file is missing or no profile.
pub fn profiles(named: &str, machines: &Machines) -> Result<Vec<Option<Profile>>> {
    if machines.local.is_some() {
        let here = profile_file::location().and_then(|file| profile_file::read(&file));
        let here = here.unwrap_or_else(|error| {
            eprintln!("note: this machine's profile is not used: {error:#}");
            None
        });
        return Ok(vec![here; machines.list.len()]);
    }
    let folder = Path::new(named).parent().unwrap_or(Path::new("."));
    let of = |file: &Option<String>| match file {
        Some(file) => profile(&folder.join(file)).map(Some),
        None => Ok(None),
    };
    machines.list.iter().map(|machine| of(&machine.profile)).collect()
}

/// Reads a profile that must be there.
///
/// # Errors
/// With code 2, if the file is missing or no profile.
pub fn profile(file: &Path) -> Result<Profile> {
    let found = profile_file::read(file).map_err(|error| exit::usage(format!("{error:#}")))?;
    found.ok_or_else(|| {
        exit::usage(format!(
            "there is no profile {}; `netloom calibrate --output FILE` makes one",
            file.display()
        ))
    })
}

/// Returns the problem of placing a scenario on machines, and remarks for the user.
///
/// # Errors
/// With code 2, if the scenario names a machine that is not there.
pub fn problem(
    scenario: &Scenario,
    machines: &Machines,
    profiles: &[Option<Profile>],
    bounds: Bounds,
) -> Result<(Problem, Vec<String>)> {
    let plan = netloom_plan::plan(scenario).map_err(|error| exit::usage(format!("{error}")))?;
    let routes = routes(scenario, &plan);
    let (machines, remarks) = capacities(machines, profiles);
    let problem = Problem::new(scenario, machines, bounds, &|node| routes[node]);
    Ok((problem.map_err(exit::usage)?, remarks))
}

/// Returns the number of routes of each node of the scenario.
fn routes(scenario: &Scenario, plan: &Plan) -> Vec<usize> {
    let count = |place: usize| plan.routes(place).len();
    let all = plan.nodes.len();
    let of_planned: Vec<usize> = if all <= COUNTED {
        (0..all).map(count).collect()
    } else {
        let sum: usize = (0..SAMPLE).map(|number| count(number * all / SAMPLE)).sum();
        vec![sum.div_ceil(SAMPLE); all]
    };
    let mut planned = of_planned.into_iter();
    let stacks = scenario.nodes.iter();
    stacks.map(|node| if node.kind.has_stack() { planned.next().unwrap_or(0) } else { 0 }).collect()
}

/// Reads a placement, and finds the nodes and machines that it names.
///
/// # Errors
/// With code 2, if there is no such file, it has faults, or it places other nodes.
pub fn placement(file: &Path, scenario: &str, problem: &Problem) -> Result<Placement> {
    let name = file.display().to_string();
    let text = read(file, "placement")?;
    let written = WrittenPlacement::parse(&text);
    let written = written.map_err(|findings| faults(findings.render(&name, &text)))?;
    let placement = written.resolve(scenario, problem);
    placement.map_err(|why| exit::usage(format!("cannot use the placement {name}: {why}")))
}

fn read(file: &Path, what: &str) -> Result<String> {
    fs::read_to_string(file)
        .map_err(|error| exit::usage(format!("cannot read the {what} {}: {error}", file.display())))
}

fn faults(message: String) -> anyhow::Error {
    WithCode { code: exit::USAGE, message }.into()
}
