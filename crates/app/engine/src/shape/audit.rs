//! Every request, refusals too, and every event, as lines of JSON: in a file, in memory for those
//! who ask, and as a stream.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use netloom_shape::Owner;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::broadcast;

/// Bytes of a file before the next one begins, and how many files are kept.
const FILE_BYTES: u64 = 10 << 20;
const FILES: u32 = 5;
/// Lines in memory.
const KEPT: usize = 10_000;

/// What was asked for, or what happened.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// When, in RFC 3339.
    pub time: String,
    /// Who asked, or whose claim it is.
    pub uid: u32,
    /// The process that asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// What was asked for: `add`, `set`, …; or what happened: `expired`, `suspended`, ….
    pub verb: &'static str,
    /// The claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// What it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// What was asked for besides.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub properties: Value,
    /// `done`, `refused` or `failed`.
    pub result: &'static str,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Record {
    /// Something that the daemon does.
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
}

/// A line, and whose it is.
#[derive(Debug, Clone)]
pub struct Line {
    /// Whose.
    pub uid: u32,
    /// The line, without its end.
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
    /// Records that go to `path`, if there is one.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(path: Option<&Path>) -> io::Result<Self> {
        let file = path.map(open).transpose()?;
        let inner = Inner { path: path.map(Into::into), file, kept: VecDeque::new() };
        Ok(Self { inner: Mutex::new(inner), stream: broadcast::Sender::new(1024) })
    }

    /// Writes a record. What the file cannot take is still shown to those who ask.
    pub fn write(&self, record: &Record) {
        let Ok(json) = serde_json::to_string(record) else { return };
        let line = Line { uid: record.uid, json: json.into() };
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = inner.append(&line.json) {
            eprintln!("cannot write the record: {error}");
        }
        // The journal has what a service prints.
        println!("{}", line.json);
        if inner.kept.len() == KEPT {
            inner.kept.pop_front();
        }
        inner.kept.push_back(line.clone());
        // Nobody may listen.
        let _ = self.stream.send(line);
    }

    /// The lines in memory that `owner` may see.
    pub fn lines(&self, owner: &Owner) -> Vec<Arc<str>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let may_see = |line: &&Line| owner.is_root() || line.uid == owner.uid;
        inner.kept.iter().filter(may_see).map(|line| line.json.clone()).collect()
    }

    /// What comes from now on.
    pub fn stream(&self) -> broadcast::Receiver<Line> {
        self.stream.subscribe()
    }
}

impl Inner {
    fn append(&mut self, line: &str) -> io::Result<()> {
        let (Some(path), Some(file)) = (&self.path, &mut self.file) else { return Ok(()) };
        if file.metadata()?.len() >= FILE_BYTES {
            for number in (1..FILES - 1).rev() {
                // There may be none of that number yet.
                let _ = fs::rename(numbered(path, number), numbered(path, number + 1));
            }
            fs::rename(path, numbered(path, 1))?;
            *file = open(path)?;
        }
        writeln!(file, "{line}")
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

/// Now, in RFC 3339, UTC.
pub fn now() -> String {
    chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}
