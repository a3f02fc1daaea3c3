//! A device of the kernel that is no TAP of ours, as a frame device: what it receives from outside
//! comes in, and what is sent goes out. Not here: making such devices, and keeping the kernel's own
//! network stack away from them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::net::if_::if_nametoindex;
use rustix::io::Errno;

use crate::packet_socket::{self, dropped, open, set};
use crate::writing::write_frame;
use crate::{Carrier, Frame, FrameBuffer, FrameDevice, SendError};

/// Frames that we send do not come back (Linux 4.20).
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
/// What may wait to be sent, in bytes.
const BACKLOG: libc::c_int = 8 << 20;

/// A packet socket at one interface that takes in all that the interface receives, whoever it is
/// for, and sends. Like any socket, it holds the network namespace in which it was made.
#[derive(Debug)]
pub struct PacketDevice {
    fd: OwnedFd,
}

impl PacketDevice {
    /// Takes over a descriptor from [`open`](Self::open).
    pub fn from_fd(fd: OwnedFd) -> Self {
        Self { fd }
    }

    /// Attaches to `interface` of the calling thread's network namespace, for
    /// [`from_fd`](Self::from_fd).
    ///
    /// # Errors
    /// If there is no such interface, or the kernel refuses packet sockets (`CAP_NET_RAW`).
    pub fn open(interface: &str) -> io::Result<OwnedFd> {
        let index = if_nametoindex(interface)?;
        let fd = open(index, |fd| set(fd, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1))?;
        if set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, BACKLOG).is_err() {
            set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUF, BACKLOG)?;
        }
        packet_socket::receive_all(&fd, index)?;
        Ok(fd)
    }

    /// Counts what is lost at this device.
    ///
    /// # Errors
    /// If the descriptor cannot be duplicated.
    pub fn losses(&self) -> io::Result<Losses> {
        Ok(Losses { fd: self.fd.try_clone()?, lost: 0 })
    }
}

impl FrameDevice for PacketDevice {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        Some(self.fd.as_fd())
    }

    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool> {
        use nix::errno::Errno;
        loop {
            match packet_socket::read(&self.fd, into) {
                Ok(read) => {
                    into.set_tag(read.tag);
                    return Ok(true);
                }
                // Of a kind that its header cannot express: the kernel has let go of it.
                Err(Errno::EINTR | Errno::EINVAL) => {}
                // Somebody has taken the interface down; it may come back.
                Err(Errno::EAGAIN | Errno::ENETDOWN) => return Ok(false),
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    fn send(&mut self, frame: &Frame) -> Result<(), SendError> {
        write_frame(&self.fd, frame).map_err(refusal)
    }

    /// Cables of the machine are its own.
    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        None
    }
}

/// What the kernel means by an error of a write.
fn refusal(errno: Errno) -> SendError {
    match errno {
        Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM => SendError::Full,
        Errno::NETDOWN => SendError::InterfaceDown,
        Errno::NXIO | Errno::NODEV | Errno::BADF => SendError::Gone(errno.into()),
        errno => SendError::Rejected(errno.into()),
    }
}

/// What was lost at a packet device because it was not read in time. It holds the device's
/// namespace, too.
#[derive(Debug)]
pub struct Losses {
    fd: OwnedFd,
    lost: u64,
}

impl Losses {
    /// Frames (super-frames count as one) so far.
    pub fn count(&mut self) -> u64 {
        // The kernel begins anew each time it is asked.
        self.lost += dropped(&self.fd);
        self.lost
    }
}
