//! Describes in words the steps that lead from one network to another.

use std::collections::{BTreeSet, HashSet};

use netloom_api::apply::{ApplyStep, Part, StepChange};
use netloom_api::change::LinkChange;
use netloom_medium::MediumConfig;
use netloom_plan::change::{Change, Changes, Existence, Operation};
use netloom_plan::{InterfacePlan, NodePlan, SharedLimits};
use netloom_scenario::{Direction, IpPrefix, Limits, Publish, Scenario};

/// Returns the steps, part by part: additions, removals, and changes of the parts that stay.
pub fn steps(old: &Scenario, new: &Scenario, changes: &Changes) -> Vec<ApplyStep> {
    let mut steps = nodes(old, new, changes);
    steps.extend(links(old, new, changes));
    steps.extend(ports(old, new));
    let shared = changes.operations.iter().filter_map(|operation| match operation {
        Operation::SharedLimits(change) => Some(change),
        _ => None,
    });
    let shared: Vec<&Change<SharedLimits>> = shared.collect();
    if let (Some(first), Some(last)) = (shared.first(), shared.last()) {
        steps.extend(shared_limits(&first.from, &last.to));
    }
    let made: HashSet<&str> = changes.operations.iter().filter_map(made_node).collect();
    let settings = changes.operations.iter().filter_map(|operation| setting(operation, &made));
    steps.extend(settings);
    steps
}

fn step(change: StepChange, part: Part, name: &str, detail: impl Into<String>) -> ApplyStep {
    ApplyStep { change, part, name: name.into(), detail: detail.into() }
}

fn made_node(operation: &Operation) -> Option<&str> {
    match operation {
        Operation::Node(Existence::Made(node)) => Some(&node.name),
        _ => None,
    }
}

fn nodes(old: &Scenario, new: &Scenario, changes: &Changes) -> Vec<ApplyStep> {
    let replaced = |name: &str| changes.replaced_nodes.iter().any(|(node, _)| node == name);
    let detail = |node: &NodePlan| {
        let kind = format!("{:?}", node.kind).to_lowercase();
        let services = new.node(&node.name).map(|node| &node.software.services);
        let services: Vec<&str> =
            services.into_iter().flat_map(|s| s.keys()).map(String::as_str).collect();
        match services.as_slice() {
            [] => kind,
            services => format!("{kind}, services {}", services.join(", ")),
        }
    };
    let node = |operation: &Operation| match operation {
        Operation::Node(Existence::Made(node)) if !replaced(&node.name) => {
            Some(step(StepChange::Add, Part::Node, &node.name, detail(node)))
        }
        Operation::Node(Existence::Removed(node)) if !replaced(&node.name) => {
            Some(step(StepChange::Remove, Part::Node, &node.name, "with all that runs in it"))
        }
        _ => None,
    };
    let mut steps: Vec<ApplyStep> = changes.operations.iter().filter_map(node).collect();
    for (change, switches) in
        [(StepChange::Add, &changes.switches.to), (StepChange::Remove, &changes.switches.from)]
    {
        let switches = switches.iter().filter(|name| !replaced(name));
        let kind = |name: &str| match change {
            StepChange::Add => new.node(name),
            _ => old.node(name),
        };
        steps.extend(switches.map(|name| {
            let is_medium = kind(name).is_some_and(|node| node.medium.is_some());
            let what = if is_medium { "shared medium" } else { "switch" };
            step(change, Part::Node, name, what)
        }));
    }
    for (name, why) in &changes.replaced_nodes {
        let detail = format!("{why}, which ends all that runs in it");
        steps.push(step(StepChange::Replace, Part::Node, name, detail));
    }
    steps
}

