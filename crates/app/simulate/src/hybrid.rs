//! Checks whether a scenario with simulated and real nodes can be run. Not here: how it is run
//! (`joined`).

use crate::symbiosis::check_symbiosis;
use anyhow::{Result, bail};
use netloom_scenario::{
    Capture, Link, NodeState, Scenario, Start, TimelineAction, TimelineEvent, Traffic, Transport,
};

/// Checks a scenario for everything that cannot be part of a hybrid run. A symbiotic scenario is
/// checked for what cannot be part of a [symbiotic](crate::symbiosis) run.
///
/// # Errors
/// Lists everything that cannot be part of the run, one line each.
pub fn check_hybrid(scenario: &Scenario) -> Result<()> {
    if scenario.is_symbiotic() {
        return check_symbiosis(scenario);
    }
    if !scenario.is_hybrid() {
        return Ok(());
    }
    let traffic_first = [mixed_traffic(scenario), options(scenario), replays(scenario)];
    let others = [captures(scenario), starts(scenario), frame_logs(scenario), changes(scenario)];
    let errors: Vec<String> = traffic_first.into_iter().chain(others).flatten().collect();
    if !errors.is_empty() {
        bail!("{}", errors.join("\n"));
    }
    Ok(())
}

fn mixed_traffic(scenario: &Scenario) -> Vec<String> {
    let simulated = scenario.simulated_nodes();
    let is_mixed = |traffic: &&Traffic| {
        let all = traffic.from.iter().chain(&traffic.to);
        let here = all.clone().filter(|node| simulated.contains(node.as_str())).count();
        here > 0 && here < all.count()
    };
    let error = |traffic: &Traffic| {
        format!(
            "traffic `{}` goes between simulated and real nodes, which cannot be: a real one can \
             ping simulated ones, or trace the way to them, by a process; what it sends to real \
             nodes goes through the simulation",
            traffic.name
        )
    };
    scenario.traffic.iter().filter(is_mixed).map(error).collect()
}

fn options(scenario: &Scenario) -> Vec<String> {
    let reroute = scenario.simulation.reroute.is_some().then(|| {
        "routes cannot follow what is down (`reroute`) in a hybrid run, as real nodes keep theirs: \
         leave it out, or run with `--simulate`"
            .to_owned()
    });
    let processes = scenario.simulation.processes.filter(|number| number.get() > 1);
    let processes = processes.map(|processes| {
        format!(
            "the simulated part of a hybrid run cannot be divided among {processes} processes, as \
             one thread keeps it at the clock: leave `processes` of `simulation` out, or run with \
             `--simulate`"
        )
    });
    reroute.into_iter().chain(processes).collect()
}

/// The traffic that simulated nodes send.
fn of_simulated_nodes(scenario: &Scenario) -> impl Iterator<Item = &Traffic> {
    let simulated = scenario.simulated_nodes();
    scenario.traffic.iter().filter(move |traffic| simulated.contains(traffic.from[0].as_str()))
}

fn replays(scenario: &Scenario) -> Vec<String> {
    let replays = of_simulated_nodes(scenario).filter(|one| one.transport == Transport::Frames);
    let error = |traffic: &Traffic| {
        format!(
            "traffic `{}` cannot replay a capture from a simulated node, whose packets have no \
             bytes: send it from a real one",
            traffic.name
        )
    };
    replays.map(error).collect()
}

fn captures(scenario: &Scenario) -> Vec<String> {
    let simulated = scenario.simulated_nodes();
    let error = |capture: &Capture| {
        let end = &capture.interface;
        let of_link = scenario.simulated_links().any(|link| link.endpoints.contains(end));
        let is_simulated = simulated.contains(end.node.as_str());
        let what = if is_simulated { "" } else { " with drops" };
        (is_simulated || (of_link && capture.drops)).then(|| {
            format!(
                "the capture at {end}{what} cannot be, as the link is simulated beside real \
                 nodes: capture at a real node and without drops, or run with `--simulate`"
            )
        })
    };
    scenario.measure.capture.iter().filter_map(error).collect()
}

fn starts(scenario: &Scenario) -> Vec<String> {
    let error = |traffic: &Traffic| match &traffic.start {
        Start::After { process, .. } => Some(format!(
            "traffic `{}` of simulated nodes cannot wait for process `{process}`: write a time as \
             its `start`",
            traffic.name
        )),
        Start::At(_) => None,
    };
    of_simulated_nodes(scenario).filter_map(error).collect()
}

fn frame_logs(scenario: &Scenario) -> Vec<String> {
    let is_logged = |link: &&Link| scenario.measure.frames.contains(&link.name);
    let error = |link: &Link| {
        format!(
            "the frames of link `{}` cannot be logged, as it is simulated beside real nodes: \
             leave it out of `frames`, or run with `--simulate`",
            link.name
        )
    };
    scenario.simulated_links().find(is_logged).map(error).into_iter().collect()
}

fn changes(scenario: &Scenario) -> Vec<String> {
    let simulated = scenario.simulated_nodes();
    let error = |event: &TimelineEvent| {
        let (what, node) = match &event.action {
            TimelineAction::Route { node, .. } => ("a route", node),
            TimelineAction::SetNode { node, state: NodeState::Failed, .. } => ("`failed`", node),
            _ => return None,
        };
        simulated.contains(node.as_str()).then(|| {
            format!(
                "{what} of `{node}` cannot be in a hybrid run, as it is simulated: change the \
                 state of its links, or run with `--simulate`"
            )
        })
    };
    scenario.timeline.iter().filter_map(error).collect()
}
