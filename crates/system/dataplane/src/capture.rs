//! The frames at an interface, for a reader on another thread. Those of interfaces that are not the data
//! plane's, the kernel shares with the reader. The worker only shares them with the
//! reader, in the same memory; copying, cutting super-frames and finishing checksums is the reader's
//! work. Not here: file formats.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use netloom_link::{CaptureDirection, CaptureNote, CapturedFrame};
use netloom_ports::{
    Frame, PacketSocket, Passed, Passing, Pool, Shape, SuperFrame, checksum, split,
};
use netloom_units::Time;

use crate::Clock;

/// The reader's end of a capture. Dropping it ends the capture.
#[derive(Debug)]
pub struct Capture {
    source: Source,
    /// Cut and waiting to be read.
    ready: VecDeque<CapturedFrame>,
    pool: Pool,
}

/// Where frames come from.
#[derive(Debug)]
enum Source {
    /// A worker.
    Worker { copies: Receiver<Copy>, missed: Arc<AtomicU64> },
    /// An interface that is not the data plane's, for as long as that is alive.
    Interface { socket: PacketSocket, clock: Clock, dataplane: Weak<()> },
}

/// The worker's end.
#[derive(Debug, Clone)]
pub(crate) struct CaptureSink {
    /// Whether dropped frames are wanted.
    drops: bool,
    copies: SyncSender<Copy>,
    missed: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Copy {
    time: Time,
    direction: CaptureDirection,
    note: CaptureNote,
    frame: Frame,
}

/// A capture's two ends, between which at most `backlog` frames wait. With `drops`, it shows what the
/// link drops.
pub(crate) fn capture(drops: bool, backlog: usize) -> (CaptureSink, Capture) {
    let (sender, copies) = sync_channel(backlog);
    let missed = Arc::new(AtomicU64::new(0));
    let sink = CaptureSink { drops, copies: sender, missed: Arc::clone(&missed) };
    (sink, Capture::new(Source::Worker { copies, missed }))
}

/// The frames that `socket` shows, on `clock`, until nothing holds `dataplane`.
pub(crate) fn capture_interface(
    socket: PacketSocket,
    clock: Clock,
    dataplane: &Arc<()>,
) -> Capture {
    Capture::new(Source::Interface { socket, clock, dataplane: Arc::downgrade(dataplane) })
}

impl Capture {
    fn new(source: Source) -> Self {
        // One super-frame and its pieces at a time, recycled at once: far below the limit.
        Self { source, ready: VecDeque::new(), pool: Pool::new(1 << 20) }
    }

    /// The next frame, in the order in which they passed.
    ///
    /// # Errors
    /// `Timeout` if none comes within `patience`, `Disconnected` if none can come any more because
    /// the data plane has stopped, or an interface that is not its own is gone.
    pub fn recv_timeout(&mut self, patience: Duration) -> Result<CapturedFrame, RecvTimeoutError> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(frame);
            }
            let copy = self.next_copy(patience)?;
            self.unfold(&copy);
            self.pool.recycle(copy.frame);
        }
    }

    /// Wire frames that were not captured because the reader was too slow; at an interface that is not the
    /// data plane's, super-frames count as one.
    pub fn missed(&mut self) -> u64 {
        match &mut self.source {
            Source::Worker { missed, .. } => missed.load(Ordering::Relaxed),
            Source::Interface { socket, .. } => socket.missed(),
        }
    }

    fn next_copy(&mut self, patience: Duration) -> Result<Copy, RecvTimeoutError> {
        let (socket, clock, dataplane) = match &mut self.source {
            Source::Worker { copies, .. } => return copies.recv_timeout(patience),
            Source::Interface { socket, clock, dataplane } => (socket, clock, dataplane),
        };
        match socket.receive(&mut self.pool, patience) {
            Ok(Some(Passed { frame, passing, unix_ns })) => {
                let direction = match passing {
                    Passing::In => CaptureDirection::Inbound,
                    Passing::Out => CaptureDirection::Outbound,
                };
                let time = unix_ns.map_or_else(|| clock.now(), |unix_ns| clock.at_unix(unix_ns));
                Ok(Copy { time, direction, note: CaptureNote::None, frame })
            }
            Ok(None) if dataplane.strong_count() > 0 => Err(RecvTimeoutError::Timeout),
            Ok(None) | Err(_) => Err(RecvTimeoutError::Disconnected),
        }
    }

    fn unfold(&mut self, copy: &Copy) {
        match copy.frame.shape() {
            Ok(Shape::Super(layout)) => {
                for index in 0..layout.frames() {
                    if let Some(piece) = split(&copy.frame, &layout, index, 1, &mut self.pool) {
                        self.push(copy, &piece);
                        self.pool.recycle(piece);
                    }
                }
            }
            // What is malformed is shown as it is.
            Ok(Shape::Single(_)) | Err(_) => self.push(copy, &copy.frame),
        }
    }

    fn push(&mut self, copy: &Copy, frame: &Frame) {
        let mut bytes = frame.to_vec();
        checksum::finish(&frame.header(), &mut bytes);
        self.ready.push_back(CapturedFrame {
            time: copy.time,
            direction: copy.direction,
            note: copy.note,
            original_length: bytes.len() as u32,
            bytes,
        });
    }
}

impl CaptureSink {
    /// Hands a copy of `frame` to the reader; `false` if there is no reader any more.
    pub fn copy(
        &self,
        time: Time,
        direction: CaptureDirection,
        note: CaptureNote,
        frame: &Frame,
    ) -> bool {
        if matches!(note, CaptureNote::Dropped(_)) && !self.drops {
            return true;
        }
        let copy = Copy { time, direction, note, frame: frame.duplicate() };
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
