//! Checks which parts of a scenario can be simulated. A part that cannot is an error, or is named
//! in the results: nothing is left out in silence. Not here: how the scenario is simulated.

use netloom_link::{PipeConfig, WhenFull};
use netloom_scenario::{
    Limits, Node, NodeKind, Routing, Scenario, Start, TimelineAction, Transport,
};
use netloom_tcp::Algorithm;
use netloom_units::readable::counted;

use crate::ideal::Services;
use crate::{fluid, tcp};

/// The treatment of a scenario's commands, which cannot be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    /// Commands are errors.
    Refused,
    /// The run leaves them out: `--without-commands`.
    LeftOut,
}

/// The support of a scenario by the simulation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Support {
    /// Reasons why it cannot be simulated. Empty if it can.
    pub errors: Vec<String>,
    /// The parts that are left out, in words.
    pub left_out: Vec<String>,
    /// The aspects that are not modelled, a sentence each.
    pub not_modelled: Vec<String>,
    /// What to know about the run before it begins.
    pub notes: Vec<String>,
}

/// The aspects that no simulation models.
pub const NEVER_MODELLED: [&str; 3] = [
    "CPU time of nodes, and queues of their devices.",
    "ARP, neighbour discovery and rate limits of ICMP: neighbours are known from the start.",
    "Checksums that miss an error: a packet with flipped bits is dropped by the next node.",
];

/// Returns the support of `scenario` by the simulation.
pub fn check(scenario: &Scenario, commands: Commands) -> Support {
    let mut support = Support::default();
    support.commands(scenario, commands);
    scenario.nodes.iter().for_each(|node| support.node(node));
    support.services(scenario);
    support.limits(scenario);
    support.tcp(scenario);
    support.replays(scenario);
    support.fluid(scenario);
    support.measures(scenario);
    support.links(scenario);
    support.waits(scenario);
    support.not_modelled.extend(NEVER_MODELLED.map(Into::into));
    support
}

impl Support {
    /// Checks processes, commands of the timeline, and expectations of processes.
    fn commands(&mut self, scenario: &Scenario, commands: Commands) {
        let processes = scenario
            .processes
            .iter()
            .map(|process| format!("process `{}` in {}", process.name, in_nodes(&process.nodes)));
        let run = scenario.timeline.iter().filter_map(|event| match &event.action {
            TimelineAction::Run { node, command } => {
                Some(format!("`{}` of the timeline, in {node}", command.argv().join(" ")))
            }
            _ => None,
        });
        let startup = scenario.nodes.iter().filter(|node| !node.software.startup.is_empty());
        let startup = startup.map(|node| format!("the startup commands of {}", node.name));
        let all: Vec<String> = processes.chain(run).chain(startup).collect();
        if all.is_empty() {
            return;
        }
        let list = all.iter().map(|one| format!("\n  {one}")).collect::<String>();
        match commands {
            Commands::Refused => self.errors.push(format!(
                "commands cannot be simulated, since they are programs for a real network \
                 stack:{list}\nrun without `--simulate`; or with `--without-commands`, which \
                 leaves them out; or say what they send as `traffic`"
            )),
            Commands::LeftOut => {
                let what = counted(all.len(), "command");
                self.left_out.push(format!("{what}, which cannot be simulated:{list}"));
                if !scenario.expect.is_empty() {
                    self.left_out.push("what is expected of processes".into());
                }
            }
        }
    }

    fn node(&mut self, node: &Node) {
        let name = &node.name;
        let mut cannot = |what: &str| {
            self.errors.push(format!(
                "{what} of node `{name}` cannot be simulated: leave out what \
                needs the machine, or run without `--simulate`"
            ));
        };
        if node.kind == NodeKind::Outside {
            cannot("the device outside");
        }
        if node.software.root.is_some() {
            cannot("the root file system");
        }
        if !node.limits.is_empty() {
            cannot("limits");
        }
        if !node.publish.is_empty() {
            cannot("published ports");
        }
        if node.routing == Routing::Daemon && node.software.services.is_empty() {
            self.not_modelled.push(format!(
                "The routing daemon of `{name}`: it knows its neighbours and its own `routes` only."
            ));
        }
        let all = node.sysctls.keys().map(String::as_str);
        let unknown: Vec<&str> = all.filter(|key| !tcp::is_modelled(key)).collect();
        if !unknown.is_empty() {
            self.not_modelled.push(format!("Of `{name}`, the sysctls {}.", unknown.join(", ")));
        }
    }

