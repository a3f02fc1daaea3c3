//! Interface of frame devices. Not here: any device.

use std::fmt;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use thiserror::Error;

use crate::{Frame, FrameBuffer};

/// Abilities of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Work that may be left to it.
    pub offload: Offload,
}

/// Work on frames that a device does itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offload {
    /// Nothing: it takes wire frames whose checksums are complete.
    None,
    /// Completes transport checksums.
    Checksum,
    /// Completes checksums and cuts super-frames, or passes both on to somebody who does.
    Segmentation,
}

/// A device that delivers and accepts frames with a virtio-net header in front, and never blocks.
pub trait FrameDevice: Send {
    /// Which frames [`send`](Self::send) accepts. Devices with less than all abilities are put
    /// behind [`fitted`](crate::fitted), so that no other code needs to ask.
    fn capabilities(&self) -> Capabilities {
        Capabilities { offload: Offload::Segmentation }
    }

    /// The descriptor that becomes readable when [`receive`](Self::receive) has something. Without
    /// one, the device is never read.
    fn fd(&self) -> Option<BorrowedFd<'_>>;

    /// Puts the next frame into `into`. Returns `false` if there is none now.
    ///
    /// # Errors
    /// Fails if the device is broken or gone and will deliver no more frames.
    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool>;

    /// Whether [`take_arrival`](Self::take_arrival) knows when frames arrived.
    fn knows_arrivals(&self) -> bool {
        false
    }

    /// Returns when the oldest frame arrived that came since the last call, or since
    /// [`receive`](Self::receive) last found nothing: on `CLOCK_MONOTONIC`, in ns. `None` if it is
    /// not known, or no frame came.
    fn take_arrival(&mut self) -> Option<u64> {
        None
    }

    /// Hands `frame` to the interface.
    ///
    /// # Errors
    /// Fails if the frame was not accepted. The error shows whether the machine, the interface's
    /// owner, the frame or the device is the cause.
    fn send(&mut self, frame: &Frame) -> Result<(), SendError>;

    /// A handle that switches the interface's carrier, if the device has one.
    ///
    /// It is separate from the device because the kernel switches carriers under a lock that it may
    /// hold for milliseconds. The thread that moves frames must not wait for it.
    fn carrier(&self) -> Option<Box<dyn Carrier>>;
}

/// The carrier of an interface: whether the software above it finds a cable plugged in.
pub trait Carrier: Send {
    /// Switches the carrier on or off.
    ///
    /// # Errors
    /// Fails if the kernel refuses.
    fn set(&self, up: bool) -> io::Result<()>;

    /// Where the interface is now. `None` if it is no interface of a kernel.
    ///
    /// # Errors
    /// Fails if the interface has been deleted.
    fn place(&self) -> io::Result<Option<DevicePlace>> {
        Ok(None)
    }
}

/// Where an interface is: its owner may have renamed it, or moved it to another namespace.
#[derive(Debug)]
pub struct DevicePlace {
    /// Its name.
    pub name: String,
    /// Its network namespace.
    pub namespace: OwnedFd,
}

/// The reason why a device did not accept a frame.
#[derive(Debug, Error)]
pub enum SendError {
    /// The machine has no room for it now: a loss that no model asked for.
    #[error("the device has no room for the frame now")]
    Full,
    /// The interface is administratively down, as its owner wants.
    #[error("the interface is down")]
    InterfaceDown,
    /// The device does not accept this frame.
    #[error("the device rejects the frame: {0}")]
    Rejected(#[source] io::Error),
    /// The device is gone and will take no more frames.
    #[error("the device is gone: {0}")]
    Gone(#[source] io::Error),
}

impl fmt::Debug for dyn FrameDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FrameDevice")
    }
}
