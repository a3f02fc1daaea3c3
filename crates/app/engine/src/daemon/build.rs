//! Makes the network. On an error, everything that was made is removed.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use netloom_api::launch::{Launch, Mode, StartUp};
use netloom_api::member::Kept;
use netloom_api::taken_back;
use netloom_dataplane::{Dataplane, Options};
use netloom_nodes::{Device, Layout, Network};
use netloom_results::Results;
use netloom_scenario::Endpoint;
use netloom_simulate::check_hybrid;
use netloom_units::Time;
use netloom_watch::Watching;

use crate::client::say;
use crate::companion::Companion;
use crate::cpus::Dedicated;
use crate::deployment::{Deployment, Identities, Part};
use crate::end::End;
use crate::events::EventLog;
use crate::experiment::{Experiment, Setting};
use crate::live::{Live, LiveNetwork, LostOutside, Overflow, Paced};
use crate::machine::Machine;
use crate::member;
use crate::metrics;
use crate::monitoring::{Preparation, SharedMonitor};
use crate::process_table::ProcessTable;
use crate::publish::{self, Publisher, Reserved};
use crate::run::traffic;
use crate::services::{self, Logs, NodeStart, Prepared, ServiceTable, Services};
use crate::simulated::{Hybrid, Simulated};
use crate::state::RunState;
use crate::symbiosis;
use crate::usage::MemoryKills;
use crate::watching::Shown;
use crate::wiring;
use crate::zero::Zero;

/// The order for a network.
pub struct Order<'l> {
    /// The launch order of the client.
    pub launch: &'l Launch,
    /// The names and paths of the experiment.
    pub layout: &'l Layout,
    /// The machine's network, if the engine is in another one.
    pub machine: Option<&'l Machine>,
    /// The scenario's monitor, before a measure of the machine completed it.
    pub declared_monitor: netloom_scenario::Monitor,
    /// The CPUs of the workers.
    pub dedicated: Dedicated,
}

/// A network that was made, with everything for its start.
pub struct Built {
    /// The experiment, whose network is up.
    pub experiment: Experiment,
    /// The place of a run's results.
    pub results: Option<Results>,
    /// The programs that are still to be started in nodes.
    pub starts: Vec<NodeStart>,
    /// The ports that are still to be served.
    pub published: Reserved,
    /// The probes. They are ready if all of the network's life is to be watched.
    pub preparation: Preparation,
}

