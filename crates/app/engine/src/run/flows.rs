//! How far the flows of a run's traffic are: what their processes answer, and have reported.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use netloom_api::flow::FlowStatus;
use netloom_api::state::ProcessState;
use netloom_gauge::generator::{ReceivedReport, SentReport, SoFar};

use super::shared::{is_traffic, outputs};
use super::traffic::{Reports, rows};
use crate::live::LiveNetwork;
use crate::process_table::ProcessTable;

/// Sums of the reports of processes that have ended, by the file of their output: a report has an
/// entry for each interval of the run.
#[derive(Default)]
pub struct Ended(Mutex<HashMap<PathBuf, SoFar>>);

/// Returns the flows that processes send, of which both ends have answered or reported. Asks
/// processes that still run how far they are, for the next call. `results` is the directory of the
/// run's results.
pub fn flows(
    network: &LiveNetwork,
    processes: &ProcessTable,
    results: &Path,
    ended: &Ended,
) -> Vec<FlowStatus> {
    let deployment = network.deployment();
    let scenario = &deployment.mine.scenario;
    if scenario.traffic.is_empty() {
        return Vec::new();
    }
    let mut ended = ended.0.lock().unwrap_or_else(PoisonError::into_inner);
    let mut reports = Now { results, ended: &mut ended };
    let interval = scenario.measure.flow_interval();
    let mut rows = rows(scenario, &deployment.around().plan, interval, &mut reports);
    // Sums are of no interval, so they do not say when the last bytes came.
    rows.wholes.values_mut().for_each(|whole| whole.time.1 = None);
    let flows = rows.flows();
    let running = processes.rows().into_iter();
    for row in running.filter(|row| is_traffic(&row.process) && deployment.is_here(&row.node)) {
        if let ProcessState::Started { pid } | ProcessState::Ready { pid } = row.state {
            network.signal(&row.node, pid, libc::SIGURG);
        }
    }
    flows
}

/// What processes have answered or reported by now.
struct Now<'r> {
    results: &'r Path,
    ended: &'r mut HashMap<PathBuf, SoFar>,
}

impl Now<'_> {
    /// Returns the sums of what a process has answered, or of what `report` finds in the line that
    /// it has printed at its end.
    fn so_far(
        &mut self,
        process: &str,
        node: &str,
        report: fn(&str) -> Option<SoFar>,
    ) -> Option<SoFar> {
        let [stdout, _] = outputs(self.results, process, node);
        if let Some(known) = self.ended.get(&stdout) {
            return Some(known.clone());
        }
        let text = fs::read_to_string(&stdout).ok()?;
        // It may be in the middle of its answer.
        let line = text.lines().last()?;
        SoFar::from_line(line).or_else(|| {
            let sums = report(line)?;
            self.ended.insert(stdout, sums.clone());
            Some(sums)
        })
    }
}

impl Reports for Now<'_> {
    fn sent(&mut self, process: &str, node: &str) -> Option<SentReport> {
        let report = |line: &str| {
            let report: SentReport = serde_json::from_str(line).ok()?;
            Some(SoFar::sent(&report.intervals, report.returned.as_ref()))
        };
        match self.so_far(process, node, report)? {
            SoFar::Sent(sent) => Some(*sent),
            SoFar::Received(_) => None,
        }
    }

    fn received(&mut self, process: &str, node: &str) -> Option<ReceivedReport> {
        let report = |line: &str| {
            let report: ReceivedReport = serde_json::from_str(line).ok()?;
            Some(SoFar::received(report.flows.iter().map(|(flow, of)| (*flow, of))))
        };
        match self.so_far(process, node, report)? {
            SoFar::Received(received) => Some(received),
            SoFar::Sent(_) => None,
        }
    }
}
