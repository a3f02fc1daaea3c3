//! One node in the engine, and the connection to its init process.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use netloom_scenario::Disk;
use nix::fcntl::OFlag;
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, pipe2};

use crate::process::control::{Control, FromInit, Process, ToInit};
use crate::process::files::NodeFiles;
use crate::process::kept::Kept;
use crate::process::outgoing::Outgoing;
use crate::process::pidfd::PidFd;
use crate::{ExitStatus, NodeError, SpawnRequest, Spawned, Stdio};

/// Called once, when a process has ended.
pub type OnExit = Box<dyn FnOnce(ExitStatus) + Send>;

/// Called once, when a process runs or could not be started.
pub type OnStarted = Box<dyn FnOnce(Result<Spawned, NodeError>) + Send>;

/// Longest time that [`Processes::signal`] waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A node, which may have an init process.
#[derive(Debug, Default)]
pub(crate) struct Node {
    init: Mutex<Option<Arc<Init>>>,
    /// Held while an init process starts, which can take seconds; `init` is not held then.
    starting: Mutex<()>,
}

impl Node {
    /// Returns the node's init process. If there is none, or it has ended, `start` starts one, with
    /// the files that the node had when it failed.
    pub fn init(
        &self,
        start: impl FnOnce(Option<&Kept>) -> Result<Arc<Init>, NodeError>,
    ) -> Result<Arc<Init>, NodeError> {
        if let Some(init) = self.running() {
            return Ok(init);
        }
        let _starting = lock(&self.starting);
        // Another thread may have started it meanwhile.
        if let Some(init) = self.running() {
            return Ok(init);
        }
        // It stays there until another init has it, so that a failed start loses nothing.
        let kept = self.kept();
        let init = start(kept.as_deref())?;
        *lock(&self.init) = Some(Arc::clone(&init));
        Ok(init)
    }

    /// Kills the node's init, if it has one, and with it all processes.
    pub fn kill(&self, disk: Disk) -> Killed {
        let init = lock(&self.init).clone();
        if let Some(init) = &init {
            match disk {
                Disk::Keep => init.end_and_keep(),
                Disk::Lose => init.end_and_lose(),
            }
        }
        Killed(init)
    }

    /// Returns the files that the node had when it failed. `None` if it runs, has never run, or has
    /// lost them.
    pub fn kept(&self) -> Option<Arc<Kept>> {
        lock(&self.init).as_ref().filter(|init| !init.is_alive()).and_then(|init| init.kept())
    }

    /// Returns the node's init process, if it has one.
    pub fn running(&self) -> Option<Arc<Init>> {
        lock(&self.init).as_ref().filter(|init| init.is_alive()).cloned()
    }
}

/// Starts and signals processes of one node. Only functions that say so wait for the node, which
/// may be throttled, frozen or stopped. Nothing needs the [`Network`](crate::Network), which may be
/// taken down meanwhile.
#[derive(Debug, Clone)]
pub struct Processes(Arc<Init>);

impl Processes {
    pub(crate) fn new(init: Arc<Init>) -> Self {
        Self(init)
    }

    /// Requests a process. Both functions are called on a thread of the network, `on_started`
    /// first: they must be quick, and must not call the network. If the node is destroyed, either
    /// the process could not be started, or its status is [`ExitStatus::Signal`] of `SIGKILL`.
    pub fn spawn(&self, request: SpawnRequest, on_started: OnStarted, on_exit: OnExit) {
        self.0.spawn(request, on_started, on_exit);
    }

    /// Returns the id by which the machine knows a process of the node. `None` once it has ended,
    /// and for processes under a kernel of the node's own.
    pub fn machine_pid(&self, pid: u32) -> Option<u32> {
        // Every process that was asked for is a child of init, which has one thread.
        let (init, pid) = (self.0.pid, pid.to_string());
        let children = fs::read_to_string(format!("/proc/{init}/task/{init}/children")).ok()?;
        let is_meant = |child: &&str| {
            let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
            let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
            ids.and_then(|ids| ids.split_whitespace().last()) == Some(pid.as_str())
        };
        children.split_whitespace().rev().find(is_meant)?.parse().ok()
    }

    /// Requests a signal to the process group of a process, or `SIGKILL` to its whole session. It
    /// is no error if the process or the node is gone.
    pub fn send_signal(&self, pid: u32, signal: i32) {
        // Nobody waits for an answer: no request has id 0.
        let _ = self.0.send(ToInit::Signal { id: 0, pid, signal }, vec![]);
    }

