//! Checks whether this machine has room for an experiment, before anything of it is made.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use netloom_api::launch::Calibration;
use netloom_link::Compensation;
use netloom_scenario::{
    Kernel, Link, Node, NodeState, Scenario, TimelineAction, Traffic, Transport,
};
use netloom_simulate::check_hybrid;

use netloom_host::{Capacity, Demand};

use crate::{controls, exit, programs};

/// Returns the demand of an experiment on the machine.
pub fn size(scenario: &Scenario) -> Demand {
    let in_kernel = |node: &&Node| node.kind.has_stack() && !node.simulated;
    let stacks = || scenario.nodes.iter().filter(in_kernel);
    let has_stack: std::collections::HashSet<&str> =
        stacks().map(|node| node.name.as_str()).collect();
    let ends = |link: &Link| {
        link.endpoints.iter().filter(|end| has_stack.contains(end.node.as_str())).count() as u64
    };
    Demand {
        nodes: stacks().count() as u64,
        interfaces: scenario.links.iter().map(ends).sum(),
        opened: scenario.modelled_links().map(ends).sum(),
        neighbours: match scenario.is_hybrid() {
            true => scenario.real_part().neighbours(),
            false => scenario.neighbours(),
        },
    }
}

/// Warns of possible failures in an experiment of this size.
///
/// # Errors
/// If it could not start. The error lists all obstacles.
pub fn check(scenario: &Scenario) -> Result<()> {
    check_hybrid(scenario)?;
    dilation(scenario)?;
    kernels(scenario)?;
    limits(scenario)?;
    congestion_controls(scenario, false)?;
    let capacities = netloom_host::capacities(size(scenario));
    let (stops, hinders): (Vec<_>, Vec<_>) = capacities
        .into_iter()
        .filter(|capacity| capacity.needs > capacity.has)
        .partition(|capacity| capacity.stops_start);
    for capacity in hinders {
        note!("warning: {}", words(&capacity));
    }
    if stops.is_empty() {
        return Ok(());
    }
    let mut all = format!("this machine has no room for `{}`; nothing was made", scenario.name);
    for capacity in stops {
        // Writing to a string does not fail.
        let _ = write!(all, "\n  {}", words(&capacity));
    }
    bail!(all)
}

/// Checks that a run can be on other machines, whatever they are.
///
/// # Errors
/// Names what speaks against it.
pub fn elsewhere(scenario: &Scenario) -> Result<()> {
    check_hybrid(scenario)?;
    dilation(scenario)?;
    fluid(scenario)
}

/// Checks that everything is there that a run starts or sets. `folder` is the scenario's.
///
/// # Errors
/// Names what is missing, and who asks for it.
pub fn course(scenario: &Scenario, folder: &Path) -> Result<()> {
    fluid(scenario)?;
    congestion_controls(scenario, true)?;
    let missing = programs::missing(scenario, folder);
    if missing.is_empty() {
        return Ok(());
    }
    let mut all = format!("programs of `{}` are missing; nothing was made", scenario.name);
    for (program, by) in missing {
        // Writing to a string does not fail.
        let _ = write!(all, "\n  `{program}` ({by}): install it, or correct its name");
    }
    bail!(all)
}

/// Checks that all traffic has packets.
fn fluid(scenario: &Scenario) -> Result<()> {
    let is_fluid = |entry: &&Traffic| entry.transport == Transport::Fluid;
    let Some(first) = scenario.traffic.iter().find(is_fluid) else { return Ok(()) };
    // The name of the entry, and those of the demand's ends.
    let name = first.name.split('.').next().unwrap_or_default();
    Err(exit::usage(format!(
        "traffic `{name}` is fluid (`as: fluid`), which only simulations have: run with \
         `--simulate`, or write `as: packets`"
    )))
}

