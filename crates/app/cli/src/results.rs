//! Reads the results of a run. Only `summary.json` must exist, or `summary.json.gz` in a sweep that
//! keeps summaries only; other missing files are reported.
//! Not here: writing results (the engine), and the layout of a report (`netloom-report-page`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use chrono::DateTime;
use flate2::read::GzDecoder;
use netloom_api::event::Event;
use netloom_api::machine::Machine;
use netloom_api::metric::Metric;
use netloom_api::summary::Summary;
use netloom_columnar::{Cell, Stored, TableError};
use netloom_link::DropReason;
use netloom_report_page::{
    Curves, FlowCurves, FlowSample, Happened, Metrics, Radio, Run, Sample, StationTotals, Way,
    drawn,
};
use netloom_scenario::Scenario;
use netloom_units::Time;
use nix::libc;

/// The columns of `pipes.parquet` that every version has written.
const ALWAYS: [&str; 6] =
    ["link", "direction", "time_ns", "offered_bytes", "delivered_bytes", "delivered_frames"];

/// Columns that were added later, beside one for each reason to drop.
const LATER: [&str; 2] = ["delay_sum_ns", "queue_sum_ns"];

/// Number of columns that identify a row. The counts in the others may be unknown.
const TIME_AND_NAMES: usize = 3;

/// A directory of results that the engine has just made, held open. A directory that replaces it is
/// neither read nor written.
pub struct Held(OwnedFd);

impl Held {
    /// Opens the directory.
    pub fn new(directory: &Path) -> Result<Self> {
        let how = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let open = || -> io::Result<OwnedFd> {
            let held = OpenOptions::new().read(true).custom_flags(how).open(directory)?;
            let own = held.metadata()?.uid() == nix::unistd::geteuid().as_raw();
            let other = || io::Error::other("somebody else has put another in its place");
            own.then(|| held.into()).ok_or_else(other)
        };
        let held = open();
        held.map(Self).with_context(|| format!("cannot open the results {}", directory.display()))
    }

    /// Returns its path for this process.
    pub fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.0.as_raw_fd()).into()
    }
}

/// Reads the results of a run.
pub fn read(directory: &Path) -> Result<Run> {
    Ok(of(directory, summary(directory)?))
}

/// Reads the results of a run whose summary is known.
pub fn of(directory: &Path, summary: Summary) -> Run {
    let mut missing = Vec::new();
    let mut say = |file: &str, error: &anyhow::Error, so: &str| {
        missing.push(format!("{file}: {}. {so}", netloom_api::in_words(error.as_ref())));
    };
    let scenario = scenario(directory)
        .map_err(|error| say("scenario.json", &error, "So the topology is not drawn."));
    let machine = machine(directory)
        .map_err(|error| say("machine.json", &error, "So the machine is not known."));
    let mut happened = Happened::default();
    if let Err(error) = events(&directory.join("events.jsonl"), &mut happened) {
        say("events.jsonl", &error, "So events may be missing in the timeline.");
    }
    let mut metrics = Metrics::new(summary.ended);
    if let Err(error) = reported(&directory.join("metrics.jsonl"), &mut metrics) {
        say("metrics.jsonl", &error, "So curves of metrics may be missing.");
    }
    let curves = curves(&directory.join("pipes.parquet"), &summary)
        .map_err(|error| say("pipes.parquet", &error, "So there are no curves of links."));
    let flow_curves = flow_curves(directory, &summary)
        .map_err(|error| say("samples of flows", &error, "So there are no curves of traffic."));
    let mut radio = Radio::default();
    if directory.join("radio.parquet").exists()
        && let Err(error) = read_radio(directory, &mut radio)
    {
        say("what was written of shared media", &error, "So it may be missing.");
    }
    Run {
        radio,
        started: date(summary.started_unix),
        scenario: scenario.ok(),
        machine: machine.ok(),
        curves: curves.ok(),
        flow_curves: flow_curves.ok(),
        summary,
        happened,
        metrics,
        missing,
    }
}

/// Reads the summary of a run.
pub fn summary(directory: &Path) -> Result<Summary> {
    let file = directory.join(SUMMARY);
    if !directory.is_dir() {
        return Err(anyhow!(
            "there is no directory {}; give that of a run, like netloom-results/NAME/TIME",
            directory.display()
        ));
    }
    if !has_summary(directory) {
        return Err(anyhow!(
            "{} has no summary.json, which a run writes last: it is not the results of a run, or \
             the run has not ended, or its engine died",
            directory.display()
        ));
    }
    let read = || -> Result<Summary> { Ok(Summary::from_json(&summary_text(directory)?)?) };
    read().with_context(|| format!("cannot use {}", file.display()))
}

/// The file with the summary of a run.
const SUMMARY: &str = "summary.json";

/// The same file as a sweep packs it that keeps summaries only.
pub const PACKED: &str = "summary.json.gz";