    /// Like [`send_signal`](Self::send_signal), but waits for the answer of the node.
    ///
    /// # Errors
    /// [`NodeError::System`] with `ESRCH` if nothing of the process is left, `EINVAL` for a signal
    /// that does not exist, or `ETIMEDOUT` if the node's init does not answer within 5 s.
    pub fn signal(&self, pid: u32, signal: i32) -> Result<(), NodeError> {
        self.0.signal(pid, signal)
    }
}

/// All processes of a node, which have been killed.
#[derive(Debug)]
pub struct Killed(Option<Arc<Init>>);

impl Killed {
    /// Waits until all of them have ended. Returns false if they have not by `deadline`.
    pub fn ended_by(&self, deadline: Instant) -> bool {
        self.0.as_ref().is_none_or(|init| init.ended_by(deadline))
    }
}

/// An init process, and all requests that wait for its answers.
#[derive(Debug)]
pub(crate) struct Init {
    node: String,
    pid: u32,
    process: PidFd,
    control: Control,
    outgoing: Outgoing,
    /// What precedes each command of a process under the node's own kernel; empty without one.
    stand_in: Vec<String>,
    waiting: Mutex<Waiting>,
    /// The node's files, once init was killed so that they stay.
    kept: Mutex<Option<Arc<Kept>>>,
}

#[derive(Default)]
struct Waiting {
    /// Whether the connection is closed.
    over: bool,
    /// Whether the exit status of the process was taken.
    reaped: bool,
    last_id: u64,
    spawns: HashMap<u64, PendingSpawn>,
    signals: HashMap<u64, SyncSender<io::Result<()>>>,
    processes: HashMap<u32, OnExit>,
}

/// A requested process that has not started yet.
struct PendingSpawn {
    program: String,
    /// The engine's ends of its standard streams.
    ours: [Option<OwnedFd>; 3],
    on_started: OnStarted,
    on_exit: OnExit,
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").field("over", &self.over).finish_non_exhaustive()
    }
}

impl Init {
    pub fn new(
        node: &str,
        pid: u32,
        process: PidFd,
        control: Control,
        stand_in: Vec<String>,
    ) -> Self {
        let (outgoing, waiting, kept) = (Outgoing::default(), Mutex::default(), Mutex::default());
        Self { node: node.into(), pid, process, control, outgoing, stand_in, waiting, kept }
    }

    pub fn name(&self) -> String {
        self.node.clone()
    }

    pub fn control(&self) -> &Control {
        &self.control
    }

    pub fn is_alive(&self) -> bool {
        !lock(&self.waiting).over
    }

    fn gone(&self) -> NodeError {
        let reason = "has ended, and all processes of the node with it".into();
        NodeError::Init { node: self.node.clone(), reason }
    }

    fn exec_failed(&self, program: String, source: io::Error) -> NodeError {
        NodeError::Exec { node: self.node.clone(), program, source }
    }

    /// Sends queued messages.
    pub fn flush(&self) {
        self.outgoing.flush(&self.control);
    }

    fn send(&self, message: ToInit, fds: Vec<OwnedFd>) -> io::Result<()> {
        self.outgoing.send(&self.control, message, fds)
    }

    /// Assigns a number to a request, and stores who waits for the answer. Returns the latter as an
    /// error if the connection is closed.
    fn register<T>(&self, waits: T, note: impl FnOnce(&mut Waiting, u64, T)) -> Result<u64, T> {
        let mut waiting = lock(&self.waiting);
        if waiting.over {
            return Err(waits);
        }
        waiting.last_id += 1;
        let id = waiting.last_id;
        note(&mut waiting, id, waits);
        Ok(id)
    }

    /// Starts a process of the node, or its stand-in.
    fn spawn(&self, request: SpawnRequest, on_started: OnStarted, on_exit: OnExit) {
        let argv = [self.stand_in.clone(), request.argv].concat();
        self.spawn_as_it_is(SpawnRequest { argv, ..request }, on_started, on_exit);
    }

    /// Starts a process in the node's namespaces.
    pub fn spawn_as_it_is(&self, request: SpawnRequest, on_started: OnStarted, on_exit: OnExit) {
        let SpawnRequest { argv, env, cwd, stdio } = request;
        let program = argv.first().cloned().unwrap_or_default();
        let Streams { ours, theirs, pty } = match Streams::open(stdio) {
            Ok(streams) => streams,
            Err(error) => {
                return on_started(Err(NodeError::in_node(&self.node, "make pipes", error)));
            }
        };
        let pending = PendingSpawn { program, ours, on_started, on_exit };
        let noted = self.register(pending, |waiting, id, pending| {
            waiting.spawns.insert(id, pending);
        });
        let id = match noted {
            Ok(id) => id,
            Err(pending) => return (pending.on_started)(Err(self.gone())),
        };
        let process = Process { argv, env, cwd, pty };
        if let Err(error) = self.send(ToInit::Spawn { id, process }, theirs) {
            let pending = lock(&self.waiting).spawns.remove(&id);
            // If the request is not there any more, it was answered.
            let Some(pending) = pending else { return };
            (pending.on_started)(Err(self.not_sent(pending.program, error)));
        }
    }

