//! A process under a user-mode kernel, for its stand-in: this module starts it, and forwards its
//! input and its output. It also reaps all processes there, which is the duty of the agent as the
//! first process.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write, pipe};
use std::net::TcpStream;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::pty::Winsize;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

use super::messages::{Message, Run, receive, send};
use crate::ExitStatus;
use crate::init::{signal_group, spawn};
use crate::process::control::Process;

/// Number of bytes of output that are sent at a time.
const CHUNK: usize = 32 * 1024;
/// Longest silence of an output that is still open after its process has ended. A process in the
/// background holds it then, and it is given up.
const SILENCE: Duration = Duration::from_millis(200);

/// The processes that somebody waits for.
#[derive(Default)]
pub(super) struct Children(Mutex<HashMap<u32, Sender<ExitStatus>>>);

impl Children {
    /// Starts a process. Its exit status is sent to the receiver.
    fn start(
        &self,
        process: Process,
        streams: Vec<OwnedFd>,
    ) -> io::Result<(u32, Option<OwnedFd>, Receiver<ExitStatus>)> {
        let (sender, ended) = channel();
        // Hold the lock, so that the process is registered before it is reaped.
        let mut children = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (pid, terminal) = spawn(process, streams, "0", &[])?;
        children.insert(pid, sender);
        Ok((pid, terminal, ended))
    }

    fn reap(&self) {
        // Hold the lock, because code that fails to start a process waits for it itself.
        let mut children = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (pid, status) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, ExitStatus::Code(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    (pid, ExitStatus::Signal(signal as i32))
                }
                Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return,
                Ok(_) | Err(_) => continue,
            };
            if let Some(waiting) = children.remove(&pid.as_raw().unsigned_abs()) {
                // Nobody may be waiting for it any more.
                let _ = waiting.send(status);
            }
        }
    }
}

/// Runs `listen`, and reaps processes meanwhile. Returns the exit code when it has ended.
pub(super) fn serve(listen: impl FnOnce(&Arc<Children>) -> io::Result<()> + Send + 'static) -> i32 {
    let mut mask = SigSet::empty();
    mask.add(Signal::SIGCHLD);
    if mask.thread_block().is_err() {
        return 1;
    }
    let children = Arc::<Children>::default();
    let shared = Arc::clone(&children);
    let listening = thread::spawn(move || listen(&shared));
    while !listening.is_finished() {
        let _ = mask.wait();
        children.reap();
    }
    1
}

/// Runs a process for the stand-in at the other end of the connection.
pub(super) fn run(stream: &TcpStream, run: Run, children: &Children) -> io::Result<()> {
    let Run { argv, env, directory, terminal } = run;
    let process = Process { argv, env, cwd: Some(directory), pty: terminal };
    let (streams, ours) = match terminal {
        Some(_) => (vec![], None),
        None => {
            let (theirs, ours) = Pipes::open()?;
            (theirs, Some(ours))
        }
    };
    let started = children.start(process, streams);
    let (pid, terminal, ended) = match started {
        Ok(started) => started,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
            send(stream, &Message::NotStarted { errno })?;
            // If the socket were closed while it contains unread input, the answer might be lost.
            while receive(stream)?.is_some() {}
            return Ok(());
        }
    };
    let terminal = terminal.map(File::from);
    let writer = Arc::new(Mutex::new(stream.try_clone()?));
    let mut outputs = vec![];
    let mut input = None;
    if let Some(terminal) = &terminal {
        outputs.push(Output::forward(terminal.try_clone()?, Message::Output, &writer));
        input = Some(take_input(terminal.try_clone()?, &writer));
    }
    if let Some(Pipes { stdin, stdout, stderr }) = ours {
        outputs.push(Output::forward(stdout, Message::Output, &writer));
        outputs.push(Output::forward(stderr, Message::Errors, &writer));
        input = Some(take_input(stdin, &writer));
    }
    thread::spawn(move || {
        // If there is no status, the agent itself has ended.
        let status = ended.recv().unwrap_or(ExitStatus::Signal(libc::SIGKILL));
        outputs.iter().for_each(Output::drained);
        let _ = send(&*lock(&writer), &Message::Ended(status));
    });
    let forwarded = forward(stream, pid, input, terminal.as_ref());
    // The stand-in is gone: kill its process, or the remaining children of a process that has
    // ended.
    let _ = signal_group(pid, libc::SIGKILL);
    forwarded
}

