//! Experiments of this machine from outside: finds them, detects dead engines, and removes what
//! those left.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use netloom_nodes::{CleanupReport, LOCK, Layout, PidFd};

use crate::state_lock::StateLock;

/// Name of the file with the engine's process ID, in the state directory.
const PID_FILE: &str = "engine.pid";
/// Name of the file with the start time of that process, in the same directory.
const START_FILE: &str = "engine.started";

/// An experiment that has left a trace on this machine.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Whether its engine lives, and has not been killed.
    pub alive: bool,
    /// The engine's process ID, if the engine has recorded it.
    pub pid: Option<u32>,
    /// The socket of its API.
    pub socket: PathBuf,
}

/// The names of all experiments that have left a trace, sorted.
pub fn names() -> Vec<String> {
    Layout::all()
}

/// All experiments that have left a trace, sorted by name. An engine that has been killed and does
/// not end keeps nobody waiting: its experiment is one that does not live.
pub fn experiments() -> Result<Vec<Found>> {
    let mut found: Vec<Found> =
        names().into_iter().map(|name| look(&name)).collect::<Result<_>>()?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// State of the experiment `name`. If its engine has been killed and the kernel is still tearing it
/// down, this waits for the end, whether or not the engine still has its lock.
pub fn inspect(name: &str) -> Result<Found> {
    let layout = Layout::new(name);
    layout.check_state_root()?;
    wait_if_going(&layout)?;
    look(name)
}

/// State of the experiment `name` at this moment.
fn look(name: &str) -> Result<Found> {
    let layout = Layout::new(name);
    layout.check_state_root()?;
    let taken = StateLock::is_taken(layout.state_dir())
        .with_context(|| format!("cannot look at {}", layout.state_dir().display()))?;
    let pid = read_number(&layout, PID_FILE).and_then(|pid| u32::try_from(pid).ok());
    Ok(Found {
        name: name.into(),
        alive: taken && !is_going(&layout),
        pid,
        socket: layout.socket(),
    })
}

/// Result of [`cleanup`].
#[derive(Debug)]
pub struct Cleaned {
    /// Objects removed in the kernel, and the state directory.
    pub nodes: CleanupReport,
    /// Number of images that were only partly unpacked.
    pub images: usize,
}

impl Cleaned {
    /// Describes what was removed.
    pub fn in_words(&self) -> Vec<String> {
        let Self { nodes, images } = self;
        let counts = [
            (nodes.processes, "processes"),
            (nodes.namespaces, "namespaces"),
            (nodes.cgroups, "control groups"),
            (usize::from(nodes.state), "state directory"),
            (*images, "images unpacked in part"),
        ];
        let found = counts.into_iter().filter(|(count, _)| *count > 0);
        found.map(|(count, what)| format!("{count} {what}")).collect()
    }
}

/// Removes what a dead engine left of the experiment `name`, and images that killed engines have
/// only partly unpacked. Fails if the engine lives.
pub fn cleanup(name: &str) -> Result<Cleaned> {
    let layout = Layout::new(name);
    let found = inspect(name)?;
    // Held while cleaning, so that no new engine of this name starts in between.
    let claim = StateLock::claim_existing(layout.state_dir())
        .with_context(|| format!("cannot claim {}", layout.state_dir().display()))?;
    let Ok(_claim) = claim else {
        if Process::of(&layout).is_none() {
            bail!("{}", held_by_another(&found, &layout));
        }
        bail!(
            "experiment `{name}` is running; end it with `netloom destroy {name}` \
             (or `netloom cleanup --force {name}` if its engine does not answer)"
        );
    };
    if is_running(&layout) {
        bail!("the engine of `{name}` has lost its lock and is about to end; try again");
    }
    let cleaned = || -> Result<Cleaned> {
        let nodes = netloom_nodes::cleanup(name)?;
        // Without a home, there is no cache.
        let cache = netloom_images::cache().ok();
        let images = cache.map_or(Ok(0), |cache| netloom_images::sweep(&cache))?;
        Ok(Cleaned { nodes, images })
    };
    cleaned().with_context(|| format!("cannot clean up `{name}`"))
}

/// How long a killed engine may take to end, plus the time for each open file.
const KILL_PATIENCE: Duration = Duration::from_secs(10);
const KILL_PER_FILE: Duration = Duration::from_millis(10);

/// Kills the engine of `name`, if it lives, and waits until it is gone. Kills nothing that is not
/// certainly the engine.
pub fn kill_engine(name: &str) -> Result<()> {
    let layout = Layout::new(name);
    let found = inspect(name)?;
    if !found.alive {
        return Ok(());
    }
    let Some(engine) = Process::of(&layout) else { bail!("{}", held_by_another(&found, &layout)) };
    engine.process.kill().context("cannot kill the engine")?;
    engine.wait(name)
}

/// Records which process the engine is: its ID and its start time, because IDs are reused.
pub fn write_process(layout: &Layout) -> Result<()> {
    let pid = std::process::id();
    let started = netloom_nodes::started_at(pid).context("cannot read when the engine started")?;
    for (name, number) in [(START_FILE, started), (PID_FILE, u64::from(pid))] {
        let file = layout.state_dir().join(name);
        fs::write(&file, number.to_string())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// Whether the engine of an experiment has been killed and is still there.
fn is_going(layout: &Layout) -> bool {
    Process::of(layout).is_some_and(|engine| netloom_nodes::is_going(engine.pid))
}

/// Waits for the engine of an experiment if it has been killed. Returns whether it had been.
pub fn wait_if_going(layout: &Layout) -> Result<bool> {
    match Process::of(layout) {
        Some(engine) if netloom_nodes::is_going(engine.pid) => {
            engine.wait(layout.experiment())?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Whether the process that recorded itself as the engine still runs.
pub fn is_running(layout: &Layout) -> bool {
    Process::of(layout).is_some_and(|engine| !engine.process.ended_by(Instant::now()))
}

fn held_by_another(found: &Found, layout: &Layout) -> String {
    let lock = layout.state_dir().join(LOCK);
    let gone = found.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    format!(
        "another process than the engine of `{}`{gone}, which has ended, holds {}: nothing was \
         killed or removed; `fuser {}` says which process that is",
        found.name,
        lock.display(),
        lock.display(),
    )
}

/// The process of an engine, certainly the one that recorded its ID.
struct Process {
    pid: u32,
    process: PidFd,
}

impl Process {
    fn of(layout: &Layout) -> Option<Self> {
        let pid = u32::try_from(read_number(layout, PID_FILE)?).ok()?;
        let started = read_number(layout, START_FILE)?;
        // The ID may pass to another process before the descriptor is opened, but no other process
        // has the same start time.
        let process = PidFd::open(pid).ok()?;
        (netloom_nodes::started_at(pid)? == started).then_some(Self { pid, process })
    }

    /// Waits until it is gone, together with its devices, which the kernel removes one by one.
    fn wait(self, name: &str) -> Result<()> {
        let files = fs::read_dir(format!("/proc/{}/fd", self.pid)).map_or(0, Iterator::count);
        let devices = KILL_PER_FILE.saturating_mul(u32::try_from(files).unwrap_or(u32::MAX));
        if !self.process.ended_by(Instant::now() + KILL_PATIENCE + devices) {
            let pid = self.pid;
            bail!("the engine of `{name}` (pid {pid}) does not die; is it stuck in the kernel?");
        }
        Ok(())
    }
}

fn read_number(layout: &Layout, file: &str) -> Option<u64> {
    fs::read_to_string(layout.state_dir().join(file)).ok()?.trim().parse().ok()
}
