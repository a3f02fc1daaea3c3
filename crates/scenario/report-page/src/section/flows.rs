//! The scenario's traffic: what came through, how long it took, and what was sent again.

use maud::{Markup, html};
use netloom_api::flow::FlowStatus;
use netloom_units::Time;

use super::{more, table};

/// Largest number of flows in the table.
const LISTED: usize = 200;

/// Returns the flows of a run that ended at `ended`.
pub fn flows(all: &[FlowStatus], ended: Time) -> Markup {
    let headings: Vec<&str> =
        ["flow", "from", "to"].into_iter().chain(FlowStatus::FIGURES).collect();
    let rows = html! { @for flow in all.iter().take(LISTED) { (row(flow, ended)) } };
    html! {
        @if !all.is_empty() {
            section id="flows" {
                h2 { "Traffic" }
                p class="note" {
                    "Goodput is what arrived, over the whole run. Delays are one way, but those of \
                     pings there and back."
                }
                (table(&headings, &rows))
                (more(all.len().saturating_sub(LISTED), "flows", "see summary.json"))
            }
        }
    }
}

fn row(flow: &FlowStatus, ended: Time) -> Markup {
    html! {
        tr {
            td class="what" { (flow.name) }
            td { (flow.from) }
            td { (flow.to) }
            @for figure in flow.figures(ended) { td class="number" { (figure) } }
        }
    }
}
