//! The state that the tasks of a run share, and how they wait.

use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration as Patience;

use anyhow::Result;
use netloom_api::event::EndReason;
use netloom_monitor::Observation;
use netloom_nodes::RouteChanged;
use netloom_scenario::Start;
use netloom_units::{Duration, Time};
use tokio::sync::oneshot;

use super::clockwork::Clockwork;
use super::expect::Lives;
use super::order::Order;
use crate::end::End;
use crate::events::EventLog;
use crate::live::LiveNetwork;
use crate::monitoring::SharedMonitor;
use crate::process_table;
use crate::services::Services;
use crate::state::RunState;
use crate::usage::MemoryKills;

/// Longest time for a node to start a process or to end one when the run is over. A node whose init
/// is stopped never does.
const PATIENCE: Patience = Patience::from_secs(3);

/// The parts of the experiment that a run acts on and reports to.
#[derive(Clone)]
pub struct Context {
    /// The network in which processes run and links change.
    pub network: Arc<LiveNetwork>,
    /// The state of the run, with its processes and events.
    pub state: Arc<RunState>,
    /// The programs that run in nodes from the start.
    pub services: Arc<Services>,
    /// The monitor, which gets the lateness of events.
    pub monitor: Arc<SharedMonitor>,
    /// Processes that were killed because memory ran out.
    pub memory_kills: Arc<MemoryKills>,
    /// The end of the run, which the run asks for when it is complete.
    pub end: End,
    /// Whether the run ends only when somebody asks for it.
    pub is_open_ended: bool,
    /// Whether the run ends as soon as something has failed.
    pub fail_fast: bool,
}

/// The state that the tasks of a run share.
#[derive(Clone)]
pub struct Run {
    /// The parts of the experiment.
    pub context: Context,
    /// The directory for output of processes.
    pub output: PathBuf,
    /// The thread that performs work at given times.
    pub clockwork: Clockwork,
    /// Routes that the timeline has changed for a time.
    pub routes_for_a_time: RoutesForATime,
    /// The running processes, in the order of their start.
    pub order: Order,
    lives: Arc<Mutex<Lives>>,
    /// Start of the work. Events that were due before this time could not be on time.
    since: Time,
}

/// Changes of routes that are to be undone, by their number in the timeline.
#[derive(Clone, Default)]
pub struct RoutesForATime(Arc<Mutex<HashMap<u32, RouteChanged>>>);

impl RoutesForATime {
    /// Stores a change until it is undone.
    pub fn put(&self, number: u32, changed: RouteChanged) {
        self.lock().insert(number, changed);
    }

