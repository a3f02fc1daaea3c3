//! Statistics of every pipe over time, as one Parquet file: a row a pipe and sample, all counters
//! cumulative since the network was ready.

use std::fs::File;

use anyhow::{Context, Result};
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_link::PipeStatistics;
use netloom_tables::{Cell, Column, Kind, Parquet, Table};
use netloom_units::Time;

/// A numeric column: its name and where its value comes from.
type Source = (&'static str, fn(&PipeStatus) -> u64);

/// The columns beside time, link and direction.
const COUNTERS: &[Source] = &[
    ("offered_frames", |pipe| pipe.statistics.offered.frames),
    ("offered_bytes", |pipe| pipe.statistics.offered.bytes),
    ("delivered_frames", |pipe| pipe.statistics.delivered.frames),
    ("delivered_bytes", |pipe| pipe.statistics.delivered.bytes),
    ("dropped_frames", |pipe| pipe.statistics.dropped.total().frames),
    ("dropped_bytes", |pipe| pipe.statistics.dropped.total().bytes),
    ("queued_frames", |pipe| pipe.statistics.queue.now.frames),
    ("queued_bytes", |pipe| pipe.statistics.queue.now.bytes),
    ("busy_ns", |pipe| pipe.statistics.busy_ns),
    ("dropped_down_frames", |pipe| pipe.statistics.dropped.down.frames),
    ("dropped_mtu_frames", |pipe| pipe.statistics.dropped.mtu.frames),
    ("dropped_queue_full_frames", |pipe| pipe.statistics.dropped.queue_full.frames),
    ("dropped_aqm_frames", |pipe| pipe.statistics.dropped.aqm.frames),
    ("dropped_loss_frames", |pipe| pipe.statistics.dropped.loss.frames),
    ("dropped_bit_error_frames", |pipe| pipe.statistics.dropped.bit_error.frames),
    ("delay_sum_ns", |pipe| delay_sum(&pipe.statistics)),
    ("queue_sum_ns", |pipe| queue_sum(&pipe.statistics)),
];

/// The delays of all delivered frames together, in ns: the mean, which has 53 bits, times their number.
fn delay_sum(statistics: &PipeStatistics) -> u64 {
    let mean = statistics.delay.as_ref().map_or(0.0, |delay| delay.mean_ns);
    storable(mean * statistics.delivered.frames as f64)
}

/// The frames that waited, each times the ns it did; its growth over a time is the mean length of the
/// queue in it.
fn queue_sum(statistics: &PipeStatistics) -> u64 {
    let elapsed = statistics.at.since(statistics.since).as_nanos();
    storable(statistics.queue.mean_frames * elapsed as f64)
}

/// The largest number that the file can hold is where a sum stays: three hundred years of waiting.
fn storable(sum: f64) -> u64 {
    (sum.round() as u64).min(i64::MAX as u64)
}

/// Writes samples into a Parquet file.
pub struct Sampler(Box<Parquet<File>>);

impl Sampler {
    /// A sampler into an empty file.
    pub fn new(file: File) -> Result<Self> {
        let mut columns: Vec<Column<'_>> =
            vec![("time_ns", Kind::Number), ("link", Kind::Name), ("direction", Kind::Name)];
        columns.extend(COUNTERS.iter().map(|(name, _)| (*name, Kind::Number)));
        let table = Parquet::new(file, "pipes", &columns).context("pipes.parquet")?;
        Ok(Self(Box::new(table)))
    }

    /// Adds a sample of all links, taken at `time`.
    pub fn add(&mut self, time: Time, links: &[LinkStatus]) -> Result<()> {
        for link in links {
            for (direction, pipe) in [("forward", &link.forward), ("reverse", &link.reverse)] {
                let mut row = vec![
                    Cell::Number(time.as_nanos()),
                    Cell::Name(&link.name),
                    Cell::Name(direction),
                ];
                row.extend(COUNTERS.iter().map(|(_, value)| Cell::Number(value(pipe))));
                self.0.row(&row).context("pipes.parquet")?;
            }
        }
        Ok(())
    }

    /// Writes what is left, and the footer without which the file cannot be read.
    pub fn finish(self) -> Result<()> {
        self.0.finish().context("pipes.parquet")
    }
}
