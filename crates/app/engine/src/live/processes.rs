//! Processes in nodes of the live network.

use anyhow::{Context, Result};
use netloom_nodes::{ExitStatus, Processes, SpawnRequest, Spawned};
use netloom_units::{Duration, Time};
use tokio::sync::oneshot;

use super::LiveNetwork;

/// A process in a node.
pub struct Running {
    /// Its id and the other ends of its input and output.
    pub spawned: Spawned,
    /// How it ends; closed without a word if its node is taken down.
    pub exited: oneshot::Receiver<ExitStatus>,
}

impl LiveNetwork {
    /// Starts a process in a node; returns when it runs. If the caller stops waiting, what was to
    /// be started is killed as soon as it runs.
    pub async fn spawn(&self, node: &str, request: SpawnRequest) -> Result<Running> {
        let processes = self.processes_of(node).await?;
        let (started_sender, started) = oneshot::channel();
        let (exit_sender, exited) = oneshot::channel();
        let killer = processes.clone();
        let on_started = Box::new(move |outcome: Result<Spawned, _>| {
            if let Err(Ok(unwanted)) = started_sender.send(outcome) {
                killer.send_signal(unwanted.pid, libc::SIGKILL);
            }
        });
        // Whoever started it may no longer care how it ends.
        let on_exit = Box::new(move |status| _ = exit_sender.send(status));
        processes.spawn(request, on_started, on_exit);
        let spawned = started.await.context("the node was taken down")??;
        Ok(Running { spawned, exited })
    }

    /// Starts the kernels of all nodes that have their own; returns when all are ready, and whether
    /// there are any. Must be called on a thread of the runtime that may wait.
    pub fn start_kernels(&self) -> Result<bool> {
        let has_kernels =
            tokio::task::block_in_place(|| self.with(|live| Ok(live.network.start_kernels()?)))?;
        if has_kernels {
            self.dilate_kernels(None)?;
        }
        Ok(has_kernels)
    }

    /// Has the time of kernels that run pass as the experiment's does: of `node`, or of all nodes
    /// that have their own. They start by the machine's time.
    fn dilate_kernels(&self, node: Option<&str>) -> Result<()> {
        let dilation = self.clock.dilation();
        if dilation.is_none() {
            return Ok(());
        }
        let dilate = || self.with(|live| Ok(live.network.dilate_kernels(node, dilation)?));
        tokio::task::block_in_place(dilate)
    }

    /// What the clock of a node shows at the experiment's zero, in ns: below zero for a kernel of
    /// its own that is younger. It passes as the experiment's does. And by how much of the
    /// experiment's time that may be wrong. Takes milliseconds of a thread of the runtime that may
    /// wait.
    pub fn zero_of(&self, node: &str) -> Result<(i64, Duration)> {
        let machine = i128::from(self.clock.on_machine(Time::ZERO));
        let (zero, within) = if self.with(|live| Ok(live.network.has_own_kernel(node)))? {
            let ask = || self.with(|live| Ok(live.network.kernel_time(node)?));
            let shown = tokio::task::block_in_place(ask)?;
            let since = u64::try_from(i128::from(shown.machine) - machine).unwrap_or(0);
            let now = self.clock.dilation().to_experiment(Duration::from_nanos(since));
            let within = self.clock.dilation().to_experiment(shown.within);
            (i128::from(shown.kernel) - i128::from(now.as_nanos()), within)
        } else {
            (machine, Duration::ZERO)
        };
        Ok((i64::try_from(zero)?, within))
    }

    /// Starts the kernel of a node again, if it has its own.
    pub async fn start_kernel(&self, node: &str) -> Result<()> {
        if self.with(|live| Ok(live.network.has_own_kernel(node)))? {
            self.processes_of(node).await?;
            self.dilate_kernels(Some(node))?;
        }
        Ok(())
    }

    /// Where processes of a node are started. The first time that takes milliseconds of a thread,
    /// for the node's init must be started.
    async fn processes_of(&self, node: &str) -> Result<Processes> {
        self.check_works(node)?;
        let running = self.with(|live| Ok(live.network.running_processes(node)?))?;
        if let Some(processes) = running {
            return Ok(processes);
        }
        // Few at a time: each takes a thread of the runtime from all others. Never closed.
        let _turn = self.init_turns.acquire().await;
        let start = || self.with(|live| Ok(live.network.processes(node)?));
        let started = tokio::task::block_in_place(start)?;
        if let Err(failed) = self.check_works(node) {
            // It failed meanwhile, and what has just been started must not outlive that.
            self.with(|live| Ok(live.network.kill_processes(node)?))?;
            return Err(failed);
        }
        Ok(started)
    }

    /// Sends a signal to a process of a node; one that has ended meanwhile does not mind. Does not
    /// wait for the node.
    pub fn signal(&self, node: &str, pid: u32, number: i32) {
        let processes = self.with(|live| Ok(live.network.running_processes(node)?));
        if let Ok(Some(processes)) = processes {
            processes.send_signal(pid, number);
        }
    }
}
