//! The live network of an experiment: nodes, data plane, and the deployment in force. A change to
//! another scenario locks it for moments; all other users share it.
//!
//! | module | contents |
//! |---|---|
//! | `real` | what this machine carries, as a carrier: [`Real`] |
//! | `media` | changes to shared media |
//! | `processes` | processes in nodes |
//! | `routes` | changes to routes of nodes, by request |
//! | `failures` | nodes that have failed |
//! | `pacing` | interfaces that wait for a full pipe |
//! | `overflow` | frames that were not read in time, without those that a cut link loses |
//! | `lost_outside` | frames from the machine's devices that were not read in time |
//!
//! Not here: what is deployed (`deployment`), how a run of it goes (`state`).

mod failures;
mod lost_outside;
pub mod media;
mod overflow;
mod pacing;
mod processes;
mod real;
pub mod routes;

use std::collections::HashMap;
use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard, TryLockError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow};
use netloom_api::change::LinkChange;
use netloom_api::path::PathStatus;
use netloom_api::state::LinkStatus;
use netloom_course::{Carrier, Together};
use netloom_dataplane::{Clock, Dataplane, PipeStatus};
use netloom_fabric::LinkId;
use netloom_link::Window;
use netloom_nodes::Network;
use netloom_scenario::Endpoint;
use netloom_units::Time;
use nix::sys::eventfd::{EfdFlags, EventFd};
use tokio::sync::Semaphore;

use crate::companion::Companion;
use crate::deployment::{Deployment, Identities};
use crate::interfaces::{InterfaceStates, states};
pub use lost_outside::LostOutside;
pub use overflow::Overflow;
pub use pacing::Paced;
pub use processes::Running;
pub use real::Real;

use crate::tally::waits::Waits;
use crate::zero::Zero;

/// Most init processes of nodes that are started at a time.
const INITS_AT_ONCE: usize = 16;

/// The live parts. They are taken out together when the experiment ends.
pub struct Live {
    /// Namespaces and processes.
    pub network: Network,
    /// Pipes and devices.
    pub dataplane: Dataplane,
    /// Frames that nodes' interfaces dropped because the engine did not read them in time.
    pub overflow: Overflow,
    /// Frames from devices of the machine that were not read in time.
    pub lost_outside: LostOutside,
    /// Interfaces that wait for their pipes.
    pub paced: Paced,
    /// Parts of the network that others carry.
    pub companions: Vec<Arc<dyn Companion>>,
}

/// The live network, with its locks.
pub struct LiveNetwork {
    /// Numbers for nodes and links.
    pub identities: Identities,
    deployment: RwLock<Arc<Deployment>>,
    live: RwLock<Option<Live>>,
    clock: Clock,
    zero: Arc<Zero>,
    /// Date of the beginning of the clock, in seconds since 1970-01-01 UTC.
    up_unix: f64,
    /// Lock for changes to another scenario, and for moves of links.
    turn: Mutex<()>,
    /// Limits the init processes that are started at a time.
    init_turns: Semaphore,
    /// Nodes that have failed, in which nothing runs.
    failures: failures::Failures,
    /// How long data waited at published ports since the monitor last looked.
    pub published: Waits,
    /// Readable once another deployment is in force, or the network is being taken down.
    pub rewired: EventFd,
}

/// Exclusive access to the live network.
pub type Held<'n> = RwLockWriteGuard<'n, Option<Live>>;

impl LiveNetwork {
    /// Makes a network that is just up.
    ///
    /// # Errors
    /// The kernel has no descriptor left.
    pub fn new(
        mut deployment: Deployment,
        identities: Identities,
        live: Live,
        zero: Arc<Zero>,
    ) -> Result<Self> {
        let clock = zero.clock();
        let since_up = clock.machine_time(clock.now()).as_secs_f64();
        let unix = SystemTime::now().duration_since(UNIX_EPOCH);
        let up_unix = unix.map_or(0.0, |unix| unix.as_secs_f64() - since_up);
        // If this fails now, it fails later too, and is reported then.
        deployment.direct_at_start = live.direct_ends(&deployment).unwrap_or_default();
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        let rewired = EventFd::from_flags(flags).context("cannot make an event descriptor")?;
        Ok(Self {
            identities,
            deployment: RwLock::new(Arc::new(deployment)),
            live: RwLock::new(Some(live)),
            clock,
            zero,
            up_unix,
            turn: Mutex::default(),
            init_turns: Semaphore::new(INITS_AT_ONCE),
            failures: failures::Failures::default(),
            published: Waits::default(),
            rewired,
        })
    }

    /// Returns the engine's clock, which began when the network was up.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns the time now, by the engine's clock.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Returns the zero of the experiment's time.
    pub fn zero(&self) -> &Zero {
        &self.zero
    }

    /// Returns the time since zero. Until zero is known, it is the time since the network was up.
    pub fn since_zero(&self) -> Time {
        self.zero.since(self.now())
    }

    /// Returns the date of zero, in seconds since 1970-01-01 UTC. Until zero is known, it is the
    /// date at which the network was up.
    pub fn started_unix(&self) -> f64 {
        self.up_unix + self.clock.machine_time(self.zero.at()).as_secs_f64()
    }

    /// Returns the date of the beginning of the clock, in seconds since 1970-01-01 UTC, for those
    /// who date its times without regard to dilation.
    pub fn clock_unix(&self) -> f64 {
        self.started_unix() - self.zero.at().as_secs_f64()
    }

