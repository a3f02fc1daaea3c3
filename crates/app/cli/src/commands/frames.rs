//! `netloom frames`: a frame log or an air log as a table, with a row for each entry.
//!
//! | file | contents |
//! |---|---|
//! | `air` | rows of air logs |
//! | `replay` | replays an air log on its medium |
//! | `lines` | rows as lines of text or JSON |

mod air;
mod lines;
mod replay;

use std::fs::File;
use std::io::{BufWriter, Read, Seek};
use std::path::Path;

use anyhow::{Context, Result};
use netloom_columnar::{Cell, Column, Csv, Kind, Parquet, Table};
use netloom_link::{FrameEvent, LogDecoder, LogEntry, Occurrence};
use netloom_medium::is_air_log;
use netloom_units::Time;

use crate::args::Frames;
use crate::exit;
use crate::output::{self, Data};
use lines::Lines;

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

const COLUMNS: &[Column<'static>] = &[
    ("time_ns", Kind::MaybeNumber),
    ("link", Kind::MaybeName),
    ("direction", Kind::MaybeName),
    ("event", Kind::Name),
    ("number", Kind::MaybeNumber),
    ("frames", Kind::Number),
    ("bytes", Kind::MaybeNumber),
    ("reason", Kind::MaybeName),
    ("offered_ns", Kind::MaybeNumber),
    ("started_ns", Kind::MaybeNumber),
    ("serialized_ns", Kind::MaybeNumber),
];

/// Reads the log and writes the requested tables. Entries before a damaged part of the log are in
/// the tables.
pub fn frames(args: &Frames) -> Result<i32> {
    match tables(args) {
        // The printing code knows the reason.
        Err(_) if output::is_closed() => Ok(exit::SUCCESS),
        outcome => outcome,
    }
}

fn tables(args: &Frames) -> Result<i32> {
    let describe = || format!("cannot read {}", args.log.display());
    let mut log = File::open(&args.log).with_context(describe)?;
    let mut start = Vec::new();
    log.by_ref().take(64).read_to_end(&mut start).with_context(describe)?;
    log.rewind().with_context(describe)?;
    if is_air_log(&start) {
        let mut bytes = Vec::new();
        log.read_to_end(&mut bytes).with_context(describe)?;
        if args.replay {
            return replay::replay(&args.log, &bytes);
        }
        let mut tables = wanted(args, "air", air::COLUMNS)?;
        let read = air::convert(&bytes, &mut tables);
        tables.into_iter().try_for_each(|table| table.finish())?;
        read.with_context(describe)?;
        return Ok(exit::SUCCESS);
    }
    if args.replay {
        return Err(exit::usage(format!(
            "{} is no air log, and only these are replayed: `measure: {{frames: [MEDIUM]}}` has a \
             run write one",
            args.log.display()
        )));
    }
    let mut tables = wanted(args, "frames", COLUMNS)?;
    let read = convert(log, &mut tables);
    tables.into_iter().try_for_each(|table| table.finish())?;
    read.with_context(describe)?;
    Ok(exit::SUCCESS)
}

/// Returns the requested tables: files, or lines on standard output.
fn wanted(
    args: &Frames,
    name: &str,
    columns: &'static [Column<'static>],
) -> Result<Vec<Box<dyn Table>>> {
    let mut tables: Vec<Box<dyn Table>> = Vec::new();
    if let Some(path) = &args.csv {
        tables.push(match path == Path::new("-") {
            true => {
                let stdout = Data { may_be_lost: args.parquet.is_some() };
                Box::new(Csv::new(stdout, columns)?)
            }
            false => Box::new(Csv::new(BufWriter::new(create(path)?), columns)?),
        });
    }
    if let Some(path) = &args.parquet {
        tables.push(Box::new(Parquet::new(create(path)?, name, columns)?));
    }
    if tables.is_empty() {
        tables.push(Box::new(Lines::new(args.format, columns)));
    }
    Ok(tables)
}

fn create(path: &Path) -> Result<File> {
    File::create(path).with_context(|| format!("cannot make {}", path.display()))
}

fn convert(mut log: impl Read, tables: &mut [Box<dyn Table>]) -> Result<()> {
    let mut decoder = LogDecoder::new();
    let mut piece = vec![0; PIECE];
    let mut names = Names::default();
    loop {
        let count = log.read(&mut piece)?;
        if count == 0 {
            return Ok(decoder.finish()?);
        }
        decoder.feed(&piece[..count]);
        while let Some(entry) = decoder.next_entry()? {
            names.learn(&decoder);
            let row = match &entry {
                LogEntry::Frame(pipe, event) => event_row(names.of(*pipe), event),
                LogEntry::Lost(entries) => lost_row(*entries),
            };
            tables.iter_mut().try_for_each(|table| table.row(&row))?;
        }
    }
}

/// Link and direction of each pipe.
#[derive(Default)]
struct Names(Vec<(String, String)>);

impl Names {
    fn learn(&mut self, decoder: &LogDecoder) {
        if let (true, Some(header)) = (self.0.is_empty(), decoder.header()) {
            let names = header.pipes.iter().map(|name| {
                let (link, direction) = name.rsplit_once('/').unwrap_or((name, ""));
                (link.to_string(), direction.to_string())
            });
            self.0 = names.collect();
        }
    }

    /// The decoder returns no pipe that is not in the header.
    fn of(&self, pipe: u32) -> &(String, String) {
        &self.0[pipe as usize]
    }
}

fn event_row<'a>((link, direction): &'a (String, String), event: &FrameEvent) -> [Cell<'a>; 11] {
    let (reason, offered, started, serialized) = match event.what {
        Occurrence::Rejected { reason } => (Some(reason), Some(event.at), None, None),
        Occurrence::Dropped { reason, offered, started, serialized } => {
            (Some(reason), Some(offered), started, serialized)
        }
        Occurrence::Delivered { offered, started, serialized } => {
            (None, Some(offered), Some(started), Some(serialized))
        }
        _ => (None, None, None, None),
    };
    let time =
        |time: Option<Time>| time.map_or(Cell::Nothing, |time| Cell::Signed(time.signed_nanos()));
    [
        time(Some(event.at)),
        Cell::Name(link),
        Cell::Name(direction),
        Cell::Name(event.what.name()),
        Cell::Number(event.number),
        Cell::Number(event.frames.into()),
        Cell::Number(event.bytes),
        reason.map(|reason| reason.name()).into(),
        time(offered),
        time(started),
        time(serialized),
    ]
}

/// Returns the row for `entries` entries that are missing at this place.
fn lost_row(entries: u64) -> [Cell<'static>; 11] {
    let mut row = [Cell::Nothing; 11];
    (row[3], row[5]) = (Cell::Name("lost_entries"), Cell::Number(entries));
    row
}
