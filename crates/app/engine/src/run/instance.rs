//! One process of the scenario in one node, from its wait for the start to its end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration as Patience;

use anyhow::Context;
use netloom_api::event::What;
use netloom_api::launch::StartUp;
use netloom_api::member::Said;
use netloom_api::state::ProcessState;
use netloom_monitor::Observation;
use netloom_nodes::{ExitStatus, SpawnRequest, Stdio};
use netloom_results::{private_file, private_folder};
use netloom_scenario::Process;
use netloom_units::readable::seconds;
use netloom_units::{Duration, Time};
use nix::sys::memfd::{MFdFlags, memfd_create};
use tokio::sync::oneshot;

use super::shared::{Run, Wait, is_receiver, last_line};
use crate::client::say;
use crate::ready::{Outputs, ReadyTest};

/// Longest time for a process to end after SIGTERM, before it is killed.
const GRACE: Patience = Patience::from_secs(3);

/// Lateness of a start by a node from which on there is a warning.
const LONG_START: Duration = Duration::from_millis(100);

/// How long before its time a process of NetLoom's own is started: it waits for that time itself,
/// so that traffic begins on time on a machine that takes long to start programs.
const PREPARATION: Duration = Duration::from_millis(500);

/// Number of bytes at the end of an output in which its last line is looked for.
const END_LOOKED_AT: u64 = 8 * 1024;

/// Most bytes that are kept of a file whose text the kernel generates, like those below `/proc`.
const MOST_OF_THE_KERNELS: u64 = 16 << 20;

/// The exit code of a killed process.
const KILLED: i32 = 128 + libc::SIGKILL;

/// The standard input of a process.
pub enum Input {
    /// A text.
    Text(String),
    /// A file of the machine, which need not exist in the node.
    File(PathBuf),
}

type Exited = oneshot::Receiver<ExitStatus>;

/// Waits for the start condition, runs the process, keeps its files. The error describes the
/// failure in words.
///
/// The process has `input` as its standard input, or an empty one. Only processes of NetLoom's own
/// have an input. They are started before their time, and wait for it.
pub async fn live(
    run: Run,
    process: Process,
    node: String,
    input: Option<Input>,
) -> Result<(), String> {
    let instance = Instance { run, process, node, input };
    let planned = match instance.until_start().await {
        Ok(Some(planned)) => planned,
        never => {
            instance.set(ProcessState::NeverStarted);
            return never.map(drop);
        }
    };
    let Instance { run, process, node, .. } = &instance;
    let ended = instance.execute(planned).await;
    let has_failed_expectation = run.judge_ended(&process.name, node);
    if ended.is_err() || has_failed_expectation {
        run.fail_fast();
    }
    ended.map_err(|reason| format!("`{}` in `{}` {reason}", process.name, node))
}

struct Instance {
    run: Run,
    process: Process,
    node: String,
    input: Option<Input>,
}

impl Instance {
    /// Sets the state that the process has from now on.
    fn set(&self, state: ProcessState) {
        self.set_at(state, self.run.now());
    }

    /// Sets the state that the process has had since `at`.
    fn set_at(&self, state: ProcessState, at: Time) {
        let (process, node) = (&self.process.name, &self.node);
        if self.run.network().deployment().member.is_some() {
            let (process, node) = (process.clone(), node.clone());
            let at = at.counted_from(self.run.state().begun());
            say(&StartUp::Member(Said::Process { process, node, state: state.clone(), at }));
        }
        self.run.state().process_table.set(process, node, state, at);
    }