/// Whether a directory has the summary of a run.
pub fn has_summary(directory: &Path) -> bool {
    [SUMMARY, PACKED].iter().any(|name| directory.join(name).exists())
}

/// Reads the text of the summary of a run.
pub fn summary_text(directory: &Path) -> std::io::Result<Vec<u8>> {
    let packed = directory.join(PACKED);
    if !packed.exists() {
        return fs::read(directory.join(SUMMARY));
    }
    let mut text = Vec::new();
    GzDecoder::new(File::open(packed)?).read_to_end(&mut text)?;
    Ok(text)
}

/// Reads the scenario of a run.
pub fn scenario(directory: &Path) -> Result<Scenario> {
    Ok(Scenario::from_json(&fs::read(directory.join("scenario.json"))?)?)
}

fn machine(directory: &Path) -> Result<Machine> {
    Ok(serde_json::from_slice(&fs::read(directory.join("machine.json"))?)?)
}

/// Reads the events. If lines are no events, the error is that of the first of them.
fn events(file: &Path, happened: &mut Happened) -> Result<()> {
    let mut wrong: Option<(usize, serde_json::Error)> = None;
    for (number, line) in (1..).zip(BufReader::new(File::open(file)?).split(b'\n')) {
        match Event::from_json(&line?) {
            Ok(event) => happened.add(&event),
            Err(error) => {
                wrong.get_or_insert((number, error));
            }
        }
    }
    match wrong {
        Some((line, error)) => Err(anyhow!("line {line} is no event: {error}")),
        None => Ok(()),
    }
}

/// Reads the metrics that applications reported. If lines are no reports, the error is that of the
/// first of them. Runs of versions without metrics have no such file.
fn reported(file: &Path, metrics: &mut Metrics) -> Result<()> {
    let open = match File::open(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        open => open?,
    };
    let mut wrong: Option<(usize, serde_json::Error)> = None;
    for (number, line) in (1..).zip(BufReader::new(open).split(b'\n')) {
        match serde_json::from_slice::<Metric>(&line?) {
            Ok(metric) => metrics.add(&metric),
            Err(error) => {
                wrong.get_or_insert((number, error));
            }
        }
    }
    match wrong {
        Some((line, error)) => Err(anyhow!("line {line} is no report of a metric: {error}")),
        None => Ok(()),
    }
}

/// Reads the curves of the links that are drawn.
fn curves(file: &Path, summary: &Summary) -> Result<Curves> {
    let table = Stored::open(File::open(file)?)?;
    let dropped = DropReason::ALL.map(|reason| format!("dropped_{}_frames", reason.name()));
    let later = LATER.into_iter().chain(dropped.iter().map(String::as_str));
    let mut columns: Vec<&str> = ALWAYS.into_iter().chain(later).collect();
    let mut curves =
        Curves::new(summary.ended, drawn(summary).into_iter().map(|link| link.name.as_str()));
    let is_there = |column: &&str| table.names().iter().any(|name| name == column);
    // Earlier versions knew fewer reasons; the latest is the last column.
    if columns.last().is_some_and(|last| !is_there(last)) {
        columns.pop();
    }
    if !columns.iter().all(is_there) {
        columns.truncate(ALWAYS.len());
        curves.set_only_traffic();
    }
    let mut wrong = None;
    table.rows(&columns, |cells| match sample(cells) {
        Ok((link, way, sample)) => curves.add(link, way, sample),
        Err(column) => wrong = wrong.or(Some(column)),
    })?;
    match wrong {
        Some(index) => Err(TableError::BadCell { column: columns[index].into() }.into()),
        None => Ok(curves),
    }
}

/// Parses a row of `pipes.parquet`. The error is the index of an unexpected cell.
fn sample<'a>(cells: &[Cell<'a>]) -> Result<(&'a str, Way, Sample), usize> {
    let name = |index: usize| match cells[index] {
        Cell::Name(name) => Ok(name),
        Cell::Number(_) | Cell::Signed(_) | Cell::Real(_) | Cell::Nothing => Err(index),
    };
    let number = |index: usize| match cells.get(index) {
        Some(Cell::Number(number)) => Ok(*number),
        // The value was not recorded, or is unknown for a direct link.
        None => Ok(0),
        Some(Cell::Nothing) if index >= TIME_AND_NAMES => Ok(0),
        Some(_) => Err(index),
    };
    let mut dropped_frames = [0; DropReason::ALL.len()];
    for (reason, frames) in dropped_frames.iter_mut().enumerate() {
        *frames = number(ALWAYS.len() + LATER.len() + reason)?;
    }
    let sample = Sample {
        time: Time::from_nanos(number(2)?),
        offered_bytes: number(3)?,
        delivered_bytes: number(4)?,
        delivered_frames: number(5)?,
        delay_sum_ns: number(6)?,
        queue_sum_ns: number(7)?,
        dropped_frames,
    };
    Ok((name(0)?, Way::named(name(1)?).ok_or(1usize)?, sample))
}