    /// Checks for services whose routes cannot be computed.
    fn services(&mut self, scenario: &Scenario) {
        let Services { errors, note } = Services::of(scenario);
        self.errors.extend(errors);
        if note.is_some() {
            let what = "Routing protocols: routers have the routes that they would converge to.";
            self.not_modelled.push(what.into());
        }
        self.notes.extend(note);
    }

    fn limits(&mut self, scenario: &Scenario) {
        let shared = scenario.group_limits.values().chain([&scenario.total_limits]);
        if shared.into_iter().any(|limits| *limits != Limits::default()) {
            self.errors.push(
                "limits of groups and of all nodes cannot be simulated: leave them out, or run \
                 without `--simulate`"
                    .into(),
            );
        }
    }

    /// Checks congestion controls, and the values of kernel parameters of TCP.
    fn tcp(&mut self, scenario: &Scenario) {
        let mut wrong = Vec::new();
        for node in scenario.nodes.iter().filter(|node| node.kind.has_stack()) {
            let modelled = node.sysctls.iter().filter(|(name, _)| tcp::is_modelled(name));
            let refused = modelled.filter_map(|(name, value)| tcp::refusal(name, value));
            wrong.extend(refused.map(|why| format!("node `{}`: {why}", node.name)));
        }
        for traffic in &scenario.traffic {
            let Transport::Tcp { congestion_control: Some(name), .. } = &traffic.transport else {
                continue;
            };
            if let Err(unknown) = name.parse::<Algorithm>() {
                wrong.push(format!("traffic `{}`: {unknown}", traffic.name));
            }
        }
        let words = |why| format!("{why}; correct it, or run without `--simulate`");
        self.errors.extend(wrong.into_iter().map(words));
    }

    /// Checks for frames of captures: simulated packets have no bytes.
    fn replays(&mut self, scenario: &Scenario) {
        for traffic in scenario.traffic.iter().filter(|one| one.transport == Transport::Frames) {
            self.errors.push(format!(
                "traffic `{}` cannot be simulated, since it replays the bytes of a capture: leave \
                 it out, or send a `trace` with its times and lengths, or run without `--simulate`",
                traffic.name
            ));
        }
    }

    /// Checks for backgrounds that fluid traffic would replace.
    fn fluid(&mut self, scenario: &Scenario) {
        self.errors.extend(fluid::clash(scenario));
        if scenario.traffic.iter().any(|one| one.transport == Transport::Fluid) {
            self.not_modelled.push(
                "Delay and losses of fluid traffic but where a link has less rate than comes to it."
                    .into(),
            );
        }
    }

    /// Checks for pipes whose full queue makes interfaces wait. Simulated nodes have no queue in
    /// front of their interfaces.
    fn links(&mut self, scenario: &Scenario) {
        let waits = |config: &PipeConfig| config.queue.full == WhenFull::Wait;
        let first = scenario
            .links
            .iter()
            .find(|link| [&link.forward, &link.reverse].map(waits) != [false; 2]);
        let later = scenario.timeline.iter().filter_map(|event| match &event.action {
            TimelineAction::SetLink { link, change, .. } => {
                let full = change.queue.as_ref()?.full?;
                (full == WhenFull::Wait).then_some(link)
            }
            _ => None,
        });
        if let Some(link) = first.map(|link| &link.name).or(later.into_iter().next()) {
            self.errors.push(format!(
                "`queue: {{full: wait}}` of link `{link}` cannot be simulated, since simulated \
                 nodes have no queue in front of their interfaces: leave it out, or run without \
                 `--simulate`"
            ));
        }
    }

    fn measures(&mut self, scenario: &Scenario) {
        if scenario.measure.observations {
            self.left_out.push("observations of the machine, which does not show".into());
        }
    }

    /// Lists everything that waits for a process, because there are no processes.
    fn waits(&mut self, scenario: &Scenario) {
        let waits = |start: &Start| match start {
            Start::At(_) => None,
            Start::After { process, .. } => Some(process.clone()),
        };
        for (number, event) in scenario.timeline.iter().enumerate() {
            if let Some(process) = waits(&event.at) {
                let what = format!("event {number} of the timeline, which waits for `{process}`");
                self.left_out.push(what);
            }
        }
        for traffic in &scenario.traffic {
            if let Some(process) = waits(&traffic.start) {
                let what = format!("traffic `{}`, which waits for `{process}`", traffic.name);
                self.left_out.push(what);
            }
        }
    }
}

/// Returns the names of a few nodes, or the number of many.
fn in_nodes(nodes: &[String]) -> String {
    match nodes {
        [] => "no node".into(),
        [one] => one.clone(),
        [_, _] | [_, _, _] => nodes.join(", "),
        many => counted(many.len(), "node"),
    }
}
