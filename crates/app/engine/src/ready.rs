//! Tests whether a process is ready.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use memchr::memmem;
use netloom_nodes::{SpawnRequest, Stdio};
use netloom_scenario::Ready;

use crate::live::LiveNetwork;

/// Time between two tries of a readiness test.
const STEP: Duration = Duration::from_millis(20);
/// Longest time between tries where many processes start together.
const LONGEST_STEP: Duration = Duration::from_millis(500);
/// Time between two tries of a readiness command, from the end of the last try.
const COMMAND_STEP: Duration = Duration::from_millis(100);

/// Number of bytes of an output that are read at a time.
const CHUNK: usize = 64 * 1024;

/// A readiness test of one process instance.
pub struct ReadyTest {
    /// The network.
    pub network: Arc<LiveNetwork>,
    /// The node of the instance.
    pub node: String,
    /// The test.
    pub ready: Ready,
    /// The files that the instance's output goes to.
    pub outputs: Outputs,
}

impl ReadyTest {
    /// Waits until the test has passed. Waits forever if it never does.
    pub async fn passed(&self) {
        let step = match self.ready {
            Ready::Command(_) => COMMAND_STEP,
            _ => STEP,
        };
        while !self.passes().await {
            tokio::time::sleep(step).await;
        }
    }

    /// Waits until the test has passed, for one of many processes that start together. Tries less
    /// and less often.
    pub async fn passed_gently(&self) {
        let mut step = STEP;
        while !self.passes().await {
            tokio::time::sleep(step).await;
            step = (step * 3 / 2).min(LONGEST_STEP);
        }
    }

    /// Whether the test passes now.
    pub async fn passes(&self) -> bool {
        match &self.ready {
            // A kernel of the node's own takes a while to answer.
            Ready::Port(port) => tokio::task::block_in_place(|| {
                self.network
                    .with(|live| {
                        Ok(live.network.inside(&self.node)?.listening_tcp_ports()?.contains(port))
                    })
                    .unwrap_or(false)
            }),
            Ready::Path(path) => self
                .network
                .with(|live| Ok(live.network.exists_in(&self.node, Path::new(path))?))
                .unwrap_or(false),
            Ready::Output(text) => self.outputs.have_shown(text).await,
            Ready::Command(command) => self.succeeds(command.argv()).await,
        }
    }

    async fn succeeds(&self, argv: Vec<String>) -> bool {
        let Ok(stdio) = nowhere() else { return false };
        let request = SpawnRequest { argv, env: Vec::new(), cwd: None, stdio };
        match self.network.spawn(&self.node, request).await {
            Ok(running) => running.exited.await.is_ok_and(|status| status.success()),
            Err(_) => false,
        }
    }
}

/// The outputs in which a text may appear.
#[derive(Debug, Clone)]
pub enum Outputs {
    /// Files. Each byte is read once, however often the files are searched.
    Files(Arc<Mutex<Vec<Output>>>),
    /// Output that another part reads and passes to these searches.
    Watched(Watched),
}

/// Texts that are searched for in a stream of output.
#[derive(Debug, Clone)]
pub struct Watched(Arc<Mutex<Vec<(String, Search)>>>);

impl Watched {
    /// Makes the searches for some texts.
    pub fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let searches = texts.into_iter().map(|text| (text, Search::default()));
        Self(Arc::new(Mutex::new(searches.collect())))
    }

    /// Searches for all texts in the next bytes.
    pub fn look_at(&self, bytes: &[u8]) {
        for (text, search) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            search.go_on(text.as_bytes(), bytes);
        }
    }

    fn have_shown(&self, text: &str) -> bool {
        let searches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        searches.iter().any(|(searched, search)| searched == text && search.found)
    }
}

/// A file in which a text may appear.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    read: u64,
    search: Search,
}

