//! The closed loop of a symbiotic run. At the end of each period, a simulation of the whole network
//! runs that period with the traffic that real hosts sent in it. Small pipes are then set according
//! to its results.
//!
//! | module | contents |
//! |---|---|
//! | `parts` | what the loop consists of, and what it acts on |
//! | `turns` | the loop's thread, period after period |
//! | `files` | the files that it writes |
//! | `sockets` | queries kernels for the sockets of real hosts |
//!
//! Not here: the small network and the watch of real hosts (`simulated`), and the simulation itself
//! (`netloom-simulate`).

mod files;
mod parts;
mod sockets;
mod turns;

use std::collections::HashMap;
use std::mem;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, bail};
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::in_words;
use netloom_api::path::PathStatus;
use netloom_api::state::LinkStatus;
use netloom_api::summary::Mode;
use netloom_course::Carrier;
use netloom_dataplane::Clock;
use netloom_link::Window;
use netloom_nodes::Network;
use netloom_results::{MediaSample, Results};
use netloom_scenario::Endpoint;
use netloom_simulate::symbiosis::{Calibrators, Large, SmallNetwork};
use netloom_units::{Duration, Time};

use crate::companion::{Begin, Border, Companion, Went};
use crate::deployment::Part;
use crate::simulated::{Simulated, SimulatedBorder};

use files::Files;
use parts::{Parts, Shared, Surroundings, lock};
use sockets::SocketWatch;
use turns::Turns;

/// The loop of an experiment.
pub struct Symbiosis {
    /// The small network, between real hosts.
    small: Arc<Simulated>,
    state: Mutex<State>,
    shared: Arc<Mutex<Shared>>,
}

enum State {
    Waits(Box<Parts>),
    Runs(Running),
    Over,
}

struct Running {
    thread: JoinHandle<Went>,
    /// The thread that queries kernels, if it is needed.
    sockets: Option<SocketWatch>,
    /// Dropped to end it.
    stop: mpsc::Sender<()>,
}

/// The loop of a scenario before it begins, with its small network.
pub struct Prepared {
    network: Part,
    parts: Parts,
    small: SmallNetwork,
}

impl Prepared {
    /// Prepares the loop of a whole network.
    pub fn of(network: &Part) -> Result<Self> {
        let Part { scenario, plan } = network;
        let (large, shrunk) = Large::new(scenario, plan)?;
        let calibrators = Calibrators::new(scenario, &shrunk);
        let small = SmallNetwork::new(scenario, plan, &shrunk, &calibrators)?;
        let parts = Parts { large, shrunk, calibrators };
        Ok(Self { network: network.clone(), parts, small })
    }

    /// Starts the small network, between the `devices` of real nodes.
    pub fn start(self, devices: HashMap<Endpoint, OwnedFd>, clock: Clock) -> Result<Symbiosis> {
        let Self { network, parts, small } = self;
        let paths = parts.calibrators.idle_paths(&parts.shrunk);
        let small = Simulated::start_small(network, small, &parts.shrunk, devices, clock)?;
        let shared = Arc::new(Mutex::new(Shared { paths, ..Shared::default() }));
        let state = Mutex::new(State::Waits(Box::new(parts)));
        Ok(Symbiosis { small: Arc::new(small), state, shared })
    }
}

impl Symbiosis {
    /// Starts with a run, and writes into its results.
    fn start(&self, results: &Results, surroundings: Surroundings, nodes: &Network) -> Result<()> {
        let mut state = lock(&self.state);
        let State::Waits(parts) = mem::replace(&mut *state, State::Over) else {
            bail!("the simulation of the network follows a run already");
        };
        let files = Files::new(results, parts.shrunk.twins)?;
        let Surroundings { simulated, clock, .. } = &surroundings;
        let machine = |time| clock.dilation().to_machine(time);
        let sockets = SocketWatch::start(&parts.shrunk, nodes, simulated, machine)?;
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
}

impl Carrier for Symbiosis {
    fn has(&self, link: &str) -> bool {
        self.small.has(link)
    }

    fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        self.small.links(window)
    }

    /// Returns none: a symbiotic run has no shared media.
    fn media(&self, _with_neighbours: bool) -> Result<MediaSample> {
        Ok(MediaSample::default())
    }

    fn take_air(&self) -> Result<Vec<(String, Vec<u8>)>> {
        Ok(Vec::new())
    }

    /// Returns none: the loop writes those of the simulation itself.
    fn flows(&self) -> Result<Vec<FlowStatus>> {
        Ok(Vec::new())
    }

    fn prepare<'c>(
        &'c self,
        _changes: &[LinkChange],
    ) -> Result<Box<dyn netloom_course::Prepared + 'c>> {
        self.lets_change()?;
        bail!("the pipes of a symbiotic run follow its simulation")
    }

    fn lets_change(&self) -> Result<()> {
        bail!(
            "links of a symbiotic run cannot be changed by hand: pipes between real hosts do what \
             the simulation says, and the simulation is to be the same when it is repeated; write \
             the change into the `timeline`"
        );
    }
}

impl Companion for Symbiosis {
    fn begin(&self, begin: Begin<'_>) -> Result<()> {
        let Begin { results, nodes, events, observe, clock, zero } = begin;
        lock(&self.shared).zero = zero;
        let simulated = Arc::clone(&self.small);
        self.start(results, Surroundings { simulated, events, observe, clock, zero }, nodes)
    }

    fn done_at(&self) -> Result<Option<Time>> {
        let shared = lock(&self.shared);
        let since_zero = if shared.has_ended { Some(Time::ZERO) } else { shared.done_at };
        Ok(since_zero.map(|over| shared.zero + over.since(Time::ZERO)))
    }

    fn has_sampled_flows(&self) -> bool {
        false
    }

    /// Ends the loop after the current period.
    fn finish(&self, _zero: Time) -> Option<Went> {
        let state = mem::replace(&mut *lock(&self.state), State::Over);
        let State::Runs(Running { thread, sockets, stop }) = state else { return None };
        drop(stop);
        let mut went = thread.join().unwrap_or_else(|_| Went {
            mode: Mode::Symbiosis,
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

    /// Returns the paths between real hosts in the simulation of the last period.
    fn paths(&self) -> Option<Vec<PathStatus>> {
        Some(lock(&self.shared).paths.clone())
    }

    fn watch(&self, first: u32, needed: Duration, now: Time) -> Box<dyn Border> {
        Box::new(SimulatedBorder::new(Arc::clone(&self.small), first, needed, now))
    }

    fn stop(&self) {
        self.small.stop();
    }
}
