//! Processes in nodes of the live network.

use anyhow::{Context, Result};
use netloom_nodes::{ExitStatus, Killed, Processes, SpawnRequest, Spawned};
use netloom_scenario::{Disk, Kernel};
use netloom_units::{Duration, Time};
use tokio::sync::oneshot;

use super::LiveNetwork;

/// A process in a node.
pub struct Running {
    /// Its id and the other ends of its input and output.
    pub spawned: Spawned,
    /// The exit status. Closed without a value if the node is taken down.
    pub exited: oneshot::Receiver<ExitStatus>,
}

impl LiveNetwork {
    /// Makes a node fail: kills all its processes, and starts none until
    /// [`recover`](Self::recover). `disk` says what becomes of its files. The caller handles its
    /// links.
    pub fn fail(&self, node: &str, disk: Disk) -> Result<Killed> {
        // Comes first, so that starts that are under way do not succeed meanwhile.
        self.failures.begin(node, self.now());
        self.with(|live| Ok(live.network.kill_processes(node, disk)?))
    }

    /// Makes a node work again. Returns whether it had failed.
    pub fn recover(&self, node: &str) -> bool {
        self.failures.end(node)
    }

    /// Whether a node has failed since `time`.
    pub fn has_failed_since(&self, node: &str, time: Time) -> bool {
        self.failures.has_failed_since(node, time)
    }

    /// Starts a process in a node, and returns when it runs. If the caller stops waiting, the
    /// process is killed as soon as it runs.
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
        // The starter may no longer wait for the exit status.
        let on_exit = Box::new(move |status| _ = exit_sender.send(status));
        processes.spawn(request, on_started, on_exit);
        let spawned = started.await.context("the node was taken down")??;
        Ok(Running { spawned, exited })
    }

    /// Whether nodes have kernels of their own.
    pub fn has_kernels(&self) -> bool {
        let deployment = self.deployment();
        deployment.mine.scenario.nodes.iter().any(|node| node.kernel == Kernel::Own)
    }

    /// Starts the kernels of all nodes that have their own. Returns when all are ready. Must be
    /// called on a thread of the runtime that may block.
    pub fn start_kernels(&self) -> Result<()> {
        let has_kernels = tokio::task::block_in_place(|| {
            self.with(|live| Ok(live.network.kernels().start()?))
        })?;
        if has_kernels {
            self.dilate_kernels(None)?;
        }
        Ok(())
    }

    /// Sets the clocks of running kernels to the experiment's rate: of `node`, or of all nodes that
    /// have their own. They start at the machine's rate.
    fn dilate_kernels(&self, node: Option<&str>) -> Result<()> {
        let dilation = self.clock.dilation();
        if dilation.is_none() {
            return Ok(());
        }
        let dilate = || self.with(|live| Ok(live.network.kernels().dilate(node, dilation)?));
        tokio::task::block_in_place(dilate)
    }

    /// Returns what the clock of a node shows at the experiment's zero, in ns, and the error bound
    /// of that value in the experiment's time. It is negative for a kernel of its own that is
    /// younger. The clock runs at the experiment's rate. Blocks for milliseconds: must be called on
    /// a thread of the runtime that may.
    pub fn zero_of(&self, node: &str) -> Result<(i64, Duration)> {
        let machine = i128::from(self.clock.on_machine(self.zero.at()));
        let (zero, within) = if self.with(|live| Ok(live.network.has_own_kernel(node)))? {
            let ask = || self.with(|live| Ok(live.network.kernels().time(node)?));
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

    /// Returns the handle that starts processes of a node. The first call starts the node's init,
    /// and blocks a thread for milliseconds.
    async fn processes_of(&self, node: &str) -> Result<Processes> {
        self.failures.check_works(node)?;
        let running = self.with(|live| Ok(live.network.running_processes(node)?))?;
        if let Some(processes) = running {
            return Ok(processes);
        }
        // Few at a time: each blocks a thread of the runtime. The semaphore is never closed.
        let _turn = self.init_turns.acquire().await;
        let start = || self.with(|live| Ok(live.network.processes(node)?));
        let started = tokio::task::block_in_place(start)?;
        if let Err(failed) = self.failures.check_works(node) {
            // The node failed meanwhile, and its new processes must not survive that.
            self.with(|live| Ok(live.network.kill_processes(node, Disk::Keep)?))?;
            return Err(failed);
        }
        Ok(started)
    }

    /// Returns the id by which the machine knows a process of a node. `None` once it has ended.
    pub fn machine_pid(&self, node: &str, pid: u32) -> Option<u32> {
        let processes = self.with(|live| Ok(live.network.running_processes(node)?));
        processes.ok()??.machine_pid(pid)
    }

    /// Sends a signal to a process of a node. Has no effect if the process has ended. Does not wait
    /// for the node.
    pub fn signal(&self, node: &str, pid: u32, number: i32) {
        let processes = self.with(|live| Ok(live.network.running_processes(node)?));
        if let Ok(Some(processes)) = processes {
            processes.send_signal(pid, number);
        }
    }
}
