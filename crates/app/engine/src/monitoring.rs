//! The contention monitor of a live experiment: a thread that shows the monitor what the data plane and the
//! probes see, records the signals, and ends the run if it is to. Not here: what is contention
//! (`netloom-monitor`), how the machine is observed (`netloom-probes`).
//!
//! | module | what |
//! |---|---|
//! | `sights` | what the data plane sees, in the monitor's words |
//! | `exactness` | how late the frames of each pipe were, for the error bound |
//! | `forwarding` | who sent how much, and for whom workers worked |
//! | `thresholds` | the thresholds that a measure of this machine gives, and what is told of them |
//! | `slack` | CPUs that workers keep busy without need |
//! | `overflow` | frames that were not read in time, since the last look |
//! | `overruns` | packets for which nodes' sockets had no room, since the last look |
//! | `node_looks` | how often nodes are entered for these two |
//! | `preparation` | probes made ready while the network comes up |
//! | `meter` | what watching costs |
//! | `pace` | how often to look, by that |
//! | `recorded` | the monitor, and everything that it is shown as a file |

mod exactness;
mod forwarding;
mod meter;
mod node_looks;
mod overflow;
mod overruns;
mod pace;
mod preparation;
mod recorded;
mod sights;
mod slack;
mod thresholds;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use anyhow::{Context, Result};
use netloom_api::event::{EndReason, What};
use netloom_dataplane::{Scheduling, Watch};
use netloom_monitor::{Change, Observation, Verdict, Warnings, Work};
use netloom_probes::{Limited, Node, Places, Probes};
use netloom_scenario::OnContention;
use netloom_units::Duration;

use crate::drawn::Drawn;
use crate::end::End;
use crate::experiment::Experiment;
use meter::Meter;
use overflow::OverflowProbe;
use overruns::OverrunProbe;
use pace::Pace;
pub use preparation::Preparation;
pub use recorded::RecordedMonitor;
use sights::Sights;
pub use sights::{limits, unwatch};
use slack::Slacks;
pub use thresholds::Thresholds;

/// Between two looks, however long they take.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
/// How often people are warned of the same kind of signal.
const WARN_EVERY: Duration = Duration::from_secs(5);

/// What is to be watched from now on in place of what was, where that has changed.
#[derive(Default)]
pub struct News {
    sights: Option<Sights>,
    probes: Option<Probes>,
}

impl News {
    /// The data plane, by another watch.
    pub fn sights(&mut self, watch: Watch, experiment: &Experiment, drawn: &Drawn) {
        self.sights = Some(Sights::of(watch, experiment, drawn));
    }

    /// The machine, with other nodes on it.
    pub fn probes(&mut self, experiment: &Experiment) {
        self.probes = Some(Probes::best(&places(experiment)));
    }
}

/// A running monitor; ends when it is dropped.
///
/// Of a scenario that wants none, it only says so.
pub struct Monitoring {
    experiment: Arc<Experiment>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Monitoring {
    /// Begins to watch.
    pub fn start(
        experiment: &Arc<Experiment>,
        preparation: Preparation,
        thresholds: &Thresholds,
        end: &End,
    ) -> Result<Self> {
        thresholds.tell(&mut |observation| {
            experiment.monitor().observe(experiment.now(), &observation);
        });
        let stop = Arc::new(AtomicBool::new(false));
        let drawn = experiment.drawn();
        if !drawn.scenario.monitor.enabled {
            let now = experiment.now();
            let mut monitor = experiment.monitor();
            sights::unwatch_all("the scenario says `monitor: { enabled: false }`", &mut |seen| {
                monitor.observe(now, &seen);
            });
            drop(monitor);
            return Ok(Self { experiment: Arc::clone(experiment), stop, thread: None });
        }
        let places = places(experiment);
        let overruns = OverrunProbe::start(experiment, &mut |seen| {
            experiment.monitor().observe(experiment.now(), &seen);
        });
        let watcher = Watcher {
            sights: Sights::new(experiment)?,
            slacks: Slacks::default(),
            overflow: OverflowProbe::default(),
            overruns,
            probes: Probes::of(vec![]),
            warnings: Warnings::new(WARN_EVERY),
            experiment: Arc::clone(experiment),
            end: end.clone(),
            stop: Arc::clone(&stop),
            settled: drawn.scenario.monitor.warm_up == Duration::ZERO,
        };
        let thread = thread::Builder::new()
            .name("netloom-monitor".into())
            .spawn(move || watcher.run(preparation, &places))
            .context("cannot start the monitor's thread")?;
        Ok(Self { experiment: Arc::clone(experiment), stop, thread: Some(thread) })
    }

    /// Looks a last time; the verdict on all that was seen.
    pub fn finish(mut self) -> Verdict {
        self.halt();
        self.experiment.verdict()
    }

    fn halt(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                let now = self.experiment.now();
                let mut monitor = self.experiment.monitor();
                sights::unwatch("the monitor's thread has died", &mut |observation| {
                    monitor.observe(now, &observation);
                });
            }
        }
    }
}

impl Drop for Monitoring {
    fn drop(&mut self) {
        self.halt();
    }
}

/// How long a task may wait for a CPU without a word: what the criteria tolerate, and no longer than
/// the run can bear.
fn tolerated_wait(monitor: &netloom_scenario::Monitor) -> Duration {
    monitor.criteria.run_queue.tolerance().min(monitor.trust.delay())
}

