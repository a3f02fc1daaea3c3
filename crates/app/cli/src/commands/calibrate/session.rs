//! The resources of a calibration: the lock against others on the machine, a folder for results,
//! the user's interrupts. However it ends, no experiment is left.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use netloom_api::launch::{Calibration, Mode};
use netloom_monitor::{SignalKind as Watched, Verdict};
use tempfile::TempDir;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::client::Client;
use crate::find::{self, Loaded};
use crate::launch::{Engine, Progress};

/// Name of the experiments that are run.
pub const EXPERIMENT: &str = "netloom-calibration";
/// Name of a socket outside the file system that serves as the lock: it goes when the process does.
const LOCK: &[u8] = b"netloom-calibrate";
/// Longest time of a run: a hundred times its planned duration.
const PATIENCE: Duration = Duration::from_secs(60);

/// The error if the user interrupts the calibration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted")
    }
}

impl std::error::Error for Interrupted {}

/// A calibration under way.
pub struct Session {
    /// This program. Processes of nodes start in its folder, since nodes cannot access all folders.
    binary: PathBuf,
    /// Results of runs, until they have been read.
    directory: TempDir,
    runs: u32,
    interrupts: [Signal; 2],
    progress: Progress,
    _lock: UnixListener,
}

impl Session {
    /// Begins a calibration. Returns an error if another one is under way.
    pub fn begin() -> Result<Self> {
        let lock =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(LOCK)?).map_err(|_| {
                anyhow!(
                    "another `netloom calibrate` measures this machine; wait until it has ended"
                )
            })?;
        let prefix = "netloom-calibrate-";
        let directory = tempfile::Builder::new().prefix(prefix).tempdir();
        Ok(Self {
            binary: std::env::current_exe().context("cannot find the netloom binary")?,
            directory: directory.context("cannot make a temporary folder")?,
            runs: 0,
            interrupts: [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?],
            progress: Progress::new(),
            _lock: lock,
        })
    }

    /// Returns the path of this program.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Shows the current step to a user who watches.
    pub fn show(&mut self, what: &str) {
        self.progress.show(&format!("calibrating: {what}"));
    }

    /// Runs slow work on another thread.
    pub async fn aside<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let work = tokio::task::spawn_blocking(work);
        tokio::select! {
            done = work => done.context("a measure failed")?,
            () = interrupted(&mut self.interrupts) => Err(Interrupted.into()),
        }
    }

    /// Runs a scenario to its end. Returns the folder of its results.
    pub async fn run(&mut self, scenario: &str) -> Result<PathBuf> {
        let (mut engine, results) = self.start(scenario).await?;
        let ended = tokio::select! {
            ended = engine.wait() => ended.and_then(|ended| match ended.status.success() {
                true => Ok(()),
                false => bail!("the engine of a calibration run died ({})", ended.status),
            }),
            () = tokio::time::sleep(PATIENCE) => Err(anyhow!("a calibration run does not end")),
            () = interrupted(&mut self.interrupts) => Err(Interrupted.into()),
        };
        self.settle(&mut engine, ended).await?;
        Ok(results)
    }

    /// Brings a scenario's network up, calls `look` with the engine's process ID once its monitor
    /// watches, and takes the network down.
    pub async fn look_at<T>(
        &mut self,
        scenario: &str,
        look: impl FnOnce(u32) -> Result<T>,
    ) -> Result<T> {
        let (mut engine, _) = self.start(scenario).await?;
        let pid = engine.pid().unwrap_or_default();
        let client = Client::new(EXPERIMENT, &netloom_host::inspect(EXPERIMENT)?.socket);
        let looked = tokio::select! {
            watched = watches(&client) => watched.and_then(|()| look(pid)),
            () = interrupted(&mut self.interrupts) => Err(Interrupted.into()),
        };
        let ended = match looked {
            Ok(looked) => client.shutdown().await.map(|()| looked),
            Err(error) => Err(error),
        };
        let looked = self.settle(&mut engine, ended).await?;
        let gone = engine.wait().await;
        self.settle(&mut engine, gone).await?;
        Ok(looked)
    }

    /// Starts a run and waits until its network is up.
    async fn start(&mut self, scenario: &str) -> Result<(Engine, PathBuf)> {
        self.runs += 1;
        let results = self.directory.path().join(format!("run-{}", self.runs));
        let loaded = load(scenario, &self.binary)?;
        let calibration = Calibration::Missing { why: "this run calibrates".into() };
        let mode = Mode::Run { results: results.clone(), fail_fast: false };
        let mut engine = Engine::start(&loaded, None, calibration, mode).await?;
        let ready = tokio::select! {
            ready = engine.ready() => ready,
            () = interrupted(&mut self.interrupts) => Err(Interrupted.into()),
        };
        self.settle(&mut engine, ready).await?;
        Ok((engine, results))
    }

    /// Removes everything of an engine that failed, or that was given up.
    async fn settle<T>(&mut self, engine: &mut Engine, outcome: Result<T>) -> Result<T> {
        if outcome.is_err() {
            engine.kill().await?;
            netloom_host::cleanup(EXPERIMENT)?;
        }
        outcome
    }
}

/// Waits until the experiment's monitor watches the data plane. Its probes are ready then; until
/// that time, its engine needs more memory.
async fn watches(client: &Client) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let verdict: Verdict = client.get("/verdict").await?;
        if verdict.coverage.iter().any(|c| c.signal == Watched::Lateness && c.observed) {
            return Ok(());
        }
        if Instant::now() > deadline {
            bail!("the monitor of a calibration run does not begin");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn interrupted(interrupts: &mut [Signal; 2]) {
    let [interrupt, terminate] = interrupts;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

fn load(source: &str, binary: &Path) -> Result<Loaded> {
    let directory = binary.parent().unwrap_or(Path::new("/")).to_path_buf();
    let loaded = find::load(source, &directory)
        .map_err(|diagnostics| anyhow!("{}", diagnostics.render("calibration", source)))?;
    let file = directory.join("calibration.yaml");
    Ok(Loaded::of(file, directory, source.into(), loaded.scenario))
}
