//! The closed loop of a symbiotic run. At the end of each period, a simulation of the whole network
//! runs that period with the traffic that real hosts sent in it. Small pipes are then set according
//! to its results.
//!
//! | module | contents |
//! |---|---|
//! | `turns` | the loop's thread, period after period |
//! | `files` | the files that it writes |
//! | `sockets` | queries kernels for the sockets of real hosts |
//!
//! Not here: the small network and the watch of real hosts (`simulated`), and the simulation itself
//! (`netloom-simulate`).

mod files;
mod sockets;
mod turns;

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, bail};
use netloom_api::event::TimelineStatus;
use netloom_api::flow::FlowStatus;
use netloom_api::in_words;
use netloom_api::path::PathStatus;
use netloom_api::simulation::SimulationSummary;
use netloom_dataplane::Clock;
use netloom_plan::Plan;
use netloom_results::Results;
use netloom_scenario::Scenario;
use netloom_simulate::symbiosis::{Calibrators, Large, Shrunk, SmallNetwork};
use netloom_units::Time;

use crate::events::EventLog;
use crate::experiment::Experiment;
use crate::live::{Live, LiveNetwork};
use crate::monitoring::SharedMonitor;
use crate::simulated::Simulated;

use files::Files;
use sockets::SocketWatch;
use turns::Turns;

/// The loop of an experiment.
pub struct Symbiosis {
    state: Mutex<State>,
    shared: Arc<Mutex<Shared>>,
}

enum State {
    Waits(Box<Parts>),
    Runs(Running),
    Over,
}

/// The parts that determine the settings of small pipes.
struct Parts {
    large: Large,
    shrunk: Shrunk,
    calibrators: Calibrators,
}

struct Running {
    thread: JoinHandle<Went>,
    /// The thread that queries kernels, if it is needed.
    sockets: Option<SocketWatch>,
    /// Dropped to end it.
    stop: mpsc::Sender<()>,
}

/// The state that the thread shares with others while it runs.
#[derive(Default)]
struct Shared {
    /// Time at which foreground traffic of simulated nodes is over, since the start of the run.
    done_at: Option<Time>,
    /// Whether the loop has ended, so that there will be no more news.
    has_ended: bool,
    /// The paths between real hosts in the last period.
    paths: Vec<PathStatus>,
}

/// The results of a loop.
#[derive(Default)]
pub struct Went {
    /// The summary of the simulation.
    pub simulation: SimulationSummary,
    /// Flows of simulated nodes.
    pub flows: Vec<FlowStatus>,
    /// Events of the timeline that happened in the simulation.
    pub timeline: Vec<TimelineStatus>,
    /// Failures, in words.
    pub failures: Vec<String>,
}

/// The parts of the experiment that a loop acts on and reports to.
struct Surroundings {
    /// The small network.
    pub simulated: Arc<Simulated>,
    /// The log of events.
    pub events: Arc<EventLog>,
    /// The monitor, which judges lateness.
    pub monitor: Arc<SharedMonitor>,
    /// The experiment's clock.
    pub clock: Clock,
    /// Time at which the run began, by that clock.
    pub zero: Time,
}

/// The loop of a scenario before it begins, with its small network.
pub struct Prepared {
    /// The loop.
    pub symbiosis: Symbiosis,
    /// The small network.
    pub small: SmallNetwork,
    /// The network that the small one stands for.
    pub shrunk: Shrunk,
}

impl Symbiosis {
    /// Prepares the loop of a scenario, where `plan` has all nodes.
    pub fn prepare(scenario: &Scenario, plan: &Arc<Plan>) -> Result<Prepared> {
        let (large, shrunk) = Large::new(scenario, plan)?;
        let calibrators = Calibrators::new(scenario, &shrunk);
        let small = SmallNetwork::new(scenario, plan, &shrunk, &calibrators)?;
        let parts = Parts { large, shrunk: shrunk.clone(), calibrators };
        let paths = parts.calibrators.idle_paths(&shrunk);
        let shared = Arc::new(Mutex::new(Shared { paths, ..Shared::default() }));
        let state = Mutex::new(State::Waits(Box::new(parts)));
        Ok(Prepared { symbiosis: Self { state, shared }, small, shrunk })
    }

