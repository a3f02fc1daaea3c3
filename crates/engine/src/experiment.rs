//! The live network and what can be asked of it, whoever asks: the API, the run, the end. Changes to
//! links are in `changes`, what links have carried is in `links`.

mod changes;
mod links;
mod usage;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow, bail};
use netloom_api::event::What;
use netloom_api::state::{
    ExperimentStatus, InterfaceStatus, NodeStatus, Phase, ProcessStatus, VlanPortStatus,
};
use netloom_api::timing::Timing;
use netloom_dataplane::{Dataplane, FrameLog, FrameLogSummary};
use netloom_link::{LinkState, LogHeader};
use netloom_monitor::{Monitor, Verdict};
use netloom_nodes::{ExitStatus, Network, SpawnRequest, Spawned};
use netloom_plan::Plan;
use netloom_ports::Losses;
use netloom_scenario::{Endpoint, Interface, Link, LinkEnds, Node, NodeKind, Scenario};
use netloom_units::Time;
use tokio::sync::{oneshot, watch};

use crate::board::Board;
use crate::events::EventLog;
use crate::monitoring::RecordedMonitor;
use crate::overflow::{Look, Overflow};

/// The two things that are alive: taken out together when the experiment ends.
pub struct Live {
    /// Namespaces and processes.
    pub network: Network,
    /// Pipes and devices.
    pub dataplane: Dataplane,
    /// What is lost where devices of the machine are not read in time.
    pub losses: Mutex<Vec<(Endpoint, Losses)>>,
}

impl Live {
    /// Frames that came from outside and were not read in time, at each end that lost any.
    fn lost_outside(&self) -> HashMap<Endpoint, u64> {
        let mut losses = self.losses.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = losses.iter_mut().map(|(end, losses)| (end.clone(), losses.count()));
        counted.filter(|(_, lost)| *lost > 0).collect()
    }
}

/// A process in a node.
pub struct Running {
    /// Its id and the other ends of its input and output.
    pub spawned: Spawned,
    /// How it ends; closed without a word if its node is taken down.
    pub exited: oneshot::Receiver<ExitStatus>,
}

/// One experiment, from the moment its network is ready.
pub struct Experiment {
    /// What it was made from.
    pub scenario: Scenario,
    /// Every address and route.
    pub plan: Plan,
    /// The scenario file.
    pub file: PathBuf,
    /// Where a run's results go.
    pub results: Option<PathBuf>,
    /// What happens.
    pub events: EventLog,
    /// The scenario's processes.
    pub board: Board,
    phase: watch::Sender<Phase>,
    overflow: Overflow,
    monitor: Mutex<RecordedMonitor>,
    started_unix: f64,
    /// The data plane's links: their numbers there, by name.
    links: HashMap<String, usize>,
    /// The ends of direct links when the network was ready.
    direct_at_start: Look,
    told_kills: usage::ToldKills,
    live: RwLock<Option<Live>>,
}

impl Experiment {
    /// An experiment whose network has just become ready.
    pub fn new(
        scenario: Scenario,
        plan: Plan,
        file: PathBuf,
        results: Option<PathBuf>,
        events: EventLog,
        live: Live,
    ) -> Self {
        let numbers =
            scenario.modelled_links().enumerate().map(|(i, l)| (l.name.clone(), i)).collect();
        let board = if results.is_some() { Board::new(&scenario) } else { Board::empty() };
        let cut = scenario.links.iter().filter(|link| {
            [&link.forward, &link.reverse].iter().all(|pipe| pipe.state == LinkState::Down)
        });
        let interfaces = |end| scenario.interfaces_at(end);
        let direct = scenario.links.iter().filter(|link| link.direct);
        let overflow = Overflow::new(
            cut.flat_map(|link| &link.endpoints).flat_map(interfaces),
            direct.flat_map(|link| link.endpoints.clone()),
        );
        // What cannot be looked at now cannot be later, which is told then.
        let direct_at_start = links::direct_ends(&scenario, &live).unwrap_or_default();
        let since_zero = live.dataplane.now().as_nanos() as f64 / 1e9;
        let monitor = Monitor::new(scenario.monitor.criteria.clone(), live.dataplane.now());
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let started_unix = now.map_or(0.0, |now| now.as_secs_f64() - since_zero);
        Self {
            scenario,
            plan,
            file,
            results,
            events,
            board,
            phase: watch::Sender::new(Phase::Deployed),
            overflow,
            monitor: Mutex::new(RecordedMonitor::new(monitor)),
            started_unix,
            links: numbers,
            direct_at_start,
            told_kills: usage::ToldKills::default(),
            live: RwLock::new(Some(live)),
        }
    }

