//! Faults in system calls: every call of a program, and of all that it starts, that changes what
//! others can see is shown to this process before the kernel does it (seccomp's user notification),
//! which may fail it or kill its caller. Not here: what must hold afterwards.
//!
//! A *step* is a kind of call: its name, who calls it, and what it is done to, with all digits left
//! out, so that it is the same step in each run and for each node.

use std::collections::BTreeMap;
use std::fs;
use std::io::IoSliceMut;
use std::mem::zeroed;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;

/// A fault in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The call fails with an error that can occur in practice.
    Error,
    /// The process is killed before the call is executed.
    Kill,
}

/// A call of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The step.
    pub step: String,
    /// Number of calls of the step before it.
    pub after: usize,
}

#[derive(Debug, Default)]
struct State {
    /// Whether calls are counted.
    armed: bool,
    /// The calls of each step so far.
    counts: BTreeMap<String, usize>,
    /// The fault to inject.
    fault: Option<(Place, Fault)>,
    /// Whether the fault was injected.
    done: bool,
}

/// Sees the calls of what the thread starts that has it.
#[derive(Debug, Clone, Default)]
pub struct Injector(Arc<Mutex<State>>);

/// The calls that are seen: their names, and the error that is given.
const CALLS: &[(libc::c_long, &str, Errno)] = &[
    (libc::SYS_openat, "openat", Errno::EMFILE),
    (libc::SYS_openat2, "openat2", Errno::EMFILE),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mkdir, "mkdir", Errno::ENOSPC),
    (libc::SYS_mkdirat, "mkdirat", Errno::ENOSPC),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rmdir, "rmdir", Errno::EBUSY),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_unlink, "unlink", Errno::EIO),
    (libc::SYS_unlinkat, "unlinkat", Errno::EIO),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_rename, "rename", Errno::ENOSPC),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_symlink, "symlink", Errno::ENOSPC),
    (libc::SYS_renameat, "renameat", Errno::ENOSPC),
    (libc::SYS_renameat2, "renameat", Errno::ENOSPC),
    (libc::SYS_symlinkat, "symlinkat", Errno::ENOSPC),
    (libc::SYS_linkat, "linkat", Errno::ENOSPC),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, "chmod", Errno::EPERM),
    (libc::SYS_fchmod, "fchmod", Errno::EPERM),
    (libc::SYS_fchmodat, "fchmodat", Errno::EPERM),
    (libc::SYS_write, "write", Errno::EIO),
    (libc::SYS_mount, "mount", Errno::ENOMEM),
    (libc::SYS_umount2, "umount", Errno::EBUSY),
    (libc::SYS_open_tree, "open_tree", Errno::ENOMEM),
    (libc::SYS_move_mount, "move_mount", Errno::ENOMEM),
    (libc::SYS_fsopen, "fsopen", Errno::ENOMEM),
    (libc::SYS_fsmount, "fsmount", Errno::ENOMEM),
    (libc::SYS_pivot_root, "pivot_root", Errno::EBUSY),
    (libc::SYS_unshare, "unshare", Errno::ENOSPC),
    (libc::SYS_setns, "setns", Errno::ENOMEM),
    (libc::SYS_clone, "clone", Errno::EAGAIN),
    (libc::SYS_clone3, "clone3", Errno::EAGAIN),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_vfork, "vfork", Errno::EAGAIN),
    (libc::SYS_execve, "execve", Errno::ENOMEM),
    (libc::SYS_socket, "socket", Errno::EMFILE),
    (libc::SYS_socketpair, "socketpair", Errno::EMFILE),
    (libc::SYS_bind, "bind", Errno::ENOBUFS),
    (libc::SYS_listen, "listen", Errno::EADDRINUSE),
    (libc::SYS_ioctl, "ioctl", Errno::EBUSY),
    (libc::SYS_sendto, "sendto", Errno::ENOBUFS),
    (libc::SYS_sendmsg, "sendmsg", Errno::ENOBUFS),
    (libc::SYS_pipe2, "pipe", Errno::EMFILE),
    (libc::SYS_eventfd2, "eventfd", Errno::EMFILE),
    (libc::SYS_epoll_create1, "epoll_create", Errno::EMFILE),
    (libc::SYS_epoll_ctl, "epoll_ctl", Errno::ENOSPC),
    (libc::SYS_timerfd_create, "timerfd_create", Errno::EMFILE),
    (libc::SYS_pidfd_open, "pidfd_open", Errno::EMFILE),
    (libc::SYS_pidfd_send_signal, "pidfd_send_signal", Errno::EPERM),
    (libc::SYS_kill, "kill", Errno::EPERM),
    (libc::SYS_prctl, "prctl", Errno::EPERM),
    (libc::SYS_prlimit64, "prlimit", Errno::EPERM),
    (libc::SYS_bpf, "bpf", Errno::ENOMEM),
    (libc::SYS_perf_event_open, "perf_event_open", Errno::EMFILE),
];