fn links(old: &Scenario, new: &Scenario, changes: &Changes) -> Vec<ApplyStep> {
    let Change { from, to } = &changes.links;
    let ends = |scenario: &Scenario, name: &str| {
        let link = scenario.link(name);
        let ends = link.map(|link| link.endpoints.each_ref().map(ToString::to_string));
        let direct = if link.is_some_and(|link| link.direct) { ", direct" } else { "" };
        ends.map(|[a, b]| format!("{a} -- {b}{direct}")).unwrap_or_default()
    };
    let mut steps = vec![];
    for name in to {
        steps.push(match from.contains(name) {
            false => step(StepChange::Add, Part::Link, name, ends(new, name)),
            true => {
                let (before, after) = (ends(old, name), ends(new, name));
                let detail = match before == after {
                    true => {
                        format!("{after}, made anew with its VLANs, nodes, station or end outside")
                    }
                    false => format!("{before} -> {after}"),
                };
                step(StepChange::Replace, Part::Link, name, detail)
            }
        });
    }
    let gone = from.iter().filter(|name| !to.contains(name));
    steps.extend(
        gone.map(|name| step(StepChange::Remove, Part::Link, name, "with the frames in it")),
    );
    steps
}

/// Returns the steps for ports of the machine that lead into nodes.
fn ports(old: &Scenario, new: &Scenario) -> Vec<ApplyStep> {
    fn published(scenario: &Scenario) -> impl Iterator<Item = (&str, &Publish)> {
        let nodes = scenario.nodes.iter();
        nodes.flat_map(|node| node.publish.iter().map(move |publish| (node.name.as_str(), publish)))
    }
    let port = |change, (node, publish): (&str, &Publish)| {
        step(change, Part::Port, &publish.to_string(), format!("of node {node}"))
    };
    let (before, after): (Vec<_>, Vec<_>) = (published(old).collect(), published(new).collect());
    let come = after.iter().filter(|this| !before.contains(this));
    let go = before.iter().filter(|this| !after.contains(this));
    let come = come.map(|this| port(StepChange::Add, *this));
    come.chain(go.map(|this| port(StepChange::Remove, *this))).collect()
}

/// Returns the steps for limits that nodes share.
fn shared_limits(old: &SharedLimits, new: &SharedLimits) -> Vec<ApplyStep> {
    let groups = old.groups.keys().chain(new.groups.keys()).collect::<BTreeSet<_>>();
    let group = |name: &String| {
        let of = |shared: &SharedLimits| shared.groups.get(name).copied().unwrap_or_default();
        (format!("group {name}"), of(old), of(new))
    };
    let all = [("all nodes together".to_owned(), old.total, new.total)];
    let changed = all.into_iter().chain(groups.into_iter().map(group));
    let changed = changed.filter(|(_, from, to)| from != to);
    changed.map(|(name, from, to)| limits(&name, &from, &to)).collect()
}

fn limits(name: &str, from: &Limits, to: &Limits) -> ApplyStep {
    let words = |limits: &Limits| match limits.is_empty() {
        true => "none".into(),
        false => limits.to_string(),
    };
    step(StepChange::Change, Part::Limits, name, format!("{} -> {}", words(from), words(to)))
}

/// Returns the steps for services that are restarted in nodes that stay.
pub fn restarts<'r>(
    restarts: impl Iterator<Item = (&'r str, &'r [String])>,
) -> impl Iterator<Item = ApplyStep> {
    restarts.map(|(node, services)| {
        let detail = match services {
            [] => "files are written anew".into(),
            services => format!("{} started again with other configuration", services.join(", ")),
        };
        step(StepChange::Change, Part::Services, node, detail)
    })
}

