//! What nodes ask of the machine's kernel by name: parameters, direct links, paced interfaces, and
//! kinds of queueing disciplines and interfaces in commands. It is looked for before anything is
//! made. Nodes with kernels of their own are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Result, bail};
use netloom_link::WhenFull;
use netloom_nodes::{Feature, MissingFeature, interface_of_parameter, missing_features};
use netloom_plan::Plan;
use netloom_scenario::{Command, Kernel, Node, Outside, Scenario, TimelineAction};
use netloom_units::readable::first_of;

/// Everything that is asked for, each with its users in words.
#[derive(Default)]
struct Asked(BTreeMap<Feature, Vec<String>>);

/// Checks that the kernel has what nodes ask for, in processes and on the timeline only if these
/// are to `run`.
///
/// # Errors
/// Names everything that is missing, who asks for it, and what to do.
pub fn check(scenario: &Scenario, plan: &Plan, run: bool) -> Result<()> {
    let asked = asked(scenario, plan, run);
    let features: BTreeSet<Feature> = asked.0.keys().cloned().collect();
    refuse(scenario, &asked, &missing_features(&features)?)
}

/// Checks that no parameter of a node names an interface that it will not have when its parameters
/// are set.
///
/// # Errors
/// Names the first such parameter.
pub fn check_interfaces(plan: &Plan) -> Result<()> {
    for node in plan.nodes.iter().filter(|node| node.own_kernel.is_none()) {
        for key in node.sysctls.keys() {
            let Some(name) = interface_of_parameter(key) else { continue };
            let names = || node.interfaces.iter().map(|interface| interface.name.as_str());
            if name != "lo" && !names().any(|known| known == name) {
                let known: Vec<&str> = names().collect();
                bail!(
                    "node `{}` cannot have the parameter `{key}`: it has no interface `{name}`, \
                     only `lo` and {}; set parameters of interfaces that the node makes itself in \
                     `startup` (`sysctl -w {key}=…`); nothing was made",
                    node.name,
                    if known.is_empty() { "none of links".into() } else { known.join(", ") }
                );
            }
        }
    }
    Ok(())
}

fn refuse(scenario: &Scenario, asked: &Asked, missing: &[MissingFeature]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let mut all = format!(
        "nodes of `{}` need what this machine's kernel does not offer them; nothing was made",
        scenario.name
    );
    for MissingFeature { feature, why } in missing {
        let by = asked.0.get(feature).map(|by| first_of(by)).unwrap_or_default();
        // Writing to a string does not fail.
        let _ = write!(all, "\n  {feature} ({by}): {why}{}", other_way(feature));
    }
    bail!(all)
}

/// Returns what helps where the machine's kernel stays as it is.
fn other_way(feature: &Feature) -> &'static str {
    match feature {
        Feature::Parameter(key) if key.starts_with("net") => {
            "; or give the node a kernel of its own (`kernel: own`), whose parameters are its own"
        }
        Feature::Interfaces(kind) if kind == "veth" => "; or leave `direct: true` out",
        Feature::Discipline(kind) if kind == "tbf" => "; or leave `full: wait` out",
        Feature::Discipline(_) | Feature::Interfaces(_) => {
            "; or give the node a kernel of its own (`kernel: own`), which has more modules"
        }
        Feature::Parameter(_) => "",
    }
}

impl Asked {
    fn add(&mut self, feature: Feature, by: String) {
        let users = self.0.entry(feature).or_default();
        if users.last() != Some(&by) {
            users.push(by);
        }
    }

    /// Adds what a command of a node names, if the node runs on the machine's kernel.
    fn add_command(&mut self, node: Option<&Node>, command: &Command, by: &str) {
        let is_here = |node: &&Node| {
            node.kernel == Kernel::Shared && node.kind.has_stack() && !node.simulated
        };
        if let (Some(node), Some(feature)) = (node.filter(is_here), named(command)) {
            self.add(feature, format!("{by} in `{}`", node.name));
        }
    }
}

fn asked(scenario: &Scenario, plan: &Plan, run: bool) -> Asked {
    let mut asked = Asked::default();
    for node in plan.nodes.iter().filter(|node| node.own_kernel.is_none()) {
        for key in node.sysctls.keys() {
            asked.add(Feature::Parameter(key.clone()), format!("`{}`", node.name));
        }
    }
    for link in &scenario.links {
        let waits = |config: &netloom_link::PipeConfig| config.queue.full == WhenFull::Wait;
        if link.direct {
            asked.add(Feature::Interfaces("veth".into()), format!("link `{}`", link.name));
        } else if waits(&link.forward) || waits(&link.reverse) {
            asked.add(Feature::Discipline("tbf".into()), format!("link `{}`", link.name));
        }
    }
    for outside in plan.outside.iter().filter(|outside| outside.kind == Outside::Macvlan) {
        asked.add(Feature::Interfaces("macvlan".into()), format!("`{}`", outside.end));
    }
    for node in &scenario.nodes {
        for command in &node.software.startup {
            asked.add_command(Some(node), command, "`startup`");
        }
    }
    if run {
        for process in &scenario.processes {
            let by = format!("process `{}`", process.name);
            for node in &process.nodes {
                asked.add_command(scenario.node(node), &process.command, &by);
            }
        }
        for event in &scenario.timeline {
            if let TimelineAction::Run { node, command } = &event.action {
                asked.add_command(scenario.node(node), command, "the timeline");
            }
        }
    }
    asked
}

/// Returns the kind that a command of `tc` or `ip` makes. Lines for a shell count where they are
/// nothing but such a command.
fn named(command: &Command) -> Option<Feature> {
    let words: Vec<&str> = match command {
        Command::Exec(argv) => argv.iter().map(String::as_str).collect(),
        Command::Shell(line) if line.contains(|c| "|&;<>()$`\\\"'*?[#~=%{\n".contains(c)) => {
            return None;
        }
        Command::Shell(line) => line.split_whitespace().collect(),
    };
    let (program, words) = words.split_first()?;
    let words: Vec<&str> = words.iter().copied().skip_while(|word| word.starts_with('-')).collect();
    let makes = |verbs: &[&str]| words.get(1).is_some_and(|verb| verbs.contains(verb));
    match (program.rsplit('/').next()?, *words.first()?) {
        ("tc", "qdisc") if makes(&["add", "replace"]) => {
            discipline(&words[2..]).map(|kind| Feature::Discipline(kind.into()))
        }
        ("ip", "link" | "l") if makes(&["add", "a"]) => {
            let mut rest = words[2..].iter().skip_while(|word| **word != "type");
            rest.nth(1).map(|kind| Feature::Interfaces((*kind).into()))
        }
        _ => None,
    }
}

/// Returns the kind among the words after `tc qdisc add`.
fn discipline<'w>(words: &[&'w str]) -> Option<&'w str> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "dev" | "parent" | "handle" | "estimator" => _ = words.next(),
            "root" => {}
            // These are kinds and places at once.
            kind => return Some(kind),
        }
    }
    None
}

#[cfg(test)]
mod tests;
