//! The board: the state of every process instance. Others wait here for a state.

use netloom_api::state::{ProcessState, ProcessStatus};
use netloom_scenario::{Milestone, Process};
use netloom_units::Time;
use tokio::sync::watch;

/// The state of every process instance of a run.
pub struct ProcessTable {
    rows: watch::Sender<Vec<Row>>,
}

/// An instance, and when it first passed each milestone.
struct Row {
    status: ProcessStatus,
    passed: [Option<Time>; 3],
}

impl ProcessTable {
    /// Makes a board on which every instance of `processes` is waiting.
    pub fn new<'p>(processes: impl IntoIterator<Item = &'p Process>) -> Self {
        let waiting = |process: &'p Process| {
            process.nodes.iter().map(|node| Row {
                status: ProcessStatus {
                    process: process.name.clone(),
                    node: node.clone(),
                    state: ProcessState::Waiting,
                },
                passed: [None; 3],
            })
        };
        Self { rows: watch::Sender::new(processes.into_iter().flat_map(waiting).collect()) }
    }

    /// Returns all rows, in the order of the scenario.
    pub fn rows(&self) -> Vec<ProcessStatus> {
        self.rows.borrow().iter().map(|row| row.status.clone()).collect()
    }

    /// Sets the state of one instance, which it has had since `at`.
    pub fn set(&self, process: &str, node: &str, state: ProcessState, at: Time) {
        self.rows.send_modify(|rows| {
            let is_row = |row: &&mut Row| row.status.process == process && row.status.node == node;
            let Some(row) = rows.iter_mut().find(is_row) else { return };
            for milestone in [Milestone::Started, Milestone::Ready, Milestone::Done] {
                if passed(&state, milestone) == Some(true) {
                    row.passed[milestone as usize].get_or_insert(at);
                }
            }
            row.status.state = state;
        });
    }

    /// Waits until every instance of `process` has reached `milestone`. Returns when the last one
    /// did, however late the caller hears of it.
    ///
    /// # Errors
    /// In words, if an instance will never reach it.
    pub async fn reached(&self, process: &str, milestone: Milestone) -> Result<Time, String> {
        let mut rows = self.rows.subscribe();
        let mut outcome = Ok(Time::ZERO);
        // The sender lives as long as `self`: waiting cannot fail.
        let _ = rows
            .wait_for(|rows| match verdict(rows, process, milestone) {
                Some(verdict) => {
                    outcome = verdict;
                    true
                }
                None => false,
            })
            .await;
        outcome
    }
}

/// Returns a milestone as the end of a sentence.
pub fn in_words(milestone: Milestone) -> &'static str {
    match milestone {
        Milestone::Started => "started",
        Milestone::Ready => "ready",
        Milestone::Done => "done",
    }
}

/// Whether all instances have reached the milestone (`Ok`, with the time), one never will (`Err`),
/// or neither is decided yet (`None`).
fn verdict(rows: &[Row], process: &str, milestone: Milestone) -> Option<Result<Time, String>> {
    let (mut all, mut last) = (true, Time::ZERO);
    for Row { status, passed: times } in rows.iter().filter(|row| row.status.process == process) {
        match passed(&status.state, milestone) {
            Some(true) => last = last.max(times[milestone as usize].unwrap_or_default()),
            Some(false) => {
                let milestone = in_words(milestone);
                return Some(Err(format!(
                    "`{process}` in `{}` will never be {milestone}",
                    status.node
                )));
            }
            None => all = false,
        }
    }
    all.then_some(Ok(last))
}

/// Whether a state is past the milestone (`Some(true)`), can no longer reach it (`Some(false)`), or
/// is before it.
fn passed(state: &ProcessState, milestone: Milestone) -> Option<bool> {
    match (state, milestone) {
        (ProcessState::Waiting, _) => None,
        (ProcessState::Started { .. }, Milestone::Started) => Some(true),
        (ProcessState::Started { .. }, _) => None,
        (ProcessState::Ready { .. }, Milestone::Done) => None,
        (ProcessState::Ready { .. } | ProcessState::Done { .. }, _) => Some(true),
        (ProcessState::Failed { .. } | ProcessState::NeverStarted | ProcessState::Stopped, _) => {
            Some(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use netloom_scenario::{Command, Start};
    use netloom_units::Duration;

    use super::*;

    fn rows(states: &[ProcessState]) -> Vec<Row> {
        let row = |state: &ProcessState| Row {
            status: ProcessStatus {
                process: "server".into(),
                node: "a".into(),
                state: state.clone(),
            },
            passed: [Some(Time::from_nanos(1)); 3],
        };
        states.iter().map(row).collect()
    }

    #[test]
    fn a_milestone_needs_every_instance() {
        let ready = ProcessState::Ready { pid: 1 };
        let started = ProcessState::Started { pid: 2 };
        let both = rows(&[ready.clone(), started.clone()]);
        assert_eq!(verdict(&both, "server", Milestone::Started), Some(Ok(Time::from_nanos(1))));
        assert_eq!(verdict(&both, "server", Milestone::Ready), None);
        let ended = rows(&[ready, ProcessState::Done { code: 0 }]);
        assert_eq!(verdict(&ended, "server", Milestone::Ready), Some(Ok(Time::from_nanos(1))));
        assert_eq!(verdict(&ended, "server", Milestone::Done), None);
    }

    #[test]
    fn a_milestone_that_cannot_come_is_an_error() {
        let failed = rows(&[ProcessState::Failed { reason: "not found".into() }]);
        let verdict = verdict(&failed, "server", Milestone::Ready).unwrap();
        assert_eq!(verdict.unwrap_err(), "`server` in `a` will never be ready");
    }

    #[tokio::test]
    async fn a_milestone_was_reached_when_it_happened_not_when_it_is_heard_of() {
        let process = Process {
            name: "server".into(),
            nodes: vec!["a".into(), "b".into()],
            command: Command::Exec(vec!["true".into()]),
            env: BTreeMap::new(),
            start: Start::At(Duration::ZERO),
            ready: None,
            background: false,
            keep: Vec::new(),
        };
        let table = ProcessTable::new([&process]);
        let at = Time::from_nanos;
        table.set("server", "a", ProcessState::Started { pid: 1 }, at(10));
        table.set("server", "b", ProcessState::Started { pid: 2 }, at(30));
        table.set("server", "b", ProcessState::Done { code: 0 }, at(50));
        table.set("server", "a", ProcessState::Ready { pid: 1 }, at(40));
        assert_eq!(table.reached("server", Milestone::Started).await, Ok(at(30)));
        assert_eq!(table.reached("server", Milestone::Ready).await, Ok(at(50)));
    }
}
