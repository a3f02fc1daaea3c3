//! The scenario's traffic: what came through, how long it took, and what was sent again.

use maud::{Markup, html};
use netloom_api::flow::FlowStatus;
use netloom_units::Time;

use super::metrics::CLASSES;
use super::{more, table};
use crate::chart::{DELAYS, Line, PACKETS, Panel, RATES, TimeAxis, Units, strip};
use crate::flow_curves::{DRAWN, FlowCurves, FlowSample};
use crate::run::Run;

/// Largest number of flows in the table.
const LISTED: usize = 200;

/// Returns the flows of a run.
pub fn flows(run: &Run, time: &TimeAxis) -> Markup {
    let (all, ended) = (&run.summary.flows, run.summary.ended);
    let headings: Vec<&str> =
        ["flow", "from", "to"].into_iter().chain(FlowStatus::FIGURES).collect();
    let rows = html! { @for flow in all.iter().take(LISTED) { (row(flow, ended)) } };
    let panels = run.flow_curves.as_ref().map_or(Vec::new(), panels);
    html! {
        @if !all.is_empty() {
            section id="flows" {
                h2 { "Traffic" }
                p class="note" {
                    "Goodput is the payload that arrived, over the whole run. Delays are one way, \
                     but those of pings there and back."
                    @if !panels.is_empty() && all.len() > DRAWN {
                        " The " (DRAWN) " flows that brought most have curves."
                    }
                }
                (table(&headings, &rows))
                (more(all.len().saturating_sub(LISTED), "flows", "see summary.json"))
                @if !panels.is_empty() { figure { (strip(&panels, time, "traffic over time")) } }
            }
        }
    }
}

/// Returns the panels that have something to show: a curve for each flow.
fn panels(curves: &FlowCurves) -> Vec<Panel> {
    type Value = fn(&FlowSample, &FlowSample, f64) -> Option<f64>;
    let kinds: [(&'static str, Units, Value); 4] = [
        ("goodput", RATES, |a, b, ns| {
            Some(b.received_bytes.saturating_sub(a.received_bytes) as f64 * 8e9 / ns)
        }),
        ("mean delay", DELAYS, |a, b, _| {
            let packets = b.received_packets.saturating_sub(a.received_packets);
            let delays = b.delay_sum_ns.saturating_sub(a.delay_sum_ns);
            (packets > 0).then(|| delays as f64 / packets as f64)
        }),
        ("round-trip time of TCP", DELAYS, |_, b, _| b.srtt_ns.map(|ns| ns as f64)),
        ("congestion window", PACKETS, |_, b, _| b.cwnd.map(|packets| packets as f64)),
    ];
    let panel = |(title, units, value): (&'static str, Units, Value)| {
        let lines = curves.all().zip(CLASSES).map(|((name, curve), class)| Line {
            name: name.to_owned().into(),
            class,
            steps: curve.steps(value),
        });
        let lines = lines.filter(|line| line.steps.iter().any(|step| step.mean > 0.0)).collect();
        Panel { title: title.into(), units, nothing: 0.0, lines }
    };
    kinds.into_iter().map(panel).filter(|panel| !panel.lines.is_empty()).collect()
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
