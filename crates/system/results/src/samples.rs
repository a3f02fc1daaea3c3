//! Statistics of every pipe over time, as one Parquet file: a row for each pipe and sample. All
//! counters are cumulative since the network was up. For direct links, the cells of values that
//! only the model knows are empty. A sample waits until it is known whether its time is to be left
//! out.

use std::collections::VecDeque;
use std::fs::File;

use anyhow::{Context, Result};
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_columnar::{Cell, Column, GrowingParquet, Kind, Table, TableError};
use netloom_link::{AqmState, BackgroundStatistics, PipeStatistics};
use netloom_monitor::{Marks, Span};
use netloom_units::{Duration, Time};

/// A numeric column: its name, and the function that returns its value.
type NamedGetter<T, N> = (&'static str, fn(&T) -> N);

/// Columns of values that are known of every pipe.
const TRAFFIC: &[NamedGetter<PipeStatus, Option<u64>>] = &[
    ("offered_frames", |pipe| pipe.offered().map(|offered| offered.frames)),
    ("offered_bytes", |pipe| pipe.offered().map(|offered| offered.bytes)),
    ("delivered_frames", |pipe| pipe.delivered().map(|delivered| delivered.frames)),
    ("delivered_bytes", |pipe| pipe.delivered().map(|delivered| delivered.bytes)),
    ("dropped_frames", PipeStatus::dropped_frames),
];

/// Columns of values that only the model knows.
const MODELLED: &[NamedGetter<PipeStatistics, u64>] = &[
    ("lost_unmodelled_frames", |pipe| pipe.lost_unmodelled.frames),
    ("dropped_bytes", |pipe| pipe.dropped.total().bytes),
    ("queued_frames", |pipe| pipe.queue.now.frames),
    ("queued_bytes", |pipe| pipe.queue.now.bytes),
    ("busy_ns", |pipe| pipe.busy_ns),
    ("dropped_down_frames", |pipe| pipe.dropped.down.frames),
    ("dropped_mtu_frames", |pipe| pipe.dropped.mtu.frames),
    ("dropped_queue_full_frames", |pipe| pipe.dropped.queue_full.frames),
    ("dropped_aqm_frames", |pipe| pipe.dropped.aqm.frames),
    ("dropped_loss_frames", |pipe| pipe.dropped.loss.frames),
    ("dropped_bit_error_frames", |pipe| pipe.dropped.bit_error.frames),
    ("dropped_policed_frames", |pipe| pipe.dropped.policed.frames),
    ("dropped_receiver_mtu_frames", |pipe| pipe.dropped.receiver_mtu.frames),
    ("delay_sum_ns", delay_sum),
    ("queue_sum_ns", queue_sum),
    ("seen_sum_frames", seen_sum),
    ("marked_frames", |pipe| pipe.marked.frames),
];

/// Columns of a background, for pipes that have had one.
const BACKGROUND: &[NamedGetter<BackgroundStatistics, u64>] = &[
    ("background_offered_frames", |background| background.offered.frames),
    ("background_offered_bytes", |background| background.offered.bytes),
    ("background_delivered_frames", |background| background.delivered.frames),
    ("background_delivered_bytes", |background| background.delivered.bytes),
    ("background_dropped_frames", |background| background.dropped.frames),
    ("background_dropped_bytes", |background| background.dropped.bytes),
];

/// Columns of the state of active queue management, for pipes that have it.
const AQM: &[NamedGetter<AqmState, Option<u64>>] = &[
    ("aqm_probability_ppb", |aqm| aqm.probability.map(billionths)),
    ("aqm_coupled_ppb", |aqm| aqm.coupled.map(billionths)),
    ("aqm_average_milli", |aqm| aqm.average.map(|average| storable(average * 1e3))),
    ("aqm_count", |aqm| aqm.count.map(u64::from)),
];

fn billionths(probability: f64) -> u64 {
    storable(probability * 1e9)
}

/// Sum of the delays of all released frames, in ns: the mean, which has 53 bits, times their
/// number.
fn delay_sum(statistics: &PipeStatistics) -> u64 {
    let mean = statistics.delay.as_ref().map_or(0.0, |delay| delay.mean_ns);
    let released = statistics.delivered.frames + statistics.lost_unmodelled.frames;
    storable(mean * released as f64)
}

/// Integral of the number of waiting frames over time, in ns. Its growth over a time, divided by
/// that time, is the mean length of the queue.
fn queue_sum(statistics: &PipeStatistics) -> u64 {
    let elapsed = statistics.at.since(statistics.since).as_nanos();
    storable(statistics.queue.mean_frames * elapsed as f64)
}

/// Sum, over all offered frames, of the number of frames that waited then. Its growth divided by
/// that of `offered_frames` is the mean queue that frames found.
fn seen_sum(statistics: &PipeStatistics) -> u64 {
    let mean = statistics.queue.seen_mean_frames.unwrap_or_default();
    storable(mean * statistics.offered.frames as f64)
}

/// Limits a sum to the largest number that the file can hold: three hundred years of waiting.
fn storable(sum: f64) -> u64 {
    (sum.round() as u64).min(i64::MAX as u64)
}

/// Shortest and longest time between writes of samples. Between these limits, samples are written
/// whenever a run has become a tenth longer, because a file of many small pieces is slow to read.
const WRITTEN_EVERY: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(60));
/// Largest amount of samples that wait for a full disk, in bytes.
const MOST_PENDING: usize = 64 << 20;

