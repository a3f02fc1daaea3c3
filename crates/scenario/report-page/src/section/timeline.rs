//! Events of the timeline and of requests. Their numbers are those of the ticks in the charts.

use maud::{Markup, html};

use super::{at, more, table};
use crate::happened::Happened;

/// Returns a table of the events.
pub fn timeline(happened: &Happened) -> Markup {
    let rows = html! {
        @for (number, (time, what)) in (1..).zip(&happened.timeline) {
            tr { td class="number" { (number) } td class="number" { (at(*time)) } td { (what) } }
        }
    };
    html! {
        @if !happened.timeline.is_empty() {
            section {
                h2 { "Timeline" }
                (table(&["", "time", "what happened"], &rows))
                (more(happened.more, "events", "see events.jsonl"))
            }
        }
    }
}