    /// Waits for the time of the start and returns it. Returns `None` if the run ended before.
    ///
    /// # Errors
    /// If the process should have been started and was not.
    async fn until_start(&self) -> Result<Option<Time>, String> {
        let warn = |message: String| self.run.events().warn(message);
        let (name, node) = (&self.process.name, &self.node);
        match self.run.planned(&self.process.start).await {
            Wait::Until(planned) if self.is_time(planned).await => Ok(Some(planned)),
            Wait::Until(planned) => {
                let due_for = self.run.now().since(planned);
                if due_for == Duration::ZERO {
                    return Ok(None);
                }
                self.run.observe(Observation::MissedEvent { due_for });
                Err(format!(
                    "`{name}` in `{node}` was not started: it was due for {} when the run ended",
                    seconds(due_for)
                ))
            }
            Wait::RunOver(missing) => {
                let message = format!("`{name}` in `{node}` was not started: {missing}");
                // The run was too short for its processes.
                if self.run.is_cut_short_by_duration() && !self.process.background {
                    return Err(message);
                }
                warn(message);
                Ok(None)
            }
            Wait::Never(why) => {
                let message = format!("`{name}` was not started: {why}");
                warn(message.clone());
                Err(message)
            }
        }
    }

    /// Whether the process itself waits for the time from which on it is to run.
    fn waits_for_its_time(&self) -> bool {
        self.input.is_some() && !is_receiver(&self.process.name)
    }

    /// Waits until the process is to be started, which is to run from `planned` on. Returns `false`
    /// if the run ended before.
    async fn is_time(&self, planned: Time) -> bool {
        match self.input {
            Some(_) => self.run.comes(planned - PREPARATION).await,
            None => self.run.wait_until(planned).await,
        }
    }

    async fn execute(&self, planned: Time) -> Result<(), String> {
        let begun = self.run.now();
        let spawned = self.run.unless_over(self.spawn()).await.ok_or_else(|| {
            self.fail("did not start before the run ended: its node was slow".into())
        })?;
        let (pid, mut exited) = spawned.map_err(|error| {
            self.fail(format!("could not be started: {}", netloom_api::in_words(error.as_ref())))
        })?;
        let place = self.run.order.enter(planned);
        if self.waits_for_its_time() {
            // If the run ends before, it ends with the run.
            self.run.comes(planned).await;
        }
        let started = self.run.now();
        self.started(pid, planned, started);
        if let Some(status) = self.until_ready(pid, &mut exited).await {
            let ended = self.run.now();
            self.finish(status, ended).await;
            if self.was_killed_with_node(status, begun) {
                self.set_at(ProcessState::Done { code: status.code() }, ended);
                return Ok(());
            }
            let ended = self.ended_badly(status.code());
            return Err(self.fail(format!("{ended}, before it was ready")));
        }
        let (status, stopped) = tokio::select! {
            status = &mut exited => (status.ok(), false),
            () = self.run.end().asked() => {
                place.is_last().await;
                (self.stop(pid, exited).await?, true)
            }
            within = self.overdue(started) => {
                let status = self.stop(pid, exited).await?;
                if let Some(status) = status {
                    self.finish(status, self.run.now()).await;
                }
                self.fail(format!("was ended: it ran longer than {within}"));
                // The failed expectation is the failure of the run.
                return Ok(());
            }
        };
        let ended = self.run.now();
        let status = status.ok_or_else(|| self.fail("lost its node's init".into()))?;
        if !stopped {
            self.run.lives().end(&self.process.name, &self.node, ended);
        }
        self.finish(status, ended).await;
        let code = status.code();
        if stopped {
            self.set(ProcessState::Stopped);
            return Ok(());
        }
        self.set_at(ProcessState::Done { code }, ended);
        let is_well =
            code == 0 || self.has_expected_exit() || self.was_killed_with_node(status, begun);
        if is_well { Ok(()) } else { Err(self.ended_badly(code)) }
    }

    /// Whether the process died because its node failed after the process had begun. The scenario
    /// wants that, so it is no failure.
    fn was_killed_with_node(&self, status: ExitStatus, begun: Time) -> bool {
        status.code() == KILLED && self.run.network().has_failed_since(&self.node, begun)
    }

    /// Whether the scenario sets how the process ends. This is then judged at the end of the run.
    fn has_expected_exit(&self) -> bool {
        let deployment = self.run.network().deployment();
        deployment.mine.scenario.expect.iter().any(|expected| {
            expected.exit.is_some()
                && expected.process == self.process.name
                && expected.nodes.contains(&self.node)
        })
    }

