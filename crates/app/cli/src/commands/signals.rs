//! The signals of the contention monitor as a table, by CPU, node and device, with the nearest to
//! its limit first.

use std::fmt::Write;

use anyhow::Result;
use netloom_monitor::{SignalReport, Verdict, quantity};

use crate::table::table;

/// Most signals that are listed unless all are requested, and most parties for each that caused its
/// contention.
const LISTED: usize = 3;
const PARTIES: usize = 3;

/// Returns the signals of a run that goes on, and below them the number of those that are not
/// listed.
pub fn signals(verdict: &Verdict, all: bool) -> Result<String> {
    let listed = if all { usize::MAX } else { LISTED };
    let mut reports: Vec<&SignalReport> = verdict.signals.iter().collect();
    // Signals that are only measured have no margin.
    let margin = |report: &SignalReport| report.margin.unwrap_or(f64::INFINITY);
    reports.sort_by(|a, b| margin(a).total_cmp(&margin(b)));
    let mut rows = table(&["signal", "on", "worst", "limit", "margin", "contended", "through"]);
    for report in reports.iter().take(listed) {
        let value =
            |value: Option<f64>| value.map_or("-".into(), |value| quantity(report.signal, value));
        rows.add_row([
            report.signal.to_string(),
            report.on.to_string(),
            value(report.worst),
            value(report.threshold),
            report.margin.map_or("-".into(), |margin| format!("{:.0} %", margin * 100.0)),
            contended(report),
            through(report),
        ]);
    }
    let mut text = rows.to_string();
    if reports.len() > listed {
        let more = reports.len() - listed;
        let how = "`netloom inspect NAME --all` lists them";
        write!(text, "\n({more} more signals, none nearer to its limit: {how})")?;
    }
    Ok(text)
}

/// Returns how long and how often contention held.
pub fn contended(report: &SignalReport) -> String {
    match report.episodes.len() {
        0 => "no".into(),
        times => format!("{:.3} s, {times} times", report.held.as_secs_f64()),
    }
}

/// Returns the parties that caused most of the contention.
pub fn through(report: &SignalReport) -> String {
    let heaviest = report.shares.iter().take(PARTIES);
    let heaviest = heaviest.map(|share| format!("{} {:.0} %", share.who, share.share * 100.0));
    heaviest.collect::<Vec<_>>().join(", ")
}
