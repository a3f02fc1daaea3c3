//! `netloom inspect`

use std::fmt::Write;

use anyhow::{Context, Result};
use futures_util::future::{join_all, try_join_all};
use netloom_api::state::{
    ExperimentStatus, LinkStatus, NodeStatus, PortRole, PortState, ProcessStatus, ServiceStatus,
    TreePortStatus, VlanPortStatus,
};
use netloom_host::Found;
use netloom_link::{PipeStatistics, Window};
use netloom_monitor::Verdict;
use netloom_units::readable::count;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::json;
use serde_transcode::Transcoder;

use super::radio;
use super::recent::recent_table;
use super::repeat;
use super::signals::signals;
use super::summary::{judged, not_taken};
use super::tc;
use super::usage;
use crate::args::{Format, Inspect};
use crate::client::Client;
use crate::table::table;
use crate::{exit, find};

/// Shows running experiments.
pub async fn inspect(args: Inspect) -> Result<i32> {
    if args.showing.watch {
        return repeat::watch(async || look(&args).await).await;
    }
    print!("{}", look(&args).await?);
    Ok(exit::SUCCESS)
}

async fn look(args: &Inspect) -> Result<String> {
    if args.tc {
        return tc::look(args).await;
    }
    let meant = match (&args.experiment, &args.scenario.file) {
        (None, None) if args.all => None,
        (None, None) => find::obvious_experiment().await?,
        (name, _) => Some(find::experiment(name.as_deref(), &args.scenario).await?),
    };
    let Some(found) = meant else {
        return list(&netloom_host::experiments()?, args.showing.format).await;
    };
    if !found.alive && found.pid.is_some() {
        return list(&[found], args.showing.format).await;
    }
    let client = find::client(Some(&found.name), &args.scenario).await?;
    if args.radio {
        return radio::radio(&client, args.showing.format).await;
    }
    if args.positions {
        return radio::positions(&client, args.showing.format).await;
    }
    if let Some(node) = &args.neighbours {
        return radio::neighbours(&client, node, args.showing.format).await;
    }
    match args.showing.format {
        Format::Json => json(&client, args.showing.last).await,
        Format::Table => View::fetch(&client, args.showing.last).await?.table(args.all),
    }
}

/// Returns the API's answers under their names, unparsed: the answer for thousands of links takes
/// longer to parse than to print.
async fn json(client: &Client, window: Option<Window>) -> Result<String> {
    let paths = PARTS.map(|part| match part {
        "links" => links(window),
        part => format!("/{part}"),
    });
    let answers = try_join_all(paths.iter().map(|path| client.body(path))).await?;
    let mut text = Vec::new();
    let mut out = serde_json::Serializer::pretty(&mut text);
    let mut map = out.serialize_map(Some(PARTS.len()))?;
    for ((part, path), answer) in PARTS.iter().zip(&paths).zip(&answers) {
        let mut answer = serde_json::Deserializer::from_slice(answer);
        map.serialize_entry(part, &Transcoder::new(&mut answer))
            .and_then(|()| answer.end())
            .with_context(|| format!("cannot understand the answer to {path}"))?;
    }
    map.end()?;
    text.push(b'\n');
    Ok(String::from_utf8(text)?)
}

/// Returns the API's path of links.
fn links(window: Option<Window>) -> String {
    window.map_or("/links".into(), |window| format!("/links?last={window}"))
}

async fn list(all: &[Found], format: Format) -> Result<String> {
    let asked = all.iter().map(async |found| match found.alive {
        true => (found, Client::of(found).status_soon().await),
        false => (found, None),
    });
    let statuses: Vec<(&Found, Option<ExperimentStatus>)> = join_all(asked).await;
    if format == Format::Json {
        let rows: Vec<_> = statuses
            .iter()
            .map(|(found, status)| {
                json!({
                    "name": found.name, "alive": found.alive, "engine_pid": found.pid,
                    "socket": found.socket, "status": status,
                })
            })
            .collect();
        return Ok(format!("{}\n", serde_json::to_string_pretty(&rows)?));
    }
    if statuses.is_empty() {
        return Ok("no experiment is running\n".into());
    }
    let mut rows = table(&["experiment", "engine", "phase", "nodes", "links", "scenario"]);
    for (found, status) in statuses {
        let pid = found.pid.map_or_else(|| "?".into(), |pid| pid.to_string());
        match status {
            Some(status) => rows.add_row([
                found.name.clone(),
                pid,
                phase(&status),
                status.nodes.to_string(),
                status.links.to_string(),
                status.file.display().to_string(),
            ]),
            None if found.alive => {
                rows.add_row([found.name.as_str(), &pid, "starting or not answering", "", "", ""])
            }
            None => {
                let help = format!("`netloom cleanup {}` removes what is left", found.name);
                rows.add_row([found.name.as_str(), &pid, "engine has died", "", "", &help])
            }
        };
    }
    Ok(format!("{rows}\n"))
}

fn phase(status: &ExperimentStatus) -> String {
    format!("{:?}", status.phase).to_lowercase()
}

/// The parts of the JSON of one experiment. The API has a path for each.
const PARTS: [&str; 8] =
    ["experiment", "nodes", "links", "media", "processes", "services", "timing", "verdict"];

/// Everything about one experiment.
struct View {
    experiment: ExperimentStatus,
    nodes: Vec<NodeStatus>,
    links: Vec<LinkStatus>,
    processes: Vec<ProcessStatus>,
    services: Vec<ServiceStatus>,
    verdict: Verdict,
    /// The window of the links' statistics. `None` means since their start.
    window: Option<Window>,
}

impl View {
    async fn fetch(client: &Client, window: Option<Window>) -> Result<Self> {
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
    fn table(&self, all: bool) -> Result<String> {
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
