//! Activity, positions and neighbours of stations on shared media over time, as three Parquet
//! files: a row for each station and sample, all counters cumulative since the network was up; a
//! row for each node and sample; a row for each ordered pair within reach and sample.

use std::collections::BTreeMap;
use std::fs::File;

use anyhow::{Context, Result};
use netloom_api::medium::{
    MediumStatus, Neighbour, Neighbours, Position, StationStatistics, StationStatus,
};
use netloom_columnar::{Cell, Column, GrowingParquet, Kind, Table, TableError};
use netloom_units::Time;

/// A numeric column: its name, and the function that returns its value.
type NamedGetter<T> = (&'static str, fn(&T) -> u64);

const STATION: &[NamedGetter<StationStatus>] = &[
    ("radio_on", |station| u64::from(station.on)),
    ("queued_frames", |station| station.queued),
    ("window", |station| station.window.into()),
];

const COUNTERS: &[NamedGetter<StationStatistics>] = &[
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

/// Kinds of transmissions.
const KINDS: &[&str] = &["data", "rts", "cts", "ack", "jam"];

/// Reasons why frames are lost at senders.
const DROPPED: &[&str] = &["queue_full", "aqm", "mtu", "down", "retry_limit"];

/// Reasons why receivers miss frames.
const MISSED: &[&str] = &["collision", "weak", "noise", "busy", "down"];

/// Shared media at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MediaSample {
    /// The media.
    pub media: Vec<MediumStatus>,
    /// Whom each of their stations reaches.
    pub neighbours: Vec<Neighbours>,
}

/// The files for samples of shared media.
pub struct MediaFiles {
    /// Counters of stations.
    pub radio: File,
    /// Where nodes were.
    pub positions: File,
    /// Whom stations reached.
    pub neighbours: File,
}

/// Writes samples of shared media.
pub struct MediaSampler {
    radio: Box<GrowingParquet>,
    positions: Box<GrowingParquet>,
    neighbours: Box<GrowingParquet>,
}

impl MediaSampler {
    /// A sampler that writes to empty files.
    ///
    /// # Errors
    /// Fails if they cannot be written.
    pub fn new(files: MediaFiles) -> Result<Self> {
        let dropped: Vec<String> =
            DROPPED.iter().map(|reason| format!("dropped_{reason}_frames")).collect();
        let missed: Vec<String> =
            MISSED.iter().map(|reason| format!("missed_{reason}_frames")).collect();
        let kinds: Vec<String> = KINDS.iter().map(|kind| format!("airtime_{kind}_ns")).collect();
        let mut columns: Vec<Column<'_>> =
            vec![("time_ns", Kind::Number), ("medium", Kind::Name), ("node", Kind::Name)];
        let counters = STATION.iter().map(|(name, _)| *name);
        let counters = counters.chain(COUNTERS.iter().map(|(name, _)| *name));
        let counters =
            counters.chain(kinds.iter().chain(&dropped).chain(&missed).map(String::as_str));
        columns.extend(counters.map(|name| (name, Kind::Number)));
        let table = |file, name, columns: &[Column<'_>]| -> Result<Box<GrowingParquet>> {
            let table = GrowingParquet::new(file, name, columns);
            Ok(Box::new(table.with_context(|| format!("{name}.parquet"))?))
        };
        Ok(Self {
            radio: table(files.radio, "radio", &columns)?,
            positions: table(files.positions, "positions", POSITION_COLUMNS)?,
            neighbours: table(files.neighbours, "neighbours", NEIGHBOUR_COLUMNS)?,
        })
    }

    /// Adds a sample taken at `time`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn add(&mut self, time: Time, sample: &MediaSample) -> Result<()> {
        for medium in &sample.media {
            for station in &medium.stations {
                self.add_station(time, &medium.name, station).context("radio.parquet")?;
            }
        }
        // A node is at one place, on however many media it is.
        let stations = sample.media.iter().flat_map(|medium| &medium.stations);
        let places: BTreeMap<&str, Option<Position>> =
            stations.map(|station| (station.interface.node.as_str(), station.position)).collect();
        for (node, position) in places {
            let mut row = vec![Cell::Number(time.as_nanos()), Cell::Name(node)];
            row.extend(place(position));
            self.positions.row(&row).context("positions.parquet")?;
        }
        for of in &sample.neighbours {
            for neighbour in &of.neighbours {
                let row = neighbour_row(time, of, neighbour);
                self.neighbours.row(&row).context("neighbours.parquet")?;
            }
        }
        Ok(())
    }

    fn add_station(
        &mut self,
        time: Time,
        medium: &str,
        station: &StationStatus,
    ) -> Result<(), TableError> {
        let mut row = vec![
            Cell::Number(time.as_nanos()),
            Cell::Name(medium),
            Cell::Name(&station.interface.node),
        ];
        row.extend(STATION.iter().map(|(_, value)| Cell::Number(value(station))));
        let of = &station.statistics;
        row.extend(COUNTERS.iter().map(|(_, value)| Cell::Number(value(of))));
        let airtime = |kind: &&str| of.airtime_by_kind_ns.get(*kind).copied().unwrap_or_default();
        row.extend(KINDS.iter().map(|kind| Cell::Number(airtime(kind))));
        for (reasons, counts) in [(DROPPED, &of.dropped), (MISSED, &of.missed)] {
            let frames =
                |reason: &&str| Cell::Number(counts.get(*reason).map_or(0, |count| count.frames));
            row.extend(reasons.iter().map(frames));
        }
        self.radio.row(&row)
    }

    /// Writes all remaining samples.
    ///
    /// # Errors
    /// Fails if they cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.radio.flush().context("radio.parquet is not complete")?;
        self.positions.flush().context("positions.parquet is not complete")?;
        self.neighbours.flush().context("neighbours.parquet is not complete")
    }
}

const POSITION_COLUMNS: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("node", Kind::Name),
    ("x_um", Kind::MaybeNumber),
    ("y_um", Kind::MaybeNumber),
    ("z_um", Kind::MaybeNumber),
];

const NEIGHBOUR_COLUMNS: &[Column<'static>] = &[
    ("time_ns", Kind::Number),
    ("medium", Kind::Name),
    ("node", Kind::Name),
    ("neighbour", Kind::Name),
    ("distance_um", Kind::Number),
    ("power_mdbm", Kind::Number),
    ("snr_mdb", Kind::Number),
    ("decodes", Kind::Number),
    ("rate_bit_s", Kind::Number),
    ("delivery_ppm", Kind::Number),
];

fn neighbour_row<'a>(time: Time, of: &'a Neighbours, neighbour: &'a Neighbour) -> [Cell<'a>; 10] {
    let thousandths = |value: f64| Cell::Signed((value * 1e3).round() as i64);
    [
        Cell::Number(time.as_nanos()),
        Cell::Name(&of.medium),
        Cell::Name(&of.node),
        Cell::Name(&neighbour.node),
        Cell::Number((neighbour.distance * 1e6).round() as u64),
        thousandths(neighbour.power),
        thousandths(neighbour.snr),
        Cell::Number(neighbour.decodes.into()),
        Cell::Number(neighbour.rate.bits_per_second()),
        Cell::Number((neighbour.delivery * 1e6).round() as u64),
    ]
}

/// A position in micrometres; empty cells if the node is away.
fn place(position: Option<Position>) -> [Cell<'static>; 3] {
    let micrometres = |metres: f64| Cell::Signed((metres * 1e6).round() as i64);
    position.map_or([Cell::Nothing; 3], |Position { x, y, z }| [x, y, z].map(micrometres))
}
