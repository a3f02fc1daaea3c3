//! What the tasks of a run share, and how they wait.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration as Patience;

use anyhow::Result;
use netloom_api::event::EndReason;
use netloom_monitor::Observation;
use netloom_nodes::RouteChanged;
use netloom_scenario::Start;
use netloom_units::Time;
use tokio::sync::oneshot;

use super::clockwork::Clockwork;
use super::expect::Lives;
use crate::board;
use crate::end::End;
use crate::events::EventLog;
use crate::live::LiveNetwork;
use crate::monitoring::SharedMonitor;
use crate::services::Services;
use crate::state::RunState;
use crate::usage::MemoryKills;

/// How long a node may take to start a process or to be rid of one when the run is over: one
/// whose init is stopped never does.
const PATIENCE: Patience = Patience::from_secs(3);

/// What a run acts on and reports to.
#[derive(Clone)]
pub struct Context {
    /// Where processes run, and links change.
    pub network: Arc<LiveNetwork>,
    /// Where processes stand, and what happens is recorded.
    pub state: Arc<RunState>,
    /// What runs in nodes from the start.
    pub services: Arc<Services>,
    /// What is shown how late things happened.
    pub monitor: Arc<SharedMonitor>,
    /// What ended a process that was killed.
    pub memory_kills: Arc<MemoryKills>,
    /// The end of the run, which the run asks for when it is complete.
    pub end: End,
    /// Whether the run ends only when somebody asks for it.
    pub is_open_ended: bool,
}

/// What the tasks of a run share.
#[derive(Clone)]
pub struct Run {
    /// What it acts on.
    pub context: Context,
    /// Where processes write.
    pub output: PathBuf,
    /// What does things at their times.
    pub clockwork: Clockwork,
    /// Routes that the timeline has changed for a time.
    pub routes_for_a_time: RoutesForATime,
    lives: Arc<Mutex<Lives>>,
    /// When it began to do things: what was due before could not be on time.
    since: Time,
}

/// Changes of routes that are to be taken back, by their number in the timeline.
#[derive(Clone, Default)]
pub struct RoutesForATime(Arc<Mutex<HashMap<u32, RouteChanged>>>);

impl RoutesForATime {
    /// Remembers a change until it is taken back.
    pub fn put(&self, number: u32, changed: RouteChanged) {
        self.lock().insert(number, changed);
    }

    /// The change that is to be taken back, if it was made.
    pub fn take(&self, number: u32) -> Option<RouteChanged> {
        self.lock().remove(&number)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, RouteChanged>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a start condition comes to.
pub enum Wait {
    /// It is met at this time, which may be past.
    Until(Time),
    /// The run was over before it was met: what was missing.
    RunOver(String),
    /// It will never be met: why.
    Never(String),
}

impl Run {
    /// A run whose processes write into `output`.
    pub fn new(context: Context, output: PathBuf) -> Result<Self> {
        let clock = context.network.clock();
        let clockwork = Clockwork::start(move || clock.now(), clock.dilation())?;
        let (routes_for_a_time, lives) = (RoutesForATime::default(), Arc::default());
        Ok(Self { context, output, clockwork, routes_for_a_time, lives, since: clock.now() })
    }

    /// Where processes run, and links change.
    pub fn network(&self) -> &Arc<LiveNetwork> {
        &self.context.network
    }

    /// How the run goes.
    pub fn state(&self) -> &RunState {
        &self.context.state
    }

    /// What happens.
    pub fn events(&self) -> &EventLog {
        &self.context.state.events
    }

    /// The end of the run.
    pub fn end(&self) -> &End {
        &self.context.end
    }

    /// The time now, by the experiment's clock.
    pub fn now(&self) -> Time {
        self.context.network.now()
    }

    /// Waits until it is known when a start condition is met.
    pub async fn planned(&self, start: &Start) -> Wait {
        match start {
            Start::At(at) => Wait::Until(self.state().begun() + *at),
            Start::After { process, when, delay } => {
                let reached = tokio::select! {
                    reached = self.state().board.reached(process, *when) => Some(reached),
                    () = self.end().asked() => None,
                };
                match reached {
                    Some(Ok(())) => Wait::Until(self.now() + *delay),
                    // The end of the run is also that of its processes: the end is the reason.
                    Some(Err(never)) if self.end().reason().is_none() => Wait::Never(never),
                    _ => Wait::RunOver(format!(
                        "`{process}` was not {} when the run ended",
                        board::in_words(*when)
                    )),
                }
            }
        }
    }

    /// Whether the run ended because its time was over, and not because somebody wanted it to.
    pub fn is_cut_short_by_duration(&self) -> bool {
        self.end().reason() == Some(EndReason::Duration)
    }

    /// Waits until `planned`; `false` if the run ended before. The monitor is shown how late the
    /// clockwork got to it.
    pub async fn wait_until(&self, planned: Time) -> bool {
        let Some(begun) = self.time_comes(planned).await else { return false };
        self.observe_lateness(planned, begun);
        true
    }

    /// Waits until `time`, which is nothing that happens: how late this is matters to nobody.
    /// `false` if the run ends before.
    pub async fn comes(&self, time: Time) -> bool {
        self.time_comes(time).await.is_some()
    }

    async fn time_comes(&self, time: Time) -> Option<Time> {
        let (sender, come) = oneshot::channel();
        let clock = self.network().clock();
        self.clockwork.at(time, move || _ = sender.send(clock.now()));
        come.await.ok()
    }

    /// Shows the monitor how late the engine got to something that was due at `planned`.
    pub fn observe_lateness(&self, planned: Time, begun: Time) {
        let late = begun.since(planned.max(self.since));
        self.observe(Observation::Event { late });
    }

    /// Shows the monitor something that happens now.
    pub fn observe(&self, observation: Observation) {
        self.context.monitor.observe(&observation);
    }

    /// When processes began and ended.
    pub fn lives(&self) -> MutexGuard<'_, Lives> {
        // Each step leaves it whole.
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of a process' standard output and error.
    pub fn outputs(&self, process: &str, node: &str) -> [PathBuf; 2] {
        let base = format!("{process}@{node}");
        let directory = self.output.join("processes");
        [directory.join(format!("{base}.stdout")), directory.join(format!("{base}.stderr"))]
    }

    /// How long somebody waits for a node who would wait so long in real time: what a program does
    /// by its own clock takes longer in a slow experiment.
    pub fn stretched(&self, patience: Patience) -> Patience {
        let slowness = self.network().clock().dilation().as_f64();
        patience.mul_f64(slowness.max(1.0))
    }

    /// Waits for a node to do something, but once the run is over only for a while: it may be
    /// stopped.
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
