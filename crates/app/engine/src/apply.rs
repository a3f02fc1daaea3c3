//! Replaces the scenario in force by another one. The changes are planned (`netloom-plan`; inside
//! nodes, `software`), reported (`report`), and carried out step by step (`steps`). A step that
//! fails undoes those before it. Not here: deciding what changes about the network.

mod report;
mod software;
mod transaction;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use netloom_api::apply::{ApplyRequest, ApplyResponse, ApplyStep};
use netloom_api::event::What;
use netloom_link::PipeConfig;
use netloom_plan::change::{Changes, Network, Operation, changes};
use netloom_plan::{Plan, keep_addresses};
use netloom_scenario::{Kernel, Scenario};

use crate::deployment::{Deployment, Part};
use crate::experiment::{Experiment, Setting};
use crate::interfaces::InterfaceStates;
use crate::live::LiveNetwork;
use crate::monitoring::places;
use crate::services::Services;
use crate::state::RunState;
use software::Software;
use transaction::{ApplyTransaction, UNCHANGED};

/// The changes that are to be made.
struct Intended {
    plan: Plan,
    changes: Changes,
    /// Views and programs of nodes in the new scenario.
    software: Software,
    /// The changes, in words.
    steps: Vec<ApplyStep>,
}

/// Makes the network match another scenario, or only reports what would be done. Must be called on
/// a thread of the runtime that may block.
pub fn apply(experiment: &Experiment, request: ApplyRequest) -> Result<ApplyResponse> {
    let Experiment { setting, network, state, services, monitor, publisher, .. } = experiment;
    let ApplyRequest { mut scenario, text, file, dry_run } = request;
    scenario.share_data();
    let _turn = network.turn();
    let old = network.deployment();
    check_real(&old, &scenario)?;
    check_mode(setting, &old.mine.scenario)?;
    check_start(services, state, &old.mine.scenario)?;
    check_fixed(setting, &old.mine.scenario, &scenario)?;
    check_lists(&old.mine.scenario, &scenario)?;
    scenario.monitor = old.mine.scenario.monitor.clone();
    // Keeps the addresses that are already assigned.
    let plan = netloom_plan::plan(&keep_addresses(&scenario, &old.mine.scenario, &old.mine.plan)?)?;
    check_kernels(&old, &scenario, &plan)?;
    let has_moved = file.parent() != setting.file.parent();
    let intended = intend(network, services, &old, (&scenario, plan), &file);
    let Intended { plan, changes, software, steps } = intended.context(UNCHANGED)?;
    let mut notes = report::notes(&old.mine.scenario, &scenario, has_moved);
    if dry_run {
        return Ok(ApplyResponse { steps, notes, at: None });
    }
    let reserved = publisher.reserve(&scenario).context(UNCHANGED)?;
    let numbers = network.identities.of(&scenario);
    // A node that is made anew keeps its number but has another namespace.
    let is_watched_otherwise = !numbers.has_nodes_of(&old)
        || !changes.replaced_nodes.is_empty()
        || changes.operations.iter().any(is_limit);
    let anew = changes.replaced_nodes.clone();
    let whole = Part::new(scenario, plan);
    let mine = whole.clone();
    let mut new = Deployment::new(whole, mine, numbers, file, old.crossing.clone());
    new.text = text;
    new.direct_at_start = counted_from(&old, &new, &changes);
    let new = Arc::new(new);
    ApplyTransaction::new(network, monitor, old, Arc::clone(&new), software).carry_out(changes)?;
    notes.extend(network.with(|live| Ok(live.network.take_problems()))?);
    let at = network.now();
    let is_anew = |node: &str| anew.iter().any(|(name, _)| name == node);
    let served = publisher.serve(network, reserved, is_anew);
    let at = (!steps.is_empty()).then_some(at);
    if let Some(at) = at {
        if is_watched_otherwise && new.mine.scenario.monitor.enabled {
            monitor.replace_places(&places::of(network));
        }
        state.events.record_at(at, What::Applied { steps: steps.clone() });
    }
    served.context("the network is as its scenario says by now, but for published ports")?;
    Ok(ApplyResponse { steps, notes, at: at.map(|at| network.zero().since(at)) })
}

/// Plans the changes and checks that everything they need is there. Changes nothing.
fn intend(
    network: &LiveNetwork,
    services: &Arc<Services>,
    old: &Deployment,
    (scenario, plan): (&Scenario, Plan),
    file: &Path,
) -> Result<Intended> {
    let directory = file.parent().unwrap_or(Path::new("/"));
    let (mut software, inside) = Software::prepare(services, old, (scenario, &plan, directory))?;
    network.with(|live| Ok(live.network.check(&old.mine.plan, &plan)?))?;
    let observed = observed(network, old)?;
    let before = Network { scenario: &observed, plan: &old.mine.plan };
    let changes = changes(before, Network { scenario, plan: &plan }, &inside);
    software.without(&changes.replaced_nodes);
    let mut steps = report::steps(&old.mine.scenario, scenario, &changes);
    steps.extend(report::restarts(software.restarts()));
    Ok(Intended { plan, changes, software, steps })
}

/// Returns an error in a run, which keeps its scenario.
fn check_mode(setting: &Setting, old: &Scenario) -> Result<()> {
    if setting.results.is_some() {
        bail!(
            "`{}` is a run: its network changes by its timeline and by `set`, and its results are \
             of one scenario; `netloom deploy` it for a network that can be changed",
            old.name
        );
    }
    Ok(())
}

