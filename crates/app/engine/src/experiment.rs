//! The live network and what can be asked of it, whoever asks: the API, the run, the end. Changes to
//! links are in `changes`, what links have carried is in `links`, another scenario in its place in `apply`, and links that
//! change workers in `relief`.

mod apply;
mod changes;
mod links;
mod relief;
mod usage;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use netloom_api::event::What;
use netloom_api::state::{
    ExperimentStatus, InterfaceStatus, NodeStatus, Phase, ProcessStatus, TreePortStatus,
    VlanPortStatus,
};
use netloom_api::timing::Timing;
use netloom_dataplane::{Dataplane, FrameLog, FrameLogSummary};
use netloom_fabric::{LinkId, SegmentEnd};
use netloom_link::{LinkState, LogHeader};
use netloom_monitor::{Marks, Monitor, Verdict};
use netloom_nodes::{ExitStatus, Layout, Network, Overruns, Processes, SpawnRequest, Spawned};
use netloom_scenario::{Endpoint, Interface, Link, LinkEnds, Node, NodeKind};
use netloom_units::Time;
use tokio::sync::{Semaphore, oneshot, watch};

use crate::board::Board;
use crate::drawn::{Drawn, Numbers};
use crate::events::EventLog;
use crate::lost_outside::LostOutside;
use crate::monitoring::{News, RecordedMonitor};
use crate::overflow::Overflow;
use crate::publish::Publisher;
use crate::services::Services;
use crate::wiring;

/// How many init processes of nodes are started at a time.
const INITS_AT_ONCE: usize = 16;

/// The two things that are alive: taken out together when the experiment ends.
pub struct Live {
    /// Namespaces and processes.
    pub network: Network,
    /// Pipes and devices.
    pub dataplane: Dataplane,
    /// What is lost where devices of the machine are not read in time.
    pub lost_outside: LostOutside,
}

/// A process in a node.
pub struct Running {
    /// Its id and the other ends of its input and output.
    pub spawned: Spawned,
    /// How it ends; closed without a word if its node is taken down.
    pub exited: oneshot::Receiver<ExitStatus>,
}

/// What an experiment belongs to.
pub struct Setting {
    /// Where its things live.
    pub layout: Layout,
    /// The scenario file that it was started from; `Drawn` has the one in force.
    pub file: PathBuf,
    /// Where a run's results go.
    pub results: Option<PathBuf>,
    /// What the scenario said of the monitor, before a measure of the machine filled it in.
    pub told_monitor: netloom_scenario::Monitor,
}

/// One experiment, from the moment its network is ready.
pub struct Experiment {
    /// What is in force.
    drawn: RwLock<Arc<Drawn>>,
    /// Numbers for nodes.
    pub numbers: Numbers,
    /// Where its things live.
    pub layout: Layout,
    /// What the scenario said of the monitor, before a measure of the machine filled it in.
    told_monitor: netloom_scenario::Monitor,
    /// Held by whoever changes the network to another scenario.
    applying: Mutex<()>,
    /// What the monitor is to watch from now on, for its thread to take.
    news: Mutex<News>,
    /// The scenario file that it was started from; `Drawn` has the one in force.
    pub file: PathBuf,
    /// Where a run's results go.
    pub results: Option<PathBuf>,
    /// What happens.
    pub events: EventLog,
    /// The scenario's processes.
    pub board: Board,
    /// What runs in nodes from the start.
    pub services: Services,
    /// Ports of the machine that lead into nodes.
    pub publisher: Publisher,
    phase: watch::Sender<Phase>,
    overflow: Overflow,
    monitor: Mutex<RecordedMonitor>,
    started_unix: f64,
    /// When everything that runs from the start was ready.
    begun: OnceLock<Time>,
    told_kills: usage::ToldKills,
    /// For starting init processes of nodes.
    init_turns: Semaphore,
    live: RwLock<Option<Live>>,
}

/// What there is to tell of ports of switches.
struct SwitchPorts {
    vlans: HashMap<Endpoint, VlanPortStatus>,
    trees: HashMap<Endpoint, TreePortStatus>,
}

