//! The timeline and the processes of a run, from zero to the end.
//!
//! Every event and every process instance is a task of its own that waits for its start condition.
//! The times come from a separate thread (`clockwork`). The run ends when the scenario's duration
//! has passed; without a duration, when all events have happened and all foreground processes have
//! ended. It also ends when somebody asks for the end.

mod clockwork;
mod companions;
mod expect;
mod failure;
pub mod flows;
mod instance;
mod order;
mod parts;
mod shared;
mod timeline;
pub mod traffic;

use anyhow::Result;
use netloom_api::event::{EndReason, ExpectationStatus, TimelineStatus, What};
use netloom_api::launch::StartUp;
use netloom_api::member::Said;
use netloom_api::state::{ProcessState, ProcessStatus};
use netloom_monitor::{Observation, SignalKind};
use netloom_scenario::Expectation;
use tokio::task::JoinSet;

use crate::client::say;
use crate::traffic_file::TrafficRows;
use companions::await_traffic;
use expect::Shown;
use parts::Role;
pub use shared::{Context, Run};

/// The warning of a run in which nothing can happen.
const NOTHING_TO_DO: &str = "there was nothing to do: the scenario has no `duration`, `processes`, \
                             `traffic`, `timeline` or services; `netloom deploy` keeps its network \
                             up";

/// The outcome of a run.
#[derive(Default)]
pub struct RunOutcome {
    /// Failures, in words.
    pub failures: Vec<String>,
    /// The events of the timeline, in the order of the scenario.
    pub timeline: Vec<TimelineStatus>,
    /// The results of the scenario's traffic, if it has any.
    pub traffic: Option<TrafficRows>,
    /// The results of expectations, in the order of the scenario.
    pub expectations: Vec<ExpectationStatus>,
}

impl Run {
    /// Runs everything to its end. Ends early when somebody else asks for the end.
    pub async fn drive(self) -> RunOutcome {
        let deployment = self.network().deployment();
        let scenario = deployment.mine.scenario.clone();
        let is_here = |node: &str| deployment.is_here(node);
        let happenings = parts::happenings(&deployment);
        self.watch_timeline(happenings.len());
        let mut outcome = RunOutcome::default();
        let (mut events, mut followed) = (JoinSet::new(), JoinSet::new());
        let mut foreground = JoinSet::new();
        let mut background = JoinSet::new();
        for (number, event, role) in happenings {
            match role {
                Role::Acts => _ = events.spawn(timeline::happen(self.clone(), number, event)),
                Role::Follows => _ = followed.spawn(timeline::follow(self.clone(), event)),
            }
        }
        for process in scenario.processes.iter().cloned() {
            let tasks = if process.background { &mut background } else { &mut foreground };
            for node in process.nodes.iter().filter(|node| is_here(node)).cloned() {
                tasks.spawn(instance::live(self.clone(), process.clone(), node, None));
            }
        }
        for companion in self.network().companions() {
            foreground.spawn(await_traffic(self.clone(), companion));
        }
        let interval = scenario.measure.flow_interval();
        for entry in scenario.traffic.clone() {
            let to = if traffic::needs_receivers(&entry) { &entry.to[..] } else { &[] };
            for node in to.iter().filter(|node| is_here(node)) {
                let (run, entry) = (self.clone(), entry.clone());
                background.spawn(traffic::receive(run, entry, node.clone()));
            }
            for number in (0..entry.from.len()).filter(|number| is_here(&entry.from[*number])) {
                let tasks = if entry.background { &mut background } else { &mut foreground };
                let (run, entry) = (self.clone(), entry.clone());
                tasks.spawn(traffic::send(run, entry, number, scenario.seed));
            }
        }
        let has_work = !foreground.is_empty() || !events.is_empty();
        let has_services = scenario.nodes.iter().any(|node| !node.software.services.is_empty());
        let may_happen = has_work || !background.is_empty() || has_services;
        let is_alone = deployment.member.is_none();
        if !may_happen && scenario.duration.is_none() && !self.context.is_open_ended && is_alone {
            self.events().warn(NOTHING_TO_DO.into());
        }
        // Of several machines, the lead knows when all is done.
        let ends_by_itself = (has_work || !may_happen || !is_alone) && !self.context.is_open_ended;
        self.end_in_time(scenario.duration);
        outcome.collect_events(&mut events).await;
        outcome.collect(&mut foreground).await;
        outcome.collect(&mut followed).await;
        if scenario.duration.is_none() && ends_by_itself {
            match is_alone {
                true => self.end().ask(EndReason::Completed),
                false => say(&StartUp::Member(Said::Completed)),
            }
        }
        self.end().asked().await;
        outcome.collect(&mut background).await;
        if !scenario.traffic.is_empty() {
            let (rows, missing) = traffic::collect(&self, &scenario, interval);
            outcome.failures.extend(missing);
            outcome.traffic = Some(rows);
        }
        outcome.judge(&self, &scenario.expect);
        outcome
    }