/// The column that marks whether the time since the last sample is to be left out: 1, 0, or empty
/// if unknown.
const BAD: &str = "bad";
/// Largest number of samples that wait to be marked. A monitor that has no CPU for longer marks no
/// more.
const MOST_UNMARKED: usize = 64;

/// Writes samples to a Parquet file, which can be read at any time.
pub struct Sampler {
    table: Box<GrowingParquet>,
    /// Samples that have not been marked yet, the oldest first.
    unmarked: VecDeque<(Time, Vec<LinkStatus>)>,
    /// Time of the last marked sample.
    marked: Time,
    /// Time of the next write.
    next: Time,
    /// The reason why samples could not be written, and wait.
    refused: Option<String>,
    /// Number of missing samples, and the reason for the first of them.
    missing: Option<(u64, String)>,
}

impl Sampler {
    /// A sampler that writes to an empty file.
    pub fn new(file: File) -> Result<Self> {
        let mut columns: Vec<Column<'_>> =
            vec![("time_ns", Kind::Number), ("link", Kind::Name), ("direction", Kind::Name)];
        let counters = TRAFFIC.iter().map(|(name, _)| *name);
        let counters = counters.chain(MODELLED.iter().map(|(name, _)| *name));
        let counters = counters.chain(BACKGROUND.iter().map(|(name, _)| *name));
        let counters = counters.chain([BAD]).chain(AQM.iter().map(|(name, _)| *name));
        columns.extend(counters.map(|name| (name, Kind::MaybeNumber)));
        let table = GrowingParquet::new(file, "pipes", &columns).context("pipes.parquet")?;
        Ok(Self {
            table: Box::new(table),
            unmarked: VecDeque::new(),
            marked: Time::ZERO,
            next: Time::ZERO,
            refused: None,
            missing: None,
        })
    }

    /// Adds a sample of all links, taken at `time`, or the reason why there is none.
    pub fn add(&mut self, time: Time, links: Result<Vec<LinkStatus>>) {
        let added = match (links, &self.refused) {
            (Ok(_), Some(why)) if self.table.pending() > MOST_PENDING => Err(why.clone()),
            (Ok(links), _) => {
                self.unmarked.push_back((time, links));
                Ok(())
            }
            (Err(error), _) => Err(netloom_api::in_words(error.as_ref())),
        };
        if let Err(why) = added {
            self.lacks(why);
        }
        while self.unmarked.len() > MOST_UNMARKED {
            self.take_oldest(None);
        }
        if time >= self.next {
            let (most, least) = WRITTEN_EVERY;
            let tenth = Duration::from_nanos(time.as_nanos() / 10);
            self.next = time + tenth.clamp(most, least);
            self.refused = self.table.flush().err().map(|error| error.to_string());
        }
    }

    /// Marks samples, as far as marks are known now.
    pub fn mark(&mut self, marks: &Marks) {
        while self.unmarked.front().is_some_and(|(time, _)| *time <= marks.until) {
            self.take_oldest(Some(marks));
        }
    }

    /// Whether samples wait that were taken before `time`.
    pub fn has_unmarked(&self, time: Time) -> bool {
        self.unmarked.front().is_some_and(|(taken, _)| *taken <= time)
    }

    fn take_oldest(&mut self, marks: Option<&Marks>) {
        let Some((time, links)) = self.unmarked.pop_front() else { return };
        let since = Span { from: std::mem::replace(&mut self.marked, time), to: time };
        if let Err(error) = self.rows(since, &links, marks) {
            self.lacks(error.to_string());
        }
    }

    fn lacks(&mut self, why: String) {
        self.missing.get_or_insert((0, why)).0 += 1;
    }

    fn rows(
        &mut self,
        since: Span,
        links: &[LinkStatus],
        marks: Option<&Marks>,
    ) -> Result<(), TableError> {
        for link in links {
            for (direction, pipe) in [("forward", &link.forward), ("reverse", &link.reverse)] {
                let mut row = vec![
                    Cell::Number(since.to.as_nanos()),
                    Cell::Name(&link.name),
                    Cell::Name(direction),
                ];
                row.extend(TRAFFIC.iter().map(|(_, value)| Cell::from(value(pipe))));
                let modelled = pipe.modelled().map(|pipe| &pipe.statistics);
                row.extend(MODELLED.iter().map(|(_, value)| Cell::from(modelled.map(value))));
                let background = modelled.and_then(|modelled| modelled.background.as_ref());
                row.extend(BACKGROUND.iter().map(|(_, value)| Cell::from(background.map(value))));
                let name = format!("{}/{direction}", link.name);
                let bad = marks.filter(|_| modelled.is_some());
                row.push(Cell::from(bad.map(|marks| u64::from(marks.is_bad(&name, since)))));
                let aqm = modelled.and_then(|modelled| modelled.aqm.as_ref());
                row.extend(AQM.iter().map(|(_, value)| Cell::from(aqm.and_then(value))));
                self.table.row(&row)?;
            }
        }
        Ok(())
    }

    /// Writes all remaining samples, with the final marks of the run, or unmarked. Returns in words
    /// what is missing in the file, and why.
    pub fn finish(mut self, marks: Option<&Marks>) -> Vec<String> {
        while !self.unmarked.is_empty() {
            self.take_oldest(marks);
        }
        let refused = self
            .table
            .flush()
            .err()
            .map(|error| format!("pipes.parquet ends before the run: {error}"));
        let missing = self.missing.map(|(samples, why)| {
            format!("pipes.parquet is not complete: {samples} samples are missing: {why}")
        });
        refused.into_iter().chain(missing).collect()
    }
}