/// Makes the network.
pub fn build(order: Order<'_>, preparation: Preparation) -> Result<Built> {
    let Order { launch, layout, machine, declared_monitor, dedicated } = order;
    check_hybrid(&launch.scenario)?;
    let Parts { whole, mine, symbiosis } = Parts::of(launch)?;
    let Part { scenario, plan } = &mine;
    let Prepared { views, starts } = prepared(launch, &whole, &mine)?;
    services::features::check_interfaces(plan)?;
    let runs = matches!(launch.mode, Mode::Run { .. });
    services::features::check(scenario, plan, runs)?;
    // Ports come first, since others may hold them.
    let published = match machine {
        None => publish::reserve(scenario)?,
        Some(machine) => {
            let scenario = Arc::clone(scenario);
            machine.there(move || publish::reserve(&scenario))?
        }
    };
    let results = match &launch.mode {
        Mode::Run { results, .. } => {
            let results = Results::create(results, &launch.source, &launch.scenario)?;
            if let Some(member) = &launch.member {
                results.keep_member(&Kept::of(member, &launch.scenario.name))?;
            }
            Some(results)
        }
        Mode::Deploy => None,
    };
    let event_file = results.as_ref().map(Results::event_file).transpose()?;
    let context = netloom_nodes::Context {
        work_dir: launch.directory.clone(),
        init: std::env::current_exe().context("cannot find the netloom binary")?,
        env: metrics::environment(),
        files: metrics::files(layout)?,
        views,
    };
    let (network, devices) = Network::create(layout, plan, context, &nodes_made())?;
    let identities = Identities::default();
    let deployment = deployment(launch, &identities, mine, whole);
    let preparation = match launch.mode {
        // All of a run is to be watched.
        Mode::Run { .. } => preparation.wait(),
        Mode::Deploy => preparation,
    };
    let options = Options {
        seed: launch.scenario.seed,
        dilation: launch.scenario.dilation,
        workers: launch.workers,
        dedicated_cpus: dedicated.cpus,
        tunnels: launch.member.as_ref().map(member::tunnels).transpose()?,
        ..Options::default()
    };
    let paced = Paced::default();
    let begun = start(&deployment, devices, options, symbiosis).and_then(|carriers| {
        paced.begin(&network, &deployment, |_| true)?;
        Ok(carriers)
    });
    let Carriers { dataplane, lost_outside, companions } = match begun {
        Ok(carriers) => carriers,
        Err(error) => return Err(taken_back(error, network.destroy())),
    };
    let zero = Arc::new(Zero::new(dataplane.clock()));
    let events = Arc::new(EventLog::new(zero.clone(), event_file));
    if let Some(message) = dedicated.problem {
        events.record_at(Time::ZERO, netloom_api::event::What::Warning { message });
    }
    let overflow = Overflow::new(&deployment);
    let live = Live { network, dataplane, overflow, lost_outside, paced, companions };
    let network = Arc::new(LiveNetwork::new(deployment, identities, live, zero.clone())?);
    let setting = Setting {
        layout: layout.clone(),
        file: launch.file.clone(),
        results: results.as_ref().map(|results| results.directory().into()),
        fail_fast: matches!(launch.mode, Mode::Run { fail_fast: true, .. }),
        shell: launch.shell.clone(),
        declared_monitor,
    };
    let table = ServiceTable::new(&starts, logs(layout, results.as_ref()));
    let experiment = join(setting, network, events, table, zero);
    Ok(Built { experiment, results, starts, published, preparation })
}

/// The whole network, and the part of it that this machine's kernel carries.
struct Parts {
    whole: Part,
    mine: Part,
    /// The loop of a symbiotic run.
    symbiosis: Option<symbiosis::Prepared>,
}

impl Parts {
    fn of(launch: &Launch) -> Result<Self> {
        let is_symbiotic = launch.scenario.is_symbiotic();
        if is_symbiotic && launch.mode == Mode::Deploy {
            bail!(
                "the network of `{}` is symbiotic, and follows a simulation only as long as a run \
                 lasts: start it with `netloom run`",
                launch.scenario.name
            );
        }
        let mut scenario = launch.scenario.clone();
        if launch.mode == Mode::Deploy {
            // A deployment has no results in which air logs could be stored.
            scenario.measure.air.clear();
        }
        let plan = netloom_plan::plan(&scenario)?;
        let whole = Part::new(scenario, plan);
        let symbiosis = is_symbiotic.then(|| symbiosis::Prepared::of(&whole)).transpose()?;
        let mine = match &launch.member {
            Some(member) => whole.of(member),
            None if whole.scenario.is_hybrid() => whole.real(),
            None => whole.clone(),
        };
        Ok(Self { whole, mine, symbiosis })
    }
}

/// Prepares what runs in nodes. Where several machines carry the network, services know all of it,
/// and those of this machine's nodes start here.
fn prepared(launch: &Launch, whole: &Part, mine: &Part) -> Result<Prepared> {
    let Some(member) = &launch.member else {
        return services::prepare(&mine.scenario, &mine.plan, &launch.directory);
    };
    let mut all = services::prepare(&whole.scenario, &whole.plan, &launch.directory)?;
    all.views.retain(|node, _| member.has(node));
    all.starts.retain(|start| member.has(&start.node));
    Ok(all)
}

