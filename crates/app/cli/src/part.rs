//! Measures over a part of a run, from the cumulative counters that it sampled. Percentiles are not
//! among them: samples have sums only.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_api::summary::Summary;
use netloom_columnar::{Cell, Stored};
use netloom_units::{Duration, Time};

use crate::exit;
use crate::measures::{Measure, Measured, all};
use crate::results;

/// A part of a run, in time since the network was ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Beginning of the part.
    pub from: Duration,
    /// End of the part. `None` means the end of the run.
    pub to: Option<Duration>,
}

impl Part {
    /// Measures that samples have.
    pub const MEASURES: [Measure; 4] =
        [Measure::Goodput, Measure::Loss, Measure::DelayMean, Measure::Load];
}

/// Returns all values of a part of a run. Its ends are those of the samples at or before its times.
///
/// # Errors
/// If the part is not within the run, has no samples, or they cannot be read.
pub fn measured(directory: &Path, summary: &Summary, part: Part) -> Result<Vec<Measured>> {
    let ended = summary.ended.since(Time::ZERO);
    let to = part.to.unwrap_or(ended);
    if part.from >= to {
        return Err(exit::usage(format!("nothing is between {} and {to}", part.from)));
    }
    if to > ended {
        return Err(exit::usage(format!(
            "{} is a run of {ended}: it has nothing at {to}",
            directory.display()
        )));
    }
    let ends = [part.from.as_nanos(), part.to.map_or(u64::MAX, Duration::as_nanos)];
    let mut values = Vec::new();
    for file in ["traffic.parquet", "flows.parquet"] {
        if directory.join(file).exists() {
            // Only senders that did something in an interval have a row for it, so the times of
            // rows do not show where the part begins and ends.
            let seconds = (file == "traffic.parquet").then(|| seconds(directory, part, ended));
            let rows = rows(&directory.join(file), FLOW, ends)?;
            values.extend(rows.iter().flat_map(|row| of_flow(row, seconds)));
        }
    }
    let pipes = rows(&directory.join("pipes.parquet"), PIPE, ends)?;
    if !pipes.is_empty() && pipes.iter().all(|row| row.sampled_seconds() == 0.0) {
        bail!(
            "{} has no two samples between {} and {to}: choose a longer part, or a shorter \
             `measure.interval`",
            directory.join("pipes.parquet").display(),
            part.from
        );
    }
    values.extend(pipes.iter().flat_map(of_pipe));
    Ok(values)
}

/// Returns the duration of a part in whole intervals of the traffic's samples, in seconds.
fn seconds(directory: &Path, part: Part, ended: Duration) -> f64 {
    let interval = results::scenario(directory).map(|run| run.measure.flow_interval().as_nanos());
    let whole = |time: Duration| match interval {
        Ok(interval) if interval > 0 => time.as_nanos() / interval * interval,
        _ => time.as_nanos(),
    };
    let to = part.to.map_or(ended.as_nanos(), whole);
    to.saturating_sub(whole(part.from)) as f64 / 1e9
}

/// Columns of flows: two names, then counters.
const FLOW: &[&str] =
    &["flow", "protocol", "received_bytes", "sent_packets", "received_packets", "delay_sum_ns"];

/// Columns of pipes: two names, then counters.
const PIPE: &[&str] = &[
    "link",
    "direction",
    "delivered_bytes",
    "offered_frames",
    "delivered_frames",
    "delay_sum_ns",
    "dropped_frames",
    "busy_ns",
    "lost_unmodelled_frames",
];

/// Counters at one time. `None` means that nobody counted.
#[derive(Debug, Clone, Copy, Default)]
struct Counters {
    time: u64,
    values: [Option<u64>; 7],
}

/// A flow or pipe at both ends of a part.
#[derive(Debug)]
struct Row {
    name: String,
    /// Protocol of a flow, or direction of a pipe.
    word: String,
    first: Counters,
    last: Counters,
}

impl Row {
    /// Returns the time between the samples at both ends.
    fn sampled_seconds(&self) -> f64 {
        self.last.time.saturating_sub(self.first.time) as f64 / 1e9
    }

    /// Returns the growth of a counter.
    fn growth(&self, place: usize) -> Option<f64> {
        let last = self.last.values[place]?;
        Some(last.saturating_sub(self.first.values[place].unwrap_or(0)) as f64)
    }
}