    /// Returns why a request for a process did not reach init.
    fn not_sent(&self, program: String, error: io::Error) -> NodeError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => self.gone(),
            io::ErrorKind::WouldBlock => NodeError::Init {
                node: self.node.clone(),
                reason: "does not answer, and thousands of requests wait for it already".into(),
            },
            _ => self.exec_failed(program, error),
        }
    }

    fn signal(&self, pid: u32, signal: i32) -> Result<(), NodeError> {
        let failed = |source| {
            NodeError::in_node(&self.node, format!("send signal {signal} to process {pid}"), source)
        };
        let (sender, answer) = sync_channel(1);
        let noted = self.register(sender, |waiting, id, sender| {
            waiting.signals.insert(id, sender);
        });
        let id = noted.map_err(|_| self.gone())?;
        self.send(ToInit::Signal { id, pid, signal }, vec![]).map_err(failed)?;
        match answer.recv_timeout(PATIENCE) {
            Ok(result) => result.map_err(failed),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
            Err(RecvTimeoutError::Timeout) => {
                lock(&self.waiting).signals.remove(&id);
                Err(failed(io::Error::from_raw_os_error(libc::ETIMEDOUT)))
            }
        }
    }

    /// Returns the node's file system, as its processes see it.
    pub fn files(&self) -> io::Result<NodeFiles> {
        // The process id is ours until its exit status is taken, so hold the lock of that flag.
        let waiting = lock(&self.waiting);
        if waiting.reaped {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        NodeFiles::of_process(self.pid)
    }

    /// Handles all messages that have arrived. Returns false when the connection is closed.
    pub fn receive(&self) -> bool {
        loop {
            match self.control.try_receive::<FromInit>() {
                Ok(Some((message, fds))) => self.handle(message, fds),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
                // An init that sends invalid messages is treated as ended.
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
                let Some(pending) = waiting.spawns.remove(&id) else { return };
                let PendingSpawn { ours, on_started, on_exit, .. } = pending;
                waiting.processes.insert(pid, on_exit);
                drop(waiting);
                let [stdin, stdout, stderr] = ours;
                let pty = fds.into_iter().next();
                on_started(Ok(Spawned { pid, stdin, stdout, stderr, pty }));
            }
            FromInit::SpawnFailed { id, errno } => {
                let Some(pending) = waiting.spawns.remove(&id) else { return };
                drop(waiting);
                let source = io::Error::from_raw_os_error(errno);
                (pending.on_started)(Err(self.exec_failed(pending.program, source)));
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

    /// Kills the process, closes the connection, and notifies everybody who waits.
    pub fn end(&self) {
        self.kill();
        let (spawns, processes) = {
            let mut waiting = lock(&self.waiting);
            waiting.over = true;
            waiting.signals.clear();
            (std::mem::take(&mut waiting.spawns), std::mem::take(&mut waiting.processes))
        };
        for pending in spawns.into_values() {
            (pending.on_started)(Err(self.gone()));
        }
        for on_exit in processes.into_values() {
            on_exit(ExitStatus::Signal(libc::SIGKILL));
        }
    }

    /// Does what [`end`](Self::end) does, and keeps the node's files for the next init.
    pub fn end_and_keep(&self) {
        {
            // The process id is ours until its exit status is taken.
            let waiting = lock(&self.waiting);
            let mut kept = lock(&self.kept);
            if kept.is_none() && !waiting.reaped {
                // A process that has ended by itself, for lack of memory, has no files any more.
                *kept = Kept::of_process(self.pid).ok().map(Arc::new);
            }
        }
        self.end();
    }

    /// Does what [`end`](Self::end) does. The node's files are gone, also those of an earlier end.
    fn end_and_lose(&self) {
        self.end();
        *lock(&self.kept) = None;
    }

    fn kept(&self) -> Option<Arc<Kept>> {
        lock(&self.kept).clone()
    }

    /// Kills init, and thereby all processes of the node.
    pub fn kill(&self) {
        // It may have ended already.
        let _ = self.process.kill();
    }

    /// Waits until all processes of the node have ended. Returns false if they have not by
    /// `deadline`.
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
            // Other code that waits for all children (or ignores them) may have taken it.
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

/// The two ends of a process' standard streams.
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