    /// Starts with a run, and writes into its results.
    fn start(
        &self,
        results: &Results,
        surroundings: Surroundings,
        network: &LiveNetwork,
    ) -> Result<()> {
        let mut state = lock(&self.state);
        let State::Waits(parts) = mem::replace(&mut *state, State::Over) else {
            bail!("the simulation of the network follows a run already");
        };
        let files = Files::new(results, parts.shrunk.twins)?;
        let Surroundings { simulated, clock, .. } = &surroundings;
        let machine = |time| clock.dilation().to_machine(time);
        let watch =
            |live: &Live| SocketWatch::start(&parts.shrunk, &live.network, simulated, machine);
        let sockets = network.with(watch)?;
        surroundings.simulated.watch_from(surroundings.zero)?;
        let (stop, stopped) = mpsc::channel();
        let shared = Arc::clone(&self.shared);
        let turns = Turns::new(*parts, files, surroundings, stopped);
        let thread = thread::Builder::new().name("symbiosis".into());
        let thread = thread.spawn(move || turns.run(&shared));
        let thread = thread.context("cannot start the thread that simulates the network")?;
        *state = State::Runs(Running { thread, sockets, stop });
        Ok(())
    }

    /// Starts with the run of an experiment.
    pub fn start_with(&self, experiment: &Experiment, results: &Results) -> Result<()> {
        let Experiment { network, state, monitor, .. } = experiment;
        let simulated = network.with(|live| Ok(live.simulated.clone()))?;
        let simulated = simulated.context("there is no small network that could follow")?;
        let (events, monitor, clock) =
            (Arc::clone(&state.events), Arc::clone(monitor), network.clock());
        let zero = state.begun();
        self.start(results, Surroundings { simulated, events, monitor, clock, zero }, network)
    }

    /// Returns the time, since its beginning, at which a run may end by itself, as far as simulated
    /// nodes are concerned. `None` while some traffic is yet to be sent.
    pub fn done_at(&self) -> Option<Time> {
        let shared = lock(&self.shared);
        if shared.has_ended { Some(Time::ZERO) } else { shared.done_at }
    }

    /// Returns the paths between real hosts in the simulation of the last period.
    pub fn paths(&self) -> Vec<PathStatus> {
        lock(&self.shared).paths.clone()
    }

    /// Ends the loop after the current period. Returns its results, or `None` if it did not run.
    pub fn finish(&self) -> Option<Went> {
        let state = mem::replace(&mut *lock(&self.state), State::Over);
        let State::Runs(Running { thread, sockets, stop }) = state else { return None };
        drop(stop);
        let mut went = thread.join().unwrap_or_else(|_| Went {
            failures: vec!["the simulation of the network has panicked".into()],
            ..Went::default()
        });
        let watched = sockets.map_or(Ok(()), SocketWatch::finish);
        went.failures.extend(watched.err().map(|error| {
            let why = in_words(error.as_ref());
            format!("what real programs wrote was not known to the end: {why}")
        }));
        Some(went)
    }
}

/// Returns the loop of an experiment, if it has one and is not being taken down.
pub fn of(experiment: &Experiment) -> Option<Arc<Symbiosis>> {
    experiment.network.with(|live| Ok(live.symbiosis.clone())).ok().flatten()
}

/// Returns the paths between real hosts of a network that is coupled with a simulation of the
/// whole.
///
/// # Errors
/// If the network does not belong to a symbiotic run.
pub fn paths(network: &LiveNetwork) -> Result<Vec<PathStatus>> {
    let symbiosis = network.with(|live| Ok(live.symbiosis.clone()))?;
    let symbiosis = symbiosis.context(
        "paths are known in symbiotic runs only: give the scenario `symbiosis`, and start it with \
         `netloom run`",
    )?;
    Ok(symbiosis.paths())
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Each step leaves it whole.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