/// Reads what each flow or pipe had counted at two times, in the order of the file. Before the
/// first sample, nothing had been counted.
fn rows(file: &Path, columns: &[&str], [from, to]: [u64; 2]) -> Result<Vec<Row>> {
    let context = || format!("cannot use {}", file.display());
    let table = Stored::open(File::open(file).with_context(context)?).with_context(context)?;
    let names: Vec<&str> = std::iter::once("time_ns").chain(columns.iter().copied()).collect();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    let read = table.rows(&names, |cells| {
        let [Cell::Number(time), Cell::Name(name), Cell::Name(word), numbers @ ..] = cells else {
            return;
        };
        if *time > to {
            return;
        }
        let key = (name.to_string(), word.to_string());
        let place = *places.entry(key).or_insert_with(|| {
            let [first, last] = [Counters::default(); 2];
            rows.push(Row { name: name.to_string(), word: word.to_string(), first, last });
            rows.len() - 1
        });
        let mut counters = Counters { time: *time, ..Counters::default() };
        for (value, cell) in counters.values.iter_mut().zip(numbers) {
            *value = if let Cell::Number(number) = cell { Some(*number) } else { None };
        }
        rows[place].last = counters;
        if *time <= from {
            rows[place].first = counters;
        }
    });
    read.with_context(context)?;
    Ok(rows)
}

fn of_flow(row: &Row, seconds: Option<f64>) -> Vec<Measured> {
    let seconds = seconds.unwrap_or_else(|| row.sampled_seconds());
    let [bytes, sent, received, delay] = [0, 1, 2, 3].map(|place| row.growth(place));
    let mut values = Vec::new();
    values.extend(rate(bytes, seconds).map(|rate| (Measure::Goodput, rate)));
    if let (Some(sent), Some(received)) = (sent, received)
        && row.word != "tcp"
    {
        values.push((Measure::Loss, (sent - received).max(0.0) / sent.max(1.0)));
    }
    values.extend(mean(delay, received).map(|mean| (Measure::DelayMean, mean)));
    all(&format!("flow {}", row.name), values)
}

fn of_pipe(row: &Row) -> Vec<Measured> {
    let seconds = row.sampled_seconds();
    let [bytes, offered, delivered, delay, dropped, busy, lost] =
        [0, 1, 2, 3, 4, 5, 6].map(|place| row.growth(place));
    let mut values = Vec::new();
    values.extend(rate(bytes, seconds).map(|rate| (Measure::Goodput, rate)));
    let loss = offered.zip(dropped).map(|(offered, dropped)| dropped / offered.max(1.0));
    values.extend(loss.map(|loss| (Measure::Loss, loss)));
    let load = busy.filter(|_| seconds > 0.0).map(|busy| busy / 1e9 / seconds);
    values.extend(load.map(|load| (Measure::Load, load)));
    let released = delivered.map(|delivered| delivered + lost.unwrap_or(0.0));
    values.extend(mean(delay, released).map(|mean| (Measure::DelayMean, mean)));
    all(&format!("{}/{}", row.name, row.word), values)
}

fn rate(bytes: Option<f64>, seconds: f64) -> Option<f64> {
    bytes.filter(|_| seconds > 0.0).map(|bytes| bytes * 8.0 / seconds)
}

fn mean(sum: Option<f64>, count: Option<f64>) -> Option<f64> {
    let count = count.filter(|count| *count > 0.0)?;
    Some(sum? / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_columnar::{Kind, Parquet, Table};

    const SECOND: u64 = 1_000_000_000;

    /// A pipe that delivers 1000 bytes in its first second, then 2000 a second.
    fn write(file: &Path) {
        let names = std::iter::once("time_ns").chain(PIPE.iter().copied());
        let columns: Vec<_> = names
            .map(|name| match name {
                "link" | "direction" => (name, Kind::Name),
                _ => (name, Kind::Number),
            })
            .collect();
        let mut table = Parquet::new(File::create(file).unwrap(), "pipes", &columns).unwrap();
        for (second, bytes) in [(1, 1000), (2, 3000), (3, 5000)] {
            let mut row =
                vec![Cell::Number(second * SECOND), Cell::Name("l"), Cell::Name("forward")];
            let frames = bytes / 100;
            let busy = SECOND / 2 * second;
            row.extend([bytes, frames, frames, frames * 500, 0, busy, 0].map(Cell::Number));
            table.row(&row).unwrap();
        }
        Box::new(table).finish().unwrap();
    }

    #[test]
    fn counters_grow_between_the_ends_of_a_part() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pipes.parquet");
        write(&file);
        let values = |from: u64, to: u64| {
            let rows = rows(&file, PIPE, [from * SECOND, to * SECOND]).unwrap();
            assert_eq!(rows.len(), 1);
            of_pipe(&rows[0])
        };
        let of = |values: &[Measured], measure| {
            values.iter().find(|value| value.measure == measure).unwrap().value
        };
        let whole = values(0, 3);
        assert!((of(&whole, Measure::Goodput) - 5000.0 * 8.0 / 3.0).abs() < 1e-6);
        let part = values(1, 3);
        assert_eq!(of(&part, Measure::Goodput), 16_000.0);
        assert_eq!(of(&part, Measure::Load), 0.5);
        assert_eq!(of(&part, Measure::DelayMean), 500.0);
        assert_eq!(of(&part, Measure::Loss), 0.0);
        assert_eq!(part[0].what, "l/forward");
    }
}
