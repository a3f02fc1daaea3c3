//! Checks whether a scenario can be run symbiotically. Not here: errors in the scenario file itself
//! (`netloom-scenario`).

use anyhow::{Result, bail};
use netloom_link::{Delay, PipeChange};
use netloom_scenario::{
    CalibrationMethod, Link, NodeState, Scenario, Start, TimelineAction, Transport,
};

/// Checks a scenario for everything that cannot be part of a symbiotic run.
///
/// # Errors
/// Lists everything that cannot be part of the run, one line each.
pub fn check_symbiosis(scenario: &Scenario) -> Result<()> {
    let errors = errors(scenario);
    if !errors.is_empty() {
        bail!("{}", errors.join("\n"));
    }
    Ok(())
}

fn errors(scenario: &Scenario) -> Vec<String> {
    let mut errors = Vec::new();
    let simulated = scenario.simulated_nodes();
    let is_simulated = |node: &str| simulated.contains(node);
    for node in scenario.nodes.iter().filter(|node| !node.simulated) {
        if !node.kind.has_stack() {
            errors.push(format!(
                "`{}` cannot be in a symbiotic run, as it is neither simulated nor a real host: \
                 give it `simulated: true`, or leave it out",
                node.name
            ));
        }
    }
    for traffic in scenario.traffic.iter().filter(|one| is_simulated(&one.from[0])) {
        let name = &traffic.name;
        if traffic.transport == Transport::Frames {
            errors.push(format!(
                "traffic `{name}` cannot replay a capture from a simulated node, whose packets \
                 have no bytes: send a `trace` with its times and lengths"
            ));
        }
        if let Start::After { process, .. } = &traffic.start {
            errors.push(format!(
                "traffic `{name}` of simulated nodes cannot wait for process `{process}`: write a \
                 time as its `start`"
            ));
        }
    }
    if let Some(processes) = scenario.simulation.processes.filter(|number| number.get() > 1) {
        errors.push(format!(
            "the simulation of a symbiotic run cannot be divided among {processes} processes: \
             leave `processes` of `simulation` out, or run with `--simulate`"
        ));
    }
    timeline(scenario, &is_simulated, &mut errors);
    for capture in &scenario.measure.capture {
        let end = &capture.interface;
        if is_simulated(&end.node) || capture.drops {
            errors.push(format!(
                "the capture at {end} cannot be in a symbiotic run: capture at a real host and \
                 without drops, or run with `--simulate`"
            ));
        }
    }
    let varies = |link: &&Link| {
        let pipes = [&link.forward, &link.reverse];
        pipes.iter().any(|pipe| matches!(pipe.delay, Delay::Schedule(_)))
    };
    if let Some(link) = scenario.links.iter().find(varies) {
        errors.push(format!(
            "link `{}` cannot be in a symbiotic run, as its delay is a schedule, which small pipes \
             do not follow: write a constant one",
            link.name
        ));
    }
    if let Some(link) = scenario.measure.frames.first() {
        errors.push(format!(
            "the frames of link `{link}` cannot be logged in a symbiotic run: leave it out of \
             `frames`, or run with `--simulate`"
        ));
    }
    errors
}

fn timeline(scenario: &Scenario, is_simulated: &dyn Fn(&str) -> bool, errors: &mut Vec<String>) {
    let changes_queues = scenario
        .symbiosis
        .is_some_and(|symbiosis| symbiosis.calibration == CalibrationMethod::CrossTraffic);
    for (number, event) in scenario.timeline.iter().enumerate() {
        let wrong = match &event.action {
            TimelineAction::Run { .. } => continue,
            TimelineAction::Route { node, .. } => Some(format!(
                "changes a route of `{node}`, and routes stay as planned: leave it out"
            )),
            TimelineAction::SetNode { node, state: NodeState::Failed, .. }
                if !is_simulated(node) =>
            {
                Some(format!("has the real host `{node}` fail: end its programs instead"))
            }
            TimelineAction::SetLink { change, .. }
                if changes_queues
                    && !PipeChange { state: None, ..(**change).clone() }.is_empty() =>
            {
                Some(
                    "changes more of a link than its `state`, which pipes of `calibration: \
                     cross_traffic` do not follow: calibrate by `md1`"
                        .into(),
                )
            }
            _ => None,
        };
        let waits = match &event.at {
            Start::After { process, .. } => Some(format!(
                "waits for process `{process}`, and happens in the simulation, which has none: \
                 write a time"
            )),
            Start::At(_) => None,
        };
        errors.extend(wrong.into_iter().chain(waits).map(|what| {
            format!("event {number} of the timeline cannot be in a symbiotic run: it {what}")
        }));
    }
}