impl Injector {
    /// Runs `body` on a thread of its own; the programs that it starts are seen.
    pub fn around<T: Send>(body: impl FnOnce(&Self) -> T + Send) -> T {
        let injector = Self::default();
        let (sender, receiver) = channel();
        let filtered = || {
            sender.send(filter_this_thread()).unwrap();
            body(&injector)
        };
        thread::scope(|scope| {
            let body = scope.spawn(filtered);
            injector.supervise(&receiver.recv().unwrap(), || body.is_finished());
            body.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// From now on calls are counted, and the one at `place` has `fault`.
    pub fn arm(&self, fault: Option<(Place, Fault)>) {
        *self.state() = State { armed: true, fault, ..State::default() };
    }

    /// Stops counting calls.
    pub fn pause(&self) {
        self.state().armed = false;
    }

    /// Stops counting calls. Returns the calls of each step since [`arm`](Self::arm), and whether
    /// the fault was injected.
    pub fn disarm(&self) -> (BTreeMap<String, usize>, bool) {
        let mut state = self.state();
        let State { counts, done, .. } = std::mem::take(&mut *state);
        (counts, done)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Answers all calls until no process is left that makes any.
    fn supervise(&self, listener: &OwnedFd, body_is_over: impl Fn() -> bool) {
        const GRACE: Duration = Duration::from_secs(20);
        let mut end = None;
        loop {
            let mut fds = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
            let _ = poll(&mut fds, PollTimeout::from(100_u8));
            let events = fds[0].revents().unwrap_or(PollFlags::empty());
            if events.contains(PollFlags::POLLIN) {
                self.answer(listener);
            } else if events.contains(PollFlags::POLLHUP) {
                return;
            }
            if body_is_over() {
                let end = *end.get_or_insert_with(|| Instant::now() + GRACE);
                assert!(Instant::now() < end, "something that was started is still there");
            }
        }
    }

    fn answer(&self, listener: &OwnedFd) {
        // SAFETY: plain numbers; the kernel wants them to be zero.
        let mut call: libc::seccomp_notif = unsafe { zeroed() };
        // SAFETY: `call` is what this request fills.
        let got = unsafe {
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call)
        };
        if got != 0 {
            // Its caller was killed meanwhile.
            return;
        }
        let error = self.judge(&call);
        // SAFETY: plain numbers.
        let mut answer: libc::seccomp_notif_resp = unsafe { zeroed() };
        answer.id = call.id;
        match error {
            Some(errno) => answer.error = -(errno as i32),
            None => answer.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
        }
        // Fails if the caller was killed meanwhile.
        // SAFETY: `answer` is what this request reads.
        unsafe {
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer)
        };
    }

    /// Counts a call. Returns its error, if it gets one.
    fn judge(&self, call: &libc::seccomp_notif) -> Option<Errno> {
        if !self.state().armed {
            return None;
        }
        let (_, name, errno) =
            CALLS.iter().find(|(number, ..)| *number == libc::c_long::from(call.data.nr))?;
        let step = Caller::of(call)?.step(name)?;
        let mut state = self.state();
        let count = state.counts.entry(step.clone()).or_default();
        let after = *count;
        *count += 1;
        let fault = match &state.fault {
            Some((place, fault)) if *place == (Place { step, after }) => *fault,
            _ => return None,
        };
        state.done = true;
        match fault {
            Fault::Error => Some(*errno),
            Fault::Kill => {
                // The group of threads that it belongs to.
                let _ = kill(Pid::from_raw(call.pid.cast_signed()), Signal::SIGKILL);
                None
            }
        }
    }
}

/// A filter for the calling thread and all that it starts, by which [`CALLS`] are shown to whoever
/// has the listener.
fn filter_this_thread() -> OwnedFd {
    const NUMBER: u32 = std::mem::offset_of!(libc::seccomp_data, nr) as u32;
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let mut program = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, NUMBER)];
    for (number, ..) in CALLS {
        let jump = statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, *number as u32);
        program.push(libc::sock_filter { jf: 1, ..jump });
        program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_USER_NOTIF));
    }
    program.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW));
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    if !nix::unistd::geteuid().is_root() {
        nix::sys::prctl::set_no_new_privs().unwrap();
    }
    // SAFETY: `filter` outlives the call, which copies it.
    let fd = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const filter,
        )
    };
    let fd = Errno::result(fd).expect("a listener of seccomp's");
    // SAFETY: the kernel gave it to us just now.
    unsafe { OwnedFd::from_raw_fd(fd as i32) }
}

/// A process of ours that makes a call.
struct Caller<'a> {
    call: &'a libc::seccomp_notif,
    /// `engine`, `init` ...
    role: String,
}

