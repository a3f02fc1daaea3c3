//! Devices whose frames have a share of memory.

use std::io;
use std::os::fd::BorrowedFd;

use crate::{Capabilities, Carrier, Frame, FrameBuffer, FrameDevice, SendError, Share};

/// A device whose frames have a share of memory. Frames beyond it are lost, as those for which
/// there is no memory at all.
pub struct Shared<D> {
    device: D,
    share: Share,
}

impl<D: FrameDevice> Shared<D> {
    /// Gives the frames of `device` a share.
    pub fn new(device: D, share: Share) -> Self {
        Self { device, share }
    }
}

impl<D: FrameDevice> FrameDevice for Shared<D> {
    fn capabilities(&self) -> Capabilities {
        self.device.capabilities()
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.device.fd()
    }

    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool> {
        let received = self.device.receive(into)?;
        into.share = received.then(|| self.share.clone());
        Ok(received)
    }

    fn send(&mut self, frame: &Frame) -> Result<(), SendError> {
        self.device.send(frame)
    }

    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        self.device.carrier()
    }
}
