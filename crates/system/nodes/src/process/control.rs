//! Connections of the engine to nodes' inits, and to clients that run commands: JSON messages with
//! descriptors, over a socket that preserves message boundaries and notifies each end when the
//! other is closed.

use std::fs;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, Backlog, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType,
    UnixAddr, accept4, bind, listen, recvmsg, sendmsg, socket, socketpair,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ExitStatus;

/// Largest message in bytes that fits a socket buffer of the kernel's default size.
const LONGEST: usize = 200 * 1024;
/// Largest number of descriptors in one message.
const MOST_DESCRIPTORS: usize = 4;

/// Messages from the engine.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToInit {
    /// The first message. Its descriptors are the node's network namespace, the experiment's base
    /// mount namespace or the node's own, and a file with the node's [`View`](crate::View) as JSON,
    /// which may be longer than a message.
    Setup(Setup),
    /// Starts a process. The descriptors are its three standard streams, or none for a terminal.
    Spawn { id: u64, process: Process },
    /// Sends a signal to the process group of a process.
    Signal { id: u64, pid: u32, signal: i32 },
}

/// Configuration of the node for its init.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    pub node: String,
    /// The scenario's directory on the machine.
    pub work_dir: PathBuf,
    /// The node's `/etc/hosts` and `/etc/resolv.conf`, on the machine.
    pub hosts: PathBuf,
    pub resolver: PathBuf,
    /// Files that appear elsewhere: path on the machine, and path in the node.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// Soft and hard limits on open files for processes.
    pub file_limits: (u64, u64),
    /// How likely the kernel is to kill processes for lack of memory.
    pub oom_score: String,
    /// Whether the mount namespace is the node's own, with the files that it had when it failed.
    pub has_files: bool,
}

/// A process to start, without its descriptors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    pub argv: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<PathBuf>,
    /// Rows and columns of a terminal.
    pub pty: Option<(u16, u16)>,
}

/// Messages from init.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromInit {
    /// Process id of init outside the node.
    Started { pid: u32 },
    /// The view of the node is complete.
    Ready,
    /// The view could not be completed.
    SetupFailed { action: String, errno: i32 },
    /// A process runs. The descriptor is that of its terminal, if it has one.
    Spawned { id: u64, pid: u32 },
    /// A process could not be started.
    SpawnFailed { id: u64, errno: i32 },
    /// Result of sending a signal.
    Signalled { id: u64, errno: Option<i32> },
    /// A process has ended.
    Exited { pid: u32, status: ExitStatus },
}

/// A socket at a path, at which clients ask for connections.
#[derive(Debug)]
pub struct Doorway(OwnedFd);

impl Doorway {
    /// Listens at `path`. Only its owner may connect.
    ///
    /// # Errors
    /// The kernel's.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let socket = socket(AddressFamily::Unix, SockType::SeqPacket, flags, None)?;
        bind(socket.as_raw_fd(), &UnixAddr::new(path)?)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        listen(&socket, Backlog::MAXCONN)?;
        Ok(Self(socket))
    }

    /// Accepts a connection, or fails with [`io::ErrorKind::WouldBlock`].
    ///
    /// # Errors
    /// Also the kernel's.
    pub fn accept(&self) -> io::Result<Control> {
        let fd = accept4(self.0.as_raw_fd(), SockFlag::SOCK_CLOEXEC)?;
        // SAFETY: the kernel has just made this descriptor for us.
        Ok(Control(unsafe { OwnedFd::from_raw_fd(fd) }))
    }
}

impl AsRawFd for Doorway {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// One end of a connection.
#[derive(Debug)]
pub struct Control(OwnedFd);

impl Control {
    pub(crate) fn pair() -> io::Result<(Self, Self)> {
        let (family, kind) = (AddressFamily::Unix, SockType::SeqPacket);
        let (ours, theirs) = socketpair(family, kind, None, SockFlag::SOCK_CLOEXEC)?;
        Ok((Self(ours), Self(theirs)))
    }

    pub(crate) fn into_fd(self) -> OwnedFd {
        self.0
    }

    /// Sends a message with descriptors, which stay open here. Waits until the socket accepts it.
    pub(crate) fn send(&self, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.send_with(MsgFlags::empty(), message, fds)
    }

    /// Sends a message if the socket accepts it now, or fails with [`io::ErrorKind::WouldBlock`].
    pub fn try_send(&self, message: &impl Serialize, fds: &[impl AsFd]) -> io::Result<()> {
        let fds: Vec<_> = fds.iter().map(AsFd::as_fd).collect();
        self.send_with(MsgFlags::MSG_DONTWAIT, message, &fds)
    }

    fn send_with(
        &self,
        flags: MsgFlags,
        message: &impl Serialize,
        fds: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        let bytes = serde_json::to_vec(message)?;
        if bytes.len() > LONGEST {
            return Err(Errno::EMSGSIZE.into());
        }
        let raw: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
        let rights = [ControlMessage::ScmRights(&raw)];
        let rights = if raw.is_empty() { &[][..] } else { &rights[..] };
        let slices = [IoSlice::new(&bytes)];
        let flags = flags | MsgFlags::MSG_NOSIGNAL;
        loop {
            match sendmsg::<()>(self.0.as_raw_fd(), &slices, rights, flags, None) {
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno.into()),
                Ok(_) => return Ok(()),
            }
        }
    }

    /// Waits for a message. Returns `None` if the other end is closed.
    pub(crate) fn receive<M: DeserializeOwned>(&self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        self.receive_with(MsgFlags::empty())
    }

    /// Receives a message if there is one, or fails with [`io::ErrorKind::WouldBlock`].
    pub fn try_receive<M: DeserializeOwned>(&self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        self.receive_with(MsgFlags::MSG_DONTWAIT)
    }

    fn receive_with<M: DeserializeOwned>(
        &self,
        flags: MsgFlags,
    ) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        let mut bytes = vec![0; LONGEST];
        let mut rights = nix::cmsg_space!([RawFd; MOST_DESCRIPTORS]);
        let flags = flags | MsgFlags::MSG_CMSG_CLOEXEC;
        let (length, fds) = loop {
            let mut slices = [IoSliceMut::new(&mut bytes)];
            match recvmsg::<()>(self.0.as_raw_fd(), &mut slices, Some(&mut rights), flags) {
                Err(Errno::EINTR) => {}
                Err(Errno::ECONNRESET) => return Ok(None),
                Err(errno) => return Err(errno.into()),
                Ok(received) => {
                    let mut fds = vec![];
                    for message in received.cmsgs()? {
                        if let ControlMessageOwned::ScmRights(raw) = message {
                            // SAFETY: the kernel has just made these descriptors for us.
                            fds.extend(raw.iter().map(|fd| unsafe { OwnedFd::from_raw_fd(*fd) }));
                        }
                    }
                    if received.flags.contains(MsgFlags::MSG_CTRUNC) {
                        return Err(Errno::EMFILE.into());
                    }
                    break (received.bytes, fds);
                }
            }
        };
        if length == 0 {
            return Ok(None);
        }
        Ok(Some((serde_json::from_slice(&bytes[..length])?, fds)))
    }
}

impl From<OwnedFd> for Control {
    fn from(fd: OwnedFd) -> Self {
        Self(fd)
    }
}

impl AsRawFd for Control {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
