//! Captures the frames at an interface, for a reader on another thread. The worker only shares
//! frames with the reader, in the same memory; copying, cutting super-frames and finishing
//! checksums is the reader's work. Frames of interfaces that are not the data plane's are shared
//! with the reader by the kernel. Not here: file formats.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use netloom_fabric::{SniffedFrame, Sniffer};
use netloom_link::{CaptureDirection, CaptureNote, CapturedFrame};
use netloom_ports::{
    Frame, PacketSocket, Passed, Passing, Pool, Shape, SuperFrame, checksum, split,
};
use netloom_units::Time;

use crate::Clock;
use crate::pipe_frame::PipeFrame;

/// The reader's end of a capture. Dropping it ends the capture.
#[derive(Debug)]
pub struct Capture {
    source: CaptureSource,
    /// Frames that have been cut and wait to be read.
    ready: VecDeque<CapturedFrame>,
    pool: Pool,
}

/// The source of frames.
#[derive(Debug)]
enum CaptureSource {
    /// A worker.
    Worker { copies: Receiver<Copy>, missed: Arc<AtomicU64> },
    /// An interface that is not the data plane's, for as long as the data plane lives.
    Interface { socket: PacketSocket, clock: Clock, dataplane: Weak<()> },
}

/// The worker's end of a capture.
#[derive(Debug, Clone)]
pub(crate) struct CaptureSink {
    /// Whether dropped frames are included.
    drops: bool,
    copies: SyncSender<Copy>,
    missed: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Copy {
    time: Time,
    direction: CaptureDirection,
    note: CaptureNote,
    frame: Option<Frame>,
    /// On a shared medium: the headers before the packet, instead of the Ethernet header.
    air: Option<Box<SniffedFrame>>,
}

/// Makes the two ends of a capture, between which at most `backlog` frames wait. With `drops`, it
/// includes the frames that the link drops.
pub(crate) fn capture(drops: bool, backlog: usize) -> (CaptureSink, Capture) {
    let (sender, copies) = sync_channel(backlog);
    let missed = Arc::new(AtomicU64::new(0));
    let sink = CaptureSink { drops, copies: sender, missed: Arc::clone(&missed) };
    (sink, Capture::new(CaptureSource::Worker { copies, missed }))
}

/// Captures the frames that `socket` receives, with times of `clock`, until nothing holds
/// `dataplane`.
pub(crate) fn capture_interface(
    socket: PacketSocket,
    clock: Clock,
    dataplane: &Arc<()>,
) -> Capture {
    Capture::new(CaptureSource::Interface { socket, clock, dataplane: Arc::downgrade(dataplane) })
}

impl Capture {
    fn new(source: CaptureSource) -> Self {
        // Only one super-frame and its pieces at a time, which are recycled at once: far below the
        // limit.
        Self { source, ready: VecDeque::new(), pool: Pool::new(1 << 20) }
    }

