//! Processes of the scenario: when they ran and how they ended.

use maud::{Markup, html};
use netloom_api::state::{ProcessState, ProcessStatus};

use super::{at, more, table};
use crate::happened::Life;
use crate::run::Run;

/// Largest number of processes that are listed.
const LISTED: usize = 200;

/// Returns a table of the processes, those that failed first.
pub fn processes(run: &Run) -> Markup {
    let mut processes: Vec<&ProcessStatus> = run.summary.processes.iter().collect();
    processes.sort_by_key(|process| !went_wrong(&process.state));
    let rows = html! {
        @for process in processes.iter().take(LISTED) {
            (row(process, run.happened.life_of(&process.process, &process.node)))
        }
    };
    html! {
        @if !processes.is_empty() {
            section {
                h2 { "Processes" }
                (table(&["process", "node", "started", "ended", "how"], &rows))
                (more(processes.len().saturating_sub(LISTED), "processes", "see summary.json"))
            }
        }
    }
}

fn row(process: &ProcessStatus, life: Life) -> Markup {
    let time = |time: Option<_>| time.map_or("–".into(), at);
    html! {
        tr class=[went_wrong(&process.state).then_some("wrong")] {
            td { (process.process) }
            td { (process.node) }
            td class="number" { (time(life.started)) }
            td class="number" { (time(life.ended)) }
            td {
                @if went_wrong(&process.state) { strong { (process.state) } }
                @else { (process.state) }
            }
        }
    }
}

/// Returns whether a process failed.
pub fn went_wrong(state: &ProcessState) -> bool {
    match state {
        ProcessState::Done { code } => *code != 0,
        ProcessState::Failed { .. } | ProcessState::NeverStarted => true,
        ProcessState::Waiting
        | ProcessState::Started { .. }
        | ProcessState::Ready { .. }
        | ProcessState::Stopped => false,
    }
}