impl Experiment {
    /// An experiment whose network has just become ready.
    pub fn new(
        mut drawn: Drawn,
        numbers: Numbers,
        setting: Setting,
        events: EventLog,
        services: Services,
        live: Live,
    ) -> Self {
        let Setting { layout, file, results, told_monitor } = setting;
        let scenario = &drawn.scenario;
        let board = if results.is_some() { Board::new(scenario) } else { Board::empty() };
        let cut = scenario.links.iter().filter(|link| {
            [&link.forward, &link.reverse].iter().all(|pipe| pipe.state == LinkState::Down)
        });
        let interfaces = |end| scenario.interfaces_at(end);
        let overflow = Overflow::new(cut.flat_map(|link| &link.endpoints).flat_map(interfaces));
        let since_zero = live.dataplane.now().as_nanos() as f64 / 1e9;
        let needs = &scenario.monitor;
        let (criteria, trust) = (needs.criteria.clone(), needs.trust.clone());
        let monitor = Monitor::new(criteria, trust, live.dataplane.now());
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let started_unix = now.map_or(0.0, |now| now.as_secs_f64() - since_zero);
        // What cannot be looked at now cannot be later, which is told then.
        drawn.direct_at_start = links::direct_ends(&drawn, &live).unwrap_or_default();
        Self {
            drawn: RwLock::new(Arc::new(drawn)),
            numbers,
            layout,
            told_monitor,
            applying: Mutex::default(),
            news: Mutex::default(),
            file,
            results,
            events,
            board,
            services,
            publisher: Publisher::default(),
            phase: watch::Sender::new(Phase::Starting),
            overflow,
            monitor: Mutex::new(RecordedMonitor::new(monitor)),
            started_unix,
            begun: OnceLock::new(),
            told_kills: usage::ToldKills::default(),
            init_turns: Semaphore::new(INITS_AT_ONCE),
            live: RwLock::new(Some(live)),
        }
    }

    /// When the network became ready, in seconds since 1970-01-01 UTC.
    pub fn started_unix(&self) -> f64 {
        self.started_unix
    }

    /// Notes that everything that runs from the start is ready, if there is anything.
    pub fn begin(&self) {
        if !self.services.is_idle() {
            // Nobody else sets it.
            let _ = self.begun.set(self.now());
        }
    }

    /// When all was ready: what the times of timeline and processes count from. Zero where nothing runs from
    /// the start, as the network was ready then.
    pub fn begun(&self) -> Time {
        self.begun.get().copied().unwrap_or_default()
    }