    /// Waits until the process, which began at `started`, has run for longer than the scenario
    /// expects. Waits for ever if there is no such expectation. Returns the expected time.
    async fn overdue(&self, started: Time) -> Duration {
        let deployment = self.run.network().deployment();
        let within = deployment.mine.scenario.expect.iter().filter_map(|expected| {
            let is_this =
                expected.process == self.process.name && expected.nodes.contains(&self.node);
            expected.within.filter(|_| is_this)
        });
        let Some(within) = within.max() else { return std::future::pending().await };
        if !self.run.comes(started + within).await {
            return std::future::pending().await;
        }
        within
    }

    /// Records that the process runs since `at`. If its node took long to start it, that is an
    /// event of the timeline that was late.
    fn started(&self, pid: u32, planned: Time, at: Time) {
        let (process, node) = (self.process.name.clone(), self.node.clone());
        self.run.lives().begin(&process, &node, at);
        self.run.events().record_at(at, What::ProcessStarted { process, node, pid });
        self.set_at(ProcessState::Started { pid }, at);
        let late = at.since(planned);
        // What a receiver is late, its senders are too.
        if late > LONG_START && !is_receiver(&self.process.name) {
            // Traffic from the beginning on begins when it can: nothing could be prepared before.
            if !self.waits_for_its_time() || planned > self.run.state().begun() {
                self.run.observe_lateness(planned, at);
            }
            self.run.events().warn(format!(
                "`{}` in `{}` ran {} after its time: the node was slow to start it",
                self.process.name,
                self.node,
                seconds(late)
            ));
        }
    }

    /// Keeps the files of a process that ended at `at`, and reports its end.
    async fn finish(&self, status: ExitStatus, at: Time) {
        self.keep_files().await;
        self.run.context.memory_kills.record(&self.node);
        let ended = What::ProcessEnded {
            process: self.process.name.clone(),
            node: self.node.clone(),
            code: status.code(),
        };
        self.run.events().record_at(at, ended);
    }

    /// Records the failure of the process. Returns the reason.
    fn fail(&self, reason: String) -> String {
        self.set(ProcessState::Failed { reason: reason.clone() });
        self.run.events().record(What::ProcessFailed {
            process: self.process.name.clone(),
            node: self.node.clone(),
            reason: reason.clone(),
        });
        reason
    }

    /// Describes an exit code that is not 0, with the last line that the process printed.
    fn ended_badly(&self, code: i32) -> String {
        if code == KILLED && self.run.context.memory_kills.record(&self.node) > 0 {
            return format!(
                "ended with code {code}: the kernel kills processes of `{}` when a limit on memory \
                 is reached",
                self.node
            );
        }
        let [stdout, stderr] = self.outputs();
        let last = [stderr, stdout].map(|file| last_line(&end_of(&file)));
        let last = last.into_iter().find(|line| !line.is_empty());
        format!("ended with code {code}{}", last.unwrap_or_default())
    }

    /// Starts the process. Returns its id and the receiver of its exit status.
    async fn spawn(&self) -> anyhow::Result<(u32, Exited)> {
        let [stdout, stderr] = self.outputs();
        let stdio = Stdio::Files {
            stdin: match &self.input {
                Some(Input::Text(text)) => in_memory(text)?.into(),
                Some(Input::File(file)) => stored(file)?.into(),
                None => File::open("/dev/null")?.into(),
            },
            stdout: private_file(&stdout)?.into(),
            stderr: private_file(&stderr)?.into(),
        };
        let request = SpawnRequest {
            argv: self.process.command.argv(),
            env: self.process.env.clone().into_iter().collect(),
            cwd: None,
            stdio,
        };
        let running = self.run.network().spawn(&self.node, request).await?;
        Ok((running.spawned.pid, running.exited))
    }

