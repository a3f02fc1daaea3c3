//! An interface of the kernel that is not one of our TAPs, as a frame device: frames that it
//! receives from outside come in, and frames that are sent go out. Not here: making such
//! interfaces, and keeping the kernel's own network stack away from them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::net::if_::if_nametoindex;
use rustix::io::Errno;

use crate::arrival_stamp::ArrivalStamp;
use crate::packet_socket::{self, dropped, open, set};
use crate::writing::write_frame;
use crate::{Carrier, Frame, FrameBuffer, FrameDevice, SendError};

/// Keeps frames that we send from coming back (Linux 4.20).
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
/// Size of the queue of frames to be sent, in bytes.
const BACKLOG: libc::c_int = 8 << 20;

/// A packet socket at one interface. It receives everything that the interface does, whatever the
/// destination, and sends. Like any socket, it holds the network namespace in which it was made.
#[derive(Debug)]
pub struct PacketDevice {
    fd: OwnedFd,
    stamp: Option<ArrivalStamp>,
}

impl PacketDevice {
    /// Takes over a descriptor from [`open`](Self::open).
    pub fn from_fd(fd: OwnedFd) -> Self {
        let stamp = ArrivalStamp::attach(fd.as_fd());
        Self { fd, stamp }
    }

    /// Attaches to `interface` of the calling thread's network namespace, for
    /// [`from_fd`](Self::from_fd).
    ///
    /// # Errors
    /// Fails if there is no such interface, or the kernel refuses packet sockets (`CAP_NET_RAW`).
    pub fn open(interface: &str) -> io::Result<OwnedFd> {
        let index = if_nametoindex(interface)?;
        let fd = open(index, |fd| set(fd, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1))?;
        if set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, BACKLOG).is_err() {
            set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUF, BACKLOG)?;
        }
        packet_socket::receive_all(&fd, index)?;
        Ok(fd)
    }

    /// A counter of the frames that are lost at this device.
    ///
    /// # Errors
    /// Fails if the descriptor cannot be duplicated.
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
                // The frame is of a kind that the header cannot express. The kernel has dropped it.
                Err(Errno::EINTR | Errno::EINVAL) => {}
                // Somebody has taken the interface down; it may come back.
                Err(Errno::EAGAIN | Errno::ENETDOWN) => {
                    if let Some(stamp) = &self.stamp {
                        stamp.clear();
                    }
                    return Ok(false);
                }
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    fn knows_arrivals(&self) -> bool {
        self.stamp.is_some()
    }

    fn take_arrival(&mut self) -> Option<u64> {
        self.stamp.as_ref()?.take()
    }

    fn send(&mut self, frame: &Frame) -> Result<(), SendError> {
        write_frame(&self.fd, frame).map_err(refusal)
    }

    /// The engine does not switch the machine's own cables.
    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        None
    }
}

/// The meaning of an error of a write.
fn refusal(errno: Errno) -> SendError {
    match errno {
        Errno::AGAIN | Errno::NOBUFS | Errno::NOMEM => SendError::Full,
        Errno::NETDOWN => SendError::InterfaceDown,
        Errno::NXIO | Errno::NODEV | Errno::BADF => SendError::Gone(errno.into()),
        errno => SendError::Rejected(errno.into()),
    }
}

/// Counts frames that were lost at a packet device because they were not read in time. It holds the
/// device's namespace, too.
#[derive(Debug)]
pub struct Losses {
    fd: OwnedFd,
    lost: u64,
}

impl Losses {
    /// Number of frames lost so far; super-frames count as one.
    pub fn count(&mut self) -> u64 {
        // The kernel resets its counter each time it is read.
        self.lost += dropped(&self.fd);
        self.lost
    }
}
