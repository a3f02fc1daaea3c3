//! Starting a process.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::pty::Winsize;

use crate::WORK_DIRECTORY;
use crate::books::variables::OWN_VARIABLES;
use crate::process::control::Process;

/// Starts a process in its own session, with the three descriptors as its standard streams or with
/// a new terminal, whose other end is returned.
pub(crate) fn spawn(
    process: Process,
    fds: Vec<OwnedFd>,
    oom_score: &str,
    env: &[(String, String)],
) -> io::Result<(u32, Option<OwnedFd>)> {
    let (program, arguments) = process.argv.split_first().ok_or(Errno::EINVAL)?;
    let cwd = process.cwd.unwrap_or_else(|| WORK_DIRECTORY.into());
    // `Command` cannot distinguish a missing directory from a missing program.
    if !cwd.is_dir() {
        return Err(Errno::ENOTDIR.into());
    }
    let (terminal, streams) = match process.pty {
        Some((rows, columns)) => {
            let (ours, theirs) = open_terminal(rows, columns)?;
            (Some(ours), vec![theirs.try_clone()?, theirs.try_clone()?, theirs])
        }
        None => (None, fds),
    };
    let [stdin, stdout, stderr]: [OwnedFd; 3] =
        streams.try_into().map_err(|_| io::Error::from(Errno::EPROTO))?;
    let mut command = Command::new(program);
    // The variables that identify the node come from init, not from the request.
    let env = env.iter().filter(|(name, _)| !OWN_VARIABLES.contains(&name.as_str())).cloned();
    command.args(arguments).envs(env).envs(process.env).current_dir(cwd);
    command.stdin(Stdio::from(stdin)).stdout(Stdio::from(stdout)).stderr(Stdio::from(stderr));
    let has_terminal = terminal.is_some();
    let oom_score = oom_score.to_owned();
    // SAFETY: the closure makes system calls only; it touches no memory that another thread could
    // hold locked (init has no other threads).
    unsafe {
        command.pre_exec(move || {
            // The score is init's own until here. Raising it is always permitted.
            let _ = write_oom_score(oom_score.as_bytes());
            own_session(has_terminal)
        });
    }
    let child = command.spawn()?;
    Ok((child.id(), terminal))
}

/// In the child: sets how likely the kernel is to kill it for lack of memory.
fn write_oom_score(score: &[u8]) -> io::Result<()> {
    // SAFETY: the path ends with a zero byte, the descriptor is closed once, and the bytes live
    // through the call.
    unsafe {
        let path = c"/proc/self/oom_score_adj".as_ptr();
        let fd = Errno::result(libc::open(path, libc::O_WRONLY | libc::O_CLOEXEC))?;
        let written = Errno::result(libc::write(fd, score.as_ptr().cast(), score.len()));
        libc::close(fd);
        written?;
    }
    Ok(())
}

/// In the child: creates a session and process group, with the terminal if there is one, and
/// unblocks all signals.
fn own_session(has_terminal: bool) -> io::Result<()> {
    // SAFETY: system calls with numbers and, for the mask, memory of this frame.
    unsafe {
        Errno::result(libc::setsid())?;
        if has_terminal {
            Errno::result(libc::ioctl(0, libc::TIOCSCTTY, 0))?;
        }
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&mut none);
        Errno::result(libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut()))?;
    }
    Ok(())
}

/// Creates a terminal in the node's own devpts. Returns the engine's end and the process' end.
fn open_terminal(rows: u16, columns: u16) -> io::Result<(OwnedFd, OwnedFd)> {
    let ours: File = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NOCTTY)
        .open("/dev/pts/ptmx")?;
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let unlocked: libc::c_int = 0;
    let fd = ours.as_raw_fd();
    let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
    // SAFETY: the descriptor is open, and the two that take a pointer read from it during the call
    // only; TIOCGPTPEER returns a new descriptor.
    let theirs = unsafe {
        Errno::result(libc::ioctl(fd, libc::TIOCSPTLCK, &unlocked))?;
        Errno::result(libc::ioctl(fd, libc::TIOCSWINSZ, &size))?;
        Errno::result(libc::ioctl(fd, libc::TIOCGPTPEER, flags))?
    };
    // SAFETY: the kernel has just made this descriptor for us.
    let theirs = unsafe { OwnedFd::from_raw_fd(theirs) };
    Ok((ours.into(), theirs))
}
