//! Checks whether a scenario with simulated and real nodes can be run. Not here: how it is run
//! (`joined`).

use crate::symbiosis::check_symbiosis;
use anyhow::{Result, bail};
use netloom_scenario::{NodeState, Scenario, Start, TimelineAction, Transport};

/// Checks a scenario for everything that cannot be part of a hybrid run. A symbiotic scenario is
/// checked for what cannot be part of a [symbiotic](crate::symbiosis) run.
///
/// # Errors
/// Lists everything that cannot be part of the run, one line each.
pub fn check_hybrid(scenario: &Scenario) -> Result<()> {
    if scenario.is_symbiotic() {
        return check_symbiosis(scenario);
    }
    let errors = errors(scenario);
    if !errors.is_empty() {
        bail!("{}", errors.join("\n"));
    }
    Ok(())
}

fn errors(scenario: &Scenario) -> Vec<String> {
    if !scenario.is_hybrid() {
        return Vec::new();
    }
    let simulated = scenario.simulated_nodes();
    let is_simulated = |node: &str| simulated.contains(node);
    let mut errors = Vec::new();
    for traffic in &scenario.traffic {
        let all = traffic.from.iter().chain(&traffic.to);
        let here = all.clone().filter(|node| is_simulated(node)).count();
        if here > 0 && here < all.count() {
            errors.push(format!(
                "traffic `{}` goes between simulated and real nodes, which cannot be: a real one \
                 can ping simulated ones, or trace the way to them, by a process; what it sends to \
                 real nodes goes through the simulation",
                traffic.name
            ));
        }
    }
    if scenario.simulation.reroute.is_some() {
        errors.push(
            "routes cannot follow what is down (`reroute`) in a hybrid run, as real nodes keep \
             theirs: leave it out, or run with `--simulate`"
                .into(),
        );
    }
    if let Some(processes) = scenario.simulation.processes.filter(|number| number.get() > 1) {
        errors.push(format!(
            "the simulated part of a hybrid run cannot be divided among {processes} processes, as \
             one thread keeps it at the clock: leave `processes` of `simulation` out, or run with \
             `--simulate`"
        ));
    }
    let replays = scenario.traffic.iter().filter(|one| one.transport == Transport::Frames);
    for traffic in replays.filter(|traffic| is_simulated(&traffic.from[0])) {
        errors.push(format!(
            "traffic `{}` cannot replay a capture from a simulated node, whose packets have no \
             bytes: send it from a real one",
            traffic.name
        ));
    }
    for capture in &scenario.measure.capture {
        let end = &capture.interface;
        let of_link = scenario.simulated_links().any(|link| link.endpoints.contains(end));
        if is_simulated(&end.node) || (of_link && capture.drops) {
            let what = if is_simulated(&end.node) { "" } else { " with drops" };
            errors.push(format!(
                "the capture at {end}{what} cannot be, as the link is simulated beside real \
                 nodes: capture at a real node and without drops, or run with `--simulate`"
            ));
        }
    }
    for traffic in scenario.traffic.iter().filter(|traffic| is_simulated(&traffic.from[0])) {
        if let Start::After { process, .. } = &traffic.start {
            errors.push(format!(
                "traffic `{}` of simulated nodes cannot wait for process `{process}`: write a \
                 time as its `start`",
                traffic.name
            ));
        }
    }
    let logged = |link: &&netloom_scenario::Link| scenario.measure.frames.contains(&link.name);
    if let Some(link) = scenario.simulated_links().find(logged) {
        errors.push(format!(
            "the frames of link `{}` cannot be logged, as it is simulated beside real nodes: \
             leave it out of `frames`, or run with `--simulate`",
            link.name
        ));
    }
    for event in &scenario.timeline {
        let (what, node) = match &event.action {
            TimelineAction::Route { node, .. } => ("a route", node),
            TimelineAction::SetNode { node, state: NodeState::Failed, .. } => ("`failed`", node),
            _ => continue,
        };
        if is_simulated(node) {
            errors.push(format!(
                "{what} of `{node}` cannot be in a hybrid run, as it is simulated: change the \
                 state of its links, or run with `--simulate`"
            ));
        }
    }
    errors
}
