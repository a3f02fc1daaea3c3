//! One node as the engine sees it, and the conversation with its init process.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use nix::fcntl::{OFlag, OpenHow, ResolveFlag, openat2};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, pipe2};

use crate::control::{Control, FromInit, Process, ToInit};
use crate::pidfd::PidFd;
use crate::{ExitStatus, NodeError, SpawnRequest, Spawned, Stdio, WORK_DIRECTORY};

/// What to call when a process has ended.
type OnExit = Box<dyn FnOnce(ExitStatus) + Send>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A node, with an init process or without.
#[derive(Debug, Default)]
pub(crate) struct Node(Mutex<Option<Arc<Init>>>);

impl Node {
    /// The node's init process; started by `start` if there is none, or none any more.
    pub fn init(
        &self,
        start: impl FnOnce() -> Result<Arc<Init>, NodeError>,
    ) -> Result<Arc<Init>, NodeError> {
        let mut slot = lock(&self.0);
        if let Some(init) = slot.as_ref().filter(|init| init.is_alive()) {
            return Ok(Arc::clone(init));
        }
        let init = start()?;
        *slot = Some(Arc::clone(&init));
        Ok(init)
    }

    /// The node's init process, if it has one.
    pub fn running(&self) -> Option<Arc<Init>> {
        lock(&self.0).as_ref().filter(|init| init.is_alive()).cloned()
    }
}

/// An init process, and everything that waits for its answers.
#[derive(Debug)]
pub(crate) struct Init {
    node: String,
    pid: u32,
    process: PidFd,
    control: Control,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// Whether the conversation is over.
    over: bool,
    /// Whether the process was waited for.
    reaped: bool,
    last_id: u64,
    spawns: HashMap<u64, (SyncSender<io::Result<Answer>>, OnExit)>,
    signals: HashMap<u64, SyncSender<io::Result<()>>>,
    processes: HashMap<u32, OnExit>,
}

/// A process number, and the engine's side of its terminal.
type Answer = (u32, Option<OwnedFd>);

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").field("over", &self.over).finish_non_exhaustive()
    }
}

impl Init {
    pub fn new(node: &str, pid: u32, process: PidFd, control: Control) -> Self {
        Self { node: node.into(), pid, process, control, waiting: Mutex::default() }
    }

    pub fn name(&self) -> String {
        self.node.clone()
    }

    pub fn control(&self) -> &Control {
        &self.control
    }

    fn is_alive(&self) -> bool {
        !lock(&self.waiting).over
    }

    fn gone(&self) -> NodeError {
        let reason = "has ended, and all processes of the node with it".into();
        NodeError::Init { node: self.node.clone(), reason }
    }

    /// Gives a request its number and notes who waits for the answer.
    fn register(&self, note: impl FnOnce(&mut Waiting, u64)) -> Result<u64, NodeError> {
        let mut waiting = lock(&self.waiting);
        if waiting.over {
            return Err(self.gone());
        }
        waiting.last_id += 1;
        let id = waiting.last_id;
        note(&mut waiting, id);
        Ok(id)
    }

    pub fn spawn(&self, request: SpawnRequest, on_exit: OnExit) -> Result<Spawned, NodeError> {
        let program = request.argv.first().cloned().unwrap_or_default();
        let failed =
            |source| NodeError::Exec { node: self.node.clone(), program: program.clone(), source };
        let streams = Streams::open(request.stdio)
            .map_err(|error| NodeError::in_node(&self.node, "make pipes", error))?;
        let SpawnRequest { argv, env, cwd, .. } = request;
        let process = Process { argv, env, cwd, pty: streams.pty };
        let (sender, answer) = sync_channel(1);
        let id = self.register(|waiting, id| {
            waiting.spawns.insert(id, (sender, on_exit));
        })?;
        let fds: Vec<_> = streams.theirs.iter().map(AsFd::as_fd).collect();
        if let Err(error) = self.control.send(&ToInit::Spawn { id, process }, &fds) {
            lock(&self.waiting).spawns.remove(&id);
            let gone = error.kind() == io::ErrorKind::BrokenPipe;
            return Err(if gone { self.gone() } else { failed(error) });
        }
        drop(streams.theirs);
        let (pid, pty) = answer.recv().map_err(|_| self.gone())?.map_err(failed)?;
        let [stdin, stdout, stderr] = streams.ours;
        Ok(Spawned { pid, stdin, stdout, stderr, pty })
    }

    pub fn signal(&self, pid: u32, signal: i32) -> Result<(), NodeError> {
        let failed = |source| {
            NodeError::in_node(&self.node, format!("send signal {signal} to process {pid}"), source)
        };
        let (sender, answer) = sync_channel(1);
        let id = self.register(|waiting, id| {
            waiting.signals.insert(id, sender);
        })?;
        self.control.send(&ToInit::Signal { id, pid, signal }, &[]).map_err(failed)?;
        answer.recv().map_err(|_| self.gone())?.map_err(failed)
    }

