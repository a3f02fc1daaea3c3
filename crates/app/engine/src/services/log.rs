//! The output of a service or a startup command, in a file.
//!
//! In a run, the file is among the results and has all output. In a deployed network, it is in the
//! state directory, which is in memory on most machines, for as long as the network lives. It then
//! has the beginning and the end, and says how much is missing in between. Output comes through a
//! pipe in that case, and a program that prints faster than a log accepts is made to wait.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_nodes::Stdio;
use nix::fcntl::OFlag;
use nix::unistd::pipe2;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::task::JoinHandle;

use super::Services;
use crate::events::EventLog;
use crate::ready::{Outputs, Watched};

/// Length of the output that an error shows.
const LINES_SHOWN: usize = 10;
const BYTES_LOOKED_AT: u64 = 8 * 1024;
/// Most bytes of the beginning, and least of the end, in a bounded log.
const KEPT: u64 = 1 << 20;
/// Most bytes that a program may print in a period before it waits for the next.
const MOST_IN_A_PERIOD: usize = 1 << 20;
const PERIOD: Duration = Duration::from_millis(100);
/// Longest wait of an error for the rest of the output of an ended program. Others may still hold
/// the pipe.
const PATIENCE: Duration = Duration::from_millis(500);

/// The log of a service or a startup command of one node.
pub(super) struct Log {
    path: PathBuf,
    /// The length of the file when it was opened.
    begin: u64,
    output: OwnedFd,
    /// The task that copies the output into the file, if it does not go there directly.
    bounded: Option<JoinHandle<()>>,
    /// The outputs in which texts are searched that its user waits for.
    outputs: Outputs,
}

impl Log {
    /// Opens the log of `what` in `node`, and appends to it if it exists. Its user may wait for
    /// texts.
    pub fn open(
        services: &Services,
        what: &str,
        node: &str,
        awaited: impl IntoIterator<Item = String>,
    ) -> Result<Self> {
        let path = services.table.log(what, node);
        let describe = || format!("cannot write {}", path.display());
        let mut options = OpenOptions::new();
        options.create(true).append(true).read(true).mode(0o600);
        let file = options.open(&path).with_context(describe)?;
        let begin = file.metadata().with_context(describe)?.len();
        if services.table.keeps_all_output() {
            let outputs = Outputs::after(path.clone(), begin);
            return Ok(Self { path, begin, output: file.into(), bounded: None, outputs });
        }
        let (input, output) = pipe2(OFlag::O_CLOEXEC).context("cannot make a pipe")?;
        let input = Receiver::from_owned_fd(input).context("cannot read a pipe")?;
        let warning = format!(
            "`{what}` in `{node}` prints more than its log can have: what is between its \
             beginning and its end is left out"
        );
        let bounded = Bounded { file, cut: 0, marked: 0 };
        // A file whose middle is removed cannot be searched at intervals.
        let awaited = Watched::new(awaited);
        let outputs = Outputs::Watched(awaited.clone());
        let events = Arc::clone(&services.events);
        let bounded = Some(tokio::spawn(bring(input, bounded, awaited, events, warning)));
        Ok(Self { path, begin, output, bounded, outputs })
    }

    /// Returns the output since the log was opened, for the texts that its user waits for.
    pub fn outputs(&self) -> Outputs {
        self.outputs.clone()
    }

    /// Returns standard streams of a program that prints into the log.
    pub fn stdio(&self) -> Result<Stdio> {
        Ok(Stdio::Files {
            stdin: File::open("/dev/null")?.into(),
            stdout: self.output.try_clone()?,
            stderr: self.output.try_clone()?,
        })
    }

    /// Returns the last lines since it was opened, to be appended to an error.
    pub async fn tail(self) -> String {
        drop(self.output);
        if let Some(bounded) = self.bounded {
            // Later output is not shown.
            let _ = tokio::time::timeout(PATIENCE, bounded).await;
        }
        tail(&self.path, self.begin)
    }
}

/// Copies the output of a pipe into a file, until its other end is closed.
async fn bring(
    mut input: Receiver,
    mut log: Bounded,
    awaited: Watched,
    events: Arc<EventLog>,
    mut warning: String,
) {
    let mut chunk = vec![0; 64 * 1024];
    let mut taken = 0;
    loop {
        let Ok(count @ 1..) = input.read(&mut chunk).await else { return };
        awaited.look_at(&chunk[..count]);
        // A full disk costs the log, not the service.
        let _ = log.put(&chunk[..count]);
        if log.cut > 0 && !warning.is_empty() {
            events.warn(std::mem::take(&mut warning));
        }
        taken += count;
        if taken >= MOST_IN_A_PERIOD {
            taken = 0;
            tokio::time::sleep(PERIOD).await;
        }
    }
}

/// A file that keeps the beginning and the end of the bytes that are added.
struct Bounded {
    /// The file. Everything is appended.
    file: File,
    /// Number of missing bytes.
    cut: u64,
    /// Length of the text in the file that reports them.
    marked: u64,
}

impl Bounded {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        let length = self.file.metadata()?.len();
        if length < 3 * KEPT {
            return Ok(());
        }
        let mut end = vec![0; usize::try_from(KEPT).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut end, length - KEPT)?;
        self.cut += length - 2 * KEPT - self.marked;
        let mark = format!("\n[netloom: {} bytes that were printed here are left out]\n", self.cut);
        self.file.set_len(KEPT)?;
        self.marked = mark.len() as u64;
        self.file.write_all(mark.as_bytes())?;
        self.file.write_all(&end)
    }
}

/// Returns the last lines of `log` after its first `begin` bytes, to be appended to an error.
fn tail(log: &Path, begin: u64) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        // Its middle may have been removed since.
        let begin = if begin > length { 0 } else { begin };
        file.seek(SeekFrom::Start(length.saturating_sub(BYTES_LOOKED_AT).max(begin)))?;
        let mut bytes = vec![];
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    match lines.len() {
        0 => "; it printed nothing".into(),
        count => {
            let shown = lines[count.saturating_sub(LINES_SHOWN)..].join("\n  ");
            format!("; the last that it printed:\n  {shown}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_log_has_the_beginning_and_the_end_and_says_what_is_missing() {
        let named = tempfile::NamedTempFile::new().unwrap();
        let file = OpenOptions::new().append(true).read(true).open(named.path()).unwrap();
        let mut log = Bounded { file, cut: 0, marked: 0 };
        let line = |number: u64| format!("line {number:010}\n");
        let count = 20 * KEPT / line(0).len() as u64;
        for number in 0..count {
            log.put(line(number).as_bytes()).unwrap();
        }
        let text = fs::read_to_string(named.path()).unwrap();
        assert!(text.len() as u64 <= 3 * KEPT, "{} bytes", text.len());
        assert!(text.starts_with(&line(0)) && text.ends_with(&line(count - 1)));
        let (_, mark) = text.split_once("[netloom: ").unwrap();
        let said: u64 = mark.split(' ').next().unwrap().parse().unwrap();
        let marks = text.matches("[netloom: ").count();
        assert_eq!(marks, 1);
        let whole = count * line(0).len() as u64;
        assert_eq!(text.len() as u64 - log.marked + said, whole);
    }
}
