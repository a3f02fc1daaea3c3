//! `netloom inspect --radio`, `--positions` and `--neighbours`: the counts of stations on shared
//! media, their positions, and the stations that they reach.

use anyhow::Result;
use comfy_table::Table;
use netloom_api::medium::{MediumStatus, Neighbours, StationStatus};
use netloom_units::readable::{count, micros};

use crate::args::Format;
use crate::client::Client;
use crate::table::table;

/// Returns a row for each station: sent frames, disturbances, and times.
pub async fn radio(client: &Client, format: Format) -> Result<String> {
    let media: Vec<MediumStatus> = client.get("/media").await?;
    match format {
        Format::Json => Ok(format!("{}\n", serde_json::to_string_pretty(&media)?)),
        Format::Table if media.is_empty() => Ok("there are no shared media\n".into()),
        Format::Table => Ok(format!("{}\n", stations(&media))),
    }
}

/// Returns the position of each node on a shared medium.
pub async fn positions(client: &Client, format: Format) -> Result<String> {
    let media: Vec<MediumStatus> = client.get("/media").await?;
    let all = media.iter().flat_map(|medium| &medium.stations);
    if format == Format::Json {
        let all = all.map(|station| (&station.interface.node, station.position));
        let all: std::collections::BTreeMap<_, _> = all.collect();
        return Ok(format!("{}\n", serde_json::to_string_pretty(&all)?));
    }
    let mut rows = table(&["node", "x", "y", "z"]);
    for station in all {
        let metres = |of: fn(&netloom_api::medium::Position) -> f64| {
            station.position.as_ref().map_or("away".into(), |at| format!("{:.3} m", of(at)))
        };
        let node = station.interface.node.clone();
        rows.add_row([node, metres(|at| at.x), metres(|at| at.y), metres(|at| at.z)]);
    }
    Ok(format!("{rows}\n"))
}

/// Returns the stations that a node reaches.
pub async fn neighbours(client: &Client, node: &str, format: Format) -> Result<String> {
    let all: Vec<Neighbours> = client.get(&format!("/neighbours/{node}")).await?;
    if format == Format::Json {
        return Ok(format!("{}\n", serde_json::to_string_pretty(&all)?));
    }
    let mut rows = table(&[
        "medium",
        "neighbour",
        "distance",
        "power",
        "SNR",
        "decodes",
        "rate",
        "delivery",
        "hidden from",
    ]);
    for of in &all {
        for neighbour in &of.neighbours {
            rows.add_row([
                of.medium.clone(),
                neighbour.node.clone(),
                format!("{:.2} m", neighbour.distance),
                format!("{:.2} dBm", neighbour.power),
                format!("{:.2} dB", neighbour.snr),
                if neighbour.decodes { "yes" } else { "no, senses" }.into(),
                neighbour.rate.to_string(),
                format!("{:.2} %", neighbour.delivery * 100.0),
                neighbour.hidden_from.join(", "),
            ]);
        }
    }
    if rows.row_count() == 0 {
        return Ok(format!("`{node}` reaches nobody\n"));
    }
    Ok(format!("{rows}\n"))
}

fn stations(media: &[MediumStatus]) -> Table {
    let mut rows = table(&[
        "station",
        "medium",
        "radio",
        "offered",
        "sent",
        "failed",
        "received",
        "retries",
        "collisions",
        "missed",
        "dropped",
        "queue",
        "CW",
        "airtime",
        "busy",
        "access p50",
        "p99",
    ]);
    for medium in media {
        for station in &medium.stations {
            rows.add_row(row(&medium.name, station));
        }
    }
    rows
}

fn row(medium: &str, station: &StationStatus) -> Vec<String> {
    let of = &station.statistics;
    let seconds = |nanos: u64| format!("{:.3} s", nanos as f64 / 1e9);
    let access = |of: fn(&netloom_api::medium::AccessDelay) -> u64| {
        station
            .statistics
            .access_delay
            .as_ref()
            .map_or("–".into(), |delay| micros(of(delay) as f64 / 1e3))
    };
    vec![
        station.interface.to_string(),
        medium.into(),
        if station.on { "on" } else { "off" }.into(),
        count(of.offered.frames),
        count(of.sent.frames),
        count(of.failed.frames),
        count(of.received.frames),
        count(of.retries),
        count(of.collisions),
        count(of.missed.values().map(|count| count.frames).sum()),
        count(of.dropped.values().map(|count| count.frames).sum()),
        count(station.queued),
        count(station.window.into()),
        seconds(of.airtime_ns),
        seconds(of.busy_ns),
        access(|delay| delay.p50_ns),
        access(|delay| delay.p99_ns),
    ]
}
