//! A TAP device that delivers whole frames: checksums are complete, and there are no super-frames
//! and no headers in front. For code that inspects each frame, and does not need what saves copies.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, read, writev};

use crate::arrival_stamp::ArrivalStamp;
use crate::offload::disable_offloads;
use crate::tap::{refusal, set_carrier};
use crate::{HEADER_BYTES, SendError};

/// Length of the longest frame with its header, in bytes.
const LONGEST: usize = 65_536 + 14 + HEADER_BYTES;

/// A TAP device, by the descriptor that holds its far end.
#[derive(Debug)]
pub struct PlainTap {
    fd: OwnedFd,
    stamp: Option<ArrivalStamp>,
    buffer: Box<[u8]>,
}

impl PlainTap {
    /// Takes over `fd`, which must be attached to a device (`IFF_TAP | IFF_NO_PI | IFF_VNET_HDR`,
    /// 10-byte virtio-net header) and non-blocking. From now on the kernel does itself whatever it
    /// was asked to leave to the engine.
    ///
    /// # Errors
    /// Fails if the kernel refuses.
    pub fn from_fd(fd: OwnedFd) -> io::Result<Self> {
        disable_offloads(&fd)?;
        let stamp = ArrivalStamp::attach(fd.as_fd());
        Ok(Self { fd, stamp, buffer: vec![0; LONGEST].into() })
    }

    /// Whether [`take_arrival`](Self::take_arrival) knows when frames arrived.
    pub fn knows_arrivals(&self) -> bool {
        self.stamp.is_some()
    }

    /// Returns when the oldest frame arrived that came since the last call, or since
    /// [`receive`](Self::receive) last found nothing: on `CLOCK_MONOTONIC`, in ns. `None` if it is
    /// not known, or no frame came.
    pub fn take_arrival(&mut self) -> Option<u64> {
        self.stamp.as_ref()?.take()
    }

    /// The next frame that the interface's owner has sent; `None` if there is none now.
    ///
    /// # Errors
    /// Fails if the device is broken or gone.
    pub fn receive(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            match read(&self.fd, &mut *self.buffer) {
                Ok(bytes) => return Ok(self.buffer.get(HEADER_BYTES..bytes)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if let Some(stamp) = &self.stamp {
                        stamp.clear();
                    }
                    return Ok(None);
                }
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Plugs the interface's cable in, or unplugs it.
    ///
    /// # Errors
    /// Fails if the kernel refuses.
    pub fn set_carrier(&self, up: bool) -> io::Result<()> {
        set_carrier(&self.fd, up)
    }

    /// Makes the interface receive an Ethernet frame.
    ///
    /// # Errors
    /// Returns the reason why the interface does not accept it.
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
