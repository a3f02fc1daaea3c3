//! A stage in front of a device that lacks an offload: what the device would leave to its hardware
//! is done here first. Not here: how a super-frame is cut (`segment`), and cutting because a link
//! wants single frames, which the data plane does.

use std::io;
use std::os::fd::BorrowedFd;

use crate::device::{Carrier, FrameDevice, Offload, SendError};
use crate::{Frame, FrameBuffer, Pool, Shape, SuperFrame, split};

/// Memory for pieces, of which there is one at a time.
const MEMORY: usize = 1 << 20;

/// `device`, made fit for every frame: itself if it takes all of them, and else with a stage in
/// front that cuts super-frames and completes checksums.
pub fn fitted(device: Box<dyn FrameDevice>) -> Box<dyn FrameDevice> {
    match device.capabilities().offload {
        Offload::Segmentation => device,
        offload => Box::new(Fitted { device, offload, pool: Pool::new(MEMORY) }),
    }
}

/// A device with its stage.
struct Fitted {
    device: Box<dyn FrameDevice>,
    /// What the device does itself.
    offload: Offload,
    pool: Pool,
}

impl Fitted {
    /// Sends a frame that is no super-frame.
    fn send_single(&mut self, frame: &Frame) -> Result<(), SendError> {
        if self.offload == Offload::Checksum || !frame.header().needs_checksum {
            return self.device.send(frame);
        }
        let mut finished = frame.duplicate();
        finished.finish_checksum();
        self.device.send(&finished)
    }

    fn send_pieces(&mut self, frame: &Frame, layout: &SuperFrame) -> Result<(), SendError> {
        for number in 0..layout.frames() {
            let piece = split(frame, layout, number, 1, &mut self.pool).ok_or(SendError::Full)?;
            let sent = self.send_single(&piece);
            self.pool.recycle(piece);
            sent?;
        }
        Ok(())
    }
}

impl FrameDevice for Fitted {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.device.fd()
    }

    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool> {
        self.device.receive(into)
    }

    /// Of a super-frame, pieces before the first that was refused have left.
    fn send(&mut self, frame: &Frame) -> Result<(), SendError> {
        if !frame.is_super() {
            return self.send_single(frame);
        }
        match frame.shape() {
            Ok(Shape::Super(layout)) => self.send_pieces(frame, &layout),
            Ok(Shape::Single(_)) => self.send_single(frame),
            Err(malformed) => Err(SendError::Rejected(io::Error::other(malformed))),
        }
    }

    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        self.device.carrier()
    }
}
