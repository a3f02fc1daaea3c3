//! The board: the state of every process instance. Others wait here for a state.

use netloom_api::state::{ProcessState, ProcessStatus};
use netloom_scenario::{Milestone, Process};
use tokio::sync::watch;

/// The state of every process instance of a run.
pub struct ProcessTable {
    rows: watch::Sender<Vec<ProcessStatus>>,
}

impl ProcessTable {
    /// Makes a board on which every instance of `processes` is waiting.
    pub fn new<'p>(processes: impl IntoIterator<Item = &'p Process>) -> Self {
        let waiting = |process: &'p Process| {
            process.nodes.iter().map(|node| ProcessStatus {
                process: process.name.clone(),
                node: node.clone(),
                state: ProcessState::Waiting,
            })
        };
        Self { rows: watch::Sender::new(processes.into_iter().flat_map(waiting).collect()) }
    }

    /// Returns all rows, in the order of the scenario.
    pub fn rows(&self) -> Vec<ProcessStatus> {
        self.rows.borrow().clone()
    }

    /// Sets the state of one instance.
    pub fn set(&self, process: &str, node: &str, state: ProcessState) {
        self.rows.send_modify(|rows| {
            let row = rows.iter_mut().find(|row| row.process == process && row.node == node);
            if let Some(row) = row {
                row.state = state;
            }
        });
    }

    /// Waits until every instance of `process` has reached `milestone`.
    ///
    /// # Errors
    /// In words, if an instance will never reach it.
    pub async fn reached(&self, process: &str, milestone: Milestone) -> Result<(), String> {
        let mut rows = self.rows.subscribe();
        let mut outcome = Ok(());
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

/// Whether all instances have reached the milestone (`Ok`), one never will (`Err`), or neither is
/// decided yet (`None`).
fn verdict(
    rows: &[ProcessStatus],
    process: &str,
    milestone: Milestone,
) -> Option<Result<(), String>> {
    let mut all = true;
    for row in rows.iter().filter(|row| row.process == process) {
        match passed(&row.state, milestone) {
            Some(true) => {}
            Some(false) => {
                let milestone = in_words(milestone);
                return Some(Err(format!(
                    "`{process}` in `{}` will never be {milestone}",
                    row.node
                )));
            }
            None => all = false,
        }
    }
    all.then_some(Ok(()))
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
    use super::*;

    fn rows(states: &[ProcessState]) -> Vec<ProcessStatus> {
        let row = |state: &ProcessState| ProcessStatus {
            process: "server".into(),
            node: "a".into(),
            state: state.clone(),
        };
        states.iter().map(row).collect()
    }

    #[test]
    fn a_milestone_needs_every_instance() {
        let ready = ProcessState::Ready { pid: 1 };
        let started = ProcessState::Started { pid: 2 };
        let both = rows(&[ready.clone(), started.clone()]);
        assert_eq!(verdict(&both, "server", Milestone::Started), Some(Ok(())));
        assert_eq!(verdict(&both, "server", Milestone::Ready), None);
        let ended = rows(&[ready, ProcessState::Done { code: 0 }]);
        assert_eq!(verdict(&ended, "server", Milestone::Ready), Some(Ok(())));
        assert_eq!(verdict(&ended, "server", Milestone::Done), None);
    }

    #[test]
    fn a_milestone_that_cannot_come_is_an_error() {
        let failed = rows(&[ProcessState::Failed { reason: "not found".into() }]);
        let verdict = verdict(&failed, "server", Milestone::Ready).unwrap();
        assert_eq!(verdict.unwrap_err(), "`server` in `a` will never be ready");
    }
}
