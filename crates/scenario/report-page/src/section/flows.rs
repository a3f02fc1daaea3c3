//! The scenario's traffic: what came through, how long it took, and what was sent again.

use maud::{Markup, html};
use netloom_api::flow::FlowStatus;
use netloom_units::Time;
use netloom_units::readable::{bit_rate, count};

use super::{more, table};

/// Largest number of flows in the table.
const LISTED: usize = 200;

/// Returns the flows of a run that ended at `ended`.
pub fn flows(all: &[FlowStatus], ended: Time) -> Markup {
    let headings = ["flow", "from", "to", "goodput", "lost", "p50", "p99", "again", "marked"];
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
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let cells = [
        or_none(flow.goodput(ended).map(bit_rate)),
        or_none(flow.lost().map(count)),
        or_none(flow.delay.map(|delay| millis(delay.p50_ns))),
        or_none(flow.delay.map(|delay| millis(delay.p99_ns))),
        or_none(flow.tcp.map(|tcp| count(tcp.retransmitted))),
        or_none(flow.tcp.map(|tcp| count(tcp.marked))),
    ];
    html! {
        tr {
            td class="what" { (flow.name) }
            td { (flow.from) }
            td { (flow.to) }
            @for cell in cells { td class="number" { (cell) } }
        }
    }
}

fn millis(nanos: u64) -> String {
    format!("{:.2} ms", nanos as f64 / 1e6)
}
