//! The frames at an interface, for a reader on another thread. The worker only shares them with the
//! reader, in the same memory; copying, cutting super-frames and finishing checksums is the reader's
//! work. Not here: file formats.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use netloom_ports::{Frame, Pool, Shape, SuperFrame, checksum, split};
use netloom_units::Time;

/// Frames (super-frames count as one) that may wait for the reader.
const BACKLOG: usize = 1024;

/// Which way a captured frame went, as the interface sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptureDirection {
    /// The interface received it: it left the link here.
    Inbound,
    /// The interface sent it: it entered the link here, whatever the link then did to it.
    Outbound,
}

/// A frame as it is on the wire: super-frames cut, checksums complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedFrame {
    /// When it passed. Frames of one super-frame have the same time.
    pub time: Time,
    /// Which way.
    pub direction: CaptureDirection,
    /// The Ethernet frame, FCS excluded.
    pub bytes: Vec<u8>,
    /// How long it was on the wire, in bytes.
    pub original_length: u32,
}

/// The reader's end of a capture. Dropping it ends the capture.
#[derive(Debug)]
pub struct Capture {
    copies: Receiver<Copy>,
    missed: Arc<AtomicU64>,
    /// Cut and waiting to be read.
    ready: VecDeque<CapturedFrame>,
    pool: Pool,
}

/// The worker's end.
#[derive(Debug, Clone)]
pub(crate) struct CaptureSink {
    copies: SyncSender<Copy>,
    missed: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Copy {
    time: Time,
    direction: CaptureDirection,
    frame: Frame,
}

/// A capture's two ends.
pub(crate) fn capture() -> (CaptureSink, Capture) {
    let (sender, copies) = sync_channel(BACKLOG);
    let missed = Arc::new(AtomicU64::new(0));
    let sink = CaptureSink { copies: sender, missed: Arc::clone(&missed) };
    // One super-frame's pieces at a time, recycled at once: far below the limit.
    let pool = Pool::new(1 << 20);
    (sink, Capture { copies, missed, ready: VecDeque::new(), pool })
}

impl Capture {
    /// The next frame, in the order in which they passed.
    ///
    /// # Errors
    /// `Timeout` if none comes within `patience`, `Disconnected` if none can come any more because
    /// the data plane has stopped.
    pub fn recv_timeout(&mut self, patience: Duration) -> Result<CapturedFrame, RecvTimeoutError> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(frame);
            }
            let copy = self.copies.recv_timeout(patience)?;
            self.unfold(copy);
        }
    }

    /// Wire frames that were not captured because the reader was too slow.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }

    fn unfold(&mut self, copy: Copy) {
        match copy.frame.shape() {
            Ok(Shape::Super(layout)) => {
                for index in 0..layout.frames() {
                    if let Some(piece) = split(&copy.frame, &layout, index, 1, &mut self.pool) {
                        self.push(&copy, &piece);
                        self.pool.recycle(piece);
                    }
                }
            }
            // Malformed frames never get as far as a capture.
            Ok(Shape::Single(_)) | Err(_) => self.push(&copy, &copy.frame),
        }
    }

    fn push(&mut self, copy: &Copy, frame: &Frame) {
        let mut bytes = frame.to_vec();
        checksum::finish(&frame.header(), &mut bytes);
        self.ready.push_back(CapturedFrame {
            time: copy.time,
            direction: copy.direction,
            original_length: bytes.len() as u32,
            bytes,
        });
    }
}

impl CaptureSink {
    /// Hands a copy of `frame` to the reader; `false` if there is no reader any more.
    pub fn copy(&self, time: Time, direction: CaptureDirection, frame: &Frame) -> bool {
        let copy = Copy { time, direction, frame: frame.duplicate() };
        match self.copies.try_send(copy) {
            Ok(()) => true,
            Err(TrySendError::Full(copy)) => {
                let frames = match copy.frame.shape() {
                    Ok(Shape::Super(layout)) => SuperFrame::frames(&layout),
                    _ => 1,
                };
                self.missed.fetch_add(frames.into(), Ordering::Relaxed);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }
}
