//! The closed loop of a symbiotic run: at the end of each period a simulation of the whole network
//! runs that period, with what real hosts sent in it, and small pipes do from then on what it says.
//!
//! | module | what |
//! |---|---|
//! | `turns` | the loop's thread, period after period |
//! | `files` | what it writes |
//! | `sockets` | what kernels say of the sockets of real hosts |
//!
//! Not here: the small network and who watches real hosts (`simulated`), and the simulation itself
//! (`netloom-simulate`).

mod files;
mod sockets;
mod turns;

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, bail};
use netloom_api::flow::FlowStatus;
use netloom_api::in_words;
use netloom_api::path::PathStatus;
use netloom_api::simulation::SimulationSummary;
use netloom_api::summary::TimelineStatus;
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

/// What says what small pipes do.
struct Parts {
    large: Large,
    shrunk: Shrunk,
    calibrators: Calibrators,
}

struct Running {
    thread: JoinHandle<Went>,
    /// What asks kernels, if somebody is to.
    sockets: Option<SocketWatch>,
    /// Dropped to end it.
    stop: mpsc::Sender<()>,
}

/// What the thread lets others know while it runs.
#[derive(Default)]
struct Shared {
    /// When traffic of simulated nodes in the foreground is over, since the run began.
    done_at: Option<Time>,
    /// Whether it has ended, so that nothing more will be known.
    has_ended: bool,
    /// The ways between real hosts as they were in the last period.
    paths: Vec<PathStatus>,
}

/// How a loop went.
#[derive(Default)]
pub struct Went {
    /// The simulation.
    pub simulation: SimulationSummary,
    /// Flows of simulated nodes.
    pub flows: Vec<FlowStatus>,
    /// Events of the timeline that happened in the simulation.
    pub timeline: Vec<TimelineStatus>,
    /// What went wrong.
    pub failures: Vec<String>,
}

/// What a loop acts on and reports to.
struct Surroundings {
    /// The small network.
    pub simulated: Arc<Simulated>,
    /// What happens.
    pub events: Arc<EventLog>,
    /// Who judges how late it is.
    pub monitor: Arc<SharedMonitor>,
    /// The experiment's clock.
    pub clock: Clock,
    /// When the run began, by that clock.
    pub zero: Time,
}

/// The loop of a scenario before it begins, and its small network.
pub struct Prepared {
    /// The loop.
    pub symbiosis: Symbiosis,
    /// The small network.
    pub small: SmallNetwork,
    /// What that stands for.
    pub shrunk: Shrunk,
}

impl Symbiosis {
    /// Prepares the loop of a scenario, of which `plan` has all nodes.
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

    /// Begins with a run, and writes into its results.
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

    /// Begins with the run of an experiment.
    pub fn start_with(&self, experiment: &Experiment, results: &Results) -> Result<()> {
        let Experiment { network, state, monitor, .. } = experiment;
        let simulated = network.with(|live| Ok(live.simulated.clone()))?;
        let simulated = simulated.context("there is no small network that could follow")?;
        let (events, monitor, clock) =
            (Arc::clone(&state.events), Arc::clone(monitor), network.clock());
        let zero = state.begun();
        self.start(results, Surroundings { simulated, events, monitor, clock, zero }, network)
    }

    /// When a run is over that ends by itself, as far as simulated nodes are concerned, since its
    /// beginning; `None` while some is yet to be sent.
    pub fn done_at(&self) -> Option<Time> {
        let shared = lock(&self.shared);
        if shared.has_ended { Some(Time::ZERO) } else { shared.done_at }
    }

    /// The ways between real hosts as the simulation had them in the last period.
    pub fn paths(&self) -> Vec<PathStatus> {
        lock(&self.shared).paths.clone()
    }

    /// Ends it behind the period that is under way: how it went. Nothing if it did not run.
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

/// The loop of an experiment, if it has one and is not being taken down.
pub fn of(experiment: &Experiment) -> Option<Arc<Symbiosis>> {
    experiment.network.with(|live| Ok(live.symbiosis.clone())).ok().flatten()
}

/// The ways between real hosts of a network, of which a simulation is the whole.
///
/// # Errors
/// If it is none of a symbiotic run.
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
