//! Records requests, refused ones too, and events, as lines of JSON: in a file, in memory for
//! queries, and as a stream. A line is short, and of users that ask very often not every request
//! has one ([`Pace`]).

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use netloom_shape::{Entry, Guest, Owner, Pace};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::moment;

/// Size of a file after which the next one begins, in bytes, and the number of files that are kept.
const FILE_BYTES: u64 = 10 << 20;
const FILES: u32 = 5;
/// Most lines in memory, of each guest and of all.
const KEPT: usize = 1000;
const KEPT_OF_ALL: usize = 16_000;
/// Most bytes of a word of a line, of its reason, and of its properties.
const WORD: usize = 256;
const REASON: usize = 1024;
const PROPERTIES: usize = 1024;

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
    /// Number of this user's requests since the last line that have no line.
    #[serde(skip_serializing_if = "is_none")]
    pub unrecorded: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
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
            unrecorded: 0,
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

    /// Cuts what users have written to a length that a line may have.
    fn cut(&mut self) {
        for (text, most) in
            [(&mut self.claim, WORD), (&mut self.selector, WORD), (&mut self.reason, REASON)]
        {
            let Some(text) = text else { continue };
            if text.len() > most {
                let end = (0..=most).rev().find(|end| text.is_char_boundary(*end));
                text.truncate(end.unwrap_or_default());
                text.push('…');
            }
        }
        let bytes = serde_json::to_string(&self.properties).map_or(0, |text| text.len());
        if bytes > PROPERTIES {
            self.properties = json!({ "bytes": bytes });
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
    kept: BTreeMap<Guest, VecDeque<(u64, Line)>>,
    /// Number of the next line.
    next: u64,
    pace: Pace,
}

impl Audit {
    /// Makes records that are written to `path`, if it is set.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(path: Option<&Path>) -> io::Result<Self> {
        let file = path.map(open).transpose()?;
        let (kept, pace) = (BTreeMap::new(), Pace::default());
        let inner = Inner { path: path.map(Into::into), file, kept, next: 0, pace };
        Ok(Self { inner: Mutex::new(inner), stream: broadcast::Sender::new(1024) })
    }

    /// Writes a record of an event, which goes to its user.
    pub fn event(&self, record: Record) {
        let guest = if record.uid == 0 { Guest::Root } else { Guest::User(record.uid) };
        self.write(guest, record);
    }

    /// Writes a record of a guest's request. If the file cannot take it, it still goes to memory
    /// and stream.
    pub fn write(&self, guest: Guest, mut record: Record) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(unrecorded) = inner.pace.line(guest, moment::now()) else { return };
        record.unrecorded = unrecorded;
        record.cut();
        let Ok(json) = serde_json::to_string(&record) else { return };
        let line = Line { uid: record.uid, json: json.into() };
        if let Err(error) = inner.append(&line.json) {
            eprintln!("cannot write the record: {error}");
        }
        // The journal stores the standard output of a service.
        println!("{}", line.json);
        inner.keep(guest, line.clone());
        // There may be no listener.
        let _ = self.stream.send(line);
    }

    /// Returns the lines in memory that `owner` may see.
    pub fn lines(&self, owner: &Owner) -> Vec<Arc<str>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let may_see = |(_, line): &&(u64, Line)| owner.is_root() || line.uid == owner.uid;
        let mut lines: Vec<_> = inner.kept.values().flatten().filter(may_see).collect();
        lines.sort_unstable_by_key(|(number, _)| *number);
        lines.into_iter().map(|(_, line)| line.json.clone()).collect()
    }

    /// Subscribes to later lines.
    pub fn stream(&self) -> broadcast::Receiver<Line> {
        self.stream.subscribe()
    }
}

impl Inner {
    /// Keeps a line in memory. If there are too many, the oldest one of the guest with most goes.
    fn keep(&mut self, guest: Guest, line: Line) {
        self.next += 1;
        self.kept.entry(guest).or_default().push_back((self.next, line));
        let all: usize = self.kept.values().map(VecDeque::len).sum();
        let longest = self.kept.values_mut().max_by_key(|lines| lines.len());
        if let Some(lines) = longest.filter(|lines| lines.len() > KEPT || all > KEPT_OF_ALL) {
            lines.pop_front();
        }
        self.kept.retain(|_, lines| !lines.is_empty());
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(uid: u32, name: &str) -> Record {
        Record {
            uid,
            claim: Some(name.into()),
            reason: Some(format!("`{name}` is no name")),
            properties: json!({ "out": name }),
            result: "refused",
            ..Record::of_daemon("add")
        }
    }

    #[test]
    fn nobody_fills_memory_or_files_with_requests() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("records.jsonl");
        let audit = Audit::new(Some(&file)).unwrap();
        audit.write(Guest::User(1001), refused(1001, "first"));
        let long = "ä".repeat(1 << 20);
        for number in 0..20 {
            audit.write(Guest::Strangers, refused(2000 + number, &long));
        }
        for _ in 0..5000 {
            audit.write(Guest::Strangers, refused(2000, "x"));
            audit.write(Guest::User(1002), refused(1002, "x"));
        }
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.len() < 1 << 20, "{} bytes", text.len());
        assert!(text.lines().all(|line| line.len() < 4096));
        let lines = |uid| audit.lines(&Owner { uid, name: uid.to_string() });
        assert!(lines(1001).len() == 1 && lines(1001)[0].contains("\"first\""));
        assert_eq!((lines(1002).len(), lines(2001).len()), (1000, 1));
        assert_eq!(lines(0).len(), 1061);
        assert!(lines(0)[0].contains("\"first\""), "in the order in which they came");
    }
}
