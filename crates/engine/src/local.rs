//! The experiments of this machine, seen from outside: which there are, which engines are dead, and
//! the removal of what dead engines left.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use anyhow::{Context, Result, bail};
use netloom_nodes::{CleanupReport, Layout};

use crate::state_lock::StateLock;

/// The name of the file with the engine's process id, in the state directory.
pub(crate) const PID_FILE: &str = "engine.pid";

/// An experiment of which there is a trace on this machine.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Whether its engine lives.
    pub alive: bool,
    /// The engine's process id, if it got as far as recording one.
    pub pid: Option<u32>,
    /// The socket of its API.
    pub socket: PathBuf,
}

/// All experiments of which there is a trace, sorted by name.
pub fn experiments() -> Result<Vec<Found>> {
    let mut found: Vec<Found> =
        Layout::all().into_iter().map(|name| inspect(&name)).collect::<Result<_>>()?;
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// What there is of the experiment `name`.
pub fn inspect(name: &str) -> Result<Found> {
    let layout = Layout::new(name);
    layout.check_state_root()?;
    let alive = StateLock::is_taken(layout.state_dir())
        .with_context(|| format!("cannot look at {}", layout.state_dir().display()))?;
    let pid = fs::read_to_string(layout.state_dir().join(PID_FILE))
        .ok()
        .and_then(|text| text.trim().parse().ok());
    Ok(Found { name: name.into(), alive, pid, socket: layout.socket() })
}

/// Removes what a dead engine left of the experiment `name`. An error if the engine lives.
pub fn cleanup(name: &str) -> Result<CleanupReport> {
    let layout = Layout::new(name);
    layout.check_state_root()?;
    // Held while cleaning, so that no new engine of this name starts in between.
    let claim = StateLock::claim_existing(layout.state_dir())
        .with_context(|| format!("cannot claim {}", layout.state_dir().display()))?;
    let Ok(_claim) = claim else {
        bail!(
            "experiment `{name}` is running; end it with `netloom destroy {name}` \
             (or `netloom cleanup --force {name}` if its engine does not answer)"
        );
    };
    netloom_nodes::cleanup(name).with_context(|| format!("cannot clean up `{name}`"))
}

/// How long a killed engine may take to end, and how much longer for each file that it has open.
const KILL_PATIENCE: Duration = Duration::from_secs(10);
const KILL_PER_FILE: Duration = Duration::from_millis(10);

/// Kills the engine of `name`, if it lives, and waits until it is gone.
pub fn kill_engine(name: &str) -> Result<()> {
    let found = inspect(name)?;
    let (true, Some(pid)) = (found.alive, found.pid) else { return Ok(()) };
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).context("process id")?);
    match nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL) {
        Ok(()) | Err(nix::errno::Errno::ESRCH) => {}
        Err(errno) => return Err(io::Error::from(errno)).context("cannot kill the engine"),
    }
    // With its devices, which the kernel takes back one by one.
    let files = fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count);
    let devices = KILL_PER_FILE.saturating_mul(u32::try_from(files).unwrap_or(u32::MAX));
    let deadline = Instant::now() + KILL_PATIENCE + devices;
    while inspect(name)?.alive {
        if Instant::now() > deadline {
            bail!("the engine of `{name}` (pid {pid}) does not die; is it stuck in the kernel?");
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}