/// Returns an error while the start is under way, since it must not be disturbed.
fn check_start(services: &Services, state: &RunState, old: &Scenario) -> Result<()> {
    if !services.table.is_idle() && !state.has_begun() {
        bail!(
            "what runs from the start in `{}` is still being started; wait until it is deployed",
            old.name
        );
    }
    Ok(())
}

/// Returns an error for properties that cannot change while the network runs.
fn check_fixed(setting: &Setting, old: &Scenario, new: &Scenario) -> Result<()> {
    let fixed = [
        ("name", old.name != new.name),
        ("seed", old.seed != new.seed),
        ("time", old.dilation != new.dilation),
        ("monitor", setting.declared_monitor != new.monitor),
        ("workers", old.workers != new.workers),
    ];
    if let Some((key, _)) = fixed.into_iter().find(|(_, differs)| *differs) {
        bail!(
            "`{key}` of the scenario has changed, which holds for an experiment from its beginning \
             to its end; `netloom destroy {0}` and deploy it again, or take the change back",
            old.name
        );
    }
    Ok(())
}

/// Returns an error if media that know their stations by lists of names would change.
fn check_lists(old: &Scenario, new: &Scenario) -> Result<()> {
    let names = |scenario: &Scenario| -> Vec<String> {
        scenario.nodes.iter().map(|node| node.name.clone()).collect()
    };
    if names(old) == names(new) {
        return Ok(());
    }
    let mut nodes = old.nodes.iter().chain(&new.nodes);
    let listed = nodes.find(|node| {
        let medium = node.medium.as_ref();
        medium.is_some_and(|medium| medium.config.names_stations())
    });
    match listed {
        None => Ok(()),
        Some(node) => bail!(
            "nodes have come, gone or changed places in the file, and `{}` has losses or pairs of \
             stations by their names, which hold from the beginning: `netloom destroy {1}` and \
             deploy it again, or take the change back",
            node.name,
            old.name
        ),
    }
}

/// Returns an error if there are simulated nodes, or would be.
fn check_real(old: &Deployment, new: &Scenario) -> Result<()> {
    if !old.is_all_mine() || new.is_hybrid() {
        bail!(
            "a network with simulated nodes cannot be changed to another scenario, nor another to \
             one, while it runs: change links with `netloom set`, or `netloom destroy` it and \
             deploy the other"
        );
    }
    Ok(())
}

/// Returns an error if a node with a kernel of its own would be added, removed or changed.
fn check_kernels(old: &Deployment, scenario: &Scenario, plan: &Plan) -> Result<()> {
    let own = |scenario: &Scenario| {
        let own = scenario.nodes.iter().filter(|node| node.kernel == Kernel::Own);
        own.map(|node| node.name.clone()).collect::<BTreeSet<String>>()
    };
    let stays = |name: &str| {
        let routes = |plan: &Plan| plan.places.get(name).map(|place| plan.routes(*place));
        old.mine.scenario.node(name) == scenario.node(name)
            && old.mine.plan.node(name) == plan.node(name)
            && routes(&old.mine.plan) == routes(plan)
    };
    match own(&old.mine.scenario).union(&own(scenario)).find(|name| !stays(name)) {
        None => Ok(()),
        Some(name) => bail!(
            "`{name}` has a kernel of its own, and such a node cannot come, go or change (its \
             interfaces, addresses and routes included) while the network runs: `netloom destroy \
             {0}` and deploy it again, or take the change back",
            old.mine.scenario.name
        ),
    }
}

/// Returns the scenario in force, with links as they have been set since.
fn observed(network: &LiveNetwork, deployment: &Deployment) -> Result<Scenario> {
    let (mut pipes, media) =
        network.with(|live| Ok((live.pipes(None)?, live.dataplane.media()?)))?;
    let mut observed = (*deployment.mine.scenario).clone();
    for view in media {
        let mut nodes = observed.nodes.iter_mut();
        let node = nodes.find(|node| deployment.number(&node.name) == Some(view.id.0));
        if let Some(medium) = node.and_then(|node| node.medium.as_mut()) {
            Arc::make_mut(medium).config = view.config;
        }
    }
    for link in observed.links.iter_mut().filter(|link| !link.direct) {
        let [forward, reverse] = pipes.take(deployment, &link.name)?;
        let as_written = |written: &PipeConfig, now: PipeConfig| {
            // A pipe runs on the measured value; keep the keyword that the scenario writes for it.
            let same = deployment.compensation(&link.name, written.compensate).ok();
            let compensate = match same == Some(now.compensate) {
                true => written.compensate,
                false => now.compensate,
            };
            PipeConfig { compensate, ..now }
        };
        let forward = as_written(&link.forward, forward.config);
        let reverse = as_written(&link.reverse, reverse.config);
        (link.forward, link.reverse) = (forward, reverse);
    }
    Ok(observed)
}

fn is_limit(operation: &Operation) -> bool {
    matches!(operation, Operation::Limits { .. } | Operation::SharedLimits(_))
}

/// Returns the counts from which those of direct links that stay begin. The devices of other links
/// are new, and have counted nothing.
fn counted_from(old: &Deployment, new: &Deployment, changes: &Changes) -> InterfaceStates {
    let direct = new.mine.scenario.links.iter().filter(|link| link.direct);
    let stay = direct.filter(|link| !changes.links.to.contains(&link.name));
    let known = stay
        .flat_map(|link| &link.endpoints)
        .filter_map(|end| Some((end.clone(), old.direct_at_start.get(end)?.clone())));
    known.collect()
}
