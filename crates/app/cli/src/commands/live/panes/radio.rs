//! Stations on shared media: their time on the air, and what disturbed them.

use std::collections::HashMap;

use netloom_api::medium::{MediumStatus, StationStatistics, StationStatus};
use netloom_units::readable::count;

use super::super::grid::{Cell, Column, Grid, Key, Row, Tone};
use super::super::sample::share;
use super::parts::{Seen, bar, figure, name, number, percent};

const COLUMNS: &[Column] = &[
    name("station", 0),
    name("medium", 4),
    bar("airtime", 0),
    figure("", 0),
    bar("busy", 3),
    figure("sent", 1),
    figure("retries", 0),
    figure("collisions", 0),
    figure("missed", 5),
    figure("dropped", 2),
    figure("queue", 6),
    name("radio", 7),
];

/// Returns the table. Shares of time and counts of frames are of the time between two samples; a
/// medium has a row for all its stations.
pub fn grid(seen: Seen<'_>) -> Grid {
    let before = seen.before.iter().flat_map(|sample| stations(&sample.media));
    let before: HashMap<(&str, String), &StationStatistics> = before
        .map(|(medium, station)| ((medium, station.interface.to_string()), &station.statistics))
        .collect();
    let mut rows = Vec::new();
    for medium in seen.now.iter().flat_map(|sample| &sample.media) {
        let mut all = Figures::default();
        let first = rows.len();
        for station in &medium.stations {
            let key = (medium.name.as_str(), station.interface.to_string());
            let figures = Figures::between(before.get(&key).copied(), station);
            all.add(&figures);
            let radio = if station.on { "on" } else { "off" };
            rows.push(row(&key.1, &medium.name, &figures, radio, seen));
        }
        let stations = format!("all {} of {}", medium.stations.len(), medium.name);
        rows.insert(first, row(&stations, &medium.name, &all, "", seen));
    }
    let orders = &["airtime", "collisions", "retries", "name"];
    Grid { columns: COLUMNS, orders, rows }
}

fn stations(media: &[MediumStatus]) -> impl Iterator<Item = (&str, &StationStatus)> {
    media.iter().flat_map(|medium| {
        medium.stations.iter().map(move |station| (medium.name.as_str(), station))
    })
}

/// What a station, or all of them, did in a period.
#[derive(Default)]
struct Figures {
    airtime: u64,
    /// The longest of all stations.
    busy: u64,
    sent: u64,
    retries: u64,
    collisions: u64,
    missed: u64,
    dropped: u64,
    queued: u64,
}

impl Figures {
    fn between(before: Option<&StationStatistics>, station: &StationStatus) -> Self {
        let now = &station.statistics;
        let nothing = StationStatistics::default();
        let before = before.unwrap_or(&nothing);
        let grown = |of: fn(&StationStatistics) -> u64| of(now).saturating_sub(of(before));
        Self {
            airtime: grown(|of| of.airtime_ns),
            busy: grown(|of| of.busy_ns),
            sent: grown(|of| of.sent.frames),
            retries: grown(|of| of.retries),
            collisions: grown(|of| of.collisions),
            missed: grown(|of| of.missed.values().map(|count| count.frames).sum()),
            dropped: grown(|of| of.dropped.values().map(|count| count.frames).sum()),
            queued: station.queued,
        }
    }

    fn add(&mut self, other: &Self) {
        self.airtime += other.airtime;
        self.busy = self.busy.max(other.busy);
        self.sent += other.sent;
        self.retries += other.retries;
        self.collisions += other.collisions;
        self.missed += other.missed;
        self.dropped += other.dropped;
        self.queued += other.queued;
    }
}

fn row(name: &str, medium: &str, of: &Figures, radio: &str, seen: Seen<'_>) -> Row {
    let part = |nanos: u64| share(nanos as f64, seen.period());
    let number_of = |number: u64| Cell::figure(Some(number), count);
    let bad = if of.collisions > 0 { Tone::Warned } else { Tone::Plain };
    let cells = vec![
        Cell::text(name),
        Cell::text(medium),
        Cell::bar(part(of.airtime)),
        Cell::figure(part(of.airtime), percent),
        Cell::bar(part(of.busy)),
        number_of(of.sent),
        number_of(of.retries),
        number_of(of.collisions).in_tone(bad),
        number_of(of.missed),
        number_of(of.dropped),
        number_of(of.queued),
        Cell::text(radio),
    ];
    let keys = vec![
        number(part(of.airtime)),
        Key::Number(of.collisions as f64),
        Key::Number(of.retries as f64),
        Key::Text(name.into()),
    ];
    Row { cells, keys }
}
