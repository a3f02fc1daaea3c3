//! How exactly the engine kept its schedule, and how exactly the machine allowed it to.

use maud::{Markup, html};
use netloom_api::timing::{LatencySummary, Timing};
use netloom_units::readable::{count, micros};

use super::table;

/// Returns a table of the engine's timing errors.
pub fn schedule(timing: &Timing) -> Markup {
    let rows = html! {
        (row("frames later than scheduled", &timing.lateness))
        (row("this machine's timer wake-up", &timing.timer_wakeup))
        (row("devices not looked at", &timing.unattended))
    };
    html! {
        section {
            h2 { "The engine's schedule" }
            (table(&["", "median", "p99", "p99.9", "max", "samples"], &rows))
            p { (lost(timing)) }
        }
    }
}

fn row(name: &str, latency: &LatencySummary) -> Markup {
    html! {
        tr {
            td { (name) }
            @for value in [latency.p50_us, latency.p99_us, latency.p999_us, latency.max_us] {
                td class="number" { (micros(value)) }
            }
            td class="number" { (count(latency.count)) }
        }
    }
}

fn lost(timing: &Timing) -> String {
    let causes: Vec<String> = timing
        .unmodelled_drops
        .iter()
        .filter(|(_, frames)| **frames > 0)
        .map(|(cause, frames)| format!("{cause} {}", count(*frames)))
        .collect();
    match causes.is_empty() {
        true => "Frames lost outside the model: none.".into(),
        false => format!("Frames lost outside the model: {}.", causes.join(", ")),
    }
}
