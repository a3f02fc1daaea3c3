//! Statistics of every pipe over time, as one Parquet file: a row a pipe and sample, all counters
//! cumulative since the network was ready. Of direct links, the cells of what only the model knows
//! are empty.

use std::fs::File;

use anyhow::{Context, Result};
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_columnar::{Cell, Column, GrowingParquet, Kind, Table, TableError};
use netloom_link::PipeStatistics;
use netloom_units::{Duration, Time};

/// A numeric column: its name and where its value comes from.
type Source<T, N> = (&'static str, fn(&T) -> N);

/// The columns of what is known of every pipe.
const TRAFFIC: &[Source<PipeStatus, Option<u64>>] = &[
    ("offered_frames", |pipe| pipe.offered().map(|offered| offered.frames)),
    ("offered_bytes", |pipe| pipe.offered().map(|offered| offered.bytes)),
    ("delivered_frames", |pipe| pipe.delivered().map(|delivered| delivered.frames)),
    ("delivered_bytes", |pipe| pipe.delivered().map(|delivered| delivered.bytes)),
    ("dropped_frames", PipeStatus::dropped_frames),
];

/// The columns of what the model alone knows.
const MODELLED: &[Source<PipeStatistics, u64>] = &[
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
    ("delay_sum_ns", delay_sum),
    ("queue_sum_ns", queue_sum),
];

/// The delays of all released frames together, in ns: the mean, which has 53 bits, times their
/// number.
fn delay_sum(statistics: &PipeStatistics) -> u64 {
    let mean = statistics.delay.as_ref().map_or(0.0, |delay| delay.mean_ns);
    let released = statistics.delivered.frames + statistics.lost_unmodelled.frames;
    storable(mean * released as f64)
}

/// The frames that waited, each times the ns it did; its growth over a time is the mean length of
/// the queue in it.
fn queue_sum(statistics: &PipeStatistics) -> u64 {
    let elapsed = statistics.at.since(statistics.since).as_nanos();
    storable(statistics.queue.mean_frames * elapsed as f64)
}

/// The largest number that the file can hold is where a sum stays: three hundred years of waiting.
fn storable(sum: f64) -> u64 {
    (sum.round() as u64).min(i64::MAX as u64)
}

/// How often samples are written at most and at least; between these, whenever a run has become a
/// tenth longer: a file of many small pieces is slow to read.
const WRITTEN_EVERY: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(60));
/// How many bytes of samples wait for a disk that is full.
const MOST_PENDING: usize = 64 << 20;

/// Writes samples into a Parquet file, which can be read at any time.
pub struct Sampler {
    table: Box<GrowingParquet>,
    /// When samples are written next.
    next: Time,
    /// Why they could not be written, if they could not: they wait.
    refused: Option<String>,
    /// Samples that are missing, and why the first of them is.
    missing: Option<(u64, String)>,
}

impl Sampler {
    /// A sampler into an empty file.
    pub fn new(file: File) -> Result<Self> {
        let mut columns: Vec<Column<'_>> =
            vec![("time_ns", Kind::Number), ("link", Kind::Name), ("direction", Kind::Name)];
        let counters = TRAFFIC.iter().map(|(name, _)| *name);
        let counters = counters.chain(MODELLED.iter().map(|(name, _)| *name));
        columns.extend(counters.map(|name| (name, Kind::MaybeNumber)));
        let table = GrowingParquet::new(file, "pipes", &columns).context("pipes.parquet")?;
        Ok(Self { table: Box::new(table), next: Time::ZERO, refused: None, missing: None })
    }

    /// Adds a sample of all links, taken at `time`, or notes why there is none.
    pub fn add(&mut self, time: Time, links: Result<Vec<LinkStatus>>) {
        let added = match (links, &self.refused) {
            (Ok(_), Some(why)) if self.table.pending() > MOST_PENDING => Err(why.clone()),
            (Ok(links), _) => self.rows(time, &links).map_err(|error| error.to_string()),
            (Err(error), _) => Err(netloom_api::in_words(error.as_ref())),
        };
        if let Err(why) = added {
            self.missing.get_or_insert((0, why)).0 += 1;
        }
        if time >= self.next {
            let (most, least) = WRITTEN_EVERY;
            let tenth = Duration::from_nanos(time.as_nanos() / 10);
            self.next = time + tenth.clamp(most, least);
            self.refused = self.table.flush().err().map(|error| error.to_string());
        }
    }

    fn rows(&mut self, time: Time, links: &[LinkStatus]) -> Result<(), TableError> {
        for link in links {
            for (direction, pipe) in [("forward", &link.forward), ("reverse", &link.reverse)] {
                let mut row = vec![
                    Cell::Number(time.as_nanos()),
                    Cell::Name(&link.name),
                    Cell::Name(direction),
                ];
                row.extend(TRAFFIC.iter().map(|(_, value)| Cell::from(value(pipe))));
                let modelled = pipe.modelled().map(|pipe| &pipe.statistics);
                row.extend(MODELLED.iter().map(|(_, value)| Cell::from(modelled.map(value))));
                self.table.row(&row)?;
            }
        }
        Ok(())
    }

    /// Writes what is left; in words what is missing in the file, and why.
    pub fn finish(mut self) -> Vec<String> {
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