/// Checks that all links with `compensate: calibrated` can be compensated.
///
/// # Errors
/// If the time that the machine takes is not known.
pub fn compensation(scenario: &Scenario, calibration: &Calibration) -> Result<()> {
    let asks = |asked: Compensation| asked == Compensation::Calibrated;
    let first = scenario
        .modelled_links()
        .find(|link| asks(link.forward.compensate) || asks(link.reverse.compensate))
        .map(|link| &link.name);
    let later = scenario.timeline.iter().find_map(|event| match &event.action {
        TimelineAction::SetLink { link, change, .. } => {
            change.compensate.filter(|one| asks(*one)).map(|_| link)
        }
        _ => None,
    });
    let (Some(link), Err(why)) = (first.or(later), calibration.crossing()) else { return Ok(()) };
    Err(exit::usage(format!(
        "link `{link}` cannot be compensated by what was measured of this machine: {why}; or write \
         a time, like `compensate: 25us`"
    )))
}

/// Checks that the time of everything that runs can be dilated.
fn dilation(scenario: &Scenario) -> Result<()> {
    let undilatable = scenario.undilatable();
    if undilatable.is_empty() { Ok(()) } else { Err(exit::usage(undilatable.join("\nerror: "))) }
}

/// Checks that nodes can have kernels of their own.
fn kernels(scenario: &Scenario) -> Result<()> {
    let own = |node: &&Node| node.kernel == Kernel::Own;
    let Some(node) = scenario.nodes.iter().find(own) else { return Ok(()) };
    restarted(scenario)?;
    netloom_host::own_kernel_check().map_err(|why| {
        anyhow!("node `{}` of `{}`: {why}; nothing was made", node.name, scenario.name)
    })
}

/// Checks that no node has traffic whose kernel restarts during the run. The clock that times the
/// traffic would restart with the kernel.
fn restarted(scenario: &Scenario) -> Result<()> {
    for event in &scenario.timeline {
        let TimelineAction::SetNode { node, state: NodeState::Failed, .. } = &event.action else {
            continue;
        };
        let own = scenario.node(node).is_some_and(|node| node.kernel == Kernel::Own);
        let has = |traffic: &&Traffic| traffic.from.contains(node) || traffic.to.contains(node);
        if let Some(traffic) = scenario.traffic.iter().find(has).filter(|_| own) {
            bail!(
                "traffic `{}` cannot be, as the timeline has `{node}` fail, whose own kernel \
                 starts anew then, and its clock with it: have its links go down instead, or run \
                 a program like `iperf3` there; nothing was made",
                traffic.name
            );
        }
    }
    Ok(())
}

/// Checks that the machine can enforce the limits of a scenario.
fn limits(scenario: &Scenario) -> Result<()> {
    let controllers = scenario.controllers().into_iter();
    let mut reasons: Vec<String> =
        controllers.filter_map(|c| netloom_host::enforcer(c).err()).collect();
    reasons.dedup();
    if reasons.is_empty() {
        return Ok(());
    }
    bail!(
        "this machine cannot enforce the limits of `{}`; nothing was made\n  {}",
        scenario.name,
        reasons.join("\n  ")
    )
}

/// Checks that nodes have the congestion controls that they are to use.
fn congestion_controls(scenario: &Scenario, runs: bool) -> Result<()> {
    let missing = controls::missing(scenario, runs);
    let Some(first) = missing.first() else { return Ok(()) };
    let mut all =
        format!("a congestion control of `{}` is missing; nothing was made", scenario.name);
    if missing.iter().any(|one| one.control != first.control) {
        all = format!("congestion controls of `{}` are missing; nothing was made", scenario.name);
    }
    for controls::Missing { control, by, why } in missing {
        // Writing to a string does not fail.
        let _ = write!(all, "\n  {by}: `{control}`: {why}");
    }
    bail!(all)
}

/// Describes a limit of the machine that is too low.
pub fn words(capacity: &Capacity) -> String {
    let Capacity { what, needs, has, advice, .. } = capacity;
    format!("it needs {needs} {what}, and this machine has {has}: {advice}")
}