    /// Calls `f` with the live network. Returns an error once it is being taken down.
    pub fn with<T>(&self, f: impl FnOnce(&Live) -> Result<T>) -> Result<T> {
        let live = self.live.read().unwrap_or_else(PoisonError::into_inner);
        f(live.as_ref().ok_or_else(gone)?)
    }

    /// Calls `f` with the live network and the deployment in force. Returns an error once the
    /// network is being taken down.
    pub fn with_deployment<T>(
        &self,
        f: impl FnOnce(&Live, &Arc<Deployment>) -> Result<T>,
    ) -> Result<T> {
        self.with(|live| f(live, &self.deployment()))
    }

    /// Calls `f` with all carriers of the network. Returns an error once it is being taken down.
    pub fn carrying<T>(&self, f: impl FnOnce(&Together<'_>) -> Result<T>) -> Result<T> {
        self.with_deployment(|live, deployment| {
            let real = Real { live, deployment };
            let companions = live.companions.iter().map(|companion| &**companion as &dyn Carrier);
            f(&Together(iter::once(&real as &dyn Carrier).chain(companions).collect()))
        })
    }

    /// Returns all links with the statistics of their pipes, since their start or over `window`.
    /// Times count from zero.
    ///
    /// # Errors
    /// If a carrier cannot be asked.
    pub fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        let links = self.carrying(|carriers| carriers.links(window))?;
        Ok(links.into_iter().map(|link| link.counted_from(self.zero.at())).collect())
    }

    /// Changes links at one instant, or none of them. Returns the time by the engine's clock.
    ///
    /// # Errors
    /// If one of the changes is impossible.
    pub fn change(&self, changes: &[LinkChange]) -> Result<Time> {
        self.carrying(|carriers| netloom_course::change(carriers, changes))
    }

    /// Returns the paths between real hosts of a network that is coupled with a simulation of the
    /// whole.
    ///
    /// # Errors
    /// If the network does not belong to a symbiotic run.
    pub fn paths(&self) -> Result<Vec<PathStatus>> {
        let paths = self.with(|live| Ok(live.companions.iter().find_map(|one| one.paths())))?;
        paths.context(
            "paths are known in symbiotic runs only: give the scenario `symbiosis`, and start it \
             with `netloom run`",
        )
    }

    /// Returns the parts of the network that others carry. There are none any more once the network
    /// is being taken down.
    pub fn companions(&self) -> Vec<Arc<dyn Companion>> {
        self.with(|live| Ok(live.companions.clone())).unwrap_or_default()
    }

    /// Returns the deployment in force. Inside [`with`](Self::with), it does not change.
    pub fn deployment(&self) -> Arc<Deployment> {
        // It is replaced in one step, so a panic cannot leave it half changed.
        Arc::clone(&self.deployment.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until it is the caller's turn to change the network.
    pub fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the turn to change the network, unless another caller has it.
    pub fn try_turn(&self) -> Option<MutexGuard<'_, ()>> {
        match self.turn.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(turn)) => Some(turn.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits for all users of the network, and locks it for the caller alone.
    pub fn hold(&self) -> Held<'_> {
        self.live.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts another deployment in force. `_held` proves that nobody else uses the network.
    pub fn put_in_force(&self, _held: &Held<'_>, deployment: Arc<Deployment>) {
        *self.deployment.write().unwrap_or_else(PoisonError::into_inner) = deployment;
        self.notify_rewired();
    }

    /// Has those who follow the network look anew.
    pub fn notify_rewired(&self) {
        // Fails only if the counter is full, and then it is readable already.
        let _ = self.rewired.write(1);
    }

    /// Takes the live network out, for its end. Waits for calls that still use it.
    pub fn take(&self) -> Option<Live> {
        let taken = self.hold().take();
        self.notify_rewired();
        taken
    }
}

impl Live {
    /// Returns the number of frames that were lost so far because the engine did not read them in
    /// time, for each interface that lost any.
    pub fn not_read_in_time(&self, deployment: &Deployment) -> Result<HashMap<Endpoint, u64>> {
        let mut lost = self.overflow.dropped(deployment, &self.network)?;
        for (end, frames) in self.lost_outside.frames() {
            *lost.entry(end).or_default() += frames;
        }
        Ok(lost)
    }

    /// Returns the kernel's counts at the ends of direct links.
    pub fn direct_ends(&self, deployment: &Deployment) -> Result<InterfaceStates> {
        let ends = deployment.direct_ends();
        if ends.is_empty() {
            return Ok(InterfaceStates::new());
        }
        states(&self.network, &ends)
    }

    /// Returns the pipes of every link, with their statistics since their start or over `window`.
    pub fn pipes(&self, window: Option<Window>) -> Result<Pipes> {
        let pipes = match window {
            None => self.dataplane.pipes(),
            Some(window) => self.dataplane.recent_pipes(window),
        };
        let mut pipes = pipes?.into_iter();
        // The pipes come in the order of their identities.
        let pair = || Some([pipes.next()?, pipes.next()?]);
        Ok(Pipes(std::iter::from_fn(pair).map(|pair| (pair[0].id.link, pair)).collect()))
    }
}

/// The pipes of links.
pub struct Pipes(HashMap<LinkId, [PipeStatus; 2]>);

impl Pipes {
    /// Takes the two pipes of a link out. They can be taken once.
    pub fn take(&mut self, deployment: &Deployment, link: &str) -> Result<[PipeStatus; 2]> {
        let missing = || anyhow!("the data plane does not have link `{link}` of the scenario");
        self.0.remove(&deployment.modelled(link)?).ok_or_else(missing)
    }
}

/// Makes the error for callers that come when the network is being taken down.
pub fn gone() -> anyhow::Error {
    anyhow!("the experiment is being taken down")
}
