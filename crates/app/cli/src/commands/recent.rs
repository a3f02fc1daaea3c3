//! The statistics of the last seconds, for people.

use comfy_table::Table;
use netloom_api::state::LinkStatus;
use netloom_link::PipeStatistics;
use netloom_units::readable::{bit_rate, count, micros};

use crate::table::table;

/// A row for each pipe: what came, what went, how long it took.
pub fn recent_table(links: &[LinkStatus]) -> Table {
    let headings = [
        "pipe",
        "seconds",
        "offered",
        "delivered",
        "dropped",
        "marked",
        "busy",
        "queue mean",
        "max",
        "delay p50",
        "p99",
        "max",
    ];
    let mut rows = table(&headings);
    for (name, pipe) in links.iter().flat_map(LinkStatus::arrows) {
        let mut row = vec![name];
        match pipe.modelled().map(|pipe| &pipe.statistics) {
            Some(statistics) => {
                row.extend(traffic(statistics));
                row.extend(times(statistics));
            }
            // The kernel, which carries direct links, counts from the beginning only.
            None => row.resize(headings.len(), "–".into()),
        }
        rows.add_row(row);
    }
    rows
}

fn traffic(statistics: &PipeStatistics) -> [String; 5] {
    let seconds = statistics.at.since(statistics.since).as_secs_f64();
    let rate = |bytes: u64| bit_rate(bytes as f64 * 8.0 / seconds.max(1e-9));
    [
        format!("{seconds:.2}"),
        rate(statistics.offered.bytes),
        rate(statistics.delivered.bytes),
        count(statistics.dropped.total().frames),
        count(statistics.marked.frames),
    ]
}

fn times(statistics: &PipeStatistics) -> [String; 6] {
    let delay = |nanos: Option<u64>| nanos.map_or("–".into(), |ns| micros(ns as f64 / 1000.0));
    let delays = statistics.delay.as_ref();
    [
        format!("{:.1}%", 100.0 * statistics.load),
        format!("{:.1}", statistics.queue.mean_frames),
        count(statistics.queue.maximum.frames),
        delay(delays.map(|delays| delays.p50_ns)),
        delay(delays.map(|delays| delays.p99_ns)),
        delay(delays.map(|delays| delays.max_ns)),
    ]
}
