//! The machines of a run on several of them: how well their clocks are known, and what each did to
//! the verdict.

use maud::{Markup, html};
use netloom_api::summary::{MachineSummary, Summary};
use netloom_units::readable::micros;

use super::{at, table};

const HEADINGS: [&str; 7] =
    ["machine", "nodes", "kernel", "profile", "clock", "stood still", "verdict's part"];

/// Returns the table of machines, if there are several.
pub fn machines(summary: &Summary) -> Markup {
    html! {
        @if !summary.machines.is_empty() {
            section id="machines" {
                h2 { "Machines" }
                p class="note" {
                    "Times of this page are those of the first machine's clock. The others are \
                     known within the bound."
                }
                (table(&HEADINGS, &html! { @for one in &summary.machines { (row(summary, one)) } }))
            }
        }
    }
}

fn row(summary: &Summary, machine: &MachineSummary) -> Markup {
    let name = &machine.name;
    let nodes = summary.placement.values().filter(|own| *own == name).count();
    let verdict = summary.verdict.as_ref();
    let stood = verdict.and_then(|verdict| {
        let bound = verdict.bound.machines.iter().find(|bound| bound.machine == *name)?;
        Some(format!("{:.2} %", bound.engine.share * 100.0))
    });
    let findings = verdict.into_iter().flat_map(|verdict| &verdict.findings);
    let own = findings.filter(|finding| finding.machine.as_ref() == Some(name));
    let gravest = own.map(|finding| finding.judgement).max().unwrap_or_default();
    html! {
        tr {
            td { (name) }
            td class="number" { (nodes) }
            td { (machine.kernel.as_deref().unwrap_or("–")) }
            td { (machine.profile.as_deref().unwrap_or("–")) }
            td { (clock(machine)) }
            td class="number" { (stood.unwrap_or("–".into())) }
            td {
                @if verdict.is_some() { (gravest) } @else { "–" }
                @if let Some(lost) = machine.lost { ", lost at " (at(lost)) }
            }
        }
    }
}

fn clock(machine: &MachineSummary) -> String {
    let clock = &machine.clock;
    format!(
        "{} ± {}, drift {:.3} ppm",
        micros(clock.offset_ns as f64 / 1e3),
        micros(clock.bound.as_nanos() as f64 / 1e3),
        clock.drift_ppb as f64 / 1e3,
    )
}
