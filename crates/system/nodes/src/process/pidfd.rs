//! Processes by descriptor: a process number can be reused, a descriptor cannot.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;

/// A process, running or ended.
#[derive(Debug)]
pub struct PidFd(OwnedFd);

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
        self.signal(Signal::SIGKILL)
    }

    /// Sends it a signal. Fine if it has ended before.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        let info = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: the descriptor is open, and without `siginfo` the kernel makes its own.
        let result = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, self.0.as_raw_fd(), signal as i32, info, 0)
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

/// When the process that has the number `pid` now was started, in the kernel's ticks since the
/// machine was: with the number, what no other process has had.
pub fn started_at(pid: u32) -> Option<u64> {
    fields(pid)?.get(STARTED)?.parse().ok()
}

/// Whether the process that has the number `pid` now has been killed and is being taken apart, or
/// is about to be.
pub fn is_going(pid: u32) -> bool {
    /// `PF_EXITING` and `PF_SIGNALED` of the kernel's `sched.h`.
    const EXITING: u64 = 0x4 | 0x400;
    let flags = || fields(pid)?.get(FLAGS)?.parse().ok();
    is_killed(pid) || flags().is_some_and(|flags: u64| flags & EXITING != 0)
}

/// What the process that has the number `pid` now has done so far, and is doing.
pub fn activity(pid: u32) -> Option<Activity> {
    let states = fs::read_dir(format!("/proc/{pid}/task")).ok()?.filter_map(|thread| {
        let stat = fs::read_to_string(thread.ok()?.path().join("stat")).ok()?;
        split(&stat)?.first().cloned()
    });
    // Running or about to, and in the kernel without being woken by signals.
    let at_work = states.into_iter().any(|state| matches!(state.as_str(), "R" | "D"));
    let fields = fields(pid)?;
    let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
    Some(Activity { ticks: ticks(USER)? + ticks(SYSTEM)?, at_work })
}

/// What a process has done and is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// Its CPU time so far, in the kernel's ticks.
    pub ticks: u64,
    /// Whether one of its threads runs, waits for a CPU, or is in the kernel where nothing
    /// interrupts it. It does neither while it is stopped.
    pub at_work: bool,
}

/// Whether the signal that kills waits for the process to take it.
fn is_killed(pid: u32) -> bool {
    const KILL: u64 = 1 << (libc::SIGKILL - 1);
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let pending =
        status.lines().filter(|line| line.starts_with("SigPnd:") || line.starts_with("ShdPnd:"));
    let masks = pending.filter_map(|line| u64::from_str_radix(line[7..].trim(), 16).ok());
    masks.fold(0, |all, mask| all | mask) & KILL != 0
}

/// Fields of `/proc/PID/stat` behind the name.
const FLAGS: usize = 6;
const USER: usize = 11;
const SYSTEM: usize = 12;
const STARTED: usize = 19;

fn fields(pid: u32) -> Option<Vec<String>> {
    split(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn split(stat: &str) -> Option<Vec<String>> {
    let (_, fields) = stat.rsplit_once(") ")?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

impl AsFd for PidFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_is_known_by_its_start_and_going_once_it_is_killed() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        let (pid, own) = (child.id(), std::process::id());
        assert!(started_at(pid).unwrap() >= started_at(own).unwrap());
        assert!(!is_going(pid) && !is_going(own));
        let process = PidFd::open(pid).unwrap();
        assert!(!process.ended_by(Instant::now()));
        process.kill().unwrap();
        // Killed, and then waiting for its parent: in each state, and without a gap.
        while !process.ended_by(Instant::now()) {
            assert!(is_going(pid));
        }
        child.wait().unwrap();
        assert_eq!(started_at(pid), None);
    }

    #[test]
    fn a_process_that_computes_is_at_work_and_one_that_is_stopped_is_not() {
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let look = || activity(child.id()).unwrap();
        let first = look();
        assert!((0..1_000_000).any(|_| look().at_work && look().ticks > first.ticks));
        let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGSTOP).unwrap();
        while look().at_work {}
        let stopped = look();
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(look(), stopped);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(activity(child.id()), None);
    }
}
