//! The page as a whole: its sections in order, its style, and the filter for all its text.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use netloom_api::simulation::SymbiosisSummary;
use netloom_units::Time;

use crate::chart::{TimeAxis, marks};
use crate::contended;
use crate::run::Run;
use crate::section;

/// The only style sheet. It contains no `<`, so it cannot end its element.
const STYLE: &str = include_str!("style.css");

/// Returns the report of a run as HTML text.
pub fn page(run: &Run) -> String {
    let verdict = run.summary.verdict.as_ref();
    let rows = verdict.map_or(Vec::new(), contended::rows);
    let time = TimeAxis::new(run.summary.ended);
    let left_out = verdict.into_iter().flat_map(contended::bad);
    let events = run.happened.timeline.iter().map(|(at, _): &(Time, String)| at);
    let summary = &run.summary;
    let body = html! {
        (marks(&time, left_out, events))
        main {
            (section::heading(run))
            (section::verdict(summary))
            @if let Some(verdict) = verdict { (section::strip(verdict, &rows, &time)) }
            (section::flows(run, &time))
            (section::expectations(&summary.expectations))
            (section::timeline(&run.happened))
            (section::machines(summary))
            (section::topology(run.scenario.as_ref(), summary))
            (section::links(run, &time))
            (section::radio(&run.radio, summary.ended))
            (section::metrics(&run.metrics, &time))
            (section::processes(run))
            (section::trouble(summary))
            @if let Some(verdict) = verdict { (section::contention(verdict, &rows)) }
            @if let Some(timing) = &summary.timing { (section::schedule(timing)) }
            @if let Some(followed) = followed(run) { (section::symbiosis(followed)) }
            (section::next(summary))
        }
    };
    let title = format!("Run of {}", run.summary.name);
    legal(&document(&title, &body).into_string())
}

/// Returns how pipes followed a simulation, if the run was symbiotic.
fn followed(run: &Run) -> Option<&SymbiosisSummary> {
    run.summary.simulation.as_ref()?.symbiosis.as_ref()
}

/// Returns a whole document.
pub(crate) fn document(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

/// Removes characters that HTML does not allow. Output of processes may contain any.
pub(crate) fn legal(text: &str) -> String {
    let illegal = |c: char| {
        let noncharacter = c as u32 & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c);
        (c.is_control() && !matches!(c, '\t' | '\n')) || noncharacter
    };
    text.replace(illegal, "\u{fffd}")
}
