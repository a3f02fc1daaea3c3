//! What the engine asks of a frame device. Not here: any device.

use std::fmt;
use std::io;
use std::os::fd::BorrowedFd;

use thiserror::Error;

use crate::{Frame, FrameBuffer};

/// What a device takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// What may be left to it.
    pub offload: Offload,
}

/// What a device does to frames by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offload {
    /// Nothing: it takes wire frames whose checksums are complete.
    None,
    /// Completes transport checksums.
    Checksum,
    /// Completes checksums and cuts super-frames, or passes both on to who does.
    Segmentation,
}

/// A device that hands over and takes in frames with a virtio-net header in front, and never
/// blocks.
pub trait FrameDevice: Send {
    /// What [`send`](Self::send) takes. Devices that take less than everything are put behind
    /// [`fitted`](crate::fitted), so that nobody else asks.
    fn capabilities(&self) -> Capabilities {
        Capabilities { offload: Offload::Segmentation }
    }

    /// The descriptor that becomes readable when [`receive`](Self::receive) has something. Without
    /// one, the device is never asked.
    fn fd(&self) -> Option<BorrowedFd<'_>>;

    /// Puts the next frame into `into`; `false` if there is none now.
    ///
    /// # Errors
    /// The device is broken or gone and will hand over no more frames.
    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool>;

    /// Hands `frame` to the interface.
    ///
    /// # Errors
    /// The frame was not taken; the error says whose fault that was.
    fn send(&mut self, frame: &Frame) -> Result<(), SendError>;

    /// A handle that switches the interface's carrier, if the device has one.
    ///
    /// It is apart from the device because the kernel switches carriers under a lock that it may
    /// hold for milliseconds; the thread that moves frames must not wait for it.
    fn carrier(&self) -> Option<Box<dyn Carrier>>;
}

/// The carrier of an interface: whether the software above it sees a cable plugged in.
pub trait Carrier: Send {
    /// Switches the carrier on or off.
    ///
    /// # Errors
    /// What the kernel says.
    fn set(&self, up: bool) -> io::Result<()>;
}

/// Why a device did not take a frame.
#[derive(Debug, Error)]
pub enum SendError {
    /// The machine has no room for it now: a loss that no model asked for.
    #[error("the device has no room for the frame now")]
    Full,
    /// The interface is administratively down, as its owner wishes.
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
