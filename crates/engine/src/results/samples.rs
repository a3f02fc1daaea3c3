//! Statistics of every pipe over time, as one Parquet file: a row a pipe and sample, all counters
//! cumulative since the network was ready.

use std::fs::File;
use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_units::Time;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

/// Rows gathered before they are written as a row group.
const GROUP: usize = 50_000;

/// A numeric column: its name and where its value comes from.
type Column = (&'static str, fn(&PipeStatus) -> u64);

/// The numeric columns beside `time_ns`.
const COLUMNS: &[Column] = &[
    ("offered_frames", |pipe| pipe.statistics.offered.frames),
    ("offered_bytes", |pipe| pipe.statistics.offered.bytes),
    ("delivered_frames", |pipe| pipe.statistics.delivered.frames),
    ("delivered_bytes", |pipe| pipe.statistics.delivered.bytes),
    ("dropped_frames", |pipe| pipe.statistics.dropped.total().frames),
    ("dropped_bytes", |pipe| pipe.statistics.dropped.total().bytes),
    ("queued_frames", |pipe| pipe.statistics.queue.now.frames),
    ("queued_bytes", |pipe| pipe.statistics.queue.now.bytes),
    ("busy_ns", |pipe| pipe.statistics.busy_ns),
];

/// Writes samples into a Parquet file.
pub struct Sampler {
    writer: SerializedFileWriter<File>,
    times: Vec<i64>,
    links: Vec<ByteArray>,
    directions: Vec<ByteArray>,
    numbers: Vec<Vec<i64>>,
}

impl Sampler {
    /// A sampler into an empty file.
    pub fn new(file: File) -> Result<Self> {
        let numbers: String =
            COLUMNS.iter().map(|(name, _)| format!("required int64 {name};")).collect();
        let schema = format!(
            "message pipes {{ required int64 time_ns; required binary link (UTF8); \
             required binary direction (UTF8); {numbers} }}"
        );
        let schema = Arc::new(parse_message_type(&schema).context("the schema of pipes.parquet")?);
        let properties = Arc::new(WriterProperties::builder().build());
        let writer = SerializedFileWriter::new(file, schema, properties)?;
        Ok(Self {
            writer,
            times: Vec::new(),
            links: Vec::new(),
            directions: Vec::new(),
            numbers: vec![Vec::new(); COLUMNS.len()],
        })
    }

    /// Adds a sample of all links, taken at `time`.
    pub fn add(&mut self, time: Time, links: &[LinkStatus]) -> Result<()> {
        for link in links {
            let name = ByteArray::from(link.name.as_str());
            self.row(time, &name, "forward", &link.forward);
            self.row(time, &name, "reverse", &link.reverse);
        }
        if self.times.len() >= GROUP { self.flush() } else { Ok(()) }
    }

    /// Writes what is left, and the footer without which the file cannot be read.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.writer.close().context("cannot finish pipes.parquet")?;
        Ok(())
    }

    fn row(&mut self, time: Time, link: &ByteArray, direction: &str, pipe: &PipeStatus) {
        self.times.push(signed(time.as_nanos()));
        self.links.push(link.clone());
        self.directions.push(ByteArray::from(direction));
        for ((_, value), column) in COLUMNS.iter().zip(&mut self.numbers) {
            column.push(signed(value(pipe)));
        }
    }

    fn flush(&mut self) -> Result<()> {
        if self.times.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().context("cannot write pipes.parquet")?;
        write::<Int64Type>(&mut group, &mut self.times)?;
        write::<ByteArrayType>(&mut group, &mut self.links)?;
        write::<ByteArrayType>(&mut group, &mut self.directions)?;
        for column in &mut self.numbers {
            write::<Int64Type>(&mut group, column)?;
        }
        group.close().context("cannot write pipes.parquet")?;
        Ok(())
    }
}

/// Writes one column of a row group, and empties it.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &mut Vec<T::T>,
) -> Result<()> {
    let mut column = group.next_column()?.context("the schema has too few columns")?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()?;
    values.clear();
    Ok(())
}

/// Parquet's plain integers are signed: 2⁶³ ns are 292 years.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
