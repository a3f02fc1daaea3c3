//! Records every request, refused ones too, and every event, as lines of JSON: in a file, in memory
//! for queries, and as a stream.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use netloom_shape::{Entry, Owner};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::broadcast;

/// Size of a file after which the next one begins, in bytes, and the number of files that are kept.
const FILE_BYTES: u64 = 10 << 20;
const FILES: u32 = 5;
/// Most lines in memory.
const KEPT: usize = 10_000;

/// A record of a request or an event.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// Time, in RFC 3339.
    pub time: String,
    /// User who asked, or who owns the claim.
    pub uid: u32,
    /// Process that asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// The request: `add`, `set`, …; or the event: `expired`, `suspended`, ….
    pub verb: &'static str,
    /// Identifier of the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Selector of the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Other properties of the request.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub properties: Value,
    /// `done`, `refused` or `failed`.
    pub result: &'static str,
    /// Reason for the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Record {
    /// Makes a record of an action of the daemon itself.
    pub fn of_daemon(verb: &'static str) -> Self {
        Self {
            time: now(),
            uid: 0,
            pid: i32::try_from(std::process::id()).ok(),
            verb,
            claim: None,
            selector: None,
            properties: Value::Null,
            result: "done",
            reason: None,
        }
    }

    /// Makes a record of an event of a claim that nobody requested.
    pub fn of_claim(verb: &'static str, entry: &Entry, reason: Option<String>) -> Self {
        Self {
            uid: entry.owner.uid,
            pid: None,
            claim: Some(entry.name.clone()),
            selector: Some(entry.claim.selector.to_string()),
            reason,
            ..Self::of_daemon(verb)
        }
    }
}

/// A line, and its user.
#[derive(Debug, Clone)]
pub struct Line {
    /// User whose line it is.
    pub uid: u32,
    /// The line, without its line end.
    pub json: Arc<str>,
}

/// The records of a daemon.
pub struct Audit {
    inner: Mutex<Inner>,
    stream: broadcast::Sender<Line>,
}

struct Inner {
    path: Option<PathBuf>,
    file: Option<File>,
    kept: VecDeque<Line>,
}

impl Audit {
    /// Makes records that are written to `path`, if it is set.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(path: Option<&Path>) -> io::Result<Self> {
        let file = path.map(open).transpose()?;
        let inner = Inner { path: path.map(Into::into), file, kept: VecDeque::new() };
        Ok(Self { inner: Mutex::new(inner), stream: broadcast::Sender::new(1024) })
    }

    /// Writes a record. If the file cannot take it, it still goes to memory and stream.
    pub fn write(&self, record: &Record) {
        let Ok(json) = serde_json::to_string(record) else { return };
        let line = Line { uid: record.uid, json: json.into() };
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = inner.append(&line.json) {
            eprintln!("cannot write the record: {error}");
        }
        // The journal stores the standard output of a service.
        println!("{}", line.json);
        if inner.kept.len() == KEPT {
            inner.kept.pop_front();
        }
        inner.kept.push_back(line.clone());
        // There may be no listener.
        let _ = self.stream.send(line);
    }

    /// Returns the lines in memory that `owner` may see.
    pub fn lines(&self, owner: &Owner) -> Vec<Arc<str>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let may_see = |line: &&Line| owner.is_root() || line.uid == owner.uid;
        inner.kept.iter().filter(may_see).map(|line| line.json.clone()).collect()
    }

    /// Subscribes to later lines.
    pub fn stream(&self) -> broadcast::Receiver<Line> {
        self.stream.subscribe()
    }
}

impl Inner {
    fn append(&mut self, line: &str) -> io::Result<()> {
        let (Some(path), Some(file)) = (&self.path, &mut self.file) else { return Ok(()) };
        if file.metadata()?.len() >= FILE_BYTES {
            for number in (1..FILES - 1).rev() {
                // There may be no file of that number yet.
                let _ = fs::rename(numbered(path, number), numbered(path, number + 1));
            }
            fs::rename(path, numbered(path, 1))?;
            *file = open(path)?;
        }
        // In one call, so that no line is there without its end.
        file.write_all(format!("{line}\n").as_bytes())
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    File::options().append(true).create(true).mode(0o640).open(path)
}

/// Returns the time now, in RFC 3339, UTC.
pub fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
