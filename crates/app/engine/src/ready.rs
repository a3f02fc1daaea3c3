//! Whether a process is ready.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use memchr::memmem;
use netloom_nodes::{SpawnRequest, Stdio};
use netloom_scenario::Ready;

use crate::live::LiveNetwork;

/// How often a readiness test is tried.
const STEP: Duration = Duration::from_millis(20);
/// How seldom it is tried at most where many are.
const LONGEST_STEP: Duration = Duration::from_millis(500);
/// How often a readiness command is tried, counted from the end of the last try.
const COMMAND_STEP: Duration = Duration::from_millis(100);

/// How much of an output is read at a time, in bytes.
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
    /// Waits until the test has passed; forever if it never does.
    pub async fn passed(&self) {
        let step = match self.ready {
            Ready::Command(_) => COMMAND_STEP,
            _ => STEP,
        };
        while !self.passes().await {
            tokio::time::sleep(step).await;
        }
    }

    /// Waits until the test of one of many that start together has passed: looks less and less
    /// often.
    pub async fn passed_gently(&self) {
        let mut step = STEP;
        while !self.passes().await {
            tokio::time::sleep(step).await;
            step = (step * 3 / 2).min(LONGEST_STEP);
        }
    }

    /// Whether it passes now.
    pub async fn passes(&self) -> bool {
        match &self.ready {
            Ready::Port(port) => self
                .network
                .with(|live| Ok(live.network.listening_tcp_ports(&self.node)?.contains(port)))
                .unwrap_or(false),
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

/// Files in which a text may appear. Each byte is read once, however often one looks.
#[derive(Debug, Clone)]
pub struct Outputs(Arc<Mutex<Vec<Output>>>);

#[derive(Debug)]
struct Output {
    path: PathBuf,
    read: u64,
    /// The last bytes that were read: the text may begin in them.
    last: Vec<u8>,
    has_shown: bool,
}

impl Outputs {
    /// Files of which nothing was read yet.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let output = |path| Output { path, read: 0, last: vec![], has_shown: false };
        Self(Arc::new(Mutex::new(paths.into_iter().map(output).collect())))
    }

    /// Whether `text`, always the same, has appeared in one of them.
    async fn have_shown(&self, text: &str) -> bool {
        let (outputs, text) = (Arc::clone(&self.0), text.to_owned());
        let look = move || {
            // A panic leaves a file that is read anew in part.
            let mut outputs = outputs.lock().unwrap_or_else(PoisonError::into_inner);
            outputs.iter_mut().any(|output| {
                // A file that is not there yet has shown nothing.
                let _ = output.read_on(text.as_bytes());
                output.has_shown
            })
        };
        tokio::task::spawn_blocking(look).await.unwrap_or(false)
    }
}

impl Output {
    /// Reads what has come since the last time.
    fn read_on(&mut self, text: &[u8]) -> io::Result<()> {
        if self.has_shown || text.is_empty() {
            self.has_shown = true;
            return Ok(());
        }
        let mut file = File::open(&self.path)?;
        let length = file.metadata()?.len();
        if length < self.read {
            // It was cut, and is another one now.
            (self.read, self.last) = (0, vec![]);
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut chunk = vec![0; CHUNK];
        // No further than now: a process may print faster than this reads.
        while self.read < length {
            let count = file.read(&mut chunk)?;
            if count == 0 {
                break;
            }
            self.read += count as u64;
            self.last.extend_from_slice(&chunk[..count]);
            if memmem::find(&self.last, text).is_some() {
                self.has_shown = true;
                self.last = vec![];
                break;
            }
            let carried = self.last.len().min(text.len() - 1);
            self.last.drain(..self.last.len() - carried);
        }
        Ok(())
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
        let mut output =
            Output { path: file.path().into(), read: 0, last: vec![], has_shown: false };
        let look = |output: &mut Output, more: &[u8]| {
            file.as_file().write_all(more).unwrap();
            output.read_on(b"needle").unwrap();
            output.has_shown
        };
        assert!(!look(&mut output, b"hay need"));
        assert!(!look(&mut output, &vec![b'x'; 3 * CHUNK + 1]));
        assert!(output.last.len() < b"needle".len(), "{} bytes are kept", output.last.len());
        assert!(!look(&mut output, b"nee"));
        assert!(!look(&mut output, b"dl"));
        assert!(look(&mut output, b"e"));
    }

    #[test]
    fn a_file_that_was_cut_is_read_from_its_beginning() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut output =
            Output { path: file.path().into(), read: 0, last: vec![], has_shown: false };
        file.as_file().write_all(&[b'x'; 100]).unwrap();
        output.read_on(b"up").unwrap();
        std::fs::write(file.path(), "up").unwrap();
        output.read_on(b"up").unwrap();
        assert!(output.has_shown);
    }
}