fn deployment(launch: &Launch, identities: &Identities, mine: Part, whole: Part) -> Deployment {
    // On all machines, a number means the same.
    let numbered = identities.of(match launch.member {
        Some(_) => &whole.scenario,
        None => &mine.scenario,
    });
    let crossing = launch.calibration.crossing();
    let crossing = crossing.map(|time| launch.scenario.dilation.to_experiment(time));
    let mut deployment = Deployment::new(whole, mine, numbered, launch.file.clone(), crossing);
    deployment.text = Some(launch.source.clone());
    Deployment { member: launch.member.clone().map(Arc::new), ..deployment }
}

/// The parts that carry frames.
struct Carriers {
    dataplane: Dataplane,
    lost_outside: LostOutside,
    companions: Vec<Arc<dyn Companion>>,
}

/// Starts the parts that carry frames: the data plane, and the simulated part or the small network
/// if there is one.
fn start(
    deployment: &Deployment,
    devices: Vec<Device>,
    options: Options,
    symbiosis: Option<symbiosis::Prepared>,
) -> Result<Carriers> {
    let whole = &deployment.whole;
    let ends: HashSet<&Endpoint> =
        whole.scenario.simulated_links().flat_map(|link| &link.endpoints).collect();
    let end = |device: &Device| Endpoint {
        node: device.node.clone(),
        interface: device.interface.clone(),
    };
    let (border, devices): (Vec<_>, Vec<_>) =
        devices.into_iter().partition(|device| ends.contains(&end(device)));
    let (wiring, lost_outside) = wiring::wire(deployment, devices)?;
    let dataplane = Dataplane::start(wiring, options)?;
    let clock = dataplane.clock();
    let border = border.into_iter().map(|device| (end(&device), device.fd)).collect();
    let mut companions: Vec<Arc<dyn Companion>> = Vec::new();
    if let Some(symbiosis) = symbiosis {
        companions.push(Arc::new(symbiosis.start(border, clock)?));
    } else if whole.scenario.is_hybrid() {
        let simulated = Simulated::start(whole.clone(), border, clock)?;
        companions.push(Arc::new(Hybrid(Arc::new(simulated))));
    }
    Ok(Carriers { dataplane, lost_outside, companions })
}

/// Returns a callback that reports how many nodes are made.
fn nodes_made() -> impl Fn(usize, usize) + Sync {
    let last = Mutex::new(Instant::now());
    move |done: usize, total: usize| {
        // One line each 50 ms is enough for a reader. A poisoned lock only leaves lines out.
        let Ok(mut last) = last.lock() else { return };
        if done == total || last.elapsed().as_millis() >= 50 {
            *last = Instant::now();
            say(&StartUp::Nodes { done, total });
        }
    }
}

/// Returns the paths of the logs of services.
fn logs(layout: &Layout, results: Option<&Results>) -> Logs {
    Logs {
        shown: results.map_or(layout.state_dir(), Results::directory).join("services"),
        reached: results.map_or(layout.state_dir().into(), Results::base).join("services"),
        whole: results.is_some(),
    }
}

/// Joins the parts of an experiment around a network that is just up.
fn join(
    setting: Setting,
    network: Arc<LiveNetwork>,
    events: Arc<EventLog>,
    table: ServiceTable,
    zero: Arc<Zero>,
) -> Experiment {
    let end = End::new();
    let scenario = &network.deployment().mine.scenario;
    let process_table = match setting.results {
        Some(_) => {
            ProcessTable::new(scenario.processes.iter().chain(&traffic::processes(scenario)))
        }
        // In a deployment, no processes are to run.
        None => ProcessTable::new([]),
    };
    Experiment {
        setting,
        state: Arc::new(RunState::new(events.clone(), process_table)),
        monitor: Arc::new(SharedMonitor::new(&scenario.monitor, zero)),
        services: Arc::new(Services {
            table,
            network: network.clone(),
            events: events.clone(),
            end: end.clone(),
        }),
        publisher: Publisher::default(),
        memory_kills: Arc::new(MemoryKills::new(network.clone(), events)),
        watching: Arc::new(Watching::new(Arc::new(Shown::new(network.clone())))),
        network,
        end,
        ended_traffic: Default::default(),
    }
}
