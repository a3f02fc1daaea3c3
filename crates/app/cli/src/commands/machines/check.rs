//! `netloom machines check`: machines and the ways between them, before a run.

use anyhow::Result;
use netloom_lead::Secrets;
use netloom_lead::dialled::Cluster;
use netloom_placement::{Machines, place};

use crate::args::{CheckMachines, Format, ScenarioFile};
use crate::find::{self, Loaded};
use crate::finding::{Check, State};
use crate::survey::{Finding, Survey, survey};
use crate::{exit, placing};

/// Prints what was found, and what to do about it. Nodes of a Ray cluster are reserved meanwhile.
pub async fn check(args: CheckMachines) -> Result<i32> {
    let mut machines = placing::machines(&args.machines)?;
    let word = Secrets::random()?.word;
    let cluster = Cluster::reserve(&mut machines, word, |text| note!("note: {text}")).await;
    let cluster = cluster.map_err(|error| exit::usage(format!("{error:#}")))?;
    let code = found(args, &machines).await;
    if let Some(cluster) = cluster {
        cluster.release().await.into_iter().for_each(|remark| note!("note: {remark}"));
    }
    code
}

async fn found(args: CheckMachines, machines: &Machines) -> Result<i32> {
    let loaded = match args.file {
        None => None,
        file => Some(find::scenario(&ScenarioFile { file, ..ScenarioFile::default() })?),
    };
    let scenario = loaded.as_ref().map(|loaded| &loaded.scenario);
    let survey = survey(machines, scenario).await?;
    let mut findings = survey.findings();
    findings.extend(survey.differences().into_iter().map(Finding::of_all));
    if let Some(loaded) = &loaded {
        findings.extend(placed(&args.machines, machines, loaded, &survey)?);
    }
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&findings)?),
        Format::Table => {
            for finding in &findings {
                println!("{:<8} {}", finding.check.state, finding.in_words());
            }
        }
    }
    let is_refused = findings.iter().any(|finding| finding.check.state == State::Problem);
    Ok(if is_refused { exit::USAGE } else { exit::SUCCESS })
}

/// Returns what is to be said of the scenario on these machines.
fn placed(
    named: &str,
    machines: &Machines,
    loaded: &Loaded,
    survey: &Survey,
) -> Result<Vec<Finding>> {
    const WHAT: &str = "placement";
    let Ok(bounds) = survey.bounds() else {
        let found = "not tried, since machines do not reach each other";
        return Ok(vec![Finding::of_all(Check::new(WHAT, State::Note, found))]);
    };
    let profiles = placing::profiles(named, machines)?;
    let problem = placing::problem(&loaded.scenario, machines, &profiles, bounds);
    let problem = match problem {
        Ok((problem, _)) => problem,
        Err(error) => {
            let check = Check::new(WHAT, State::Problem, format!("{error:#}"));
            return Ok(vec![Finding::of_all(check)]);
        }
    };
    Ok(match place(&problem) {
        Err(why) => {
            let found = format!("{why}; {}", why.help());
            vec![Finding::of_all(Check::new(WHAT, State::Problem, found))]
        }
        Ok(found) => {
            let used = found.placement.used().len();
            let check = Check::new(WHAT, State::Ok, format!("on {used} of the machines"));
            let nodes = problem.nodes.iter().zip(&found.placement.machine_of);
            let name = |machine: &usize| machines.list[*machine].name.clone();
            let nodes = nodes.map(|(node, machine)| (node.name.clone(), name(machine))).collect();
            let missing = survey.missing(&loaded.scenario, &nodes);
            std::iter::once(Finding::of_all(check)).chain(missing).collect()
        }
    })
}
