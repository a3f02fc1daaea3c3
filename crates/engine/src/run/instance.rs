//! One process of the scenario in one node, from waiting to its end.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use netloom_api::event::What;
use netloom_api::state::ProcessState;
use netloom_nodes::{ExitStatus, SpawnRequest, Stdio};
use netloom_scenario::Process;
use tokio::sync::oneshot;

use super::Run;
use super::ready::Test;

/// How long a process may take to end after SIGTERM before it is killed.
const GRACE: Duration = Duration::from_secs(3);

/// The exit code of a process that was killed.
const KILLED: i32 = 128 + libc::SIGKILL;

type Exited = oneshot::Receiver<ExitStatus>;

/// Waits for the start condition, runs the process, keeps its files. An error says in words what
/// went wrong.
pub async fn live(run: Run, process: Process, node: String) -> Result<(), String> {
    let instance = Instance { run, process, node };
    match instance.run.wait_for(&instance.process.start).await {
        Ok(true) => {}
        Ok(false) => {
            instance.set(ProcessState::NeverStarted);
            return Ok(());
        }
        Err(never) => {
            instance.set(ProcessState::NeverStarted);
            let message = format!("`{}` was not started: {never}", instance.process.name);
            instance.run.experiment.record(What::Warning { message: message.clone() });
            return Err(message);
        }
    }
    instance
        .execute()
        .await
        .map_err(|reason| format!("`{}` in `{}` {reason}", instance.process.name, instance.node))
}

struct Instance {
    run: Run,
    process: Process,
    node: String,
}

impl Instance {
    fn set(&self, state: ProcessState) {
        self.run.experiment.board.set(&self.process.name, &self.node, state);
    }

    async fn execute(&self) -> Result<(), String> {
        let (pid, mut exited) = self.spawn().map_err(|error| {
            self.fail(format!("could not be started: {}", netloom_api::in_words(error.as_ref())))
        })?;
        self.set(ProcessState::Started { pid });
        self.run.experiment.record(What::ProcessStarted {
            process: self.process.name.clone(),
            node: self.node.clone(),
            pid,
        });
        if let Some(status) = self.until_ready(pid, &mut exited).await {
            self.finish(status);
            let ended = self.ended_badly(status.code());
            return Err(self.fail(format!("{ended}, before it was ready")));
        }
        let (status, stopped) = tokio::select! {
            status = &mut exited => (status, false),
            () = self.run.end.asked() => (self.stop(pid, exited).await, true),
        };
        let status = status.map_err(|_| self.fail("lost its node's init".into()))?;
        self.finish(status);
        let code = status.code();
        if stopped {
            self.set(ProcessState::Stopped);
            return Ok(());
        }
        self.set(ProcessState::Done { code });
        if code == 0 { Ok(()) } else { Err(self.ended_badly(code)) }
    }

    /// Keeps the files of an ended process and tells its end.
    fn finish(&self, status: ExitStatus) {
        self.keep_files();
        self.run.experiment.tell_memory_kills(&self.node);
        self.run.experiment.record(What::ProcessEnded {
            process: self.process.name.clone(),
            node: self.node.clone(),
            code: status.code(),
        });
    }

    /// Notes that the process has failed to become what it should; hands the reason back.
    fn fail(&self, reason: String) -> String {
        self.set(ProcessState::Failed { reason: reason.clone() });
        self.run.experiment.record(What::ProcessFailed {
            process: self.process.name.clone(),
            node: self.node.clone(),
            reason: reason.clone(),
        });
        reason
    }

    /// The words for an exit code that is not 0, with the last line of standard error.
    fn ended_badly(&self, code: i32) -> String {
        let [_, stderr] = self.outputs();
        let stderr = fs::read_to_string(stderr).unwrap_or_default();
        if code == KILLED && self.run.experiment.tell_memory_kills(&self.node) > 0 {
            return format!(
                "ended with code {code}: the kernel kills processes of `{}` when a limit on memory is reached",
                self.node
            );
        }
        match stderr.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("ended with code {code}: {line}"),
            None => format!("ended with code {code}"),
        }
    }

    /// Starts the process; its id and how it ends.
    fn spawn(&self) -> anyhow::Result<(u32, Exited)> {
        let [stdout, stderr] = self.outputs();
        let stdio = Stdio::Files {
            stdin: File::open("/dev/null")?.into(),
            stdout: File::create(&stdout)?.into(),
            stderr: File::create(&stderr)?.into(),
        };
        let request = SpawnRequest {
            argv: self.process.command.argv(),
            env: self.process.env.clone().into_iter().collect(),
            cwd: None,
            stdio,
        };
        let running = self.run.experiment.spawn(&self.node, request)?;
        Ok((running.spawned.pid, running.exited))
    }

    /// Waits until the process is ready, or the run over; its exit status if it ends before.
    async fn until_ready(&self, pid: u32, exited: &mut Exited) -> Option<ExitStatus> {
        if let Some(ready) = self.process.ready.clone() {
            let test = Test {
                experiment: self.run.experiment.clone(),
                node: self.node.clone(),
                ready,
                outputs: self.outputs().into(),
            };
            tokio::select! {
                () = test.passed() => {}
                status = exited => return status.ok(),
                () = self.run.end.asked() => return None,
            }
        }
        self.set(ProcessState::Ready { pid });
        if self.process.ready.is_some() {
            self.run.experiment.record(What::ProcessReady {
                process: self.process.name.clone(),
                node: self.node.clone(),
            });
        }
        None
    }

    async fn stop(
        &self,
        pid: u32,
        mut exited: Exited,
    ) -> Result<ExitStatus, oneshot::error::RecvError> {
        let signal = |number| self.run.experiment.signal(&self.node, pid, number);
        signal(libc::SIGTERM);
        match tokio::time::timeout(GRACE, &mut exited).await {
            Ok(status) => status,
            Err(_) => {
                signal(libc::SIGKILL);
                exited.await
            }
        }
    }

    fn outputs(&self) -> [PathBuf; 2] {
        let base = format!("{}@{}", self.process.name, self.node);
        let directory = self.run.output.join("processes");
        [directory.join(format!("{base}.stdout")), directory.join(format!("{base}.stderr"))]
    }

    fn keep_files(&self) {
        for path in &self.process.keep {
            if let Err(error) = self.keep_file(Path::new(path)) {
                let message = format!(
                    "cannot keep {path} of `{}` in `{}`: {}",
                    self.process.name,
                    self.node,
                    netloom_api::in_words(error.as_ref())
                );
                self.run.experiment.record(What::Warning { message });
            }
        }
    }

    fn keep_file(&self, path: &Path) -> anyhow::Result<()> {
        let relative = path.strip_prefix("/").unwrap_or(path);
        let target = self.run.output.join("files").join(&self.node).join(relative);
        let mut source =
            self.run.experiment.with_live(|live| Ok(live.network.open_in(&self.node, path)?))?;
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        io::copy(&mut source, &mut File::create(target)?)?;
        Ok(())
    }
}
