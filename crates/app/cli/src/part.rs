//! Measures over a part of a run, from the cumulative counters that it sampled. Percentiles are not
//! among them: samples have sums only.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_api::summary::Mode;
use netloom_api::summary::Summary;
use netloom_columnar::{Cell, Stored};
use netloom_monitor::Span;
use netloom_units::{Duration, Time};

use crate::exit;
use crate::results;
use netloom_sweep::{Measure, Measured, all};

/// A part of a run, in time since the network was ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Beginning of the part.
    pub from: Duration,
    /// End of the part. `None` means the end of the senders: after `duration`, or with the run.
    pub to: Option<Duration>,
    /// Whether times that the verdict marks as to be left out are no part of it.
    pub good: bool,
}

impl Part {
    /// Measures that samples have.
    pub const MEASURES: [Measure; 4] =
        [Measure::Goodput, Measure::Loss, Measure::DelayMean, Measure::Load];
}

/// Times of a run that are measured, in ns.
struct Times<'v> {
    from: u64,
    to: u64,
    left_out: &'v [Span],
}

impl Times<'_> {
    /// Whether what was counted between two samples counts. The second one is in the part.
    fn count(&self, from: u64, to: u64) -> bool {
        let is_bad = |span: &Span| from < span.to.as_nanos() && span.from.as_nanos() < to;
        self.from < to && to <= self.to && !self.left_out.iter().any(is_bad)
    }
}

/// The values of a part of a run.
pub struct Measurements {
    /// All values.
    pub values: Vec<Measured>,
    /// How much of the part is left out because the verdict marks it.
    pub left_out: Duration,
    /// End of the time that rates are of.
    pub to: Duration,
}

/// Returns when senders ended: after the scenario's `duration`, if the run went on for what was
/// under way; else at the end of the run.
fn senders_ended(directory: &Path, summary: &Summary) -> Duration {
    let ended = summary.ended.since(Time::ZERO);
    let duration = results::scenario(directory).ok().and_then(|scenario| scenario.duration);
    duration.map_or(ended, |duration| duration.min(ended))
}

/// Returns up to when samples are of the time before `to`, in ns: the machine takes them some ms
/// late.
fn last_sample(directory: &Path, to: Duration) -> u64 {
    let scenario = results::scenario(directory).ok();
    to.as_nanos() + scenario.map_or(0, |scenario| scenario.measure.interval.as_nanos()) / 10
}

/// Returns all values of a run. Rates and loads of pipes are those until its senders ended, if it
/// has samples: later, lines are idle.
///
/// # Errors
/// If samples cannot be read.
pub fn whole(directory: &Path, summary: &Summary) -> Result<Measurements> {
    let to = senders_ended(directory, summary);
    let mut values = netloom_sweep::measured(summary);
    let file = directory.join("pipes.parquet");
    if to < summary.ended.since(Time::ZERO) && file.exists() {
        let times = Times { from: 0, to: last_sample(directory, to), left_out: &[] };
        for row in rows(&file, PIPE, &times, None)?.iter().flat_map(of_pipe) {
            let is_it = |one: &&mut Measured| one.what == row.what && one.measure == row.measure;
            if let Measure::Goodput | Measure::Load = row.measure
                && let Some(one) = values.iter_mut().find(is_it)
            {
                one.value = row.value;
            }
        }
    }
    Ok(Measurements { values, left_out: Duration::ZERO, to })
}

