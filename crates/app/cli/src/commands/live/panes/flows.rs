//! Flows of the scenario's traffic, with the figures that the summary of a run has.

use std::collections::HashMap;

use netloom_api::flow::FlowStatus;
use netloom_units::readable::bit_rate;

use super::super::grid::{Cell, Column, Grid, Key, Row};
use super::super::sample::rate;
use super::parts::{Seen, figure, name, number};

/// The headings of the last columns, those of [`FlowStatus::figures`].
const FIGURES: [&str; 7] = FlowStatus::FIGURES;

const COLUMNS: &[Column] = &[
    name("flow", 0),
    name("from → to", 4),
    name("by", 3),
    figure("now", 0),
    figure(FIGURES[0], 1),
    figure(FIGURES[1], 0),
    figure(FIGURES[2], 8),
    figure(FIGURES[3], 5),
    figure(FIGURES[4], 6),
    figure(FIGURES[5], 2),
    figure(FIGURES[6], 7),
];

/// Returns the table.
pub fn grid(seen: Seen<'_>) -> Grid {
    let before = seen.before.iter().flat_map(|sample| &sample.flows);
    let before: HashMap<&str, &FlowStatus> =
        before.map(|flow| (flow.name.as_str(), flow)).collect();
    let rows = seen.now.iter().flat_map(|sample| {
        sample.flows.iter().map(|flow| {
            let old = before.get(flow.name.as_str()).map_or(0, |flow| flow.received.bytes);
            let grown = flow.received.bytes.saturating_sub(old);
            let now = rate(grown, seen.period());
            row(flow, now.filter(|_| flow.protocol != "ping"), flow.figures(sample.at()))
        })
    });
    let orders = &["now", "lost", "name"];
    Grid { columns: COLUMNS, orders, rows: rows.collect() }
}

fn row(flow: &FlowStatus, now: Option<f64>, figures: [String; 7]) -> Row {
    let mut cells = vec![
        Cell::text(&flow.name),
        Cell::text(&format!("{} → {}", flow.from, flow.to)),
        Cell::text(&flow.protocol),
        Cell::figure(now, bit_rate),
    ];
    cells.extend(figures.into_iter().map(|text| Cell { text, ..Cell::default() }));
    let lost = flow.lost().map(|lost| lost as f64);
    Row { cells, keys: vec![number(now), number(lost), Key::Text(flow.name.clone())] }
}