    /// Takes the change that is to be undone, if it was made.
    pub fn take(&self, number: u32) -> Option<RouteChanged> {
        self.lock().remove(&number)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, RouteChanged>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of waiting for a start condition.
pub enum Wait {
    /// It is met at this time, which may be past.
    Until(Time),
    /// The run was over before it was met. Says what was missing.
    RunOver(String),
    /// It will never be met, for this reason.
    Never(String),
}

/// Returns the files of a process' standard output and error in the results of a run.
pub fn outputs(results: &Path, process: &str, node: &str) -> [PathBuf; 2] {
    let base = format!("{process}@{node}");
    let directory = results.join("processes");
    [directory.join(format!("{base}.stdout")), directory.join(format!("{base}.stderr"))]
}

/// The outcome of an event.
pub struct Happened {
    /// Time at which it happened. `None` if it could not.
    pub at: Option<Time>,
    /// The failure, in words.
    pub failure: Option<String>,
}

/// Returns the last line of an output, if any, to be appended to an exit code.
pub fn last_line(output: &str) -> String {
    match output.lines().rev().find(|line| !line.trim().is_empty()) {
        Some(line) => format!(": {}", line.trim()),
        None => String::new(),
    }
}

/// Whether a process of this name sends or receives traffic.
pub fn is_traffic(process: &str) -> bool {
    // No process that a scenario names has a dot in its name.
    process.contains('.')
}

/// Whether a process of this name is a receiver of traffic, which ends when it has taken what was
/// under way.
pub fn is_receiver(process: &str) -> bool {
    process.ends_with(".receiver")
}

impl Run {
    /// Makes a run whose processes write into `output`.
    pub fn new(context: Context, output: PathBuf) -> Result<Self> {
        let clock = context.network.clock();
        let clockwork = Clockwork::start(move || clock.now(), clock.dilation())?;
        Ok(Self {
            context,
            output,
            clockwork,
            routes_for_a_time: RoutesForATime::default(),
            order: Order::default(),
            lives: Arc::default(),
            since: clock.now(),
        })
    }

    /// Returns the network in which processes run and links change.
    pub fn network(&self) -> &Arc<LiveNetwork> {
        &self.context.network
    }

    /// Returns the state of the run.
    pub fn state(&self) -> &RunState {
        &self.context.state
    }

    /// Returns the log of events.
    pub fn events(&self) -> &EventLog {
        &self.context.state.events
    }

    /// Returns the end of the run.
    pub fn end(&self) -> &End {
        &self.context.end
    }

    /// Returns the time now, by the experiment's clock.
    pub fn now(&self) -> Time {
        self.context.network.now()
    }

    /// Waits until it is known when a start condition is met.
    pub async fn planned(&self, start: &Start) -> Wait {
        match start {
            Start::At(at) => Wait::Until(self.state().begun() + *at),
            Start::After { process, when, delay } => {
                let reached = tokio::select! {
                    reached = self.state().process_table.reached(process, *when) => Some(reached),
                    () = self.end().asked() => None,
                };
                match reached {
                    Some(Ok(at)) => Wait::Until(at + *delay),
                    // The end of the run ends its processes, too, so report the end as the reason.
                    Some(Err(never)) if self.end().reason().is_none() => Wait::Never(never),
                    _ => Wait::RunOver(format!(
                        "`{process}` was not {} when the run ended",
                        process_table::in_words(*when)
                    )),
                }
            }
        }
    }

    /// Whether the run ended because its duration had passed, and not by request.
    pub fn is_cut_short_by_duration(&self) -> bool {
        self.end().reason() == Some(EndReason::Duration)
    }

    /// Waits until `planned`. Returns `false` if the run ended before. Reports to the monitor how
    /// late the clockwork was.
    pub async fn wait_until(&self, planned: Time) -> bool {
        let Some(begun) = self.time_comes(planned).await else { return false };
        self.observe_lateness(planned, begun);
        true
    }

    /// Waits until `time`, at which nothing of the scenario happens: the lateness is not reported.
    /// Returns `false` if the run ends before.
    pub async fn comes(&self, time: Time) -> bool {
        self.time_comes(time).await.is_some()
    }

    async fn time_comes(&self, time: Time) -> Option<Time> {
        let (sender, come) = oneshot::channel();
        let clock = self.network().clock();
        self.clockwork.at(time, move || _ = sender.send(clock.now()));
        come.await.ok()
    }

    /// Reports to the monitor how late the engine handled something that was due at `planned`.
    pub fn observe_lateness(&self, planned: Time, begun: Time) {
        let late = begun.since(planned.max(self.since));
        self.observe(Observation::Event { late });
    }

    /// Reports an observation that is made now.
    pub fn observe(&self, observation: Observation) {
        self.context.monitor.observe(&observation);
    }

    /// Returns the times at which processes began and ended.
    pub fn lives(&self) -> MutexGuard<'_, Lives> {
        // Each step leaves it whole.
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the files of a process' standard output and error.
    pub fn outputs(&self, process: &str, node: &str) -> [PathBuf; 2] {
        outputs(&self.output, process, node)
    }

    /// Returns how long receivers take what is still under way when the run ends, full queues
    /// included.
    pub fn drain(&self) -> Duration {
        netloom_plan::drain_time(&self.network().deployment().whole.scenario)
    }

    /// Returns how long to wait for a node, where `patience` applies to real time. A program that
    /// goes by its own clock takes longer in a slow experiment.
    pub fn stretched(&self, patience: Patience) -> Patience {
        let slowness = self.network().clock().dilation().as_f64();
        patience.mul_f64(slowness.max(1.0))
    }

    /// Waits for a node to do something. Once the run is over, it waits for a limited time only,
    /// since the node may be stopped.
    pub async fn unless_over<T>(&self, done: impl Future<Output = T>) -> Option<T> {
        let patience = async {
            self.end().asked().await;
            tokio::time::sleep(self.stretched(PATIENCE)).await;
        };
        tokio::select! {
            done = done => Some(done),
            () = patience => None,
        }
    }
}
