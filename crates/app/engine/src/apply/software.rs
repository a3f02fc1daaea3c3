//! The views of nodes, and the programs that run in them from the start, when another scenario
//! replaces the one in force. They are worked out before anything is done, and follow the nodes
//! that are added, removed and restored.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use futures_util::StreamExt;
use futures_util::stream;
use netloom_nodes::View;
use netloom_plan::Plan;
use netloom_plan::change::Inside;
use netloom_scenario::service::ServiceTemplate;
use netloom_scenario::{Node, Scenario, ServiceUse};
use tokio::runtime::Handle;

use crate::deployment::Deployment;
use crate::live::Live;
use crate::services::{self, NodeStart, Prepared, Progress, Restart, Services};

/// Views and programs of nodes, before and after.
pub struct Software {
    services: Arc<Services>,
    /// The views of nodes.
    views: HashMap<String, Arc<View>>,
    /// The programs that run in nodes from the start.
    starts: HashMap<String, NodeStart>,
    /// For each node that stays and changes: the restart that makes the change, and the one that
    /// undoes it.
    restarts: BTreeMap<String, [Restart; 2]>,
    /// The views and programs of nodes that were removed.
    gone: HashMap<String, (Option<Arc<View>>, Option<NodeStart>)>,
    /// Nodes in which services have been restarted.
    restarted: Vec<String>,
    /// Whether the changes are being undone.
    backwards: bool,
}

impl Software {
    /// Prepares everything that `scenario` needs, below `directory`, and finds the nodes that are
    /// there already and change.
    pub fn prepare(
        services: &Arc<Services>,
        old: &Deployment,
        (scenario, plan, directory): (&Scenario, &Plan, &Path),
    ) -> Result<(Self, Inside)> {
        let Prepared { views, starts } = services::prepare(scenario, plan, directory)?;
        services::features::check(scenario, plan, false)?;
        let mut software = Self {
            services: Arc::clone(services),
            views: views.into_iter().map(|(node, view)| (node, Arc::new(view))).collect(),
            starts: starts.into_iter().map(|start| (start.node.clone(), start)).collect(),
            restarts: BTreeMap::new(),
            gone: HashMap::new(),
            restarted: vec![],
            backwards: false,
        };
        let known: HashMap<&str, &Node> =
            old.mine.scenario.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
        let mut inside = Inside::default();
        for node in &scenario.nodes {
            let Some(before) = known.get(node.name.as_str()) else { continue };
            if !before.software.is_empty() || !node.software.is_empty() {
                software.compare((&old.mine.scenario, before), (scenario, node), &mut inside)?;
            }
        }
        Ok((software, inside))
    }

    fn compare(
        &mut self,
        old: (&Scenario, &Node),
        new: (&Scenario, &Node),
        inside: &mut Inside,
    ) -> Result<()> {
        let name = &new.1.name;
        if let Some(why) = other_keys(old, new) {
            inside.anew.insert(name.clone(), why);
            return Ok(());
        }
        let seen = self.services.network.with(|live| Ok(live.network.view(name)))?;
        let (seen, view) = (seen.unwrap_or_default(), self.views.get(name).cloned());
        let view = view.unwrap_or_default();
        let idle = || NodeStart { node: name.clone(), startup: vec![], services: vec![] };
        let ran = self.services.table.start_of(name).unwrap_or_else(idle);
        let start = self.starts.get(name).cloned().unwrap_or_else(idle);
        let there = Restart::between((&seen, &ran), (&view, &start));
        match there.zip(Restart::between((&view, &start), (&seen, &ran))) {
            Some((there, _)) if there.is_empty() => {}
            Some((there, back)) => {
                inside.restarted.insert(name.clone());
                self.restarts.insert(name.clone(), [there, back]);
            }
            None => {
                let why = "its services take other files, or come in another order, than before";
                inside.anew.insert(name.clone(), why.into());
            }
        }
        Ok(())
    }

    /// Forgets the restarts of nodes that are replaced: a new node needs none.
    pub fn without(&mut self, replaced: &[(String, String)]) {
        self.restarts.retain(|node, _| replaced.iter().all(|(name, _)| name != node));
    }

    /// Returns the services that are restarted in nodes that stay.
    pub fn restarts(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.restarts.iter().map(|(node, [there, _])| (node.as_str(), there.services()))
    }

    /// Sets the view of a node that is about to be made: the new one, or the one from before.
    pub fn making(&mut self, live: &Live, node: &str) {
        let view = match self.backwards {
            false => self.views.get(node).cloned(),
            true => self.gone.get(node).and_then(|(view, _)| view.clone()),
        };
        live.network.set_view(node, view);
        self.services.network.recover(node);
    }

