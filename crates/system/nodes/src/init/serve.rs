//! Init's loop: it receives requests, sends reports, and reaps all processes.

use std::collections::HashSet;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

use super::spawn::spawn;
use crate::ExitStatus;
use crate::process::control::{Control, FromInit, ToInit};

/// Serves until the engine is gone. Processes get `oom_score` and the variables `env`, which have
/// no effect on init itself.
pub(super) fn serve(
    control: &Control,
    oom_score: &str,
    env: &[(String, String)],
) -> io::Result<()> {
    let mut mask = SigSet::empty();
    mask.add(Signal::SIGCHLD);
    mask.thread_block()?;
    let ended = SignalFd::with_flags(&mask, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    let mut init = Init { control, oom_score, env, children: HashSet::new() };
    loop {
        let mut fds = [
            PollFd::new(control.as_fd(), PollFlags::POLLIN),
            PollFd::new(ended.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut fds, PollTimeout::NONE) {
            Err(Errno::EINTR) => continue,
            result => result?,
        };
        let [request, child] = [&fds[0], &fds[1]].map(|fd| fd.any().unwrap_or(true));
        if child {
            while ended.read_signal()?.is_some() {}
            init.reap()?;
        }
        if request {
            match control.receive()? {
                Some((message, fds)) => init.handle(message, fds)?,
                None => return Ok(()),
            }
        }
    }
}

struct Init<'c> {
    control: &'c Control,
    oom_score: &'c str,
    env: &'c [(String, String)],
    /// Processes that were requested. All others are their orphans.
    children: HashSet<u32>,
}

impl Init<'_> {
    fn handle(&mut self, message: ToInit, fds: Vec<OwnedFd>) -> io::Result<()> {
        match message {
            ToInit::Setup(_) => Ok(()),
            ToInit::Spawn { id, process } => match spawn(process, fds, self.oom_score, self.env) {
                Ok((pid, terminal)) => {
                    self.children.insert(pid);
                    let fds: Vec<_> = terminal.iter().map(AsFd::as_fd).collect();
                    self.control.send(&FromInit::Spawned { id, pid }, &fds)
                }
                Err(error) => {
                    let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
                    self.control.send(&FromInit::SpawnFailed { id, errno }, &[])
                }
            },
            ToInit::Signal { id, pid, signal } => {
                let errno = signal_group(pid, signal).err().map(|errno| errno as i32);
                self.control.send(&FromInit::Signalled { id, errno }, &[])
            }
        }
    }

    fn reap(&mut self) -> io::Result<()> {
        loop {
            let (pid, status) = match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, ExitStatus::Code(code)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    (pid, ExitStatus::Signal(signal as i32))
                }
                Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return Ok(()),
                Ok(_) | Err(Errno::EINTR) => continue,
                Err(errno) => return Err(errno.into()),
            };
            let pid = pid.as_raw().unsigned_abs();
            if self.children.remove(&pid) {
                self.control.send(&FromInit::Exited { pid, status }, &[])?;
            }
        }
    }
}

/// Sends a signal to the process group that `pid` leads, even if the leader has ended. KILL is sent
/// to the whole session, because a shell may have put its jobs into groups of their own.
pub(crate) fn signal_group(pid: u32, signal: i32) -> Result<(), Errno> {
    let group = libc::pid_t::try_from(pid).map_err(|_| Errno::ESRCH)?;
    if group <= 1 {
        return Err(Errno::ESRCH);
    }
    // SAFETY: takes numbers only.
    let sent = Errno::result(unsafe { libc::kill(-group, signal) }).map(drop);
    if signal != libc::SIGKILL {
        return sent;
    }
    let mut any = sent.is_ok();
    for member in session_members(group) {
        // SAFETY: takes numbers only; all processes visible here belong to the node.
        any |= unsafe { libc::kill(member, signal) } == 0;
    }
    if any { Ok(()) } else { sent }
}

/// Returns the processes of a session, from `/proc/<pid>/stat`. After the name in parentheses, its
/// fields are state, parent, group, session.
fn session_members(session: libc::pid_t) -> Vec<libc::pid_t> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &libc::pid_t| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
        fields.split(' ').nth(3).and_then(|field| field.parse().ok()) == Some(session)
    })
    .collect()
}
