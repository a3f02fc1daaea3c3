//! What nodes see, and what runs in them from the start, when another scenario takes the place of
//! the one in force: worked out before anything is done, and carried along with nodes that come,
//! go, and come back.

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

/// What nodes see and run, before and after.
pub struct Software {
    services: Arc<Services>,
    /// What nodes are to see.
    views: HashMap<String, Arc<View>>,
    /// What is to run in them from the start.
    starts: HashMap<String, NodeStart>,
    /// What changes in nodes that stay, and what takes it back.
    restarts: BTreeMap<String, [Restart; 2]>,
    /// Nodes that were removed: what they saw, and what ran in them.
    gone: HashMap<String, (Option<Arc<View>>, Option<NodeStart>)>,
    /// Nodes in which services have been started again.
    restarted: Vec<String>,
    /// Whether all is being taken back.
    backwards: bool,
}

impl Software {
    /// Looks for all that `scenario` needs, below `directory`; and says in which nodes that are
    /// there already something changes.
    pub fn prepare(
        services: &Arc<Services>,
        old: &Deployment,
        (scenario, plan, directory): (&Scenario, &Plan, &Path),
    ) -> Result<(Self, Inside)> {
        let Prepared { views, starts } = services::prepare(scenario, plan, directory)?;
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
            old.scenario.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
        let mut inside = Inside::default();
        for node in &scenario.nodes {
            let Some(before) = known.get(node.name.as_str()) else { continue };
            if !before.software.is_empty() || !node.software.is_empty() {
                software.compare((&old.scenario, before), (scenario, node), &mut inside)?;
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

    /// What is made anew needs nothing else.
    pub fn without(&mut self, replaced: &[(String, String)]) {
        self.restarts.retain(|node, _| replaced.iter().all(|(name, _)| name != node));
    }

    /// Services that are started again in nodes that stay.
    pub fn restarts(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.restarts.iter().map(|(node, [there, _])| (node.as_str(), there.services()))
    }

    /// A node is about to be made: the new one, or the one that was there before.
    pub fn making(&mut self, live: &Live, node: &str) {
        let view = match self.backwards {
            false => self.views.get(node).cloned(),
            true => self.gone.get(node).and_then(|(view, _)| view.clone()),
        };
        live.network.set_view(node, view);
        self.services.network.recover(node);
    }

    /// A node is about to be removed, with all that runs in it.
    pub fn removing(&mut self, live: &Live, node: &str) {
        let start = self.services.table.dismiss(node);
        let view = live.network.set_view(node, None);
        if !self.backwards {
            self.gone.insert(node.into(), (view, start));
        }
    }

    /// Starts what runs in these nodes from the start, or starts services of theirs again; returns
    /// when all are ready.
    pub fn start(&mut self, nodes: &[String]) -> Result<()> {
        let (again, begin): (Vec<&String>, Vec<&String>) =
            nodes.iter().partition(|node| self.restarts.contains_key(*node));
        let starts = begin.into_iter().filter_map(|node| self.starts.get(node).cloned());
        self.begin(starts.collect())?;
        self.restarted = again.into_iter().cloned().collect();
        let restarts = self.restarted.iter().map(|node| &self.restarts[node][0]);
        self.run(restarts)
    }

    /// From here on, all is taken back; what of it is not as it was, in words.
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

    /// Starts again, in the network as it was, what had run in it.
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

    /// All of them, several at a time, also if one fails: none is left half way.
    fn run<'r>(&self, restarts: impl Iterator<Item = &'r Restart>) -> Result<()> {
        let all = stream::iter(restarts.map(|restart| restart.run(&self.services)));
        let all = all.buffer_unordered(services::nodes_at_once()).collect::<Vec<Result<()>>>();
        let failed = self.wait(all).into_iter().filter_map(Result::err);
        let words: Vec<String> =
            failed.map(|error| netloom_api::in_words(error.as_ref())).collect();
        if words.is_empty() { Ok(()) } else { Err(anyhow!(words.join("; "))) }
    }

    /// We are on a thread that may wait.
    fn wait<F: Future>(&self, work: F) -> F::Output {
        Handle::current().block_on(work)
    }
}

/// The keys that have changed about what a node sees and runs, such that it cannot stay; options of
/// services are seen by what they come to.
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

/// The services of a node, and what they are made from.
fn templates<'s>(
    (scenario, node): (&'s Scenario, &'s Node),
) -> Vec<(&'s str, Option<&'s ServiceTemplate>)> {
    let services = node.software.services.iter();
    let template = |service: &ServiceUse| scenario.templates.get(&service.template);
    services.map(|(name, service)| (name.as_str(), template(service))).collect()
}