/// Returns all values of a part of a run. Its ends are those of the samples at or before its times.
/// Without an end it ends when senders do.
///
/// # Errors
/// If the part is not within the run, has no samples, or they cannot be read; or if only its good
/// times are to count, and nobody judged the run.
pub fn measured(directory: &Path, summary: &Summary, part: Part) -> Result<Measurements> {
    let ended = summary.ended.since(Time::ZERO);
    let to = part.to.unwrap_or_else(|| senders_ended(directory, summary));
    if part.from >= to {
        return Err(exit::usage(format!("nothing is between {} and {to}", part.from)));
    }
    if to > ended {
        return Err(exit::usage(format!(
            "{} is a run of {ended}: it has nothing at {to}",
            directory.display()
        )));
    }
    let left_out = match (&summary.verdict, part.good) {
        (_, false) => &[][..],
        (Some(verdict), true) => &verdict.bad,
        (None, true) if summary.mode == Mode::Simulation => &[],
        (None, true) => {
            return Err(exit::usage(format!(
                "nobody judged {}, so its good times are not known",
                directory.display()
            )));
        }
    };
    let end = match part.to {
        Some(to) => to.as_nanos(),
        None if to == ended => u64::MAX,
        None => last_sample(directory, to),
    };
    let times = Times { from: part.from.as_nanos(), to: end, left_out };
    let mut values = Vec::new();
    for file in ["traffic.parquet", "flows.parquet"] {
        if directory.join(file).exists() {
            // Only senders that did something in an interval have a row for it, so a row is about
            // the interval before it, whatever came before.
            let interval = (file == "traffic.parquet").then(|| interval(directory)).flatten();
            let seconds = interval.map(|interval| seconds(&times, interval, to.as_nanos()));
            let rows = rows(&directory.join(file), FLOW, &times, interval)?;
            values.extend(rows.iter().flat_map(|row| of_flow(row, seconds)));
        }
    }
    let pipes = rows(&directory.join("pipes.parquet"), PIPE, &times, None)?;
    if !pipes.is_empty() && pipes.iter().all(|row| row.ns == 0) {
        let good = if part.good { " that are good" } else { "" };
        bail!(
            "{} has no two samples{good} between {} and {to}: choose a longer part, or a shorter \
             `measure.interval`",
            directory.join("pipes.parquet").display(),
            part.from
        );
    }
    values.extend(pipes.iter().flat_map(of_pipe));
    let clipped = left_out.iter().map(|span| {
        let [from, to] = [span.from, span.to].map(Time::as_nanos);
        to.min(times.to).saturating_sub(from.max(times.from))
    });
    Ok(Measurements { values, left_out: Duration::from_nanos(clipped.sum()), to })
}

/// Returns the interval of the traffic's samples in ns, if it is known.
fn interval(directory: &Path) -> Option<u64> {
    let scenario = results::scenario(directory).ok()?;
    Some(scenario.measure.flow_interval().as_nanos()).filter(|interval| *interval > 0)
}

/// Returns the duration of the whole intervals that count until `to`, in seconds.
fn seconds(times: &Times<'_>, interval: u64, to: u64) -> f64 {
    let ends = (1..=to / interval).map(|number| number * interval);
    let counted = ends.filter(|end| times.count(end - interval, *end)).count();
    counted as f64 * interval as f64 / 1e9
}

/// Columns of flows: two names, then counters.
const FLOW: &[&str] = &[
    "flow",
    "protocol",
    "received_bytes",
    "sent_packets",
    "received_packets",
    "delay_sum_ns",
    "refused_packets",
];

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

/// Counters. `None` means that nobody counted.
type Counters = [Option<u64>; 7];

/// What a flow or pipe counted in a part.
#[derive(Debug)]
struct Row {
    name: String,
    /// Protocol of a flow, or direction of a pipe.
    word: String,
    /// The last sample and its time, in the part or not.
    last: (u64, Counters),
    /// Growth of the counters in the part.
    growth: Counters,
    /// Time between the samples of the part, in ns.
    ns: u64,
}

impl Row {
    /// Takes the next sample. Before the first one, nothing had been counted.
    fn add(&mut self, time: u64, counters: Counters, times: &Times<'_>, interval: Option<u64>) {
        let (before, values) = std::mem::replace(&mut self.last, (time, counters));
        let from = interval.map_or(before, |interval| time.saturating_sub(interval));
        if !times.count(from, time) {
            return;
        }
        self.ns += time.saturating_sub(before);
        for ((sum, now), then) in self.growth.iter_mut().zip(counters).zip(values) {
            if let Some(now) = now {
                *sum.get_or_insert(0) += now.saturating_sub(then.unwrap_or(0));
            }
        }
    }

