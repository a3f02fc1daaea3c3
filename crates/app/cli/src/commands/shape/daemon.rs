//! Starts the daemon.

use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use netloom_shape::Policy;
use netloom_units::Rate;

use crate::client::Client;
use crate::{exit, profile_file};

/// Longest time for the daemon to start.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the daemon in place of this program.
pub fn serve(state: &Path, policy: &Path, records: &Path, bears: Option<Rate>) -> Result<i32> {
    if !nix::unistd::geteuid().is_root() {
        return Err(exit::usage("the daemon is for root: sudo netloom shape serve"));
    }
    let error = command(state, policy, records, bears)?.exec();
    Err(error).context("cannot start the daemon")
}

/// Starts the daemon if root makes a request and it does not run.
pub async fn start_for_root(client: &Client, state: &Path) -> Result<()> {
    if client.is_listening().await || !nix::unistd::geteuid().is_root() {
        return Ok(());
    }
    let records = Path::new("/var/log/netloom/shape.jsonl");
    let mut daemon = command(state, Path::new(Policy::FILE), records, None)?;
    // It lives on: whoever waits for the end of this program's output must not wait for its end.
    let mut words = tempfile::tempfile().context("cannot start the daemon")?;
    let stderr = words.try_clone().context("cannot start the daemon")?;
    daemon.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).process_group(0);
    let mut daemon = daemon.spawn().context("cannot start the daemon")?;
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if client.is_listening().await {
            return Ok(());
        }
        if let Some(status) = daemon.try_wait()? {
            let mut reason = String::new();
            words.seek(SeekFrom::Start(0))?;
            words.read_to_string(&mut reason)?;
            eprint!("{reason}");
            return Err(exit::usage(format!("the daemon did not start ({status})")));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    anyhow::bail!("the daemon has not started within {} s", PATIENCE.as_secs())
}

fn command(state: &Path, policy: &Path, records: &Path, bears: Option<Rate>) -> Result<Command> {
    let binary = std::env::current_exe().context("cannot find the netloom binary")?;
    let mut command = Command::new(binary);
    let bears = bears.or_else(measured).map_or_else(|| "-".into(), |rate| rate.to_string());
    command.arg("__shape").args([state, policy, records]).arg(bears);
    Ok(command)
}

/// Returns the rate that `netloom calibrate --shape` has measured on this machine.
fn measured() -> Option<Rate> {
    let profile = profile_file::location().and_then(|file| profile_file::read(&file));
    let profile = profile.unwrap_or_else(|error| {
        eprintln!("warning: {error:#}");
        None
    })?;
    let stale = profile.staleness(&netloom_results::machine::describe());
    if let Some(difference) = stale.first() {
        eprintln!(
            "warning: the calibration is stale ({difference}): run `netloom calibrate --shape`"
        );
        return None;
    }
    profile.shaping_rate()
}