impl<'a> Caller<'a> {
    /// None if it is not a process of NetLoom's other than the client.
    fn of(call: &'a libc::seccomp_notif) -> Option<Self> {
        let arguments = fs::read_to_string(format!("/proc/{}/cmdline", call.pid)).ok()?;
        let arguments: Vec<&str> = arguments.split('\0').collect();
        let is_ours = arguments.first()?.ends_with("netloom");
        let is_daemon = *arguments.get(1)? == "shape" && arguments.contains(&"serve");
        let role = match arguments[1].strip_prefix("__") {
            Some(role) => role,
            None if is_daemon => "shape",
            None => return None,
        };
        is_ours.then(|| Self { call, role: role.to_string() })
    }

    /// The step that the call belongs to; none if others cannot see what it changes.
    fn step(&self, name: &str) -> Option<String> {
        let arguments = self.call.data.args;
        let number = |index: usize| arguments[index] as i64;
        let object = match name {
            "openat" => {
                let path = self.text(arguments[1]);
                let is_library = path.contains("/lib/") || path.contains(".so");
                let writes = number(2) & i64::from(libc::O_ACCMODE | libc::O_CREAT) != 0;
                (!is_library).then(|| format!("{path}{}", if writes { " to write" } else { "" }))?
            }
            "mkdir" | "rmdir" | "unlink" | "rename" | "chmod" | "umount" | "execve"
            | "pivot_root" => self.text(arguments[0]),
            "mkdirat" | "unlinkat" | "renameat" | "fchmodat" | "mount" | "symlink"
            | "open_tree" => self.text(arguments[1]),
            "symlinkat" => self.text(arguments[2]),
            "move_mount" => self.text(arguments[3]),
            "write" | "fchmod" => {
                let file = self.file(arguments[0])?;
                let is_file = file.starts_with('/') && !file.starts_with("/dev/");
                is_file.then_some(file)?
            }
            "ioctl" => {
                let ours = [libc::TCGETS, libc::FIONBIO, libc::FIOCLEX];
                let is_ours = ours.iter().any(|known| *known == arguments[1]);
                (!is_ours).then(|| {
                    let file = self.file(arguments[0]).unwrap_or_default();
                    format!("{:x} {}", arguments[1], file.split(':').next().unwrap_or_default())
                })?
            }
            "unshare" | "clone" => format!("{:x}", arguments[0]),
            "clone3" => format!("{:x}", self.number_at(arguments[0])?),
            "setns" => format!("{:x} {:?}", arguments[1], self.file(arguments[0])),
            "socket" => format!("{} {:x} {}", number(0), number(1), number(2)),
            "sendto" | "sendmsg" => self.netlink(name)?,
            "prctl" => (number(0) != i64::from(libc::PR_SET_NAME) && number(0) != 0x5356_4d41)
                .then(|| format!("<{}>", number(0)))?,
            "prlimit" => (arguments[2] != 0).then(String::new)?,
            _ => String::new(),
        };
        let is_digit = |c: char| c.is_ascii_digit();
        // Numbers that mean something were written otherwise, or are few.
        let object = match name {
            "ioctl" | "unshare" | "clone" | "clone3" | "socket" | "prctl" | "sendto"
            | "sendmsg" => object,
            _ => object.replace(is_digit, ""),
        };
        Some(format!("{}: {name} {object}", self.role))
    }

    /// Returns the file that a descriptor of the caller refers to.
    fn file(&self, fd: u64) -> Option<String> {
        let link = format!("/proc/{}/fd/{}", self.call.pid, fd as i32);
        Some(fs::read_link(link).ok()?.to_string_lossy().into_owned())
    }

    /// The kinds of messages that are sent to the kernel; none at other sockets.
    fn netlink(&self, name: &str) -> Option<String> {
        let file = self.file(self.call.data.args[0])?;
        let inode = file.strip_prefix("socket:[")?.strip_suffix(']')?;
        let sockets = fs::read_to_string(format!("/proc/{}/net/netlink", self.call.pid)).ok()?;
        sockets.lines().find(|line| line.split_whitespace().last() == Some(inode))?;
        let at = self.call.data.args[1];
        let message = match name {
            "sendto" => at,
            // `msghdr.msg_iov`, and its first `iov_base`.
            _ => self.number_at(self.number_at(at + 16)?)?,
        };
        let head = self.number_at(message)?;
        Some(format!("type {}", (head >> 32) & 0xffff))
    }

    fn number_at(&self, address: u64) -> Option<u64> {
        Some(u64::from_ne_bytes(self.memory::<8>(address)?))
    }

    /// A text in the caller's memory, up to a length.
    fn text(&self, address: u64) -> String {
        let mut text = Vec::new();
        for at in address..address + 200 {
            match self.memory::<1>(at) {
                Some([byte]) if byte != 0 => text.push(byte),
                _ => break,
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    fn memory<const BYTES: usize>(&self, address: u64) -> Option<[u8; BYTES]> {
        let mut bytes = [0; BYTES];
        let remote = RemoteIoVec { base: address as usize, len: BYTES };
        let pid = Pid::from_raw(self.call.pid.cast_signed());
        let read = process_vm_readv(pid, &mut [IoSliceMut::new(&mut bytes)], &[remote]).ok()?;
        (read == BYTES).then_some(bytes)
    }
}
