//! Whether this machine has room for an experiment, before anything of it is made.

use std::fmt::Write as _;

use anyhow::{Result, anyhow, bail};
use netloom_scenario::{Kernel, Link, Node, Scenario};
use netloom_simulate::check_hybrid;

use netloom_host::{Demand, Wall};

/// How large an experiment is to the machine.
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

/// Warns of what may fail in an experiment of this size.
///
/// # Errors
/// If it could not start: everything that is in its way.
pub fn check(scenario: &Scenario) -> Result<()> {
    check_hybrid(scenario)?;
    kernels(scenario)?;
    limits(scenario)?;
    let walls = netloom_host::walls(size(scenario));
    let (stops, hinders): (Vec<_>, Vec<_>) =
        walls.into_iter().filter(|wall| wall.needs > wall.has).partition(|wall| wall.stops_start);
    for wall in hinders {
        eprintln!("warning: {}", words(&wall));
    }
    if stops.is_empty() {
        return Ok(());
    }
    let mut all = format!("this machine has no room for `{}`; nothing was made", scenario.name);
    for wall in stops {
        // Writing to a string does not fail.
        let _ = write!(all, "\n  {}", words(&wall));
    }
    bail!(all)
}

/// Whether nodes can have kernels of their own.
fn kernels(scenario: &Scenario) -> Result<()> {
    let own = |node: &&Node| node.kernel == Kernel::Own;
    let Some(node) = scenario.nodes.iter().find(own) else { return Ok(()) };
    for traffic in &scenario.traffic {
        let mut ends = traffic.from.iter().chain(&traffic.to);
        let own = ends.find(|end| scenario.node(end).as_ref().is_some_and(own));
        if let Some(own) = own {
            bail!(
                "traffic `{}` cannot be, as `{own}` has a kernel of its own, whose clock is not \
                 the machine's: its times and delays would be wrong; run a program like `iperf3` \
                 as a process there, or take the scenario to `run --simulate`; nothing was made",
                traffic.name
            );
        }
    }
    netloom_host::own_kernel_check().map_err(|why| {
        anyhow!("node `{}` of `{}`: {why}; nothing was made", node.name, scenario.name)
    })
}

/// Whether the machine can enforce the limits of a scenario.
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

/// A wall that is in the way, in words.
pub fn words(wall: &Wall) -> String {
    let Wall { what, needs, has, advice, .. } = wall;
    format!("it needs {needs} {what}, and this machine has {has}: {advice}")
}
