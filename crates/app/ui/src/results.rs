//! Finished runs in the server's folder: their files, and rows of their tables.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use anyhow::Context;
use axum::Json;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use netloom_api::summary::{Mode, Summary};
use netloom_api::ui::finished::{Column, Run, RunFile, Table};
use netloom_columnar::{Cell, Cursor, Stored};
use nix::fcntl::OFlag;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use crate::answer::{Answer, apart};
use crate::folder::{Folder, below};

/// The folder with the results of runs, in that of the scenario.
const RESULTS: &str = "netloom-results";

/// How deep runs are looked for: below `netloom-results` are experiments, and below these runs.
const DEPTH: usize = 5;

/// Most runs that are listed, and most files of one.
const MOST: usize = 1000;

/// Rows of a table if nothing else is wanted, and most of them.
const ROWS: usize = 10_000;
const MOST_ROWS: usize = 200_000;

/// What a report may do: show itself, with its own styles and scripts, and nothing else.
const REPORT: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    img-src data:; sandbox allow-scripts; frame-ancestors 'self'";

/// A run.
#[derive(Debug, Deserialize)]
pub struct OfRun {
    run: String,
}

/// A file of a run.
#[derive(Debug, Deserialize)]
pub struct OfFile {
    run: String,
    file: String,
}

/// Rows of a table.
#[derive(Debug, Deserialize)]
pub struct OfTable {
    run: String,
    file: String,
    columns: Option<String>,
    from: Option<f64>,
    to: Option<f64>,
    rows: Option<usize>,
    evenly: Option<bool>,
}

type InFolder = State<Arc<Folder>>;

/// `GET /api/results`
pub async fn list(State(folder): InFolder) -> Answer<Json<Vec<Run>>> {
    apart(move || {
        let mut runs = Vec::new();
        find(&folder, Path::new(""), DEPTH, &mut runs);
        runs.sort_by(|a, b| (b.modified_unix, &b.path).cmp(&(a.modified_unix, &a.path)));
        Ok(Json(runs))
    })
    .await
}

/// Finds the runs at `path` and below it. What cannot be read has none.
fn find(folder: &Folder, path: &Path, depth: usize, runs: &mut Vec<Run>) {
    if runs.len() >= MOST {
        return;
    }
    if folder.file(&path.join("scenario.json")).is_ok() {
        runs.extend(run(folder, path));
        return;
    }
    let is_below = path.components().any(|part| part.as_os_str() == RESULTS);
    let Some(depth) = depth.checked_sub(1) else { return };
    for child in children(folder, path) {
        let is_results = child.file_name() == Some(OsStr::new(RESULTS));
        if is_below || is_results || depth > 2 {
            find(folder, &child, depth, runs);
        }
    }
}

/// Returns the folders in a folder, without links.
fn children(folder: &Folder, path: &Path) -> Vec<PathBuf> {
    let listed = folder.list(path).unwrap_or_default().into_iter();
    let folders = listed.filter(|entry| entry.kind == netloom_api::ui::EntryKind::Folder);
    folders.map(|entry| entry.path.into()).collect()
}

/// Describes a run.
fn run(folder: &Folder, path: &Path) -> Option<Run> {
    let summary = folder.text(&path.join("summary.json")).ok();
    let summary = summary.and_then(|text| Summary::from_json(text.as_bytes()).ok());
    let named = path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
    let modified = folder.at(path, OFlag::O_RDONLY).ok().map(File::from)?.metadata().ok()?;
    let modified = modified.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Run {
        path: path.to_str()?.into(),
        experiment: match &summary {
            Some(summary) => summary.name.clone(),
            None => named.unwrap_or_default().into(),
        },
        modified_unix: modified.as_secs(),
        finished: summary.is_some(),
        success: summary.as_ref().map(|summary| summary.success),
        judgement: summary.as_ref().and_then(|summary| Some(summary.verdict.as_ref()?.judgement)),
        simulated: summary.as_ref().map(|summary| summary.mode == Mode::Simulation),
    })
}

