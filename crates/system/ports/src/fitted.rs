//! A stage in front of a device that lacks an offload. It does the work that other devices leave to
//! their hardware. Not here: how a super-frame is cut (`segment`), and cutting for links that want
//! single frames, which the data plane does.

use std::io;
use std::os::fd::BorrowedFd;

use crate::device::{Carrier, FrameDevice, Offload, SendError};
use crate::{Frame, FrameBuffer, Pool, Shape, SuperFrame, split};

/// Memory for pieces, in bytes. There is one piece at a time.
const MEMORY: usize = 1 << 20;

/// Makes `device` accept every frame. Returns the device itself if it accepts all of them, else the
/// device behind a stage that cuts super-frames and completes checksums.
pub fn fitted(device: Box<dyn FrameDevice>) -> Box<dyn FrameDevice> {
    match device.capabilities().offload {
        Offload::Segmentation => device,
        offload => Box::new(Fitted { device, offload, pool: Pool::new(MEMORY) }),
    }
}

/// A device behind its stage.
struct Fitted {
    device: Box<dyn FrameDevice>,
    /// Work that the device does itself.
    offload: Offload,
    pool: Pool,
}

impl Fitted {
    /// Sends a frame that is not a super-frame.
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

    fn knows_arrivals(&self) -> bool {
        self.device.knows_arrivals()
    }

    fn take_arrival(&mut self) -> Option<u64> {
        self.device.take_arrival()
    }

    /// If a piece of a super-frame is refused, the pieces before it have been sent.
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