    /// When the network became ready, in seconds since 1970-01-01 UTC.
    pub fn started_unix(&self) -> f64 {
        self.started_unix
    }

    /// Calls `f` with the live network; an error once it is being taken down.
    pub fn with_live<T>(&self, f: impl FnOnce(&Live) -> Result<T>) -> Result<T> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        f(live.as_ref().ok_or_else(|| anyhow!("the experiment is being taken down"))?)
    }

    /// Takes the live network out, for its end; waits for calls that still use it.
    pub fn take_live(&self) -> Option<Live> {
        self.live.write().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Nanoseconds since the network was ready.
    pub fn now(&self) -> Time {
        self.with_live(|live| Ok(live.dataplane.now())).unwrap_or_default()
    }

    /// Records that something has happened now.
    pub fn record(&self, what: What) {
        self.events.record(self.now(), what);
    }

    /// Enters a phase.
    pub fn enter(&self, phase: Phase) {
        self.record(What::Phase { phase });
        self.phase.send_replace(phase);
    }

    /// The experiment as a whole.
    pub fn status(&self) -> ExperimentStatus {
        ExperimentStatus {
            name: self.scenario.name.clone(),
            engine_pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            phase: *self.phase.borrow(),
            file: self.file.clone(),
            now: self.now(),
            started_unix: self.started_unix as u64,
            nodes: self.scenario.nodes.len(),
            links: self.scenario.links.len(),
            results: self.results.clone(),
        }
    }

    /// All nodes, in the order of the scenario.
    pub fn nodes(&self) -> Result<Vec<NodeStatus>> {
        let (ends, ports) = (LinkEnds::of(&self.scenario), self.vlan_ports()?);
        Ok(self.scenario.nodes.iter().map(|node| self.node(node, &ends, &ports)).collect())
    }

    /// The ports of switches that know VLANs.
    pub fn vlan_ports(&self) -> Result<HashMap<Endpoint, VlanPortStatus>> {
        let ports = self.with_live(|live| Ok(live.dataplane.vlan_ports()?))?;
        let links: Vec<&Link> = self.scenario.modelled_links().collect();
        let named = ports.into_iter().filter_map(|port| {
            let endpoint = links.get(port.link)?.endpoints.get(port.end)?;
            let status = VlanPortStatus { vlans: port.vlans, dropped: port.dropped };
            Some((endpoint.clone(), status))
        });
        Ok(named.collect())
    }

    fn node(
        &self,
        node: &Node,
        ends: &LinkEnds<'_>,
        ports: &HashMap<Endpoint, VlanPortStatus>,
    ) -> NodeStatus {
        let plan = self.plan.node(&node.name);
        let interface = |interface: &Interface| {
            let name = &interface.name;
            let at = Endpoint { node: node.name.clone(), interface: interface.at_link().into() };
            let (link, peer) = ends.at(&at)?;
            let planned = plan.iter().flat_map(|plan| &plan.interfaces);
            let planned = planned.into_iter().find(|planned| planned.name == *name);
            Some(InterfaceStatus {
                name: name.clone(),
                mac: planned.map(|planned| planned.mac),
                addresses: planned.map(|planned| planned.addresses.clone()).unwrap_or_default(),
                link: link.name.clone(),
                peer: peer.clone(),
                vlan: ports.get(&at).cloned(),
            })
        };
        NodeStatus {
            name: node.name.clone(),
            kind: node.kind,
            primary: plan.map(|plan| plan.primary.clone()).unwrap_or_default(),
            interfaces: node.interfaces.iter().filter_map(interface).collect(),
            namespace: plan.map(|_| format!("{}.{}", self.scenario.name, node.name)),
            limits: node.limits,
            usage: self.usage(&node.name),
            published: node.publish.clone(),
        }
    }

    /// Where the scenario's processes stand.
    pub fn processes(&self) -> Vec<ProcessStatus> {
        self.board.rows()
    }

    /// How exactly the engine keeps its schedule.
    pub fn timing(&self) -> Result<Timing> {
        self.with_live(|live| {
            let inside: u64 = self.overflow.dropped(&live.network)?.values().sum();
            let overflow = inside + live.lost_outside().values().sum::<u64>();
            Ok(crate::wiring::timing(&self.scenario, live.dataplane.timing()?, overflow))
        })
    }

    /// Frames that interfaces have dropped because the engine did not read them in time.
    pub fn not_read_in_time(&self) -> Result<HashMap<Endpoint, u64>> {
        self.with_live(|live| {
            let mut lost = self.overflow.dropped(&live.network)?;
            lost.extend(live.lost_outside());
            Ok(lost)
        })
    }

    /// The contention monitor.
    pub fn monitor(&self) -> MutexGuard<'_, RecordedMonitor> {
        // A panic in the monitor must not hide what it had seen before.
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what was measured so far can be trusted.
    pub fn verdict(&self) -> Verdict {
        let monitor = self.monitor();
        monitor.verdict(self.now())
    }

    /// Logs from now on what happens to every frame of `links` into `file`.
    pub fn log_frames(&self, links: &[String], file: std::fs::File) -> Result<FrameLog> {
        let pipes = self.scenario.modelled_links().flat_map(|link| {
            ["forward", "reverse"].map(|direction| format!("{}/{direction}", link.name))
        });
        let zero_unix_ns = (self.started_unix * 1e9) as u64;
        let header = LogHeader { zero_unix_ns, pipes: pipes.collect() };
        let wanted = links.iter().map(|name| self.modelled_link(name));
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        self.with_live(|live| Ok(live.dataplane.log_frames(&wanted, &header, file)?))
    }

    /// Ends a frame log; returns when it is written.
    pub fn end_frame_log(&self, log: FrameLog) -> Result<FrameLogSummary> {
        self.with_live(|live| Ok(live.dataplane.end_frame_log(log)?))
    }

    /// Starts a process in a node.
    pub fn spawn(&self, node: &str, request: SpawnRequest) -> Result<Running> {
        let (sender, exited) = oneshot::channel();
        // Whoever started it may no longer care how it ends.
        let on_exit = Box::new(move |status| {
            let _ = sender.send(status);
        });
        let spawn = |live: &Live| Ok(live.network.spawn(node, request, on_exit)?);
        // The first process of a node takes milliseconds: its init must be started.
        let spawned = tokio::task::block_in_place(|| self.with_live(spawn))?;
        Ok(Running { spawned, exited })
    }

    /// Sends a signal to a process of a node; one that has ended meanwhile does not mind.
    pub fn signal(&self, node: &str, pid: u32, number: i32) {
        let _ = self.with_live(|live| Ok(live.network.signal(node, pid, number)?));
    }

    /// The node called `name`, if processes can run in it.
    pub fn process_node(&self, name: &str) -> Result<&Node> {
        let node = self.scenario.node(name).ok_or_else(|| {
            let names = self.scenario.nodes.iter().map(|node| node.name.as_str());
            unknown("node", name, names)
        })?;
        if node.kind == NodeKind::Switch {
            bail!("`{name}` is a switch: a segment inside the engine in which nothing can run");
        }
        if node.kind == NodeKind::Outside {
            bail!("`{name}` is no node but this machine: run the command here");
        }
        Ok(node)
    }

    fn no_interface(&self, interface: &Endpoint) -> anyhow::Error {
        let all: Vec<String> = self
            .scenario
            .links
            .iter()
            .flat_map(|link| link.endpoints.iter().map(ToString::to_string))
            .collect();
        unknown("interface", &interface.to_string(), all.iter().map(String::as_str))
    }
}

/// An error for a name that is not there, with the nearest one that is.
fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> anyhow::Error {
    match netloom_scenario::similar(name, names) {
        Some(nearest) => anyhow!("there is no {what} `{name}`; did you mean `{nearest}`?"),
        None => anyhow!("there is no {what} `{name}`; `netloom inspect` lists them"),
    }
}