/// What the probes are to know of the experiment.
fn places(experiment: &Experiment) -> Places {
    let drawn = experiment.drawn();
    // Without usable ones, none.
    let cgroup = |node: &str| {
        experiment.with_live(|live| Ok(live.network.cgroup_place(node))).ok().flatten()
    };
    let node = |name: String| {
        // Switches have neither, nor have nodes that are there no more.
        let found = drawn.scenario.node(&name);
        let netns = found.and_then(|node| {
            experiment.with_live(|live| Ok(live.network.namespace_inode(&node.name))).ok().flatten()
        });
        let over = || found.map(|node| drawn.scenario.limits_over(node)).into_iter().flatten();
        Node {
            netns,
            cgroup: found.and_then(|node| cgroup(&node.name)),
            limited: Limited {
                cpu: over().any(|limits| limits.cpu.is_some()),
                memory: over().any(|limits| limits.memory.is_some()),
            },
            name,
        }
    };
    let nodes = experiment.numbers.names().into_iter().map(node).collect();
    let tolerated_wait = tolerated_wait(&drawn.scenario.monitor);
    Places { tolerated_wait, ..Places::of_this_machine(nodes) }
}

/// The thread's work.
struct Watcher {
    sights: Sights,
    slacks: Slacks,
    overflow: OverflowProbe,
    overruns: OverrunProbe,
    probes: Probes,
    warnings: Warnings,
    experiment: Arc<Experiment>,
    end: End,
    stop: Arc<AtomicBool>,
    settled: bool,
}

impl Watcher {
    fn run(mut self, preparation: Preparation, places: &Places) {
        // What is watched must not keep the watcher from its work.
        Scheduling::Favoured.enter();
        let (probes, preparing) = preparation.finish(places);
        self.probes = probes;
        let mut meter = {
            let mut monitor = self.experiment.monitor();
            let now = self.experiment.now();
            let mut sink = |observation: Observation| monitor.observe(now, &observation);
            self.sights.start(&mut sink);
            Meter::start(preparing, &mut monitor)
        };
        let mut pace = Pace::new(self.experiment.now());
        loop {
            let last = self.stop.load(Ordering::Relaxed);
            let spent = self.look(last, &mut meter);
            if last {
                return;
            }
            let now = self.experiment.now();
            pace.count(now, spent);
            let pause = pace.next(now).since(now).max(SHORTEST_PAUSE);
            thread::park_timeout(pause.into());
        }
    }

    /// Observes everything that is due, the data plane always; what that took of a CPU. The `last` look does not wait for
    /// what is due.
    fn look(&mut self, last: bool, meter: &mut Meter) -> Duration {
        let began = Instant::now();
        let experiment = Arc::clone(&self.experiment);
        self.take_news();
        let mut monitor = experiment.monitor();
        let now = experiment.now();
        self.sights.look(now, last, &mut |at, observation| monitor.observe(at, &observation));
        let mut in_nodes = Duration::ZERO;
        let mut sink = |observation: Observation| monitor.observe(now, &observation);
        if last || self.overflow.due() <= now {
            in_nodes = self.overflow.poll(now, &experiment, &mut sink);
        }
        if last || self.overruns.due() <= now {
            in_nodes += self.overruns.poll(now, &experiment, &mut sink);
        }
        if self.probes.next_poll() <= now {
            self.sights.watch().slack().into_iter().for_each(|slack| self.slacks.add(slack));
            let slacks = &mut self.slacks;
            self.probes.poll(now, &mut |seen| slacks.split(now, seen, &mut sink));
        }
        monitor.observe(now, &Observation::Looked);
        let warm_up = experiment.drawn().scenario.monitor.warm_up;
        if !self.settled && now >= experiment.begun() + warm_up {
            self.settled = true;
            monitor.observe(now, &Observation::Settled);
            // What ended before is past; what goes on counts.
            if self.aborts() && monitor.is_contended() {
                self.end.ask(EndReason::Contention);
            }
        }
        let by_others = self.sights.watch().take_spent() + in_nodes;
        monitor.spent(Work::Monitoring, by_others);
        let mut spent = by_others + meter.spent(Work::Monitoring, &mut monitor);
        if self.tell(&mut monitor) {
            spent += meter.spent(Work::Notification, &mut monitor);
        }
        monitor.elapsed(meter::elapsed(began));
        spent
    }

    /// Watches what has come since the last look, after a last look at what has gone.
    fn take_news(&mut self) {
        let News { sights, probes } = self.experiment.take_news();
        let now = self.experiment.now();
        if let Some(sights) = sights {
            let mut monitor = self.experiment.monitor();
            self.sights.look(now, true, &mut |at, observation| monitor.observe(at, &observation));
            self.sights = sights;
            self.sights.start(&mut |observation| monitor.observe(now, &observation));
        }
        if let Some(probes) = probes {
            self.probes = probes;
        }
    }

    /// Records what the monitor has to tell; whether there was anything.
    fn tell(&mut self, monitor: &mut RecordedMonitor) -> bool {
        let mut events = Vec::new();
        while let Some(signal) = monitor.poll_signal() {
            if self.aborts() && self.settled && signal.change != Change::Ended {
                self.end.ask(EndReason::Contention);
            }
            let warning = self.warnings.warn(&signal);
            events.extend(warning.map(|message| What::Warning { message }));
            events.push(What::Contention { signal });
        }
        let told = !events.is_empty();
        self.experiment.record_all(events);
        told
    }

    fn aborts(&self) -> bool {
        self.experiment.drawn().scenario.monitor.on_contention == OnContention::Abort
    }
}
