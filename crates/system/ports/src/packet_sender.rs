//! Sends frames unchanged on an interface, for a program in the interface's node (`packet(7)`). Not
//! here: the contents of frames.

use std::io;
use std::os::fd::OwnedFd;

use nix::net::if_::if_nametoindex;
use nix::unistd::write;

use crate::packet_socket::{SENDS_ONLY, open_bound, set};

/// Size of the queue of frames to be sent, in bytes.
const BACKLOG: libc::c_int = 8 << 20;

/// A packet socket at one interface that sends, and receives nothing.
#[derive(Debug)]
pub struct PacketSender {
    fd: OwnedFd,
}

impl PacketSender {
    /// Attaches to `interface` of the calling thread's network namespace.
    ///
    /// # Errors
    /// Fails if there is no such interface, or the kernel refuses packet sockets (`CAP_NET_RAW`).
    pub fn open(interface: &str) -> io::Result<Self> {
        let fd = open_bound(if_nametoindex(interface)?, SENDS_ONLY, |_| Ok(()))?;
        if set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, BACKLOG).is_err() {
            set(&fd, libc::SOL_SOCKET, libc::SO_SNDBUF, BACKLOG)?;
        }
        Ok(Self { fd })
    }

    /// Sends a frame, from its Ethernet header on.
    ///
    /// # Errors
    /// Fails if the kernel does not accept it: `ENOBUFS` or `EAGAIN` if there is no room now,
    /// `ENETDOWN` if the interface is down, `EMSGSIZE` if it is longer than the MTU.
    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        write(&self.fd, frame)?;
        Ok(())
    }
}
