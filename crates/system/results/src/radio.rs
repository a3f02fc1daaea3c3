//! Activity and positions of stations on shared media over time, as one Parquet file: a row for
//! each station and sample. All counters are cumulative since the network was ready.

use std::fs::File;

use anyhow::{Context, Result};
use netloom_api::medium::{MediumStatus, Position, StationStatistics, StationStatus};
use netloom_columnar::{Cell, Column, GrowingParquet, Kind, Table};
use netloom_units::Time;

/// A numeric column: its name, and the function that returns its value.
type Source<T> = (&'static str, fn(&T) -> u64);

const STATION: &[Source<StationStatus>] = &[
    ("radio_on", |station| u64::from(station.on)),
    ("queued_frames", |station| station.queued),
    ("window", |station| station.window.into()),
];

const COUNTERS: &[Source<StationStatistics>] = &[
    ("offered_frames", |of| of.offered.frames),
    ("offered_bytes", |of| of.offered.bytes),
    ("sent_frames", |of| of.sent.frames),
    ("sent_bytes", |of| of.sent.bytes),
    ("failed_frames", |of| of.failed.frames),
    ("received_frames", |of| of.received.frames),
    ("received_bytes", |of| of.received.bytes),
    ("attempts", |of| of.attempts),
    ("retries", |of| of.retries),
    ("collisions", |of| of.collisions),
    ("airtime_ns", |of| of.airtime_ns),
    ("busy_ns", |of| of.busy_ns),
];

/// Reasons why frames are lost at senders.
const DROPPED: &[&str] = &["queue_full", "aqm", "mtu", "down", "retry_limit"];

/// Reasons why receivers miss frames.
const MISSED: &[&str] = &["collision", "weak", "noise", "busy", "down"];

/// Writes samples of stations.
pub struct RadioSampler {
    table: Box<GrowingParquet>,
}

impl RadioSampler {
    /// A sampler that writes to an empty file.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn new(file: File) -> Result<Self> {
        let dropped: Vec<String> =
            DROPPED.iter().map(|reason| format!("dropped_{reason}_frames")).collect();
        let missed: Vec<String> =
            MISSED.iter().map(|reason| format!("missed_{reason}_frames")).collect();
        let mut columns: Vec<Column<'_>> =
            vec![("time_ns", Kind::Number), ("medium", Kind::Name), ("node", Kind::Name)];
        columns.extend(["x_um", "y_um", "z_um"].map(|name| (name, Kind::MaybeNumber)));
        let counters = STATION.iter().map(|(name, _)| *name);
        let counters = counters.chain(COUNTERS.iter().map(|(name, _)| *name));
        let counters = counters.chain(dropped.iter().chain(&missed).map(String::as_str));
        columns.extend(counters.map(|name| (name, Kind::Number)));
        let table = GrowingParquet::new(file, "radio", &columns).context("radio.parquet")?;
        Ok(Self { table: Box::new(table) })
    }

    /// Adds a sample taken at `time`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn add(&mut self, time: Time, media: &[MediumStatus]) -> Result<()> {
        for medium in media {
            for station in &medium.stations {
                let mut row = vec![
                    Cell::Number(time.as_nanos()),
                    Cell::Name(&medium.name),
                    Cell::Name(&station.interface.node),
                ];
                row.extend(place(station.position));
                row.extend(STATION.iter().map(|(_, value)| Cell::Number(value(station))));
                let of = &station.statistics;
                row.extend(COUNTERS.iter().map(|(_, value)| Cell::Number(value(of))));
                for (reasons, counts) in [(DROPPED, &of.dropped), (MISSED, &of.missed)] {
                    let frames = |reason: &&str| {
                        Cell::Number(counts.get(*reason).map_or(0, |count| count.frames))
                    };
                    row.extend(reasons.iter().map(frames));
                }
                self.table.row(&row).context("radio.parquet")?;
            }
        }
        Ok(())
    }

    /// Writes all remaining samples.
    ///
    /// # Errors
    /// Fails if they cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.table.flush().context("radio.parquet is not complete")
    }
}

/// A position in micrometres; empty cells if the node is away.
fn place(position: Option<Position>) -> [Cell<'static>; 3] {
    let micrometres = |metres: f64| Cell::Signed((metres * 1e6).round() as i64);
    position.map_or([Cell::Nothing; 3], |Position { x, y, z }| [x, y, z].map(micrometres))
}