    /// Opens a path as the node sees it, links included.
    pub fn open(&self, path: &Path, flags: i32) -> io::Result<OwnedFd> {
        // The number is ours while the process is not waited for: hold the lock that says so.
        let waiting = lock(&self.waiting);
        if waiting.reaped {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        let root = std::fs::File::open(format!("/proc/{}/root", self.pid))?;
        let how = OpenHow::new()
            .flags(OFlag::from_bits_retain(flags) | OFlag::O_CLOEXEC)
            .resolve(ResolveFlag::RESOLVE_IN_ROOT | ResolveFlag::RESOLVE_NO_MAGICLINKS);
        Ok(openat2(&root, &Path::new(WORK_DIRECTORY).join(path), how)?)
    }

    /// Takes all messages that have come. False when the conversation is over.
    pub fn receive(&self) -> bool {
        loop {
            match self.control.try_receive::<FromInit>() {
                Ok(Some((message, fds))) => self.handle(message, fds),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                // An init that cannot be understood is as good as gone.
                Ok(None) | Err(_) => {
                    self.end();
                    return false;
                }
            }
        }
    }

    fn handle(&self, message: FromInit, fds: Vec<OwnedFd>) {
        let mut waiting = lock(&self.waiting);
        match message {
            FromInit::Spawned { id, pid } => {
                if let Some((sender, on_exit)) = waiting.spawns.remove(&id) {
                    waiting.processes.insert(pid, on_exit);
                    // The caller waits; if its thread has died, the process runs on.
                    let _ = sender.send(Ok((pid, fds.into_iter().next())));
                }
            }
            FromInit::SpawnFailed { id, errno } => {
                if let Some((sender, _)) = waiting.spawns.remove(&id) {
                    let _ = sender.send(Err(io::Error::from_raw_os_error(errno)));
                }
            }
            FromInit::Signalled { id, errno } => {
                if let Some(sender) = waiting.signals.remove(&id) {
                    let result = errno.map_or(Ok(()), |e| Err(io::Error::from_raw_os_error(e)));
                    let _ = sender.send(result);
                }
            }
            FromInit::Exited { pid, status } => {
                let on_exit = waiting.processes.remove(&pid);
                drop(waiting);
                if let Some(on_exit) = on_exit {
                    on_exit(status);
                }
            }
            FromInit::Started { .. } | FromInit::Ready | FromInit::SetupFailed { .. } => {}
        }
    }

    /// Ends the process and the conversation; whoever waits is told.
    pub fn end(&self) {
        self.kill();
        let processes = {
            let mut waiting = lock(&self.waiting);
            waiting.over = true;
            waiting.spawns.clear();
            waiting.signals.clear();
            std::mem::take(&mut waiting.processes)
        };
        for on_exit in processes.into_values() {
            on_exit(ExitStatus::Signal(libc::SIGKILL));
        }
    }

    /// Kills init, and thereby all processes of the node.
    pub fn kill(&self) {
        // It may have been quicker.
        let _ = self.process.kill();
    }

    /// Waits until all processes of the node have ended. False if they have not by `deadline`.
    pub fn ended_by(&self, deadline: Instant) -> bool {
        let ended = self.process.ended_by(deadline);
        if ended {
            self.reap();
        }
        ended
    }

    /// Takes the exit status of the ended process from the kernel, once.
    fn reap(&self) {
        let mut waiting = lock(&self.waiting);
        if !waiting.reaped {
            waiting.reaped = true;
            let pid = Pid::from_raw(libc::pid_t::try_from(self.pid).unwrap_or(libc::pid_t::MAX));
            // Another owner of all children (or of none) may have been quicker.
            let _ = waitpid(pid, None);
        }
    }
}

impl Drop for Init {
    fn drop(&mut self) {
        self.kill();
        self.reap();
    }
}

/// The two sides of a process' standard streams.
struct Streams {
    ours: [Option<OwnedFd>; 3],
    theirs: Vec<OwnedFd>,
    pty: Option<(u16, u16)>,
}

impl Streams {
    fn open(stdio: Stdio) -> io::Result<Self> {
        let none = || [None, None, None];
        Ok(match stdio {
            Stdio::Pty { rows, columns } => {
                Self { ours: none(), theirs: vec![], pty: Some((rows, columns)) }
            }
            Stdio::Files { stdin, stdout, stderr } => {
                Self { ours: none(), theirs: vec![stdin, stdout, stderr], pty: None }
            }
            Stdio::Pipes => {
                let (their_in, our_in) = pipe2(OFlag::O_CLOEXEC)?;
                let (our_out, their_out) = pipe2(OFlag::O_CLOEXEC)?;
                let (our_err, their_err) = pipe2(OFlag::O_CLOEXEC)?;
                let ours = [Some(our_in), Some(our_out), Some(our_err)];
                Self { ours, theirs: vec![their_in, their_out, their_err], pty: None }
            }
        })
    }
}
