//! A TAP device whose frames are whole: checksums complete, no super-frames, no header in front.
//! For who looks into each frame, and has no use for what saves copies.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, read, writev};

use crate::offload::disable_offloads;
use crate::tap::{refusal, set_carrier};
use crate::{HEADER_BYTES, SendError};

/// Bytes of the longest frame, with its header.
const LONGEST: usize = 65_536 + 14 + HEADER_BYTES;

/// A TAP device, by the descriptor that holds its far end.
#[derive(Debug)]
pub struct PlainTap {
    fd: OwnedFd,
    buffer: Box<[u8]>,
}

impl PlainTap {
    /// Takes over `fd`, which must be attached to a device (`IFF_TAP | IFF_NO_PI |
    /// IFF_VNET_HDR`, 10-byte virtio-net header) and non-blocking. What it was asked to leave to
    /// the engine, the kernel does itself from now on.
    ///
    /// # Errors
    /// What the kernel says if it refuses.
    pub fn from_fd(fd: OwnedFd) -> io::Result<Self> {
        disable_offloads(&fd)?;
        Ok(Self { fd, buffer: vec![0; LONGEST].into() })
    }

    /// The next frame that the interface's owner has sent; `None` if there is none now.
    ///
    /// # Errors
    /// What the kernel says of a device that is broken or gone.
    pub fn receive(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            match read(&self.fd, &mut *self.buffer) {
                Ok(bytes) => return Ok(self.buffer.get(HEADER_BYTES..bytes)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Plugs the interface's cable in, or pulls it.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn set_carrier(&self, up: bool) -> io::Result<()> {
        set_carrier(&self.fd, up)
    }

    /// Has the interface receive an Ethernet frame.
    ///
    /// # Errors
    /// Why it does not.
    pub fn send(&self, frame: &[u8]) -> Result<(), SendError> {
        let header = [0; HEADER_BYTES];
        loop {
            match writev(&self.fd, &[IoSlice::new(&header), IoSlice::new(frame)]) {
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(refusal(errno)),
            }
        }
    }
}

impl AsFd for PlainTap {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
