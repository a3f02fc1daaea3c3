//! Metrics that applications in nodes reported: a curve for each metric and node.

use maud::{Markup, html};

use super::{more, table};
use crate::chart::{Line, PLAIN, Panel, TimeAxis, strip};
use crate::metrics::{Metrics, Series};

/// Largest number of metrics that are drawn; the table has all of them.
const DRAWN: usize = 20;

/// Classes of the curves of a metric, one for each node, which also limits their number.
pub const CLASSES: [&str; 6] =
    ["metric-1", "metric-2", "metric-3", "metric-4", "metric-5", "metric-6"];

/// Returns the section about metrics, if there are any.
pub fn metrics(metrics: &Metrics, time: &TimeAxis) -> Markup {
    let panels: Vec<Panel> = metrics
        .by_name()
        .filter_map(|(name, nodes)| {
            // Axes begin at 0.
            let drawable = |series: &&Series| series.least >= 0.0 && series.most > 0.0;
            let drawn = nodes.iter().filter(|(_, series)| drawable(series));
            let lines = drawn.zip(CLASSES).map(|((node, series), class)| Line {
                name: node.clone().into(),
                class,
                steps: metrics.steps(series),
            });
            let lines: Vec<Line> = lines.collect();
            let panel = Panel { title: name.clone().into(), units: PLAIN, nothing: 0.0, lines };
            (!panel.lines.is_empty()).then_some(panel)
        })
        .take(DRAWN)
        .collect();
    let rows = html! {
        @for (name, nodes) in metrics.by_name() {
            @for (node, series) in nodes { (row(name, node, series)) }
        }
    };
    html! {
        @if metrics.by_name().next().is_some() {
            section id="metrics" {
                h2 { "Metrics" }
                p class="note" {
                    "Values that programs in nodes reported; each holds until the next. Metrics \
                     with values below 0 have no curve, and of one metric the first \
                     " (CLASSES.len()) " nodes have one."
                }
                @if !panels.is_empty() {
                    figure { (strip(&panels, time, "metrics over time")) }
                }
                (table(&["metric", "node", "values", "least", "mean", "most", "last"], &rows))
                (more(metrics.more, "values of other metrics", "see metrics.jsonl"))
            }
        }
    }
}

fn row(name: &str, node: &str, series: &Series) -> Markup {
    html! {
        tr {
            td { (name) }
            td { (node) }
            td class="number" { (series.count) }
            @for value in [series.least, series.mean(), series.most, series.last] {
                td class="number" { (number(value)) }
            }
        }
    }
}

/// Formats a value with four significant digits, or as a whole number.
fn number(value: f64) -> String {
    if value.abs() >= 1000.0 || value == value.trunc() {
        return format!("{value:.0}");
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    format!("{value:.digits$}")
}