/// Returns the step for a change of a part that stays.
fn setting(operation: &Operation, made: &HashSet<&str>) -> Option<ApplyStep> {
    let changed = |part, name: &str, detail: String| step(StepChange::Change, part, name, detail);
    match operation {
        Operation::Link { link, direction, change: Change { from, to } } => {
            let words = |change: &netloom_api::change::PipeChange| {
                let direction = Direction::Both;
                let change = LinkChange { link: String::new(), direction, change: change.clone() };
                change.in_words().trim_start_matches("link : ").to_owned()
            };
            let which = match direction {
                Direction::Both => String::new(),
                Direction::Forward => "forward: ".into(),
                Direction::Reverse => "reverse: ".into(),
            };
            Some(changed(Part::Link, link, format!("{which}{} -> {}", words(from), words(to))))
        }
        Operation::Medium { medium, change: Change { from, to } } => {
            Some(changed(Part::Medium, medium, configs(from, to)))
        }
        Operation::Limits { node, change: Change { from, to } } => Some(limits(node, from, to)),
        Operation::Parameter { node, key, change: Change { from, to } } => {
            let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "default".into());
            let detail = format!("{key} {} -> {}", value(from), value(to));
            (!made.contains(node.as_str())).then(|| changed(Part::Parameter, node, detail))
        }
        Operation::Settings { node, change: Change { from, to } } => {
            Some(changed(Part::Interface, &format!("{node}:{}", to.name), interface(from, to)))
        }
        Operation::Loopback { node, change: Change { from, to } } => {
            Some(changed(Part::Loopback, node, format!("{} -> {}", prefixes(from), prefixes(to))))
        }
        Operation::Routes { node, change: Change { from, to } } => {
            let detail = format!("{} added, {} taken away", to.len(), from.len());
            (!made.contains(node.as_str())).then(|| changed(Part::Routes, node, detail))
        }
        _ => None,
    }
}

/// Returns the keys of a medium that change, with their values.
fn configs(from: &MediumConfig, to: &MediumConfig) -> String {
    let keys = |config: &MediumConfig| match serde_json::to_value(config) {
        Ok(serde_json::Value::Object(mut keys)) => {
            if let Some(serde_json::Value::Object(radio)) = keys.remove("radio") {
                keys.extend(radio);
            }
            keys
        }
        Ok(_) | Err(_) => serde_json::Map::new(),
    };
    let (before, after) = (keys(from), keys(to));
    let value = |value: Option<&serde_json::Value>| match value {
        None | Some(serde_json::Value::Null) => "default".to_owned(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed = names.into_iter().filter(|key| before.get(*key) != after.get(*key));
    let changed =
        changed.map(|key| format!("{key} {} -> {}", value(before.get(key)), value(after.get(key))));
    changed.collect::<Vec<_>>().join(", ")
}

fn interface(from: &InterfacePlan, to: &InterfacePlan) -> String {
    let mut words = vec![];
    if from.addresses != to.addresses {
        words.push(format!("{} -> {}", prefixes(&from.addresses), prefixes(&to.addresses)));
    }
    if from.mtu != to.mtu {
        words.push(format!("MTU {} -> {}", from.mtu, to.mtu));
    }
    if from.mac != to.mac {
        words.push(format!("MAC address {} -> {}", from.mac, to.mac));
    }
    words.join(", ")
}

fn prefixes(prefixes: &[IpPrefix]) -> String {
    match prefixes {
        [] => "no address".into(),
        prefixes => prefixes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    }
}

/// Returns notes about changes in the scenario that have no effect on a deployment.
pub fn notes(old: &Scenario, new: &Scenario, has_moved: bool) -> Vec<String> {
    let of_runs = [
        ("processes", old.processes != new.processes),
        ("timeline", old.timeline != new.timeline),
        ("measure", old.measure != new.measure),
        ("duration", old.duration != new.duration),
    ];
    let changed: Vec<&str> =
        of_runs.iter().filter(|(_, differs)| *differs).map(|(key, _)| *key).collect();
    let mut notes = vec![];
    if !changed.is_empty() {
        let keys = changed.join("`, `");
        notes.push(format!(
            "`{keys}` have changed, which only a `netloom run` of the scenario obeys"
        ));
    }
    if has_moved {
        notes.push(
            "the scenario is in another folder: processes in nodes still start in the one that it \
             was deployed from, and nodes that stay see its files"
                .into(),
        );
    }
    notes
}