    /// Returns the time between the samples.
    fn sampled_seconds(&self) -> f64 {
        self.ns as f64 / 1e9
    }

    /// Returns the growth of a counter.
    fn growth(&self, place: usize) -> Option<f64> {
        self.growth[place].map(|growth| growth as f64)
    }
}

/// Reads what each flow or pipe counted in these times, in the order of the file. With `interval`,
/// a sample is about that time before it; without, about the time since the sample before.
fn rows(
    file: &Path,
    columns: &[&str],
    times: &Times<'_>,
    interval: Option<u64>,
) -> Result<Vec<Row>> {
    let context = || format!("cannot use {}", file.display());
    let table = Stored::open(File::open(file).with_context(context)?).with_context(context)?;
    let names: Vec<&str> = std::iter::once("time_ns").chain(columns.iter().copied()).collect();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    let read = table.rows(&names, |cells| {
        let [Cell::Number(time), Cell::Name(name), Cell::Name(word), numbers @ ..] = cells else {
            return;
        };
        let key = (name.to_string(), word.to_string());
        let place = *places.entry(key).or_insert_with(|| {
            let (name, word) = (name.to_string(), word.to_string());
            rows.push(Row { name, word, last: Default::default(), growth: [None; 7], ns: 0 });
            rows.len() - 1
        });
        let mut counters = Counters::default();
        for (value, cell) in counters.iter_mut().zip(numbers) {
            *value = if let Cell::Number(number) = cell { Some(*number) } else { None };
        }
        rows[place].add(*time, counters, times, interval);
    });
    read.with_context(context)?;
    Ok(rows)
}

fn of_flow(row: &Row, seconds: Option<f64>) -> Vec<Measured> {
    let seconds = seconds.unwrap_or_else(|| row.sampled_seconds());
    let [bytes, sent, received, delay, refused] = [0, 1, 2, 3, 4].map(|place| row.growth(place));
    let mut values = Vec::new();
    values.extend(rate(bytes, seconds).map(|rate| (Measure::Goodput, rate)));
    if let (Some(sent), Some(received)) = (sent, received)
        && row.word != "tcp"
    {
        let left = sent - refused.unwrap_or(0.0);
        values.push((Measure::Loss, (left - received).max(0.0) / left.max(1.0)));
    }
    // Nobody times the segments of TCP.
    let delay = delay.filter(|_| row.word != "tcp");
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
            let left_out = &[];
            let times = Times { from: from * SECOND, to: to * SECOND, left_out };
            let rows = rows(&file, PIPE, &times, None).unwrap();
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

    /// A third second in which the machine stood still is no part of the good times: neither its
    /// bytes nor its time.
    #[test]
    fn what_is_left_out_counts_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pipes.parquet");
        write(&file);
        let at = |ms: u64| Time::from_nanos(ms * SECOND / 1000);
        let goodput = |from: u64, to: u64| {
            let left_out = &[Span { from: at(from), to: at(to) }];
            let times = Times { from: 0, to: u64::MAX, left_out };
            let rows = rows(&file, PIPE, &times, None).unwrap();
            let rate = of_pipe(&rows[0]).into_iter().find(|one| one.measure == Measure::Goodput);
            (rate.map(|rate| rate.value), seconds(&times, SECOND, 3 * SECOND))
        };
        // 3000 bytes in two seconds; 2000 in the second and the third one; none in none.
        assert_eq!(goodput(2200, 2300), (Some(12_000.0), 2.0));
        assert_eq!(goodput(2000, 3000), (Some(12_000.0), 2.0));
        assert_eq!(goodput(0, 1000), (Some(16_000.0), 2.0));
        assert_eq!(goodput(500, 2001), (None, 0.0));
    }
}
