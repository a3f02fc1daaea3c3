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
use netloom_columnar::{Cell, Stored};
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
    let all: Vec<&str> = stored.names().iter().map(String::as_str).collect();
    let wanted = match &of.columns {
        Some(names) => names.split(',').map(str::trim).collect(),
        None => all.clone(),
    };
    let ranged = of.from.is_some() || of.to.is_some();
    let clock = all.iter().find(|name| **name == "time_ns").filter(|_| ranged);
    anyhow::ensure!(!ranged || clock.is_some(), "it has no column `time_ns`, so no range of times");
    let read: Vec<&str> = wanted.iter().chain(clock).copied().collect();
    let mut cursor = stored.cursor(&read)?;
    let mut columns: Vec<Column> =
        wanted.iter().map(|name| Column { name: (*name).into(), values: Vec::new() }).collect();
    let (limit, mut count, mut truncated) = (of.rows.unwrap_or(ROWS).min(MOST_ROWS), 0, false);
    while cursor.advance()? {
        let cells = cursor.cells()?;
        let time = clock.and_then(|_| seconds(cells.last()?));
        if time.is_some_and(|time| {
            time < of.from.unwrap_or(f64::MIN) || time > of.to.unwrap_or(f64::MAX)
        }) {
            continue;
        }
        truncated = count == limit;
        if truncated {
            break;
        }
        count += 1;
        columns.iter_mut().zip(&cells).for_each(|(column, cell)| column.values.push(value(cell)));
    }
    Ok(Table { columns, rows: count, truncated })
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
