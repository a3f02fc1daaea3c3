//! Processes by descriptor: a process number can be reused, a descriptor cannot.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// A process, running or ended.
#[derive(Debug)]
pub(crate) struct PidFd(OwnedFd);

impl PidFd {
    /// The process that has the number `pid` now.
    pub fn open(pid: u32) -> io::Result<Self> {
        let pid = libc::pid_t::try_from(pid).map_err(|_| io::Error::from(Errno::ESRCH))?;
        // SAFETY: the system call takes a number and flags, and returns a new descriptor or -1.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let fd = libc::c_int::try_from(Errno::result(fd)?).map_err(io::Error::other)?;
        // SAFETY: the kernel has just made this descriptor for us.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Kills it. Fine if it has ended before.
    pub fn kill(&self) -> io::Result<()> {
        let info = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: the descriptor is open, and without `siginfo` the kernel makes its own.
        let result = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, self.0.as_raw_fd(), libc::SIGKILL, info, 0)
        };
        match Errno::result(result) {
            Ok(_) | Err(Errno::ESRCH) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Whether it has ended, after waiting for that at most until `deadline`.
    pub fn ended_by(&self, deadline: Instant) -> bool {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left.min(Duration::from_secs(60)))
                .unwrap_or(PollTimeout::ZERO);
            let mut fds = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
            match poll(&mut fds, timeout) {
                Ok(0) if left.is_zero() => return false,
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return true,
                Err(_) => return false,
            }
        }
    }
}

impl AsFd for PidFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
