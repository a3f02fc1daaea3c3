//! Starts an engine and follows its start.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use netloom_api::launch::{Calibration, Launch, Mode, STAY, StartUp};
use netloom_api::member::{Order, PULSE, Said};
use netloom_api::progress::{self, Share};
use netloom_api::summary::Summary;
use netloom_lead::Preamble;
use netloom_scenario::{Link, Scenario};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::args::StartOptions;
use crate::find::{self, Loaded};
use crate::{exit, output};

/// Longest silence of a member that starts. It says each second that it is there.
const STARTING: Duration = Duration::from_secs(20);

/// An engine that this process has started.
pub struct Engine {
    child: Child,
    lines: Saying,
    /// The engine's standard input. While it is open, the engine knows that this process lives.
    lease: Option<Arc<Mutex<ChildStdin>>>,
    /// Whether what started the engine leads a group of processes, which end with it.
    leads: bool,
    /// How long it may say nothing while it starts. `None`: it does not say that it is there.
    patience: Option<Duration>,
    /// Whether the engine stays when this process ends, once it is ready.
    stays: bool,
    /// When the network was up, if something runs in it from the start.
    pub up: Option<Instant>,
}

/// The lines that an engine prints, until it is gone or somebody else reads them.
pub struct Saying(Option<Lines<BufReader<ChildStdout>>>);

/// The end of an engine.
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// The summary of its run, if it could not be written.
    pub unwritten: Option<Box<Summary>>,
    /// The error that ended it, if any.
    pub error: Option<String>,
}

/// Reads the scenario and applies the options of the command line. Warnings are not printed.
pub fn prepare(options: &StartOptions) -> Result<Loaded> {
    let mut loaded = find::unwarned(&options.scenario)?;
    if let Some(name) = &options.name {
        netloom_scenario::check_experiment_name(name).map_err(exit::usage)?;
        loaded.scenario.name.clone_from(name);
    }
    if let Some(seed) = options.seed {
        loaded.scenario.seed = seed;
        if !loaded.scenario.is_random() {
            loaded.warnings +=
                "note: `--seed` has no effect on the links: nothing in this scenario is random\n";
        }
    }
    if let Some(dilation) = options.dilation {
        loaded.scenario.dilation = dilation;
    }
    Ok(loaded)
}

/// Logs all frames of the links for which `is_meant` is true, and of all shared media.
pub fn all_frames(scenario: &mut Scenario, is_meant: impl Fn(&Link) -> bool) {
    let links = scenario.links.iter().filter(|link| is_meant(link));
    scenario.measure.frames = links.map(|link| link.name.clone()).collect();
    let media = scenario.nodes.iter().filter(|node| node.medium.is_some());
    scenario.measure.air = media.map(|node| node.name.clone()).collect();
}

/// Returns the absolute path of the requested directory, or of a new one named after experiment and
/// time.
pub fn results_directory(wanted: Option<PathBuf>, loaded: &Loaded) -> Result<PathBuf> {
    results_of(wanted, &loaded.scenario.name)
}

/// Returns the absolute path of the requested directory, or of a new one named after experiment and
/// time.
pub fn results_of(wanted: Option<PathBuf>, experiment: &str) -> Result<PathBuf> {
    let directory = wanted.unwrap_or_else(|| {
        let time = chrono::Local::now().format("%Y-%m-%dT%H-%M-%S%.3f").to_string();
        Path::new("netloom-results").join(experiment).join(time)
    });
    if directory.exists() {
        return Err(exit::usage(format!(
            "{} exists already; results are never overwritten: choose another directory",
            directory.display()
        )));
    }
    std::path::absolute(&directory).context("cannot find the current folder")
}

impl Saying {
    /// Reads up to the greeting of a member that was given `word`.
    async fn greeted(&mut self, word: &str) -> Result<()> {
        let Some(lines) = &mut self.0 else { bail!("somebody else reads it") };
        let mut preamble = Preamble::of(word);
        while let Some(line) = lines.next_line().await? {
            if preamble.read(&line)? {
                return Ok(());
            }
        }
        Err(preamble.ended())
    }

    /// Returns the next line. `None` if there is none any more.
    ///
    /// # Errors
    /// The line is not an engine's.
    pub async fn next(&mut self) -> Result<Option<StartUp>> {
        let Some(lines) = &mut self.0 else { return Ok(None) };
        let Some(line) = lines.next_line().await? else { return Ok(None) };
        serde_json::from_slice(line.as_bytes()).context("cannot understand the engine").map(Some)
    }
}