/// Forwards messages to a process, until its stand-in is gone.
fn forward(
    stream: &TcpStream,
    pid: u32,
    mut input: Option<Sender<Vec<u8>>>,
    terminal: Option<&File>,
) -> io::Result<()> {
    while let Some(message) = receive(stream)? {
        match message {
            Message::Input(bytes) => {
                // A process that no longer reads is no error.
                let _ = input.as_ref().map(|input| input.send(bytes));
            }
            Message::InputEnds => input = None,
            Message::Signal(signal) => drop(signal_group(pid, signal)),
            Message::Size { rows, columns } => {
                let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
                if let Some(terminal) = terminal {
                    // SAFETY: the descriptor is open, and the size is read during the call only.
                    unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &size) };
                }
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
    Ok(())
}

/// Writes the input of a process, requesting each part when the last one was written. On a thread
/// of its own, because the process may not read for a long time.
fn take_input(
    mut to: impl Write + Send + 'static,
    writer: &Arc<Mutex<TcpStream>>,
) -> Sender<Vec<u8>> {
    let (sender, input) = channel::<Vec<u8>>();
    let writer = Arc::clone(writer);
    thread::spawn(move || {
        while send(&*lock(&writer), &Message::InputWanted).is_ok() {
            let Ok(bytes) = input.recv() else { return };
            if to.write_all(&bytes).is_err() {
                return;
            }
        }
    });
    sender
}

/// The agent's ends of a process' standard streams.
struct Pipes {
    stdin: PipeWriter,
    stdout: PipeReader,
    stderr: PipeReader,
}

impl Pipes {
    /// Returns the process' ends, and the agent's.
    fn open() -> io::Result<(Vec<OwnedFd>, Self)> {
        let (their_in, stdin) = pipe()?;
        let (stdout, their_out) = pipe()?;
        let (stderr, their_err) = pipe()?;
        Ok((
            vec![their_in.into(), their_out.into(), their_err.into()],
            Self { stdin, stdout, stderr },
        ))
    }
}

/// An output of a process that is being sent to its stand-in.
struct Output {
    over: Receiver<()>,
    /// Whether everything that was read has been sent.
    is_idle: Arc<AtomicBool>,
}

impl Output {
    /// Sends an output on a thread of its own. The output is read even if nobody receives it any
    /// more, so that it does not end a process in the background.
    fn forward(
        mut from: impl Read + Send + 'static,
        message: impl Fn(Vec<u8>) -> Message + Send + 'static,
        to: &Arc<Mutex<TcpStream>>,
    ) -> Self {
        let (sender, over) = channel();
        let (is_idle, to) = (Arc::<AtomicBool>::default(), Arc::clone(to));
        let idle = Arc::clone(&is_idle);
        thread::spawn(move || {
            let mut chunk = vec![0; CHUNK];
            loop {
                idle.store(true, Ordering::Release);
                let read = from.read(&mut chunk);
                idle.store(false, Ordering::Release);
                match read {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // A terminal that its last process has closed returns an error.
                    Ok(0) | Err(_) => break,
                    Ok(count) => drop(send(&*lock(&to), &message(chunk[..count].to_vec()))),
                }
            }
            // The receiver may be gone.
            let _ = sender.send(());
        });
        Self { over, is_idle }
    }

    /// Waits until the output has ended, or has been silent for a while.
    fn drained(&self) {
        while self.over.recv_timeout(SILENCE) == Err(RecvTimeoutError::Timeout) {
            if self.is_idle.load(Ordering::Acquire) {
                return;
            }
        }
    }
}

fn lock(stream: &Mutex<TcpStream>) -> std::sync::MutexGuard<'_, TcpStream> {
    stream.lock().unwrap_or_else(PoisonError::into_inner)
}
