//! The panes of the page, each a table of what the last two samples and the events say. Pure.
//!
//! | module | contents |
//! |---|---|
//! | `links` | links: load, rate and queue of both directions, drops |
//! | `nodes` | nodes: CPU, memory, processes; and processes and services |
//! | `flows` | flows of the scenario's traffic |
//! | `radio` | stations on shared media |
//! | `parts` | what all of them show, and how |

mod flows;
mod links;
mod nodes;
mod parts;
mod radio;

use netloom_monitor::{SignalReport, quantity};

use super::super::signals::{contended, through};
use super::grid::{Cell, Column, Grid, Key, Row};
use super::log::Log;
use super::sample::Sample;
pub use parts::Seen;
use parts::{figure, name, percent};

/// A pane of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// Links, the busiest first.
    Links,
    /// Nodes, the busiest first.
    Nodes,
    /// Flows of the scenario's traffic.
    Flows,
    /// Stations on shared media.
    Radio,
    /// Processes of the run, and services.
    Processes,
    /// Events, the newest first.
    Events,
    /// The verdict so far, and the signals that it rests on.
    Verdict,
}

impl Pane {
    /// All panes, in the order of their tabs.
    pub const ALL: [Self; 7] = [
        Self::Links,
        Self::Nodes,
        Self::Flows,
        Self::Radio,
        Self::Processes,
        Self::Events,
        Self::Verdict,
    ];

    /// Returns its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Links => "Links",
            Self::Nodes => "Nodes",
            Self::Flows => "Flows",
            Self::Radio => "Radio",
            Self::Processes => "Processes",
            Self::Events => "Events",
            Self::Verdict => "Verdict",
        }
    }

    /// Whether the experiment has something for it, or every experiment has.
    pub fn is_useful(self, sample: Option<&Sample>) -> bool {
        let has = |has: fn(&Sample) -> bool| sample.is_some_and(has);
        match self {
            Self::Flows => has(|of| !of.flows.is_empty()),
            Self::Radio => has(|of| !of.media.is_empty()),
            Self::Processes => {
                has(|of| !of.view.processes.is_empty() || !of.view.services.is_empty())
            }
            Self::Links | Self::Nodes | Self::Events | Self::Verdict => true,
        }
    }

    /// Returns its table.
    pub fn grid(self, seen: Seen<'_>) -> Grid {
        match self {
            Self::Links => links::grid(seen),
            Self::Nodes => nodes::grid(seen),
            Self::Flows => flows::grid(seen),
            Self::Radio => radio::grid(seen),
            Self::Processes => nodes::processes(seen),
            Self::Events => events(seen.log),
            Self::Verdict => signals(seen.now),
        }
    }
}

fn events(log: &Log) -> Grid {
    const COLUMNS: &[Column] = &[figure("time", 0), name("event", 0)];
    let rows = log.entries.iter().map(|entry| {
        let seconds = entry.time.as_secs_f64();
        let time = Cell::figure(Some(seconds), |time| format!("{time:.3} s"));
        let text = Cell { text: entry.text.clone(), ..Cell::default() }.in_tone(entry.tone);
        Row { cells: vec![time, text], keys: vec![Key::Number(seconds)] }
    });
    // Of events of one time, too, the newest is the first.
    Grid { columns: COLUMNS, orders: &["time"], rows: rows.rev().collect() }
}

fn signals(sample: Option<&Sample>) -> Grid {
    const COLUMNS: &[Column] = &[
        name("signal", 0),
        name("on", 0),
        figure("worst", 0),
        figure("limit", 1),
        figure("margin", 0),
        figure("contended", 2),
        name("through", 3),
    ];
    let reports = sample.iter().flat_map(|sample| &sample.view.verdict.signals);
    let row = |report: &SignalReport| {
        let value =
            |value: Option<f64>| Cell::figure(value, |value| quantity(report.signal, value));
        let cells = vec![
            Cell::text(&report.signal.to_string()),
            Cell::text(&report.on.to_string()),
            value(report.worst),
            value(report.threshold),
            Cell::figure(report.margin, percent),
            Cell::text(&contended(report)),
            Cell::text(&through(report)),
        ];
        // The nearest to its limit first; those without a limit last.
        let margin = report.margin.map_or(f64::NEG_INFINITY, |margin| -margin);
        let keys = vec![Key::Number(margin), Key::Text(report.signal.to_string())];
        Row { cells, keys }
    };
    Grid { columns: COLUMNS, orders: &["margin", "signal"], rows: reports.map(row).collect() }
}