    /// Calls `f` with the live network; an error once it is being taken down.
    pub fn with_live<T>(&self, f: impl FnOnce(&Live) -> Result<T>) -> Result<T> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        f(live.as_ref().ok_or_else(|| anyhow!("the experiment is being taken down"))?)
    }

    /// What is in force. Inside [`with_live`](Self::with_live), it does not change.
    pub fn drawn(&self) -> Arc<Drawn> {
        // It is replaced in one step.
        Arc::clone(&self.drawn.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The live network, for nobody else meanwhile.
    fn live_mut(&self) -> RwLockWriteGuard<'_, Option<Live>> {
        self.live.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts another network in force, while `_held` keeps the live one from all others.
    fn redraw(&self, _held: &RwLockWriteGuard<'_, Option<Live>>, drawn: Arc<Drawn>) {
        *self.drawn.write().unwrap_or_else(PoisonError::into_inner) = drawn;
    }

    /// Takes the live network out, for its end; waits for calls that still use it.
    pub fn take_live(&self) -> Option<Live> {
        self.live_mut().take()
    }

    /// Whether this is a run, whose output is kept.
    pub fn has_results(&self) -> bool {
        self.results.is_some()
    }

    /// Nanoseconds since the network was ready.
    pub fn now(&self) -> Time {
        self.with_live(|live| Ok(live.dataplane.now())).unwrap_or_default()
    }

    /// Records that something has happened now.
    pub fn record(&self, what: What) {
        self.events.record(self.now(), what);
    }

    /// Records that something happened at `time`.
    pub fn record_at(&self, time: Time, what: What) {
        self.events.record(time, what);
    }

    /// Records things that have happened now, in their order.
    pub fn record_all(&self, what: impl IntoIterator<Item = What>) {
        self.events.record_all(self.now(), what);
    }

    /// Enters a phase.
    pub fn enter(&self, phase: Phase) {
        self.record(What::Phase { phase });
        self.phase.send_replace(phase);
    }

    /// The experiment as a whole.
    pub fn status(&self) -> ExperimentStatus {
        let drawn = self.drawn();
        ExperimentStatus {
            name: drawn.scenario.name.clone(),
            engine_pid: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
            phase: *self.phase.borrow(),
            file: drawn.file.clone(),
            now: self.now(),
            started_unix: self.started_unix as u64,
            nodes: drawn.scenario.nodes.len(),
            links: drawn.scenario.links.len(),
            results: self.results.clone(),
        }
    }

    /// All nodes, in the order of the scenario.
    pub fn nodes(&self) -> Result<Vec<NodeStatus>> {
        let (drawn, ports) = self.drawn_ports()?;
        let ends = LinkEnds::of(&drawn.scenario);
        let nodes = drawn.scenario.nodes.iter();
        Ok(nodes.map(|node| self.node(&drawn, node, &ends, &ports)).collect())
    }

    /// The ports of switches that know VLANs.
    pub fn vlan_ports(&self) -> Result<HashMap<Endpoint, VlanPortStatus>> {
        self.drawn_ports().map(|(_, ports)| ports.vlans)
    }

    fn drawn_ports(&self) -> Result<(Arc<Drawn>, SwitchPorts)> {
        let (drawn, ends) =
            self.with_live(|live| Ok((self.drawn(), live.dataplane.segment_ends()?)))?;
        let links: HashMap<LinkId, &Link> = drawn.modelled_links().collect();
        let mut ports = SwitchPorts { vlans: HashMap::new(), trees: HashMap::new() };
        for SegmentEnd { link, end, status } in ends {
            let Some(endpoint) = links.get(&link).and_then(|link| link.endpoints.get(end)) else {
                continue;
            };
            if let Some((vlans, dropped)) = status.vlan {
                ports.vlans.insert(endpoint.clone(), VlanPortStatus { vlans, dropped });
            }
            if let Some(tree) = status.tree {
                ports.trees.insert(endpoint.clone(), wiring::tree_port(&tree));
            }
        }
        Ok((drawn, ports))
    }

    fn node(
        &self,
        drawn: &Drawn,
        node: &Node,
        ends: &LinkEnds<'_>,
        ports: &SwitchPorts,
    ) -> NodeStatus {
        let plan = drawn.plan.node(&node.name);
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
                vlan: ports.vlans.get(&at).cloned(),
                spanning_tree: ports.trees.get(&at).cloned(),
            })
        };
        NodeStatus {
            name: node.name.clone(),
            kind: node.kind,
            primary: plan.map(|plan| plan.primary.clone()).unwrap_or_default(),
            interfaces: node.interfaces.iter().filter_map(interface).collect(),
            namespace: plan.map(|_| format!("{}.{}", drawn.scenario.name, node.name)),
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
            let drawn = self.drawn();
            let inside: u64 = self.overflow.dropped(&drawn, &live.network)?.values().sum();
            let overflow = inside + live.lost_outside.frames().values().sum::<u64>();
            Ok(crate::wiring::timing(&drawn, live.dataplane.timing()?, overflow))
        })
    }

    /// Frames that interfaces have dropped because the engine did not read them in time.
    pub fn not_read_in_time(&self) -> Result<HashMap<Endpoint, u64>> {
        self.with_live(|live| {
            let mut lost = self.overflow.dropped(&self.drawn(), &live.network)?;
            lost.extend(live.lost_outside.frames());
            Ok(lost)
        })
    }

    /// What the sockets of each node had no room for.
    pub fn overruns(&self) -> Result<Vec<(String, Overruns)>> {
        self.with_live(|live| Ok(live.network.overruns()?))
    }

    /// What is to be watched from now on, for who watches.
    pub fn take_news(&self) -> News {
        std::mem::take(&mut *self.news())
    }

    fn news(&self) -> MutexGuard<'_, News> {
        // Each part of it is replaced in one step.
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Which times are to be left out so far; nothing if nobody watches.
    pub fn marks(&self) -> Option<Marks> {
        self.drawn().scenario.monitor.enabled.then(|| self.monitor().marks())
    }

    /// Logs from now on what happens to every frame of `links` into `file`.
    pub fn log_frames(&self, links: &[String], file: std::fs::File) -> Result<FrameLog> {
        let drawn = self.drawn();
        let pipes = drawn.scenario.modelled_links().flat_map(|link| {
            ["forward", "reverse"].map(|direction| format!("{}/{direction}", link.name))
        });
        let zero_unix_ns = (self.started_unix * 1e9) as u64;
        let header = LogHeader { zero_unix_ns, pipes: pipes.collect() };
        // The header names all pipes, in the order of the scenario.
        let places: HashMap<LinkId, usize> =
            drawn.modelled_links().map(|(id, _)| id).zip(0..).collect();
        let wanted = links.iter().map(|name| {
            let id = links::modelled(&drawn, name)?;
            Ok((id, places.get(&id).copied().unwrap_or(usize::MAX / 4)))
        });
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        self.with_live(|live| Ok(live.dataplane.log_frames(&wanted, &header, file)?))
    }

    /// Ends a frame log; returns when it is written.
    pub fn end_frame_log(&self, log: FrameLog) -> Result<FrameLogSummary> {
        self.with_live(|live| Ok(live.dataplane.end_frame_log(log)?))
    }

    /// Starts a process in a node; returns when it runs. If the caller stops waiting, what was to
    /// be started is killed as soon as it runs.
    pub async fn spawn(&self, node: &str, request: SpawnRequest) -> Result<Running> {
        let processes = self.processes_of(node).await?;
        let (started_sender, started) = oneshot::channel();
        let (exit_sender, exited) = oneshot::channel();
        let killer = processes.clone();
        let on_started = Box::new(move |outcome: Result<Spawned, _>| {
            if let Err(Ok(unwanted)) = started_sender.send(outcome) {
                killer.send_signal(unwanted.pid, libc::SIGKILL);
            }
        });
        // Whoever started it may no longer care how it ends.
        let on_exit = Box::new(move |status| _ = exit_sender.send(status));
        processes.spawn(request, on_started, on_exit);
        let spawned = started.await.context("the node was taken down")??;
        Ok(Running { spawned, exited })
    }

    /// Where processes of a node are started. The first time that takes milliseconds of a thread,
    /// for the node's init must be started.
    async fn processes_of(&self, node: &str) -> Result<Processes> {
        let running = self.with_live(|live| Ok(live.network.running_processes(node)?))?;
        if let Some(processes) = running {
            return Ok(processes);
        }
        // Few at a time: each takes a thread of the runtime from all others. Never closed.
        let _turn = self.init_turns.acquire().await;
        let start = || self.with_live(|live| Ok(live.network.processes(node)?));
        tokio::task::block_in_place(start)
    }

    /// Sends a signal to a process of a node; one that has ended meanwhile does not mind. Does not
    /// wait for the node.
    pub fn signal(&self, node: &str, pid: u32, number: i32) {
        let processes = self.with_live(|live| Ok(live.network.running_processes(node)?));
        if let Ok(Some(processes)) = processes {
            processes.send_signal(pid, number);
        }
    }

    /// The node called `name`, if processes can run in it; an error says why not.
    pub fn process_node(&self, name: &str) -> Result<Node> {
        let scenario = &self.drawn().scenario;
        let node = scenario.node(name).ok_or_else(|| {
            let names = scenario.nodes.iter().map(|node| node.name.as_str());
            unknown("node", name, names)
        })?;
        if node.kind == NodeKind::Switch {
            bail!("`{name}` is a switch: a segment inside the engine in which nothing can run");
        }
        if node.kind == NodeKind::Outside {
            bail!("`{name}` is no node but this machine: run the command here");
        }
        Ok(node.clone())
    }
}

/// An error for a name that is not there, with the nearest one that is.
fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> anyhow::Error {
    match netloom_scenario::similar(name, names) {
        Some(nearest) => anyhow!("there is no {what} `{name}`; did you mean `{nearest}`?"),
        None => anyhow!("there is no {what} `{name}`; `netloom inspect` lists them"),
    }
}
