//! The conversation between the engine and a node's init: JSON messages with descriptors, over a
//! socket that keeps messages apart and tells either side when the other is gone.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recvmsg,
    sendmsg, socketpair,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ExitStatus;

/// The longest message that fits a socket buffer of the kernel's default size.
const LONGEST: usize = 200 * 1024;
/// The most descriptors of one message.
const MOST_DESCRIPTORS: usize = 4;

/// What the engine says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ToInit {
    /// The first message, with the node's network namespace, the experiment's base mount namespace
    /// and a file with the node's [`View`](crate::View) as JSON as descriptors: it may be longer
    /// than a message.
    Setup(Setup),
    /// Start a process; its three standard streams as descriptors, or none for a terminal.
    Spawn { id: u64, process: Process },
    /// Signal the process group of a process.
    Signal { id: u64, pid: u32, signal: i32 },
}

/// What init must know of its node.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    pub node: String,
    /// The scenario's directory on the machine.
    pub work_dir: PathBuf,
    /// The node's `/etc/hosts` and `/etc/resolv.conf`, on the machine.
    pub hosts: PathBuf,
    pub resolver: PathBuf,
    /// Files that are seen elsewhere: what is where, and where it is seen.
    pub files: Vec<(PathBuf, PathBuf)>,
    /// The limits on open files that processes should have: soft, hard.
    pub file_limits: (u64, u64),
    /// How ready the kernel should be to kill them for want of memory.
    pub oom_score: String,
}

/// A process, descriptors apart.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    pub argv: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<PathBuf>,
    /// Rows and columns of a terminal.
    pub pty: Option<(u16, u16)>,
}

/// What init says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum FromInit {
    /// The init process has this number outside.
    Started { pid: u32 },
    /// The node's view is complete.
    Ready,
    /// It could not be completed.
    SetupFailed { action: String, errno: i32 },
    /// A process runs; its terminal as descriptor, if it has one.
    Spawned { id: u64, pid: u32 },
    /// It could not be started.
    SpawnFailed { id: u64, errno: i32 },
    /// A signal was sent, or not.
    Signalled { id: u64, errno: Option<i32> },
    /// A process has ended.
    Exited { pid: u32, status: ExitStatus },
}

/// One end of the conversation.
#[derive(Debug)]
pub(crate) struct Control(OwnedFd);

impl Control {
    pub fn pair() -> io::Result<(Self, Self)> {
        let (family, kind) = (AddressFamily::Unix, SockType::SeqPacket);
        let (ours, theirs) = socketpair(family, kind, None, SockFlag::SOCK_CLOEXEC)?;
        Ok((Self(ours), Self(theirs)))
    }

    pub fn into_fd(self) -> OwnedFd {
        self.0
    }

    /// Sends a message with descriptors, which stay open here; waits until the socket takes it.
    pub fn send(&self, message: &impl Serialize, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.send_with(MsgFlags::empty(), message, fds)
    }

    /// Sends a message if the socket takes it at once: [`io::ErrorKind::WouldBlock`] otherwise.
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

    /// Waits for a message. `None` when the other side is gone.
    pub fn receive<M: DeserializeOwned>(&self) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
        self.receive_with(MsgFlags::empty())
    }

    /// Takes a message if there is one: [`io::ErrorKind::WouldBlock`] otherwise.
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

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
