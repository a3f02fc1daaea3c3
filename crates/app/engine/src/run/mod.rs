//! The timeline and the processes of a run, from the moment the network is ready to the end.
//!
//! Every event and every process instance is a task of its own that waits for its start condition.
//! Their times come from a thread of its own (`clockwork`). The run ends when the scenario's
//! duration has passed, or else when all events have happened and all foreground processes have
//! ended, or when it is told to.

mod clockwork;
mod expect;
mod instance;
mod ready;
mod timeline;
pub mod traffic;

pub use ready::{Outputs, Test as ReadyTest};

use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration as Patience;

use anyhow::Result;
use netloom_api::event::EndReason;
use netloom_api::summary::{ExpectationStatus, TimelineStatus};
use netloom_monitor::{Observation, SignalKind};
use netloom_scenario::{Expectation, Milestone, Start};
use netloom_units::Time;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::end::End;
use crate::experiment::Experiment;
use crate::traffic_file::TrafficRows;
use clockwork::Clockwork;
use expect::{Lives, Shown};

/// How long a node may take to start a process or to be rid of one when the run is over: one
/// whose init is stopped never does.
const PATIENCE: Patience = Patience::from_secs(3);

/// What the tasks of a run share.
#[derive(Clone)]
pub struct Run {
    /// The experiment.
    experiment: Arc<Experiment>,
    /// Where processes write.
    output: PathBuf,
    /// The end of it.
    end: End,
    clockwork: Clockwork,
    lives: Arc<Mutex<Lives>>,
    /// When it began to do things: what was due before could not be on time.
    since: Time,
}

/// How a run went.
#[derive(Default)]
pub struct Outcome {
    /// What went wrong, in words.
    pub failures: Vec<String>,
    /// The events of the timeline, in the order of the scenario.
    pub timeline: Vec<TimelineStatus>,
    /// What became of the scenario's traffic, if it has any.
    pub traffic: Option<TrafficRows>,
    /// What was expected, in the order of the scenario.
    pub expectations: Vec<ExpectationStatus>,
}

/// What a start condition comes to.
enum Wait {
    /// It is met at this time, which may be past.
    Until(Time),
    /// The run was over before it was met: what was missing.
    RunOver(String),
    /// It will never be met: why.
    Never(String),
}

impl Run {
    /// A run of `experiment` whose processes write into `output`.
    pub fn new(experiment: Arc<Experiment>, output: PathBuf, end: End) -> Result<Self> {
        let (clock, since) = (experiment.clone(), experiment.now());
        let clockwork = Clockwork::start(move || clock.now())?;
        let lives = Arc::default();
        Ok(Self { experiment, output, end, clockwork, lives, since })
    }

    /// Runs everything to its end. Ends early when somebody else asks for the end.
    pub async fn drive(self) -> Outcome {
        let scenario = self.experiment.drawn().scenario.clone();
        self.watch_timeline(scenario.timeline.len());
        let mut events = JoinSet::new();
        let mut foreground = JoinSet::new();
        let mut background = JoinSet::new();
        for (number, event) in scenario.timeline.iter().cloned().enumerate() {
            events.spawn(timeline::happen(self.clone(), number, event));
        }
        for process in scenario.processes.iter().cloned() {
            let tasks = if process.background { &mut background } else { &mut foreground };
            for node in process.nodes.clone() {
                tasks.spawn(instance::live(self.clone(), process.clone(), node, None));
            }
        }
        let reckoning = traffic::reckoning(&self.experiment);
        for entry in scenario.traffic.clone() {
            background.spawn(traffic::receive(self.clone(), entry.clone(), reckoning));
            for number in 0..entry.from.len() {
                let tasks = if entry.background { &mut background } else { &mut foreground };
                let (run, entry) = (self.clone(), entry.clone());
                tasks.spawn(traffic::send(run, entry, number, scenario.seed, reckoning));
            }
        }
        let ends_by_itself = !foreground.is_empty() || !events.is_empty();
        self.end_in_time(scenario.duration);
        let mut outcome = Outcome::default();
        outcome.collect_events(&mut events).await;
        outcome.collect(&mut foreground).await;
        if scenario.duration.is_none() && ends_by_itself {
            self.end.ask(EndReason::Completed);
        }
        self.end.asked().await;
        outcome.collect(&mut background).await;
        if !scenario.traffic.is_empty() {
            let (rows, missing) = traffic::collect(&self, &scenario, reckoning.interval);
            outcome.failures.extend(missing);
            outcome.traffic = Some(rows);
        }
        outcome.judge(&self, &scenario.expect);
        outcome
    }

    /// Tells the monitor that the events of the timeline are watched, if there are any.
    fn watch_timeline(&self, events: usize) {
        if events > 0 {
            let (signal, probe) = (SignalKind::Timeline, "the run".into());
            let (cannot_see, partial) = (Vec::new(), false);
            self.observe(Observation::Watched { signal, probe, cannot_see, partial });
        }
    }

