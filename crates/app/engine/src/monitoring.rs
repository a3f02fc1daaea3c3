//! The contention monitor of a live experiment: a thread that passes the observations of the data
//! plane and the probes to the monitor, records its signals, and ends the run if the scenario
//! demands that. Not here: the definition of contention (`netloom-monitor`), the observation of the
//! machine (`netloom-probes`).
//!
//! | module | contents |
//! |---|---|
//! | `shared` | the monitor, which all threads share |
//! | `dataplane_probe` | translates observations of the data plane for the monitor |
//! | `places` | the nodes that probes observe |
//! | `published` | how long data waited at published ports |
//! | `exactness` | lateness of the frames of each pipe, for the error bound |
//! | `forwarding` | divides traffic and the workers' CPU time over nodes |
//! | `thresholds` | thresholds from a measure of this machine, and their sources |
//! | `slack` | CPUs that workers keep busy without need |
//! | `overflow` | frames that were not read in time, since the last look |
//! | `overruns` | packets for which nodes' sockets had no room, since the last look |
//! | `node_looks` | how often nodes are entered for these two |
//! | `preparation` | prepares probes while the network comes up |
//! | `meter` | the cost of watching |
//! | `pace` | how often to look, given that cost |
//! | `recorded` | the monitor, with a file of all its observations |

mod dataplane_probe;
pub mod exactness;
mod forwarding;
mod meter;
mod node_looks;
mod overflow;
mod overruns;
mod pace;
pub mod places;
mod preparation;
mod published;
mod recorded;
mod shared;
mod slack;
mod thresholds;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, Result};
use netloom_api::event::{EndReason, What};
use netloom_dataplane::Scheduling;
use netloom_monitor::{Change, Observation, Verdict, Warnings, Work};
use netloom_probes::{Probes, ProcRoots};
use netloom_scenario::OnContention;
use netloom_units::Duration;

use crate::end::End;
use crate::live::LiveNetwork;
use crate::state::RunState;
use dataplane_probe::DataplaneProbe;
pub use dataplane_probe::{DATA_PLANE, joined_by_pasta, limits};
use meter::Meter;
use overflow::OverflowProbe;
use overruns::OverrunProbe;
use pace::Pace;
pub use preparation::Preparation;
use published::PublishedPorts;
use recorded::RecordedMonitor;
use shared::Replacements;
pub use shared::SharedMonitor;
use slack::Slacks;
pub use thresholds::Thresholds;

/// Shortest pause between two looks, however long they take.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
/// Shortest time between warnings of the same kind of signal.
const WARN_EVERY: Duration = Duration::from_secs(5);

/// The experiment that is watched.
#[derive(Clone)]
pub struct Watched {
    /// The network.
    pub network: Arc<LiveNetwork>,
    /// The state of the run: for its warm-up, and for its events.
    pub state: Arc<RunState>,
    /// The monitor that receives observations.
    pub monitor: Arc<SharedMonitor>,
    /// Requested if contention occurs and the scenario wants none.
    pub end: End,
}

/// A running monitor, which ends when it is dropped.
///
/// If the scenario wants no monitor, it only reports that.
pub struct Monitoring {
    monitor: Arc<SharedMonitor>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Monitoring {
    /// Begins to watch.
    pub fn start(
        watched: Watched,
        preparation: Preparation,
        thresholds: &Thresholds,
    ) -> Result<Self> {
        let monitor = Arc::clone(&watched.monitor);
        thresholds.report(&mut |observation| monitor.observe(&observation));
        let stop = Arc::new(AtomicBool::new(false));
        let deployment = watched.network.deployment();
        if !deployment.mine.scenario.monitor.enabled {
            monitor.unwatch_all("the scenario says `monitor: { enabled: false }`");
            return Ok(Self { monitor, stop, thread: None });
        }
        let places = places::of(&watched.network);
        let overruns = OverrunProbe::start(&watched.network, &mut |seen| monitor.observe(&seen));
        let watcher = Watcher {
            dataplane_probe: DataplaneProbe::new(&watched.network)?,
            published: PublishedPorts::new(
                deployment.mine.scenario.monitor.trust.delay,
                watched.network.now(),
            ),
            slacks: Slacks::default(),
            overflow: OverflowProbe::default(),
            overruns,
            probes: Probes::of(vec![]),
            warnings: Warnings::new(WARN_EVERY),
            watched,
            stop: Arc::clone(&stop),
            settled: deployment.mine.scenario.monitor.warm_up == Duration::ZERO,
        };
        let thread = thread::Builder::new()
            .name("netloom-monitor".into())
            .spawn(move || watcher.run(preparation, &places))
            .context("cannot start the monitor's thread")?;
        Ok(Self { monitor, stop, thread: Some(thread) })
    }

    /// Looks a last time, and returns the verdict on all observations.
    pub fn finish(mut self) -> Verdict {
        self.halt();
        self.monitor.verdict()
    }

    fn halt(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                self.monitor.unwatch("the monitor's thread has died");
            }
        }
    }
}

impl Drop for Monitoring {
    fn drop(&mut self) {
        self.halt();
    }
}

