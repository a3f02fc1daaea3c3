//! From the engine's child process to the node's first process.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::SigSet;

use super::failure::{Failed, attempt};
use crate::process::control::{Control, FromInit, Setup, ToInit};
use crate::process::oom;
use crate::process::view::View;

/// Which of the two processes this is.
pub(super) enum Launched {
    /// The launcher, which has finished its work.
    Launcher,
    /// The node's init.
    Init(Box<(Setup, View)>),
}

/// Takes the control socket from standard input, and closes all other descriptors that the engine
/// may have left open.
pub(super) fn control() -> io::Result<Control> {
    // SAFETY: nothing in this process has a descriptor above the standard ones yet.
    Errno::result(unsafe { libc::close_range(3, libc::c_uint::MAX, 0) })?;
    // SAFETY: the descriptor is open: the engine has put the control socket there.
    let fd = Errno::result(unsafe { libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 3) })?;
    // SAFETY: the kernel has just made this descriptor for us.
    let control = unsafe { OwnedFd::from_raw_fd(fd) };
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    // SAFETY: both descriptors are open, and nothing owns the standard input of this process.
    Errno::result(unsafe { libc::dup2(null.as_raw_fd(), 0) })?;
    Ok(Control::from(control))
}

/// Enters the namespaces and forks the init process.
pub(super) fn launch(control: &Control) -> Result<Launched, Failed> {
    let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let received = control.receive::<ToInit>().and_then(|message| message.ok_or_else(gone));
    let (message, fds) = attempt(received, || "read the first message".into())?;
    let mut fds = fds.into_iter().map(File::from);
    let (ToInit::Setup(setup), Some(network), Some(mounts), Some(mut view)) =
        (message, fds.next(), fds.next(), fds.next())
    else {
        return Err(("understand the first message".into(), Errno::EPROTO.into()));
    };
    let mut text = Vec::new();
    let read = view.read_to_end(&mut text).and_then(|_| Ok(serde_json::from_slice(&text)?));
    let view: View = attempt(read, || "read the node's view".into())?;
    reset_signals();
    let (soft, hard) = setup.file_limits;
    // A higher hard limit needs a privilege; without it, the present limit is the best there is.
    let _ = setrlimit(Resource::RLIMIT_NOFILE, soft, hard);
    oom::spare(oom::INIT);
    attempt(setns(&network, CloneFlags::CLONE_NEWNET), || "enter the network namespace".into())?;
    attempt(setns(&mounts, CloneFlags::CLONE_NEWNS), || "enter the mount namespace".into())?;
    let new = CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWIPC;
    attempt(unshare(new), || "create PID, mount, UTS and IPC namespaces".into())?;
    drop((network, mounts));
    match attempt(fork_sibling(), || "fork the init process".into())? {
        0 => Ok(Launched::Init(Box::new((setup, view)))),
        pid => {
            let started = control.send(&FromInit::Started { pid }, &[]);
            attempt(started, || "report".into())?;
            Ok(Launched::Launcher)
        }
    }
}

/// Forks a child whose parent is this process' parent. Returns 0 in the child.
fn fork_sibling() -> io::Result<u32> {
    let flags = libc::CLONE_PARENT | libc::SIGCHLD;
    let null = std::ptr::null::<libc::c_void>();
    // SAFETY: this process has one thread, so the copy of its memory is complete. Without a stack,
    // the child returns from here like from a fork. The order of the last two arguments depends on
    // the architecture, and both are null.
    let pid = unsafe {
        libc::syscall(libc::SYS_clone, libc::c_long::from(flags), null, null, null, null)
    };
    u32::try_from(Errno::result(pid)?).map_err(io::Error::other)
}

/// Resets all signal handlers and masks, so that the engine's settings are not inherited.
fn reset_signals() {
    const LAST_SIGNAL: libc::c_long = 64;
    // The kernel's `struct sigaction`: handler (0 is the default action), flags, restorer, mask.
    // Not through libc, which hides the two signals that it uses itself, and which can be ignored
    // too.
    let default = [0u64; 4];
    for number in 1..=LAST_SIGNAL {
        let (new, old) = (default.as_ptr(), std::ptr::null::<u64>());
        // SAFETY: reads the array, which is as large as the structure on every architecture; the
        // set of 64 signals has 8 bytes. KILL and STOP return an error, which does no harm.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, number, new, old, 8) };
    }
    let _ = SigSet::empty().thread_set_mask();
}
