//! The web UI beside a run: `netloom run --ui`.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A server of the web UI. It ends with this value, if this command has started it.
pub struct Page(Child);

impl Page {
    /// Starts a server for the folder of a scenario, or finds the one that runs, and prints its
    /// address.
    pub async fn open(folder: &Path) -> Result<Self> {
        let binary = std::env::current_exe().context("cannot find the netloom binary")?;
        let mut command = Command::new(binary);
        command.args(["ui", "--no-open", "--"]).arg(folder);
        // An interrupt ends the run in order, and the page shows it.
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut server = command.spawn().context("cannot start the web UI")?;
        let out = server.stdout.take().context("the web UI was started without a pipe")?;
        let line = BufReader::new(out).lines().next_line().await?;
        let url = line.unwrap_or_default();
        ensure!(url.starts_with("http://"), "the web UI did not start");
        eprintln!("watch: {url}");
        Ok(Self(server))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let pid = self.0.id().and_then(|pid| i32::try_from(pid).ok());
        if let Some(pid) = pid {
            // It may have ended: another one was there before.
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
    }
}