    /// Keeps the view and the programs of a node that is about to be removed.
    pub fn removing(&mut self, live: &Live, node: &str) {
        let start = self.services.table.dismiss(node);
        let view = live.network.set_view(node, None);
        if !self.backwards {
            self.gone.insert(node.into(), (view, start));
        }
    }

    /// Starts the programs of these nodes, or restarts services of theirs. Returns when all are
    /// ready.
    pub fn start(&mut self, nodes: &[String]) -> Result<()> {
        let (again, begin): (Vec<&String>, Vec<&String>) =
            nodes.iter().partition(|node| self.restarts.contains_key(*node));
        let starts = begin.into_iter().filter_map(|node| self.starts.get(node).cloned());
        self.begin(starts.collect())?;
        self.restarted = again.into_iter().cloned().collect();
        let restarts = self.restarted.iter().map(|node| &self.restarts[node][0]);
        self.run(restarts)
    }

    /// Begins to undo the changes. Returns in words what cannot be restored to its state before.
    pub fn turn_back(&mut self) -> Option<String> {
        self.backwards = true;
        let list = |mut nodes: Vec<&str>| {
            nodes.sort_unstable();
            nodes.join(", ")
        };
        let gone = (!self.gone.is_empty()).then(|| {
            let nodes = list(self.gone.keys().map(String::as_str).collect());
            format!(
                "processes in {nodes} were ended, and only those from the start were started again"
            )
        });
        let again = (!self.restarted.is_empty()).then(|| {
            let nodes = list(self.restarted.iter().map(String::as_str).collect());
            format!("services in {nodes} were started again")
        });
        let words: Vec<String> = gone.into_iter().chain(again).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Starts again, in the restored network, the programs that ran in it.
    pub fn start_as_before(&mut self) -> Result<()> {
        let back = self.restarted.iter().map(|node| &self.restarts[node][1]);
        let restored = self.run(back);
        let network = Arc::clone(&self.services.network);
        let came_back =
            |node: &str| network.with(|live| Ok(live.network.has_node(node))).unwrap_or(false);
        let gone = std::mem::take(&mut self.gone).into_values().filter_map(|(_, start)| start);
        let starts = gone.filter(|start| came_back(&start.node)).collect();
        self.begin(starts).and(restored)
    }

    fn begin(&self, starts: Vec<NodeStart>) -> Result<()> {
        starts.iter().for_each(|start| self.services.table.add(start.clone()));
        let progress = |progress| {
            if let Progress::Slow(message) = progress {
                self.services.events.warn(message);
            }
        };
        self.wait(services::start(&self.services, starts, progress))
    }

    /// Runs all restarts, several at a time, even if one fails: none is left half done.
    fn run<'r>(&self, restarts: impl Iterator<Item = &'r Restart>) -> Result<()> {
        let all = stream::iter(restarts.map(|restart| restart.run(&self.services)));
        let all = all.buffer_unordered(services::nodes_at_once()).collect::<Vec<Result<()>>>();
        let failed = self.wait(all).into_iter().filter_map(Result::err);
        let words: Vec<String> =
            failed.map(|error| netloom_api::in_words(error.as_ref())).collect();
        if words.is_empty() { Ok(()) } else { Err(anyhow!(words.join("; "))) }
    }

    /// Waits for `work`. The calling thread may block.
    fn wait<F: Future>(&self, work: F) -> F::Output {
        Handle::current().block_on(work)
    }
}

/// Returns the changed keys about a node's view and programs because of which the node cannot stay.
/// Options of services count by their result.
fn other_keys(old: (&Scenario, &Node), new: (&Scenario, &Node)) -> Option<String> {
    let (before, after) = (&old.1.software, &new.1.software);
    let keys = [
        ("root", before.root != after.root),
        ("files", before.files != after.files),
        ("env", before.env != after.env),
        ("binds", before.binds != after.binds),
        ("startup", before.startup != after.startup),
        ("services", templates(old) != templates(new)),
    ];
    let keys: Vec<String> =
        keys.iter().filter(|(_, differs)| *differs).map(|(key, _)| format!("`{key}`")).collect();
    match keys.as_slice() {
        [] => None,
        [key] => Some(format!("its {key} changed")),
        [keys @ .., last] => Some(format!("its {} and {last} changed", keys.join(", "))),
    }
}

/// Returns the services of a node, and the templates that they are made from.
fn templates<'s>(
    (scenario, node): (&'s Scenario, &'s Node),
) -> Vec<(&'s str, Option<&'s ServiceTemplate>)> {
    let services = node.software.services.iter();
    let template = |service: &ServiceUse| scenario.templates.get(&service.template);
    services.map(|(name, service)| (name.as_str(), template(service))).collect()
}