impl Engine {
    /// Starts an engine and sends it its orders.
    pub async fn start(
        loaded: &Loaded,
        workers: Option<usize>,
        calibration: Calibration,
        mode: Mode,
    ) -> Result<Self> {
        let stays = mode == Mode::Deploy;
        Self::launch(
            Launch {
                scenario: loaded.scenario.clone(),
                source: loaded.source.clone(),
                file: loaded.file.clone(),
                directory: loaded.directory.clone(),
                mode,
                workers,
                calibration,
                shell: None,
                member: None,
            },
            stays,
        )
        .await
    }

    /// Starts an engine and sends it its orders. `stays` says whether it lives on when this process
    /// ends.
    pub async fn launch(orders: Launch, stays: bool) -> Result<Self> {
        let binary = std::env::current_exe().context("cannot find the netloom binary")?;
        let mut command = Command::new(binary);
        command.arg("__engine");
        Self::by(command, &orders, stays).await
    }

    /// Starts a member of several machines by a command, whose standard input and output lead to
    /// it, and sends it its orders. It greets with `word`.
    ///
    /// # Errors
    /// If the command does not start a member of this version.
    pub async fn launch_by(line: &str, word: &str, orders: &Launch) -> Result<Self> {
        let mut command = Command::new("/bin/sh");
        // A group of its own: an interrupt of this program is an order to members, and no end of
        // what leads to them.
        command.arg("-c").arg(format!("{line} {word}")).process_group(0);
        let mut engine = Self::by(command, orders, false).await?;
        engine.leads = true;
        let greeted = timeout(STARTING, engine.lines.greeted(word)).await;
        let greeted = greeted.unwrap_or_else(|_| Err(silent()));
        if greeted.is_err() {
            let _ = engine.kill().await;
        }
        greeted.with_context(|| format!("`{line}`"))?;
        Ok(engine)
    }

