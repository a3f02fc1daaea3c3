//! Observations of the monitor: times of contention for each signal, how near each came to its
//! threshold and which parties caused that, gaps of observation, and the cost of monitoring.

use maud::{Markup, html};
use netloom_monitor::{Coverage, Share, Verdict, quantity};
use netloom_units::readable::counted;

use super::{more, table};
use crate::chart::{TimeAxis, bar, lanes};
use crate::contended::{self, Band, Grade, Row};

/// Largest number of signals in the table.
const LISTED: usize = 60;

/// Largest number of parties that are named for a signal.
const PARTIES: usize = 4;

/// Returns the machine's contention over time, if there was any. `rows` are those of the verdict.
pub fn strip(verdict: &Verdict, rows: &[Row<'_>], time: &TimeAxis) -> Markup {
    let lettered: Vec<&Row<'_>> = rows.iter().filter(|row| row.letter.is_some()).collect();
    let left_out: Vec<Band> = contended::bad(verdict).collect();
    html! {
        @if !lettered.is_empty() || !left_out.is_empty() {
            section id="contended" {
                h2 { "The machine over time" }
                p class="note" {
                    (key()) br;
                    "Contention explains what frames and programs suffered; the verdict is on \
                     that. "
                    a href="#contention" { "All signals" } " are further down."
                }
                figure { (lanes(&left_out, &lettered, time)) }
            }
        }
    }
}

/// Returns all signals of a run with a verdict. `rows` are those of the verdict.
pub fn contention(verdict: &Verdict, rows: &[Row<'_>]) -> Markup {
    let contended = rows.iter().filter(|row| row.grade.is_some()).count();
    html! {
        section id="contention" {
            h2 { "Contention" }
            p {
                @if contended == 0 { "Nothing that was watched was contended." }
                @else { (counted(contended, "signal")) " of " (rows.len()) " were contended." }
            }
            details {
                summary { "All signals, and what was watched" }
                p class="note" {
                    "The margin is how far the worst stayed below the threshold, as a part of it: \
                     100 % is untouched, below 0 % is contended."
                }
                (signals(rows))
                h3 { "What was watched" }
                (table(&["signal", "by", "not seen"], &html! {
                    @for coverage in &verdict.coverage { (watched(coverage)) }
                }))
                p { (overhead(verdict)) }
            }
        }
    }
}

/// Explains the hatchings.
fn key() -> Markup {
    html! {
        @for grade in Grade::ALL.into_iter().rev() {
            svg class="swatch" viewBox="0 0 24 12" width="24" height="12" aria-hidden="true" {
                rect class={ "band " (grade.class()) } width="24" height="12" {}
            }
            " " (grade.name()) "  "
        }
    }
}

fn signals(rows: &[Row<'_>]) -> Markup {
    let headings = ["", "signal", "threshold", "worst", "margin", "contended", "through whom"];
    html! {
        (table(&headings, &html! { @for row in rows.iter().take(LISTED) { (signal(row)) } }))
        (more(
            rows.len().saturating_sub(LISTED),
            "signals, none nearer to its threshold",
            "see summary.json",
        ))
    }
}

fn signal(row: &Row<'_>) -> Markup {
    let report = row.report;
    let value =
        |value: Option<f64>| value.map_or("–".into(), |value| quantity(report.signal, value));
    let margin = report.margin.map_or("–".into(), |margin| format!("{:.0} %", margin * 100.0));
    html! {
        tr class=[row.grade.map(Grade::class)] {
            td { @if let Some(letter) = row.letter { strong { (letter) } } }
            td class="what" { (report.signal) " on " (report.on) (of_machine(&report.machine)) }
            td class="number" { (value(report.threshold)) }
            td class="number" { (value(report.worst)) }
            td class="number" { (margin) }
            td {
                @match row.grade {
                    Some(grade) => {
                        (counted(report.episodes.len(), "time")) ", "
                        (format!("{:.3} s", report.held.as_secs_f64())) ": " (grade.name())
                    },
                    None => "no",
                }
            }
            td { (shares(&report.shares)) }
        }
    }
}

/// Names the machine, if there are several.
fn of_machine(machine: &Option<String>) -> Markup {
    html! { @if let Some(machine) = machine { " of machine " (machine) } }
}

fn shares(shares: &[Share]) -> Markup {
    let (named, others) = shares.split_at(shares.len().min(PARTIES));
    let rest: f64 = others.iter().map(|share| share.share).sum();
    let part = |share: f64, who: &dyn std::fmt::Display| {
        html! { div { (bar(share)) " " (format!("{:.0} %", share * 100.0)) " " (who) } }
    };
    html! {
        @for share in named { (part(share.share, &share.who)) }
        @if !others.is_empty() { (part(rest, &"others")) }
    }
}

fn watched(coverage: &Coverage) -> Markup {
    html! {
        tr {
            td class="word" { (coverage.signal) (of_machine(&coverage.machine)) }
            td {
                @if coverage.observed { (coverage.probes.join(", ")) }
                @else { strong { "nothing" } }
            }
            td {
                @if coverage.blind_spots.is_empty() { "–" }
                @else { ul { @for spot in &coverage.blind_spots { li { (spot) } } } }
                @if let Some(threshold) = &coverage.threshold { p { "threshold: " (threshold) } }
            }
        }
    }
}

fn overhead(verdict: &Verdict) -> String {
    let overhead = &verdict.overhead;
    format!(
        "Watching took {:.2} % of one CPU: {:.1} ms in probes and criteria and {:.1} ms in \
         telling, in {:.2} s.",
        overhead.share * 100.0,
        overhead.monitoring_ns as f64 / 1e6,
        overhead.notification_ns as f64 / 1e6,
        verdict.to.since(verdict.from).as_secs_f64(),
    )
}
