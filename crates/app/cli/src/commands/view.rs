//! Everything that the API says about one experiment, and its tables. Not here: what
//! `netloom inspect` shows of it when ([`inspect`](super::inspect)), and the page that follows it
//! ([`live`](super::live)).

use std::fmt::Write;

use anyhow::Result;
use netloom_api::state::{
    ExperimentStatus, LinkStatus, NodeStatus, PortRole, PortState, ProcessStatus, ServiceStatus,
    TreePortStatus, VlanPortStatus,
};
use netloom_link::{PipeStatistics, Window};
use netloom_monitor::Verdict;
use netloom_units::readable::count;

use super::recent::recent_table;
use super::signals::signals;
use super::summary::{judged, not_taken};
use super::usage;
use crate::client::Client;
use crate::table::table;

/// Returns the API's path of links, with their statistics of the last seconds if there is a
/// window.
pub fn links(window: Option<Window>) -> String {
    window.map_or("/links".into(), |window| format!("/links?last={window}"))
}

/// Returns the phase of an experiment in a word.
pub fn phase(status: &ExperimentStatus) -> String {
    format!("{:?}", status.phase).to_lowercase()
}

/// Everything about one experiment.
pub struct View {
    /// The experiment as a whole.
    pub experiment: ExperimentStatus,
    /// Nodes, in the order of the scenario.
    pub nodes: Vec<NodeStatus>,
    /// Links, in the order of the scenario.
    pub links: Vec<LinkStatus>,
    /// Processes of a run.
    pub processes: Vec<ProcessStatus>,
    /// Programs that run from the start.
    pub services: Vec<ServiceStatus>,
    /// The verdict so far.
    pub verdict: Verdict,
    /// The window of the links' statistics. `None` means since their start.
    pub window: Option<Window>,
}

impl View {
    /// Asks the engine for all parts.
    pub async fn fetch(client: &Client, window: Option<Window>) -> Result<Self> {
        let links = links(window);
        // Requested together: the engine works on one answer while another is read here.
        let (experiment, nodes, links, processes, services, verdict) = tokio::try_join!(
            client.get("/experiment"),
            client.get("/nodes"),
            client.get(&links),
            client.get("/processes"),
            client.get("/services"),
            client.get("/verdict"),
        )?;
        Ok(Self { experiment, nodes, links, processes, services, verdict, window })
    }

    /// Returns the tables. With `all`, they have all signals of the monitor; otherwise those
    /// nearest to their limits.
    pub fn table(&self, all: bool) -> Result<String> {
        let mut text = String::new();
        let status = &self.experiment;
        writeln!(
            text,
            "{} ({}), engine pid {}, {:.0} s, {}\n",
            status.name,
            phase(status),
            status.engine_pid,
            status.now.as_secs_f64(),
            status.file.display(),
        )?;
        writeln!(text, "{}\n", self.node_table())?;
        match self.window {
            None => writeln!(text, "{}", self.link_table())?,
            Some(_) => writeln!(text, "{}", recent_table(self.recent()))?,
        }
        if let Some(lost) = not_taken(&self.links) {
            writeln!(text, "{lost}")?;
        }
        if let Some(usage) = usage::table_of(&self.nodes) {
            writeln!(text, "\n{usage}")?;
        }
        if let Some(published) = usage::published(&self.nodes) {
            writeln!(text, "\n{published}")?;
        }
        for ports in [self.vlan_table(), self.tree_table()].into_iter().flatten() {
            writeln!(text, "\n{ports}")?;
        }
        if !self.services.is_empty() {
            let mut rows = table(&["node", "service", "state"]);
            for service in &self.services {
                rows.add_row([&service.node, &service.service, &service.state.to_string()]);
            }
            writeln!(text, "\n{rows}")?;
        }
        if !self.processes.is_empty() {
            let mut rows = table(&["process", "node", "state"]);
            for process in &self.processes {
                rows.add_row([process.process.as_str(), &process.node, &process.state.to_string()]);
            }
            writeln!(text, "\n{rows}")?;
        }
        writeln!(text, "\n{}", signals(&self.verdict, all)?)?;
        writeln!(text, "\nverdict so far: {}", judged(&self.verdict, usize::MAX).join("\n"))?;
        Ok(text)
    }