    /// Starts an engine by a command.
    async fn by(mut command: Command, orders: &Launch, stays: bool) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("cannot start the engine")?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(anyhow!("the engine was started without pipes"));
        };
        let mut line = serde_json::to_vec(orders)?;
        line.push(b'\n');
        stdin.write_all(&line).await.context("the engine did not take its orders")?;
        let lines = Saying(Some(BufReader::new(stdout).lines()));
        let lease = Some(Arc::new(Mutex::new(stdin)));
        let patience = orders.member.is_some().then_some(STARTING);
        Ok(Self { child, lines, lease, leads: false, patience, stays, up: None })
    }

    /// Returns the engine's process id. `None` once it has been waited for.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits until all that runs from the start is ready. Shows the progress to a user who watches.
    pub async fn ready(&mut self) -> Result<()> {
        let mut progress = Progress::new();
        while let Some(line) = self.next().await? {
            report(&line);
            match line {
                StartUp::Nodes { done, total } => progress.show(&format!("nodes {done}/{total}")),
                StartUp::Up => self.up = Some(Instant::now()),
                StartUp::Services { done, total } => {
                    progress.show(&format!("services {done}/{total}"));
                }
                StartUp::Note(note) => {
                    progress.clear();
                    note!("note: {note}");
                }
                StartUp::Ready => {
                    progress.clear();
                    if self.stays {
                        self.release().await?;
                    }
                    return Ok(());
                }
                StartUp::Unwritten(_) | StartUp::Member(_) => {}
                StartUp::Failed(error) => {
                    progress.clear();
                    let _ = self.child.wait().await;
                    return Err(anyhow!("{}", error.error));
                }
            }
        }
        progress.clear();
        let status = self.child.wait().await?;
        Err(anyhow!("the engine died while it started ({status})"))
    }

    /// Returns the next line, while it starts.
    async fn next(&mut self) -> Result<Option<StartUp>> {
        match self.patience {
            None => self.lines.next().await,
            Some(patience) => {
                let heard = timeout(patience, self.lines.next()).await;
                heard.unwrap_or_else(|_| Err(silent()))
            }
        }
    }

    /// Returns the next thing that it says as a member of several machines. Notes are shown.
    ///
    /// # Errors
    /// The engine has ended, for this reason.
    pub async fn said(&mut self) -> Result<Said> {
        loop {
            match self.next().await? {
                Some(StartUp::Member(Said::Here)) => {}
                Some(StartUp::Member(said)) => return Ok(said),
                Some(StartUp::Note(note)) => note!("note: {note}"),
                Some(StartUp::Failed(error)) => {
                    let _ = self.child.wait().await;
                    return Err(anyhow!("{}", error.error));
                }
                Some(_) => {}
                None => {
                    let status = self.child.wait().await?;
                    return Err(anyhow!("the engine died while it started ({status})"));
                }
            }
        }
    }

    /// Keeps its lease when it is ready, so that it ends with this process.
    pub fn keep_lease(&mut self) {
        self.stays = false;
    }

    /// Gives it an order of the lead of several machines.
    pub async fn order(&mut self, order: &Order) -> Result<()> {
        let lease = self.lease.as_ref().context("it has no standard input any more")?;
        give(&mut *lease.lock().await, order).await
    }

    /// Says each second that this process is there, as long as it holds the lease.
    pub fn pulse(&self) {
        let Some(lease) = self.lease.as_ref().map(Arc::downgrade) else { return };
        tokio::spawn(async move {
            while let Some(lease) = lease.upgrade() {
                if give(&mut *lease.lock().await, &Order::Here).await.is_err() {
                    return;
                }
                drop(lease);
                tokio::time::sleep(PULSE).await;
            }
        });
    }

    /// Closes its lease, so that it ends by itself.
    pub fn let_go(&mut self) {
        self.lease = None;
    }

    /// Hands over what it will say from now on.
    pub fn take_lines(&mut self) -> Saying {
        Saying(self.lines.0.take())
    }

    /// Lets the engine live on without this process.
    async fn release(&mut self) -> Result<()> {
        if let Some(lease) = self.lease.take() {
            let mut lease = lease.lock().await;
            lease.write_all(STAY).await.context("the engine ended as soon as it was ready")?;
        }
        Ok(())
    }

    /// Waits until the engine is gone. Returns its exit status and its last messages.
    pub async fn wait(&mut self) -> Result<Ended> {
        let (mut unwritten, mut error) = (None, None);
        loop {
            match self.lines.next().await {
                // Nothing more can be read after an error.
                Ok(None) | Err(_) => break,
                Ok(Some(StartUp::Unwritten(summary))) => unwritten = Some(summary),
                Ok(Some(StartUp::Failed(failed))) => error = Some(failed.error),
                // The line belongs to the start, which is over.
                Ok(Some(_)) => {}
            }
        }
        let status = self.child.wait().await.context("cannot wait for the engine")?;
        self.lease = None;
        Ok(Ended { status, unwritten, error })
    }

    /// Kills the engine, or what leads to it. Its remains must be cleaned up.
    pub async fn kill(&mut self) -> Result<()> {
        self.lease = None;
        let group = self.child.id().filter(|_| self.leads).and_then(|pid| i32::try_from(pid).ok());
        if let Some(group) = group {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        self.child.kill().await.context("cannot kill the engine")
    }
}

fn silent() -> anyhow::Error {
    anyhow!(
        "nothing has come from it for {} s while it started: it stands still, or the way there is \
         cut",
        STARTING.as_secs()
    )
}

/// Writes an order for a member.
async fn give(lease: &mut ChildStdin, order: &Order) -> Result<()> {
    let mut line = serde_json::to_vec(order)?;
    line.push(b'\n');
    lease.write_all(&line).await.context("it does not read its orders")
}

/// Prints what an engine says while it starts, if progress is printed as lines.
fn report(line: &StartUp) {
    let progress = match line {
        StartUp::Nodes { done, total } => {
            progress::Progress::Nodes(Share { done: *done, total: *total })
        }
        StartUp::Services { done, total } => {
            progress::Progress::Services(Share { done: *done, total: *total })
        }
        StartUp::Up => progress::Progress::Up {},
        StartUp::Note(note) => progress::Progress::Note(note.clone()),
        _ => return,
    };
    output::progress(|| progress);
}

/// One line of progress that is overwritten, on a terminal only.
pub struct Progress {
    shown: bool,
    terminal: bool,
}

impl Progress {
    /// Makes a progress line on standard error.
    pub fn new() -> Self {
        Self { shown: false, terminal: std::io::stderr().is_terminal() && !output::is_quiet() }
    }

    /// Replaces the text that is shown.
    pub fn show(&mut self, text: &str) {
        if self.terminal {
            output::replace_line(text);
            self.shown = true;
        }
    }

    /// Clears the line.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            output::replace_line("");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
