//! The command while it runs.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_host::shell::{Entrance, Order};
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpgrp, tcgetpgrp};
use tokio::process::Command;
use tokio::time::sleep;

use crate::interrupts::Interrupts;
use crate::launch::Engine;

/// Longest time for the command to end after it was asked to.
const PATIENCE: Duration = Duration::from_secs(3);

/// The end of the command.
pub enum CommandEnd {
    /// It ended by itself or on request, with this exit code.
    Ended(i32),
    /// The engine is gone, and the command with it.
    Abandoned,
}

/// The command, a child of this process.
pub struct Child {
    process: tokio::process::Child,
    entrance: Entrance,
}

impl Child {
    /// Starts the command in the network.
    pub fn start(
        entrance: Entrance,
        order: Order,
        words: &[OsString],
        environment: &[(&'static str, OsString)],
    ) -> Result<Self> {
        let binary = std::env::current_exe().context("cannot find the netloom binary")?;
        let (mut command, _order): (_, File) =
            entrance.command(&binary, order, words).context("cannot prepare the command")?;
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let process = Command::from(command).spawn().context("cannot start the command")?;
        Ok(Self { process, entrance })
    }

    /// Waits for the end of the command, or of the engine. Signals to this program are passed to
    /// the command.
    pub async fn attend(
        mut self,
        engine: &mut Engine,
        interrupts: &mut Interrupts,
    ) -> Result<CommandEnd> {
        let mut asked = None;
        loop {
            let over = async {
                match asked {
                    Some(_) => sleep(PATIENCE).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                status = self.process.wait() => {
                    let status = status.context("cannot wait for the command")?;
                    return Ok(CommandEnd::Ended(code(status)));
                }
                ended = engine.wait() => {
                    ended?;
                    self.abandon().await?;
                    return Ok(CommandEnd::Abandoned);
                }
                () = over => return Ok(CommandEnd::Ended(128 + asked.unwrap_or_default())),
                signal = interrupts.next() => {
                    self.pass_on(signal);
                    if matches!(signal, libc::SIGTERM | libc::SIGHUP) {
                        asked = asked.or(Some(signal));
                    }
                }
            }
        }
    }

    /// Passes a signal to the command that this program got, unless the terminal sent it to both.
    fn pass_on(&self, signal: i32) {
        let by_terminal = matches!(signal, libc::SIGINT | libc::SIGQUIT) && is_in_foreground();
        let process = self.process.id().and_then(|pid| i32::try_from(pid).ok());
        if let (false, Some(pid), Ok(signal)) = (by_terminal, process, Signal::try_from(signal)) {
            // The command may have ended meanwhile.
            let _ = kill(Pid::from_raw(pid), signal);
        }
    }

    /// Ends all processes in the network, since the engine is gone.
    async fn abandon(mut self) -> Result<()> {
        let entrance = self.entrance;
        let hung_up = tokio::task::spawn_blocking(move || entrance.hang_up(PATIENCE)).await;
        let _ = self.process.start_kill();
        let _ = self.process.wait().await;
        hung_up.context("internal error")?.context("cannot end what is in the network")
    }
}

/// Whether this program and the command are in the foreground of the terminal.
fn is_in_foreground() -> bool {
    File::open("/dev/tty").is_ok_and(|terminal| tcgetpgrp(&terminal) == Ok(getpgrp()))
}

/// Returns the exit code as shells do.
fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}