/// `GET /api/results/files`
pub async fn files(
    State(folder): InFolder,
    Query(OfRun { run }): Query<OfRun>,
) -> Answer<Json<Vec<RunFile>>> {
    apart(move || {
        let run = below(&run)?;
        let mut found = Vec::new();
        gather(&folder, &run, &run, &mut found)?;
        Ok(Json(found))
    })
    .await
}

fn gather(folder: &Folder, run: &Path, path: &Path, found: &mut Vec<RunFile>) -> Answer<()> {
    for entry in folder.list(path)? {
        let path = PathBuf::from(&entry.path);
        match entry.kind {
            netloom_api::ui::EntryKind::Folder if found.len() < MOST => {
                gather(folder, run, &path, found)?;
            }
            netloom_api::ui::EntryKind::Folder => {}
            _ => found.extend(
                path.strip_prefix(run)
                    .ok()
                    .and_then(Path::to_str)
                    .map(|path| RunFile { path: path.into(), bytes: entry.bytes }),
            ),
        }
    }
    Ok(())
}

/// `GET /api/results/summary`
pub async fn summary(
    State(folder): InFolder,
    Query(OfRun { run }): Query<OfRun>,
) -> Answer<Response> {
    apart(move || {
        let text = folder.text(&below(&run)?.join("summary.json"))?;
        let kind = HeaderValue::from_static("application/json");
        Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
    })
    .await
}

/// `GET /api/results/file`: a download; a report is shown, but can do nothing.
pub async fn file(
    State(folder): InFolder,
    Query(OfFile { run, file }): Query<OfFile>,
) -> Answer<Response> {
    let path = below(&run)?.join(below(&file)?);
    let is_report = path.extension() == Some(OsStr::new("html"));
    let (open, bytes) = apart(move || {
        let open = folder.file(&path)?;
        let bytes = open.metadata().context("cannot read the file")?.len();
        Ok((open, bytes))
    })
    .await?;
    let mut response = Body::from_stream(contents(open, bytes)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, bytes.into());
    let (kind, disposition) = match is_report {
        true => ("text/html; charset=utf-8", "inline"),
        false => ("application/octet-stream", "attachment"),
    };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static(disposition));
    if is_report {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(REPORT));
    }
    Ok(response)
}

/// Returns the first bytes of a file, which may grow, in pieces.
fn contents(file: File, bytes: u64) -> impl stream::Stream<Item = std::io::Result<Vec<u8>>> {
    let file = tokio::fs::File::from_std(file).take(bytes);
    stream::try_unfold(file, |mut file| async move {
        let mut piece = vec![0; 64 << 10];
        let read = file.read(&mut piece).await?;
        piece.truncate(read);
        Ok((read > 0).then_some((piece, file)))
    })
}

/// `GET /api/results/table`
pub async fn table(State(folder): InFolder, Query(of): Query<OfTable>) -> Answer<Json<Table>> {
    apart(move || {
        let path = below(&of.run)?.join(below(&of.file)?);
        let open = folder.file(&path)?;
        let shown = path.display();
        let read = Stored::open(open).map_err(anyhow::Error::from).and_then(|it| rows(&it, &of));
        Ok(Json(read.with_context(|| format!("cannot use {shown}"))?))
    })
    .await
}