    /// Ends the run after `duration`, if there is one; and the clockwork with the run.
    fn end_in_time(&self, duration: Option<netloom_units::Duration>) {
        let run = self.clone();
        tokio::spawn(async move {
            if let Some(duration) = duration {
                let over = run.experiment.begun() + duration;
                tokio::select! {
                    _ = run.clockwork.wait(over) => run.end.ask(EndReason::Duration),
                    () = run.end.asked() => {}
                }
            }
            run.end.asked().await;
            run.clockwork.stop(run.experiment.now());
        });
    }

    /// Waits until it is known when a start condition is met.
    async fn planned(&self, start: &Start) -> Wait {
        match start {
            Start::At(at) => Wait::Until(self.experiment.begun() + *at),
            Start::After { process, when, delay } => {
                let reached = tokio::select! {
                    reached = self.experiment.board.reached(process, *when) => Some(reached),
                    () = self.end.asked() => None,
                };
                match reached {
                    Some(Ok(())) => Wait::Until(self.experiment.now() + *delay),
                    // The end of the run is also that of its processes: the end is the reason.
                    Some(Err(never)) if self.end.reason().is_none() => Wait::Never(never),
                    _ => Wait::RunOver(format!(
                        "`{process}` was not {} when the run ended",
                        in_words(*when)
                    )),
                }
            }
        }
    }

    /// Whether the run ended because its time was over, and not because somebody wanted it to.
    fn is_cut_short_by_duration(&self) -> bool {
        self.end.reason() == Some(EndReason::Duration)
    }

    /// Waits until `planned`; `false` if the run ended before. The monitor is shown how late the
    /// clockwork got to it.
    async fn wait_until(&self, planned: Time) -> bool {
        let (sender, come) = oneshot::channel();
        let experiment = self.experiment.clone();
        self.clockwork.at(planned, move || _ = sender.send(experiment.now()));
        let Ok(begun) = come.await else { return false };
        self.observe_lateness(planned, begun);
        true
    }

    /// Shows the monitor how late the engine got to something that was due at `planned`.
    fn observe_lateness(&self, planned: Time, begun: Time) {
        let late = begun.since(planned.max(self.since));
        self.observe(Observation::Event { late });
    }

    /// Shows the monitor something that happens now.
    fn observe(&self, observation: Observation) {
        let mut monitor = self.experiment.monitor();
        monitor.observe(self.experiment.now(), &observation);
    }

    /// When processes began and ended.
    fn lives(&self) -> MutexGuard<'_, Lives> {
        // Each step leaves it whole.
        self.lives.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files of a process' standard output and error.
    fn outputs(&self, process: &str, node: &str) -> [PathBuf; 2] {
        let base = format!("{process}@{node}");
        let directory = self.output.join("processes");
        [directory.join(format!("{base}.stdout")), directory.join(format!("{base}.stderr"))]
    }

    /// Waits for a node to do something, but once the run is over only for a while: it may be
    /// stopped.
    async fn unless_over<T>(&self, done: impl Future<Output = T>) -> Option<T> {
        let patience = async {
            self.end.asked().await;
            tokio::time::sleep(PATIENCE).await;
        };
        tokio::select! {
            done = done => Some(done),
            () = patience => None,
        }
    }
}

/// A milestone as the end of a sentence.
pub fn in_words(milestone: Milestone) -> &'static str {
    match milestone {
        Milestone::Started => "started",
        Milestone::Ready => "ready",
        Milestone::Done => "done",
    }
}

impl Outcome {
    async fn collect_events(&mut self, tasks: &mut JoinSet<TimelineStatus>) {
        while let Some(task) = tasks.join_next().await {
            match task {
                Ok(event) => self.timeline.push(event),
                Err(panic) => self.failures.push(format!("internal error: {panic}")),
            }
        }
        self.timeline.sort_by_key(|event| event.number);
        let failed = self.timeline.iter().filter_map(|event| {
            let TimelineStatus { number, event, failure, .. } = event;
            Some(format!("timeline event {number} ({event}): {}", failure.as_ref()?))
        });
        self.failures.extend(failed);
    }

    /// Holds what was expected against what processes did.
    fn judge(&mut self, run: &Run, expected: &[Expectation]) {
        let rows = run.experiment.board.rows();
        let lives = run.lives();
        for row in &rows {
            let outputs = run.outputs(&row.process, &row.node);
            let shown = Shown { state: &row.state, lives: &lives, outputs: &outputs };
            let of_row = expected.iter().filter(|expectation| {
                expectation.process == row.process && expectation.nodes.contains(&row.node)
            });
            self.expectations.extend(of_row.map(|one| expect::judge(one, &row.node, &shown)));
        }
        let unmet = self.expectations.iter().filter(|expectation| !expectation.met);
        self.failures.extend(unmet.map(|unmet| {
            let ExpectationStatus { process, node, expected, found, .. } = unmet;
            format!("of `{process}` in `{node}` was expected {expected}, but {found}")
        }));
    }

    async fn collect(&mut self, tasks: &mut JoinSet<Result<(), String>>) {
        while let Some(task) = tasks.join_next().await {
            match task {
                Ok(Ok(())) => {}
                Ok(Err(failure)) => self.failures.push(failure),
                Err(panic) => self.failures.push(format!("internal error: {panic}")),
            }
        }
    }
}