/// The watching thread.
struct Watcher {
    dataplane_probe: DataplaneProbe,
    published: PublishedPorts,
    slacks: Slacks,
    overflow: OverflowProbe,
    overruns: OverrunProbe,
    probes: Probes,
    warnings: Warnings,
    watched: Watched,
    stop: Arc<AtomicBool>,
    settled: bool,
}

impl Watcher {
    fn run(mut self, preparation: Preparation, places: &ProcRoots) {
        // The load that is watched must not keep the watcher from its work.
        Scheduling::Favoured.enter();
        let (probes, preparing) = preparation.finish(places);
        self.probes = probes;
        let mut meter = {
            let mut monitor = self.watched.monitor.lock();
            let now = self.watched.network.now();
            let mut sink = |observation: Observation| monitor.observe(now, &observation);
            self.dataplane_probe.start(&mut sink);
            Meter::start(preparing, &mut monitor)
        };
        let clock = self.watched.network.clock();
        let mut pace = Pace::new(clock.machine_time(clock.now()), clock.dilation());
        loop {
            let last = self.stop.load(Ordering::Relaxed);
            let spent = self.look(last, &mut meter);
            if last {
                return;
            }
            let now = clock.machine_time(clock.now());
            pace.count(now, spent);
            let pause = pace.next(now).since(now).max(SHORTEST_PAUSE);
            thread::park_timeout(pause.into());
        }
    }

    /// Observes everything that is due, and the data plane always. Returns the CPU time that this
    /// took. The `last` look observes everything, due or not.
    fn look(&mut self, last: bool, meter: &mut Meter) -> Duration {
        let began = Instant::now();
        let Watched { network, state, monitor, .. } = self.watched.clone();
        self.replace();
        let mut monitor = monitor.lock();
        let now = network.now();
        // Observations of the machine have the machine's times.
        let (clock, machine) = (network.clock(), network.clock().machine_time(now));
        self.dataplane_probe
            .look(now, last, &mut |at, observation| monitor.observe(at, &observation));
        let mut in_nodes = Duration::ZERO;
        let mut sink = |observation: Observation| monitor.observe(now, &observation);
        self.published.look(now, last, &network.published, &mut sink);
        if last || self.overflow.due() <= machine {
            in_nodes = self.overflow.poll(machine, &network, &mut sink);
        }
        if last || self.overruns.due() <= machine {
            in_nodes += self.overruns.poll(machine, &network, &mut sink);
        }
        if self.probes.next_poll() <= machine {
            self.dataplane_probe
                .watch()
                .slack()
                .into_iter()
                .for_each(|slack| self.slacks.add(slack));
            let slacks = &mut self.slacks;
            self.probes.poll(machine, &mut |seen| {
                slacks.split(now, seen.dilated(clock.dilation()), &mut sink);
            });
        }
        monitor.observe(now, &Observation::Looked);
        let warm_up = network.deployment().mine.scenario.monitor.warm_up;
        if !self.settled && now >= state.begun() + warm_up {
            self.settled = true;
            monitor.observe(now, &Observation::Settled);
            // Contention that has ended is past; only contention that goes on ends the run.
            if self.aborts() && monitor.is_contended() {
                self.watched.end.ask(EndReason::Contention);
            }
        }
        let by_others = self.dataplane_probe.watch().take_spent() + in_nodes;
        monitor.spent(Work::Monitoring, by_others);
        let mut spent = by_others + meter.spent(Work::Monitoring, &mut monitor);
        if self.report(&mut monitor) {
            spent += meter.spent(Work::Notification, &mut monitor);
        }
        monitor.elapsed(meter::elapsed(began));
        spent
    }

    /// Replaces the objects that are watched, after a last look at the earlier ones.
    fn replace(&mut self) {
        let Replacements { dataplane_probe, probes } = self.watched.monitor.take_replacements();
        let now = self.watched.network.now();
        if let Some(dataplane_probe) = dataplane_probe {
            let mut monitor = self.watched.monitor.lock();
            self.dataplane_probe
                .look(now, true, &mut |at, observation| monitor.observe(at, &observation));
            self.dataplane_probe = dataplane_probe;
            self.dataplane_probe.start(&mut |observation| monitor.observe(now, &observation));
        }
        if let Some(probes) = probes {
            self.probes = probes;
        }
    }

    /// Records the monitor's signals as events. Returns whether there were any.
    fn report(&mut self, monitor: &mut RecordedMonitor) -> bool {
        let mut events = Vec::new();
        while let Some(signal) = monitor.poll_signal() {
            if self.aborts() && self.settled && signal.change != Change::Ended {
                self.watched.end.ask(EndReason::Contention);
            }
            let warning = self.warnings.warn(&signal);
            events.extend(warning.map(|message| What::Warning { message }));
            events.push(What::Contention { signal });
        }
        let any = !events.is_empty();
        self.watched.state.events.record_all(events);
        any
    }

    fn aborts(&self) -> bool {
        self.watched.network.deployment().mine.scenario.monitor.on_contention == OnContention::Abort
    }
}