/// Reads the wanted rows of a table.
fn rows(stored: &Stored<File>, of: &OfTable) -> anyhow::Result<Table> {
    let limit = of.rows.unwrap_or(ROWS).min(MOST_ROWS);
    let wanted: Vec<&str> = match &of.columns {
        Some(names) => names.split(',').map(str::trim).collect(),
        None => stored.names().iter().map(String::as_str).collect(),
    };
    let evenly = of.evenly.unwrap_or(false);
    let ranged = evenly || of.from.is_some() || of.to.is_some();
    let (samples, step) = match ranged {
        true => {
            let samples = samples(stored, of)?;
            let step = if evenly { step(&samples, limit) } else { 1 };
            (Some(samples), step)
        }
        false => (None, 1),
    };
    let mut columns: Vec<Column> =
        wanted.iter().map(|name| Column { name: (*name).into(), values: Vec::new() }).collect();
    let mut cursor = stored.cursor(&wanted)?;
    let (mut count, mut truncated) = (0, false);
    let mut take = |cursor: &mut Cursor<'_, File>| -> anyhow::Result<bool> {
        if count == limit {
            return Ok(false);
        }
        count += 1;
        let cells = cursor.cells()?;
        columns.iter_mut().zip(&cells).for_each(|(column, cell)| column.values.push(value(cell)));
        Ok(true)
    };
    match samples {
        None => {
            while !truncated && cursor.advance()? {
                truncated = !take(&mut cursor)?;
            }
        }
        Some(samples) => {
            let mut number = 0_usize;
            for Sample { rows, within } in samples {
                let is_wanted = within && number.is_multiple_of(step);
                number += usize::from(within);
                for _ in 0..rows {
                    truncated |= cursor.advance()? && is_wanted && !take(&mut cursor)?;
                }
                if truncated {
                    break;
                }
            }
        }
    }
    Ok(Table { columns, rows: count, truncated, step })
}

/// Rows of one time, one after the other in the file.
struct Sample {
    rows: usize,
    /// Whether its time is wanted.
    within: bool,
}

/// Returns the samples of a table, in the order of the file.
fn samples(stored: &Stored<File>, of: &OfTable) -> anyhow::Result<Vec<Sample>> {
    let is_timed = stored.names().iter().any(|name| name == "time_ns");
    anyhow::ensure!(is_timed, "it has no column `time_ns`, so no range of times");
    let (from, to) = (of.from.unwrap_or(f64::MIN), of.to.unwrap_or(f64::MAX));
    let mut samples: Vec<Sample> = Vec::new();
    let mut last = None;
    let mut cursor = stored.cursor(&["time_ns"])?;
    while cursor.advance()? {
        let time = cursor.cells()?.first().and_then(seconds);
        if last != Some(time) {
            last = Some(time);
            // What has no time is in every range.
            let within = time.is_none_or(|time| (from..=to).contains(&time));
            samples.push(Sample { rows: 0, within });
        }
        samples.last_mut().iter_mut().for_each(|sample| sample.rows += 1);
    }
    Ok(samples)
}

/// Returns so large a step that each so-manieth sample, of those that are wanted, is together no
/// more than so many rows.
fn step(samples: &[Sample], limit: usize) -> usize {
    let wanted: Vec<usize> =
        samples.iter().filter(|of| of.within).map(|sample| sample.rows).collect();
    let rows = |step: usize| wanted.iter().step_by(step).sum::<usize>();
    let first = wanted.iter().sum::<usize>().div_ceil(limit.max(1)).max(1);
    (first..=wanted.len()).find(|step| rows(*step) <= limit).unwrap_or(wanted.len().max(1))
}

fn seconds(cell: &Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Number(number) => Some(*number as f64 / 1e9),
        Cell::Signed(number) => Some(*number as f64 / 1e9),
        Cell::Real(number) => Some(*number / 1e9),
        Cell::Name(_) | Cell::Nothing => None,
    }
}

fn value(cell: &Cell<'_>) -> Value {
    match cell {
        Cell::Number(number) => Value::from(*number),
        Cell::Signed(number) => Value::from(*number),
        Cell::Real(number) => Value::from(*number),
        Cell::Name(name) => Value::from(*name),
        Cell::Nothing => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_samples_every_so_manieth_is_taken() {
        let samples = |count| -> Vec<Sample> {
            let sample = |place| Sample { rows: 4, within: place >= 10 };
            (0..count).map(sample).collect()
        };
        assert_eq!(step(&samples(30), 80), 1);
        assert_eq!(step(&samples(30), 79), 2);
        assert_eq!(step(&samples(31), 41), 3);
        assert_eq!(step(&samples(30), 3), 20, "a sample is whole, or not there");
        assert_eq!((step(&[], 3), step(&samples(5), 0)), (1, 1));
    }
}
