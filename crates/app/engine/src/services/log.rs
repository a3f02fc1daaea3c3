//! What a service or a startup command prints, in a file.
//!
//! In a run, the file is among the results and has it all. In a deployed network it is in the state
//! directory, which is memory on most machines, for as long as the network lives: there it has the
//! beginning and the end, and says how much is missing between. What is printed comes through a
//! pipe then, and a program that prints faster than a log can take waits.

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

/// How much of its output an error shows.
const LINES_SHOWN: usize = 10;
const BYTES_LOOKED_AT: u64 = 8 * 1024;
/// How much of the beginning, and at least of the end, a bounded log has, in bytes.
const KEPT: u64 = 1 << 20;
/// How much a program may print in a period before it waits for the next.
const MOST_IN_A_PERIOD: usize = 1 << 20;
const PERIOD: Duration = Duration::from_millis(100);
/// How long an error waits for the rest of what an ended program has printed: others may still have
/// the pipe.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where a service or a startup command of one node prints.
pub(super) struct Log {
    path: PathBuf,
    /// Its length when it was opened.
    begin: u64,
    output: OwnedFd,
    /// What brings the output into the file, if it does not go there by itself.
    bounded: Option<JoinHandle<()>>,
    /// Where it is looked for the texts that its user waits for.
    outputs: Outputs,
}

impl Log {
    /// The log of `what` in `node`, added to if there is one. Its user may wait for texts.
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
        // A file of which the middle goes away cannot be searched by those who look now and then.
        let awaited = Watched::new(awaited);
        let outputs = Outputs::Watched(awaited.clone());
        let events = Arc::clone(&services.events);
        let bounded = Some(tokio::spawn(bring(input, bounded, awaited, events, warning)));
        Ok(Self { path, begin, output, bounded, outputs })
    }

    /// What is printed since it was opened, for the texts that its user waits for.
    pub fn outputs(&self) -> Outputs {
        self.outputs.clone()
    }

    /// Standard streams of a program that prints there.
    pub fn stdio(&self) -> Result<Stdio> {
        Ok(Stdio::Files {
            stdin: File::open("/dev/null")?.into(),
            stdout: self.output.try_clone()?,
            stderr: self.output.try_clone()?,
        })
    }

    /// The last lines that came since it was opened, to be put behind an error.
    pub async fn tail(self) -> String {
        drop(self.output);
        if let Some(bounded) = self.bounded {
            // What comes later than that is not shown.
            let _ = tokio::time::timeout(PATIENCE, bounded).await;
        }
        tail(&self.path, self.begin)
    }
}

/// Brings what comes through a pipe into a file, until nobody has its other end.
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

/// A file that has the beginning and the end of what is put into it.
struct Bounded {
    /// Everything is added at its end.
    file: File,
    /// How many bytes are missing.
    cut: u64,
    /// The length of the words that say so, in the file.
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

/// The last lines of `log` after its first `begin` bytes, to be put behind an error.
fn tail(log: &Path, begin: u64) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(log)?;
        let length = file.metadata()?.len();
        // Its middle may have been left out since.
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
