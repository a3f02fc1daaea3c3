//! The statistics of the last seconds, for people.

use comfy_table::Table;
use netloom_link::PipeStatistics;
use netloom_units::readable::{bit_rate, count, micros};

use crate::table::table;

/// Returns a row for each pipe, given by its name: received and delivered traffic, and delays. The
/// kernel carries direct links, which have no statistics of the last seconds.
pub fn recent_table<'a>(
    pipes: impl IntoIterator<Item = (String, Option<&'a PipeStatistics>)>,
) -> Table {
    let headings = [
        "pipe",
        "seconds",
        "offered",
        "frame",
        "delivered",
        "dropped",
        "lost",
        "marked",
        "busy",
        "queue mean",
        "seen",
        "fill",
        "max",
        "delay p50",
        "p99",
        "max",
    ];
    let mut rows = table(&headings);
    for (name, statistics) in pipes {
        let mut row = vec![name];
        match statistics {
            Some(statistics) => {
                row.extend(traffic(statistics));
                row.extend(times(statistics));
            }
            None => row.resize(headings.len(), "–".into()),
        }
        rows.add_row(row);
    }
    rows
}

fn traffic(statistics: &PipeStatistics) -> [String; 7] {
    let seconds = statistics.at.since(statistics.since).as_secs_f64();
    let rate = |bytes: u64| bit_rate(bytes as f64 * 8.0 / seconds.max(1e-9));
    [
        format!("{seconds:.2}"),
        rate(statistics.offered.bytes),
        or_nothing(statistics.frame_bytes_mean, |bytes| format!("{bytes:.0}B")),
        rate(statistics.delivered.bytes),
        count(statistics.dropped.total().frames),
        or_nothing(statistics.lost_percent, |percent| format!("{percent:.2}%")),
        count(statistics.marked.frames),
    ]
}

fn times(statistics: &PipeStatistics) -> [String; 8] {
    let delay = |nanos: Option<u64>| or_nothing(nanos, |ns| micros(ns as f64 / 1000.0));
    let delays = statistics.delay.as_ref();
    [
        format!("{:.1}%", 100.0 * statistics.load),
        format!("{:.1}", statistics.queue.mean_frames),
        or_nothing(statistics.queue.seen_mean_frames, |frames| format!("{frames:.1}")),
        or_nothing(statistics.queue.fill, |share| format!("{:.1}%", 100.0 * share)),
        count(statistics.queue.maximum.frames),
        delay(delays.map(|delays| delays.p50_ns)),
        delay(delays.map(|delays| delays.p99_ns)),
        delay(delays.map(|delays| delays.max_ns)),
    ]
}

/// Returns a value in words, or a dash if it has no meaning here.
fn or_nothing<T>(value: Option<T>, words: impl Fn(T) -> String) -> String {
    value.map_or("–".into(), words)
}