    /// Returns the statistics of every pipe that has some, under its name.
    fn recent(&self) -> impl Iterator<Item = (String, Option<&PipeStatistics>)> {
        let pipes = self.links.iter().flat_map(LinkStatus::arrows);
        pipes.map(|(name, pipe)| (name, pipe.modelled().map(|pipe| &pipe.statistics)))
    }

    fn node_table(&self) -> comfy_table::Table {
        let mut rows = table(&["node", "kind", "interface", "addresses", "link", "peer"]);
        for node in &self.nodes {
            let simulated = if node.simulated { "simulated " } else { "" };
            let kind = format!("{simulated}{:?}", node.kind).to_lowercase();
            let (mut name, mut kind) = (node.name.as_str(), kind.as_str());
            if node.interfaces.is_empty() {
                rows.add_row([name, kind]);
            }
            for interface in &node.interfaces {
                let addresses: Vec<String> =
                    interface.addresses.iter().map(ToString::to_string).collect();
                rows.add_row([
                    std::mem::take(&mut name),
                    std::mem::take(&mut kind),
                    &interface.name,
                    &addresses.join(" "),
                    &interface.link,
                    &interface.peer.to_string(),
                ]);
            }
        }
        rows
    }

    /// Returns the table of ports of VLAN-aware switches, if there are any.
    fn vlan_table(&self) -> Option<comfy_table::Table> {
        let mut rows = table(&["switch port", "VLANs", "refused: other VLAN", "no tag"]);
        for node in &self.nodes {
            for port in &node.interfaces {
                let Some(VlanPortStatus { vlans, dropped }) = &port.vlan else { continue };
                rows.add_row([
                    format!("{}:{}", node.name, port.name),
                    vlans.to_string(),
                    count(dropped.foreign.frames),
                    count(dropped.untagged.frames),
                ]);
            }
        }
        (!rows.is_empty()).then_some(rows)
    }

    /// Returns the table of ports of switches with a spanning tree, if there are any.
    fn tree_table(&self) -> Option<comfy_table::Table> {
        let headings =
            ["switch port", "role", "state", "cost", "to the root", "BPDUs", "discarded"];
        let mut rows = table(&headings);
        for node in &self.nodes {
            for port in &node.interfaces {
                let Some(tree) = &port.spanning_tree else { continue };
                rows.add_row([
                    format!("{}:{}", node.name, port.name),
                    role(tree),
                    state(tree.state).into(),
                    tree.cost.to_string(),
                    if tree.bridge == tree.root {
                        "is it".into()
                    } else {
                        tree.root_cost.to_string()
                    },
                    format!("{} in, {} out", count(tree.received), count(tree.sent)),
                    count(tree.discarded),
                ]);
            }
        }
        (!rows.is_empty()).then_some(rows)
    }

    fn link_table(&self) -> comfy_table::Table {
        let headings = ["pipe", "properties", "queue limit", "frames", "queued", "dropped"];
        let mut rows = table(&headings);
        for (name, pipe) in self.links.iter().flat_map(LinkStatus::arrows) {
            let or_unknown = |frames: Option<u64>| frames.map_or("–".into(), count);
            let modelled = pipe.modelled();
            rows.add_row([
                name,
                modelled.map_or("direct".into(), |pipe| pipe.config.in_full().join(", ")),
                modelled.map_or("–".into(), |pipe| pipe.config.queue_limit_in_words()),
                or_unknown(pipe.offered().map(|offered| offered.frames)),
                or_unknown(modelled.map(|pipe| pipe.statistics.queue.now.frames)),
                or_unknown(pipe.dropped_frames()),
            ]);
        }
        rows
    }
}

/// Returns the role of a port in its spanning tree, and what is connected to it.
fn role(port: &TreePortStatus) -> String {
    let role = match port.role {
        PortRole::Disabled => "disabled",
        PortRole::Root => "root",
        PortRole::Designated => "designated",
        PortRole::Alternate => "alternate",
        PortRole::Backup => "backup",
    };
    let behind = match (port.edge, port.legacy) {
        (true, _) => ", edge",
        (_, true) => ", to a legacy bridge",
        _ => "",
    };
    format!("{role}{behind}")
}

fn state(state: PortState) -> &'static str {
    match state {
        PortState::Discarding => "discarding",
        PortState::Learning => "learning",
        PortState::Forwarding => "forwarding",
    }
}
