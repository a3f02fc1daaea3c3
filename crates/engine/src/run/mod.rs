//! The timeline and the processes of a run, from the moment the network is ready to the end.
//!
//! Every event and every process instance is a task of its own that waits for its start condition.
//! The run ends when the scenario's duration has passed, or else when all events have happened and
//! all foreground processes have ended, or when it is told to.

mod instance;
mod ready;
mod timeline;

pub use ready::Test as ReadyTest;

use std::path::PathBuf;
use std::sync::Arc;

use netloom_api::event::EndReason;
use netloom_scenario::{Milestone, Start};
use netloom_units::{Duration, Time};
use tokio::task::JoinSet;

use crate::end::End;
use crate::experiment::Experiment;

/// What the tasks of a run share.
#[derive(Clone)]
pub struct Run {
    /// The experiment.
    pub experiment: Arc<Experiment>,
    /// Where processes write.
    pub output: PathBuf,
    /// The end of it.
    pub end: End,
}

/// How a run went.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What went wrong, in words.
    pub failures: Vec<String>,
}

impl Run {
    /// Runs everything to its end. Ends early when somebody else asks for the end.
    pub async fn drive(self) -> Outcome {
        let mut foreground = JoinSet::new();
        let mut background = JoinSet::new();
        for event in self.experiment.drawn().scenario.timeline.clone() {
            foreground.spawn(timeline::happen(self.clone(), event));
        }
        for process in self.experiment.drawn().scenario.processes.clone() {
            let tasks = if process.background { &mut background } else { &mut foreground };
            for node in process.nodes.clone() {
                tasks.spawn(instance::live(self.clone(), process.clone(), node));
            }
        }
        let mut outcome = Outcome::default();
        let ends_by_itself = !foreground.is_empty();
        if let Some(duration) = self.experiment.drawn().scenario.duration {
            let run = self.clone();
            tokio::spawn(async move {
                if run.wait_until(run.experiment.begun() + duration).await {
                    run.end.ask(EndReason::Duration);
                }
            });
        }
        collect(&mut foreground, &mut outcome).await;
        if self.experiment.drawn().scenario.duration.is_none() && ends_by_itself {
            self.end.ask(EndReason::Completed);
        }
        self.end.asked().await;
        collect(&mut background, &mut outcome).await;
        outcome
    }

    /// Waits for a start condition. `Ok(false)`: the run is over; `Err`: it will never come.
    async fn wait_for(&self, start: &Start) -> Result<bool, String> {
        match start {
            Start::At(at) => Ok(self.wait_until(self.experiment.begun() + *at).await),
            Start::After { process, when, delay } => {
                if !self.wait_for_milestone(process, *when).await? {
                    return Ok(false);
                }
                Ok(self.wait_until(self.experiment.now() + *delay).await)
            }
        }
    }

    async fn wait_for_milestone(&self, process: &str, when: Milestone) -> Result<bool, String> {
        tokio::select! {
            reached = self.experiment.board.reached(process, when) => reached.map(|()| true),
            () = self.end.asked() => Ok(false),
        }
    }

    /// Sleeps until `time` on the experiment's clock; `false` if the run ended before.
    ///
    /// The runtime's timer has millisecond steps: the last two are slept by a thread, so that
    /// events happen within the machine's own wake-up latency of their time.
    async fn wait_until(&self, time: Time) -> bool {
        const COARSE: Duration = Duration::from_millis(2);
        let left = || time.since(self.experiment.now());
        let coarse = left().saturating_sub(COARSE);
        if coarse > Duration::ZERO {
            tokio::select! {
                () = tokio::time::sleep(coarse.into()) => {}
                () = self.end.asked() => return false,
            }
        }
        let rest = left();
        if rest > Duration::ZERO {
            // Only a panic in the closure could fail it.
            let _ = tokio::task::spawn_blocking(move || std::thread::sleep(rest.into())).await;
        }
        self.end.reason().is_none()
    }
}

async fn collect(tasks: &mut JoinSet<Result<(), String>>, outcome: &mut Outcome) {
    while let Some(task) = tasks.join_next().await {
        match task {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => outcome.failures.push(failure),
            Err(panic) => outcome.failures.push(format!("internal error: {panic}")),
        }
    }
}