    /// Returns the next frame, in the order in which frames passed.
    ///
    /// # Errors
    /// `Timeout` if no frame comes within `timeout`. `Disconnected` if none can come any more,
    /// because the data plane has stopped, or an interface that is not its own is gone.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<CapturedFrame, RecvTimeoutError> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(frame);
            }
            let copy = self.next_copy(timeout)?;
            self.unfold(&copy);
            if let Some(frame) = copy.frame {
                self.pool.recycle(frame);
            }
        }
    }

    /// Returns the number of wire frames that were not captured because the reader was too slow. At
    /// an interface that is not the data plane's, a super-frame counts as one.
    pub fn missed(&mut self) -> u64 {
        match &mut self.source {
            CaptureSource::Worker { missed, .. } => missed.load(Ordering::Relaxed),
            CaptureSource::Interface { socket, .. } => socket.missed(),
        }
    }

    fn next_copy(&mut self, timeout: Duration) -> Result<Copy, RecvTimeoutError> {
        let (socket, clock, dataplane) = match &mut self.source {
            CaptureSource::Worker { copies, .. } => return copies.recv_timeout(timeout),
            CaptureSource::Interface { socket, clock, dataplane } => (socket, clock, dataplane),
        };
        match socket.receive(&mut self.pool, timeout) {
            Ok(Some(Passed { frame, passing, unix_ns })) => {
                let direction = match passing {
                    Passing::In => CaptureDirection::Inbound,
                    Passing::Out => CaptureDirection::Outbound,
                };
                let time = unix_ns.map_or_else(|| clock.now(), |unix_ns| clock.at_unix(unix_ns));
                let (note, frame) = (CaptureNote::None, Some(frame));
                Ok(Copy { time, direction, note, frame, air: None })
            }
            Ok(None) if dataplane.strong_count() > 0 => Err(RecvTimeoutError::Timeout),
            Ok(None) | Err(_) => Err(RecvTimeoutError::Disconnected),
        }
    }

    fn unfold(&mut self, copy: &Copy) {
        if let Some(sniffed) = &copy.air {
            return self.push_sniffed(copy, sniffed);
        }
        let Some(frame) = &copy.frame else { return };
        match frame.shape() {
            Ok(Shape::Super(layout)) => {
                for index in 0..layout.frames() {
                    if let Some(piece) = split(frame, &layout, index, 1, &mut self.pool) {
                        self.push(copy, &piece);
                        self.pool.recycle(piece);
                    }
                }
            }
            // A malformed frame is shown as it is.
            Ok(Shape::Single(_)) | Err(_) => self.push(copy, frame),
        }
    }

    fn push(&mut self, copy: &Copy, frame: &Frame) {
        let bytes = finished(frame);
        self.ready.push_back(CapturedFrame {
            time: copy.time,
            direction: copy.direction,
            note: copy.note,
            original_length: bytes.len() as u32,
            bytes,
        });
    }

    /// Adds a frame of a shared medium: its header, the packet, and a check sequence.
    fn push_sniffed(&mut self, copy: &Copy, sniffed: &SniffedFrame) {
        let mut bytes = sniffed.header.clone();
        if let Some(frame) = &copy.frame {
            // The protocol's number follows SNAP.
            bytes.extend(finished(frame).get(ADDRESSES..).unwrap_or_default());
        }
        let sum = crc32(&bytes[sniffed.mac_at..]);
        bytes.extend((if sniffed.is_damaged { !sum } else { sum }).to_le_bytes());
        self.ready.push_back(CapturedFrame {
            time: copy.time,
            direction: copy.direction,
            note: copy.note,
            original_length: bytes.len() as u32,
            bytes,
        });
    }
}

/// Length of the two addresses of an Ethernet frame, in bytes.
const ADDRESSES: usize = 12;

/// Returns the bytes of a frame, with its checksums.
fn finished(frame: &Frame) -> Vec<u8> {
    let mut bytes = frame.to_vec();
    checksum::finish(&frame.header(), &mut bytes);
    bytes
}

/// Computes the check sequence of IEEE 802 frames (CRC-32).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |mut sum, byte| {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 * (sum & 1));
        }
        sum
    })
}

impl Sniffer<PipeFrame> for CaptureSink {
    fn receive(&mut self, sniffed: SniffedFrame, frame: Option<&PipeFrame>) -> bool {
        let copy = Copy {
            time: sniffed.at,
            direction: CaptureDirection::Inbound,
            note: CaptureNote::None,
            frame: frame.map(|frame| frame.0.duplicate()),
            air: Some(Box::new(sniffed)),
        };
        self.put(copy, 1)
    }
}

impl CaptureSink {
    /// Sends a copy of `frame` to the reader. Returns `false` if there is no reader any more.
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
        let frames = match frame.shape() {
            Ok(Shape::Super(layout)) => SuperFrame::frames(&layout),
            _ => 1,
        };
        self.put(Copy { time, direction, note, frame: Some(frame.duplicate()), air: None }, frames)
    }

    /// Sends a copy that counts as `frames` frames. Returns `false` if there is no reader any more.
    fn put(&self, copy: Copy, frames: u32) -> bool {
        match self.copies.try_send(copy) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.missed.fetch_add(frames.into(), Ordering::Relaxed);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }
}