    /// Waits until the process is ready, or the run is over. Returns its exit status if it ends
    /// before.
    async fn until_ready(&self, pid: u32, exited: &mut Exited) -> Option<ExitStatus> {
        if let Some(ready) = self.process.ready.clone() {
            let test = ReadyTest {
                network: self.run.network().clone(),
                node: self.node.clone(),
                ready,
                outputs: Outputs::new(self.outputs()),
            };
            tokio::select! {
                () = test.passed() => {}
                status = exited => return status.ok(),
                () = self.run.end().asked() => return None,
            }
        }
        let at = self.run.now();
        if self.process.ready.is_some() {
            let (process, node) = (self.process.name.clone(), self.node.clone());
            self.run.events().record_at(at, What::ProcessReady { process, node });
        }
        self.set_at(ProcessState::Ready { pid }, at);
        None
    }

    /// Ends the process. Returns its exit status, or `None` if its node's init is gone.
    async fn stop(&self, pid: u32, mut exited: Exited) -> Result<Option<ExitStatus>, String> {
        let signal = |number| self.run.network().signal(&self.node, pid, number);
        signal(libc::SIGTERM);
        let more = match is_receiver(&self.process.name) {
            true => self.run.drain().into(),
            false => Patience::ZERO,
        };
        let grace = self.run.stretched(GRACE + more);
        if let Ok(status) = tokio::time::timeout(grace, &mut exited).await {
            return Ok(status.ok());
        }
        signal(libc::SIGKILL);
        let ended = self.run.unless_over(&mut exited).await;
        ended
            .map(Result::ok)
            .ok_or_else(|| self.fail("does not end, although it was killed".into()))
    }

    fn outputs(&self) -> [PathBuf; 2] {
        self.run.outputs(&self.process.name, &self.node)
    }

    async fn keep_files(&self) {
        for path in &self.process.keep {
            if let Err(error) = self.keep_file(Path::new(path)).await {
                let message = format!(
                    "cannot keep {path} of `{}` in `{}`: {}",
                    self.process.name,
                    self.node,
                    netloom_api::in_words(error.as_ref())
                );
                self.run.events().warn(message);
            }
        }
    }

    /// Copies a file of the node, on a thread that nobody waits for.
    async fn keep_file(&self, path: &Path) -> anyhow::Result<()> {
        // Leaves out components that would lead out of the folder.
        let plain = path.components().filter(|part| matches!(part, Component::Normal(_)));
        let folder = self.run.output.join("files").join(&self.node);
        let target = folder.join(plain.collect::<PathBuf>());
        let network = self.run.network();
        let files = network.with(|live| Ok(live.network.files_of(&self.node, path)?))?;
        let path = path.to_owned();
        let copied = tokio::task::spawn_blocking(move || -> anyhow::Result<()> {
            let source = files.open(&path)?;
            if let Some(parent) = target.parent() {
                private_folder(parent)?;
            }
            copy(&source, &mut private_file(&target)?)
        });
        copied.await?
    }
}

/// Makes a file in memory that holds `text`, to be read from its beginning.
fn in_memory(text: &str) -> io::Result<File> {
    let mut file = File::from(memfd_create("netloom-input", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}

/// Opens a file of the machine, to be read from its beginning.
fn stored(path: &Path) -> anyhow::Result<File> {
    File::open(path).with_context(|| format!("cannot open {}", path.display()))
}

/// Returns the end of a file as text. It is empty if the file cannot be read.
fn end_of(file: &Path) -> String {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(file)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(END_LOOKED_AT)))?;
        let mut bytes = Vec::new();
        file.take(END_LOOKED_AT).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// Copies the present contents of a file, without waiting for what writers add meanwhile.
fn copy(source: &File, target: &mut File) -> anyhow::Result<()> {
    let length = match source.metadata()?.len() {
        // The kernel generates the text when it is read, so its length is not known before.
        0 => MOST_OF_THE_KERNELS,
        length => length,
    };
    io::copy(&mut source.take(length), target)?;
    Ok(())
}
