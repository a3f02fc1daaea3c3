//! This side of a run on a machine that a command leads to.

use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use flate2::read::GzDecoder;
use netloom_api::member::{LEASE, PULSE};
use netloom_lead::Preamble;
use netloom_lead::files::{self, Packed};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot::Receiver;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::{Ended, MODE, Request, Said};
/// Longest time for a machine to greet, and for a piece of a file to come or go.
const PATIENCE: Duration = Duration::from_secs(30);
/// Length of such a piece, in bytes.
const PIECE: usize = 256 << 10;

/// A run that a machine is asked for.
pub struct Asked {
    /// The command that starts a member there.
    pub command: String,
    /// The word by which it greets.
    pub word: String,
    pub request: Request,
    /// The scenario's folder.
    pub folder: Arc<Packed>,
    /// Where its results go.
    pub results: PathBuf,
}

/// The command, and what it says.
struct Stream {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    complaints: ChildStderr,
}

impl Asked {
    /// Has the machine carry it, until `end` has something or is gone. Its results are there then,
    /// unless it has failed.
    ///
    /// # Errors
    /// The machine is lost.
    pub async fn carried(self, end: Receiver<()>) -> Result<Ended> {
        let mut stream = Stream::start(&format!("{} {} {MODE} -", self.command, self.word))?;
        match self.ended(&mut stream, end).await {
            Ok(ended) => {
                stream.fetch(&self.results).await.context("its results did not come")?;
                Ok(ended)
            }
            Err(error) => Err(match stream.complaint().await {
                complaint if complaint.is_empty() => error,
                complaint => anyhow!("{error:#}; {complaint}"),
            }),
        }
    }

    async fn ended(&self, stream: &mut Stream, mut end: Receiver<()>) -> Result<Ended> {
        let mut preamble = Preamble::of(&self.word);
        loop {
            let line = timeout(PATIENCE, stream.lines.next_line()).await;
            let line = line.map_err(|_| anyhow!("it does not greet"))??;
            if preamble.read(&line.ok_or_else(|| preamble.ended())?)? {
                break;
            }
        }
        let mut line = serde_json::to_vec(&self.request)?;
        line.push(b'\n');
        stream.send(&line).await?;
        let mut pulse = interval(PULSE);
        pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // What is sent before it is the archive.
        let mut runs = false;
        let mut silence = Duration::ZERO;
        loop {
            let line = tokio::select! {
                line = stream.lines.next_line() => line?.context("it has gone away")?,
                _ = pulse.tick() => {
                    silence += PULSE;
                    if silence > LEASE {
                        bail!("nothing came from it for {silence:?}");
                    }
                    if runs && stream.input.is_some() {
                        stream.send(b"\n").await?;
                    }
                    continue;
                }
                _ = &mut end, if stream.input.is_some() => {
                    stream.input = None;
                    continue;
                }
            };
            silence = Duration::ZERO;
            match serde_json::from_str(&line).context("cannot understand it")? {
                Said::Want => stream.send(self.folder.bytes()).await?,
                Said::Here => runs = true,
                Said::Ended(ended) => return Ok(ended),
                Said::Failed(why) => bail!(why),
            }
        }
    }
}

impl Stream {
    fn start(line: &str) -> Result<Self> {
        let mut command = Command::new("/bin/sh");
        // A group of its own: Ctrl-C is ours, and whatever the shell starts ends with it.
        command.args(["-c", line]).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start a shell")?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(complaints)) = pipes else {
            bail!("the command was started without pipes");
        };
        let lines = BufReader::new(output).lines();
        Ok(Self { child, input: Some(input), lines, complaints })
    }

    /// Sends bytes, a piece after the other.
    async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        let input = self.input.as_mut().context("it takes no orders any more")?;
        for piece in bytes.chunks(PIECE) {
            let sent = timeout(PATIENCE, input.write_all(piece)).await;
            sent.map_err(|_| anyhow!("it takes nothing"))?.context("it takes no orders")?;
        }
        Ok(())
    }

    /// Takes the archive that it sends.
    async fn fetch(&mut self, results: &Path) -> Result<()> {
        let archive = tempfile::tempfile_in(results.parent().unwrap_or(Path::new(".")))?;
        let mut file = File::from_std(archive.try_clone()?);
        let output = self.lines.get_mut();
        let mut piece = vec![0; PIECE];
        loop {
            let read = timeout(PATIENCE, output.read(&mut piece)).await;
            match read.map_err(|_| anyhow!("nothing comes any more"))?? {
                0 => break,
                count => file.write_all(&piece[..count]).await?,
            }
        }
        file.flush().await?;
        let results = results.to_owned();
        tokio::task::spawn_blocking(move || unpack(archive, &results)).await?
    }

    /// Returns the last that the command complains of.
    async fn complaint(&mut self) -> String {
        self.input = None;
        let mut text = vec![0; 4096];
        let read = timeout(PULSE, self.complaints.read(&mut text)).await;
        text.truncate(read.ok().and_then(Result::ok).unwrap_or(0));
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        text.lines().last().unwrap_or_default().to_owned()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let group = self.child.id().and_then(|pid| i32::try_from(pid).ok());
        group.into_iter().for_each(|group| _ = killpg(Pid::from_raw(group), Signal::SIGKILL));
    }
}

/// Unpacks results from a file.
pub fn unpack(mut archive: std::fs::File, results: &Path) -> Result<()> {
    archive.seek(SeekFrom::Start(0))?;
    std::fs::create_dir(results).with_context(|| format!("cannot make {}", results.display()))?;
    files::unpack(GzDecoder::new(archive), results)
}