/// Columns of both files of flows: those that all versions wrote, and the state of TCP.
const OF_FLOWS: [&str; 5] =
    ["flow", "time_ns", "received_bytes", "received_packets", "delay_sum_ns"];
const OF_TCP: [&str; 2] = ["cwnd", "srtt_ns"];

/// Reads the curves of the flows that are drawn, of those that real nodes sent and of those that
/// were simulated.
fn flow_curves(directory: &Path, summary: &Summary) -> Result<FlowCurves> {
    let mut curves = FlowCurves::new(summary.ended, &summary.flows);
    for name in ["traffic.parquet", "flows.parquet"] {
        let file = directory.join(name);
        if !file.exists() {
            continue;
        }
        let table = Stored::open(File::open(file)?).context(name)?;
        let is_there = |column: &&str| table.names().iter().any(|name| name == column);
        let later = OF_TCP.into_iter().filter(is_there);
        let columns: Vec<&str> = OF_FLOWS.into_iter().chain(later).collect();
        let number = |cells: &[Cell<'_>], index: usize| match cells.get(index) {
            Some(Cell::Number(number)) => Some(*number),
            _ => None,
        };
        table
            .rows(&columns, |cells| {
                let Some(Cell::Name(flow)) = cells.first() else { return };
                let count = |index| number(cells, index).unwrap_or(0);
                let sample = FlowSample {
                    time: Time::from_nanos(count(1)),
                    received_bytes: count(2),
                    received_packets: count(3),
                    delay_sum_ns: count(4),
                    cwnd: number(cells, 5),
                    srtt_ns: number(cells, 6),
                };
                curves.add(flow, sample);
            })
            .context(name)?;
    }
    Ok(curves)
}

/// Reads the samples of shared media.
fn read_radio(directory: &Path, radio: &mut Radio) -> Result<()> {
    let open = |name: &str| -> Result<Stored<File>> {
        let file = File::open(directory.join(name)).with_context(|| name.to_owned())?;
        Stored::open(file).with_context(|| name.to_owned())
    };
    let number = |cell: &Cell<'_>| match cell {
        Cell::Number(number) => *number,
        Cell::Signed(_) | Cell::Real(_) | Cell::Name(_) | Cell::Nothing => 0,
    };
    let metres = |cell: &Cell<'_>| match cell {
        Cell::Number(number) => Some(*number as f64 / 1e6),
        Cell::Signed(number) => Some(*number as f64 / 1e6),
        Cell::Real(_) | Cell::Name(_) | Cell::Nothing => None,
    };
    let airtime = Radio::KINDS.map(|kind| format!("airtime_{kind}_ns"));
    let mut columns = vec!["medium", "node", "attempts", "retries", "sent_frames", "failed_frames"];
    columns.push("collisions");
    let counted = columns.len();
    columns.extend(airtime.iter().map(String::as_str));
    open("radio.parquet")?.rows(&columns, |cells| {
        let [Cell::Name(medium), Cell::Name(node), ..] = cells else { return };
        let mut totals = StationTotals {
            attempts: number(&cells[2]),
            retries: number(&cells[3]),
            sent: number(&cells[4]),
            failed: number(&cells[5]),
            collisions: number(&cells[6]),
            ..StationTotals::default()
        };
        for (time, cell) in totals.airtime.iter_mut().zip(&cells[counted..]) {
            *time = number(cell);
        }
        radio.add_station(medium, node, totals);
    })?;
    open("positions.parquet")?.rows(&["node", "x_um", "y_um"], |cells| {
        if let [Cell::Name(node), x, y] = cells
            && let (Some(x), Some(y)) = (metres(x), metres(y))
        {
            radio.add_place(node, (x, y));
        }
    })?;
    let columns =
        ["time_ns", "medium", "node", "neighbour", "decodes", "distance_um", "delivery_ppm"];
    open("neighbours.parquet")?.rows(&columns, |cells| {
        let [time, Cell::Name(medium), Cell::Name(node), Cell::Name(neighbour), decodes, of @ ..] =
            cells
        else {
            return;
        };
        let [distance, delivery] = [0, 1].map(|place| number(&of[place]) as f64 / 1e6);
        let time = Time::from_nanos(number(time));
        let is_decoded = number(decodes) > 0;
        radio.add_neighbour(time, medium, (node, neighbour), is_decoded, (distance, delivery));
    })?;
    Ok(())
}

/// Formats a date, in UTC.
fn date(unix: f64) -> String {
    let time = DateTime::from_timestamp_millis((unix * 1000.0) as i64);
    time.map_or("not known".into(), |time| time.format("%Y-%m-%d %H:%M:%S UTC").to_string())
}