impl Outputs {
    /// Makes outputs of files of which nothing has been read yet.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self::files(paths.into_iter().map(|path| Output::new(path, 0)))
    }

    /// Makes outputs of one file, from an offset on.
    pub fn after(path: PathBuf, begin: u64) -> Self {
        Self::files([Output::new(path, begin)])
    }

    fn files(outputs: impl IntoIterator<Item = Output>) -> Self {
        Self::Files(Arc::new(Mutex::new(outputs.into_iter().collect())))
    }

    /// Whether `text` has appeared in one of the outputs. Must be called with the same text each
    /// time.
    async fn have_shown(&self, text: &str) -> bool {
        if text.is_empty() {
            return true;
        }
        let outputs = match self {
            Self::Files(outputs) => Arc::clone(outputs),
            Self::Watched(watched) => return watched.have_shown(text),
        };
        let text = text.to_owned();
        let look = move || {
            // After a panic, part of a file is read again.
            let mut outputs = outputs.lock().unwrap_or_else(PoisonError::into_inner);
            outputs.iter_mut().any(|output| {
                // A file that does not exist yet has no text.
                let _ = output.read_on(text.as_bytes());
                output.search.found
            })
        };
        tokio::task::spawn_blocking(look).await.unwrap_or(false)
    }
}

impl Output {
    fn new(path: PathBuf, read: u64) -> Self {
        Self { path, read, search: Search::default() }
    }

    /// Reads what was added since the last time.
    fn read_on(&mut self, text: &[u8]) -> io::Result<()> {
        if self.search.found {
            return Ok(());
        }
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        if length < self.read {
            // The file was truncated, so it starts anew.
            (self.read, self.search) = (0, Search::default());
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut chunk = vec![0; CHUNK];
        // Reads no further than the present end: a process may print faster than this reads.
        while self.read < length {
            let count = file.read(&mut chunk)?;
            self.read += count as u64;
            if count == 0 || self.search.go_on(text, &chunk[..count]) {
                break;
            }
        }
        Ok(())
    }
}

/// The search for a text in bytes that arrive in pieces.
#[derive(Debug, Default)]
pub struct Search {
    /// The last bytes, in which the text may begin.
    last: Vec<u8>,
    found: bool,
}

impl Search {
    /// Searches the next bytes. Returns whether `text` has appeared so far. Must be called with the
    /// same text each time.
    pub fn go_on(&mut self, text: &[u8], bytes: &[u8]) -> bool {
        if self.found {
            return true;
        }
        self.last.extend_from_slice(bytes);
        self.found = memmem::find(&self.last, text).is_some();
        let carried =
            if self.found { 0 } else { self.last.len().min(text.len().saturating_sub(1)) };
        self.last.drain(..self.last.len() - carried);
        self.found
    }
}

fn nowhere() -> std::io::Result<Stdio> {
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    Ok(Stdio::Files {
        stdin: null.try_clone()?.into(),
        stdout: null.try_clone()?.into(),
        stderr: null.into(),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_text_is_found_wherever_it_is_cut() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut output = Output::new(file.path().into(), 0);
        let look = |output: &mut Output, more: &[u8]| {
            file.as_file().write_all(more).unwrap();
            output.read_on(b"needle").unwrap();
            output.search.found
        };
        assert!(!look(&mut output, b"hay need"));
        assert!(!look(&mut output, &vec![b'x'; 3 * CHUNK + 1]));
        assert!(output.search.last.len() < b"needle".len());
        assert!(!look(&mut output, b"nee"));
        assert!(!look(&mut output, b"dl"));
        assert!(look(&mut output, b"e"));
    }

    #[test]
    fn a_file_that_was_cut_is_read_from_its_beginning() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut output = Output::new(file.path().into(), 0);
        file.as_file().write_all(&[b'x'; 100]).unwrap();
        output.read_on(b"up").unwrap();
        std::fs::write(file.path(), "up").unwrap();
        output.read_on(b"up").unwrap();
        assert!(output.search.found);
    }

    #[tokio::test]
    async fn what_comes_by_is_searched_for_each_text() {
        let watched = Watched::new(["one".into(), "other".into(), String::new()]);
        let outputs = Outputs::Watched(watched.clone());
        watched.look_at(b"an ot");
        assert!(!outputs.have_shown("other").await);
        assert!(outputs.have_shown("").await);
        watched.look_at(b"her");
        watched.look_at(&[b'x'; 3 * CHUNK]);
        assert!(outputs.have_shown("other").await);
        assert!(!outputs.have_shown("one").await);
    }

    #[tokio::test]
    async fn what_a_file_had_before_was_not_shown_now() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().write_all(b"ready\n").unwrap();
        let outputs = Outputs::after(file.path().into(), 6);
        assert!(!outputs.have_shown("ready").await);
        file.as_file().write_all(b"ready\n").unwrap();
        assert!(outputs.have_shown("ready").await);
    }
}