    /// Reports to the monitor that the events of the timeline are watched, if there are any.
    fn watch_timeline(&self, events: usize) {
        if events > 0 {
            let (signal, probe) = (SignalKind::Timeline, "the run".into());
            let (cannot_see, partial) = (Vec::new(), false);
            self.observe(Observation::Watched { signal, probe, cannot_see, partial });
        }
    }

    /// Ends the run after `duration`, if it is set, and the clockwork with the run.
    fn end_in_time(&self, duration: Option<netloom_units::Duration>) {
        let run = self.clone();
        tokio::spawn(async move {
            if let Some(duration) = duration {
                let over = run.state().begun() + duration;
                tokio::select! {
                    _ = run.clockwork.wait(over) => run.end().ask(EndReason::Duration),
                    () = run.end().asked() => {}
                }
            }
            run.end().asked().await;
            run.clockwork.stop(run.now());
        });
    }
}

impl Run {
    /// Ends the run because something has failed, if it is to end then.
    fn fail_fast(&self) {
        if self.context.fail_fast {
            self.end().ask(EndReason::Failed);
        }
    }

    /// Judges the expectations of a process that has ended in a node, as events. Returns whether
    /// one has not come true. A process that has not ended is judged at the end of the run.
    fn judge_ended(&self, process: &str, node: &str) -> bool {
        let rows = self.state().process_table.rows();
        let row = rows.into_iter().find(|row| row.process == process && row.node == node);
        let Some(row) = row.filter(has_ended) else { return false };
        let judged = self.judge(&self.network().deployment().mine.scenario.expect, &row);
        let has_failed = judged.iter().any(|one| !one.met);
        self.events().record_all(judged.into_iter().map(|status| What::Expectation { status }));
        has_failed
    }

    /// Compares what a process has done with the expectations about it.
    fn judge(&self, expected: &[Expectation], row: &ProcessStatus) -> Vec<ExpectationStatus> {
        let (lives, outputs) = (self.lives(), self.outputs(&row.process, &row.node));
        let shown = Shown { state: &row.state, lives: &lives, outputs: &outputs };
        let of_row = expected.iter().filter(|expectation| {
            expectation.process == row.process && expectation.nodes.contains(&row.node)
        });
        of_row.map(|one| expect::judge(one, &row.node, &shown)).collect()
    }
}

/// Whether a process has ended by itself.
fn has_ended(row: &ProcessStatus) -> bool {
    matches!(row.state, ProcessState::Done { .. })
}

impl RunOutcome {
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

    /// Compares what processes did with the expectations.
    fn judge(&mut self, run: &Run, expected: &[Expectation]) {
        let ended_early = run.end().reason() == Some(EndReason::Failed);
        let deployment = run.network().deployment();
        let rows = run.state().process_table.rows().into_iter();
        for row in rows.filter(|row| deployment.is_here(&row.node)) {
            // A process that was ended because another one had failed proves nothing.
            if ended_early && !has_ended(&row) {
                continue;
            }
            let judged = run.judge(expected, &row);
            if !has_ended(&row) {
                let events = judged.iter().cloned();
                run.events().record_all(events.map(|status| What::Expectation { status }));
            }
            self.expectations.extend(judged);
        }
        let unmet = self.expectations.iter().filter(|expectation| !expectation.met);
        self.failures.extend(unmet.map(|unmet| {
            let ExpectationStatus { process, node, .. } = unmet;
            format!("{}; its output: processes/{process}@{node}.stdout", unmet.failure())
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
