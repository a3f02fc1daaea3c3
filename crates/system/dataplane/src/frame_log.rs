//! The frame log of a running network. Each worker puts entries into a ring of its own and never waits;
//! one thread empties the rings and writes. What finds a ring full is lost, and the log says how much
//! and where. Not here: what is logged, and its binary form (`netloom-link`).

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use netloom_link::{FrameEvent, LogEncoder, LogEntry, LogHeader};
use rtrb::{Consumer, Producer, RingBuffer};

use crate::DataplaneError;

/// Entries that may wait in the ring of one worker: 10 MiB, and a tenth of a second at a million
/// entries a second.
const BACKLOG: usize = 1 << 17;
/// Entries taken from one ring before the others have their turn.
const PORTION: usize = 4096;
/// How long the writer sleeps when all rings are empty. It is never woken, so that workers make no
/// system call for it.
const PAUSE: Duration = Duration::from_millis(2);

/// A frame log that is being written. Dropping it does not end it: the data plane does, with
/// [`end_frame_log`](crate::Dataplane::end_frame_log) or with its own end.
#[derive(Debug)]
pub struct FrameLog {
    writer: JoinHandle<FrameLogSummary>,
}

/// What became of a frame log.
#[derive(Debug)]
pub struct FrameLogSummary {
    /// Entries written.
    pub entries: u64,
    /// Entries that came faster than they could be written. They are missing in the log.
    pub lost: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Why writing failed, if it did; all entries from then on are lost.
    pub failure: Option<io::Error>,
}

/// A worker's end.
#[derive(Debug)]
pub(crate) struct LogSink {
    entries: Producer<LogEntry>,
    /// Lost since the last entry that found room.
    missing: u64,
    lost: Arc<AtomicU64>,
}

impl LogSink {
    /// Puts in an entry, or counts it as lost.
    #[inline]
    pub fn put(&mut self, pipe: u32, event: FrameEvent) {
        if self.missing > 0 && self.entries.push(LogEntry::Lost(self.missing)).is_ok() {
            self.missing = 0;
        }
        if self.missing > 0 || self.entries.push(LogEntry::Frame(pipe, event)).is_err() {
            self.missing += 1;
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Starts a frame log into `out`; the ends of so many workers.
pub(crate) fn start(
    header: &LogHeader,
    out: impl Write + Send + 'static,
    workers: usize,
) -> Result<(FrameLog, Vec<LogSink>), DataplaneError> {
    let lost = Arc::new(AtomicU64::new(0));
    let (sinks, rings) = (0..workers)
        .map(|_| {
            let (entries, ring) = RingBuffer::new(BACKLOG);
            (LogSink { entries, missing: 0, lost: Arc::clone(&lost) }, ring)
        })
        .unzip();
    let mut buffer = Vec::new();
    let encoder = LogEncoder::new(header, &mut buffer);
    let writer = Writer { out, encoder, buffer, entries: 0, missing: 0, bytes: 0, failure: None };
    let writer = thread::Builder::new()
        .name("netloom-log".into())
        .spawn(move || writer.run(rings, &lost))
        .map_err(DataplaneError::system("start the writer of the frame log"))?;
    Ok((FrameLog { writer }, sinks))
}

impl FrameLog {
    /// Waits until all has been written. The workers have let go of their ends.
    pub(crate) fn wait(self) -> Result<FrameLogSummary, DataplaneError> {
        let died = |_| io::Error::other("its thread has died");
        self.writer.join().map_err(died).map_err(DataplaneError::system("write the frame log"))
    }
}

/// The thread that writes.
struct Writer<W> {
    out: W,
    encoder: LogEncoder,
    /// Encoded and not written.
    buffer: Vec<u8>,
    entries: u64,
    /// Lost entries that the log tells of.
    missing: u64,
    bytes: u64,
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    fn run(mut self, mut rings: Vec<Consumer<LogEntry>>, lost: &AtomicU64) -> FrameLogSummary {
        loop {
            // Asked before the rings are emptied: what was put in before the end is found.
            let last = rings.iter().all(Consumer::is_abandoned);
            let mut idle = true;
            for ring in &mut rings {
                idle &= self.take(ring) == 0;
            }
            self.write();
            if idle && last {
                break;
            }
            if idle {
                thread::sleep(PAUSE);
            }
        }
        let lost = lost.load(Ordering::Relaxed);
        if lost > self.missing {
            self.encoder.encode(&LogEntry::Lost(lost - self.missing), &mut self.buffer);
        }
        self.write();
        if self.failure.is_none() {
            self.failure = self.out.flush().err();
        }
        FrameLogSummary { entries: self.entries, lost, bytes: self.bytes, failure: self.failure }
    }

    /// Encodes a portion of what is in `ring`; how much that was.
    fn take(&mut self, ring: &mut Consumer<LogEntry>) -> usize {
        let Ok(portion) = ring.read_chunk(ring.slots().min(PORTION)) else { return 0 };
        let count = portion.len();
        for entry in portion {
            match entry {
                LogEntry::Lost(entries) => self.missing += entries,
                LogEntry::Frame(..) => self.entries += 1,
            }
            self.encoder.encode(&entry, &mut self.buffer);
        }
        count
    }

    /// Writes what is encoded. After a failure everything is thrown away.
    fn write(&mut self) {
        if self.failure.is_none() && !self.buffer.is_empty() {
            match self.out.write_all(&self.buffer) {
                Ok(()) => self.bytes += self.buffer.len() as u64,
                Err(error) => self.failure = Some(error),
            }
        }
        self.buffer.clear();
    }
}
