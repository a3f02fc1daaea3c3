//! The frame log of a running network. Each worker puts entries into a ring of its own and never
//! waits; one thread empties the rings and writes the file. An entry that finds its ring full is
//! lost, and the log records how many were lost and where. Not here: the events, and their binary
//! format (`netloom-link`).

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use netloom_link::{FrameEvent, LogEncoder, LogEntry, LogHeader};
use netloom_units::Time;
use rtrb::{Consumer, Producer, RingBuffer};

use crate::DataplaneError;

/// Capacity of one worker's ring in entries: 10 MiB, and a tenth of a second at a million entries
/// per second.
const BACKLOG: usize = 1 << 17;
/// Number of entries that are taken from one ring before the next one.
const PORTION: usize = 4096;
/// Time that the writer sleeps when all rings are empty. Workers never wake it, so that they make
/// no system calls for it.
const PAUSE: Duration = Duration::from_millis(2);

/// A frame log that is being written. Dropping it does not end it:
/// [`end_frame_log`](crate::Dataplane::end_frame_log) or the end of the data plane does.
#[derive(Debug)]
pub struct FrameLog {
    writer: JoinHandle<FrameLogSummary>,
}

/// Results of a frame log.
#[derive(Debug)]
pub struct FrameLogSummary {
    /// Number of entries written.
    pub entries: u64,
    /// Number of entries that are missing because they came faster than they could be written.
    pub lost: u64,
    /// Number of bytes written.
    pub bytes: u64,
    /// Reason of a write error. All entries after it are lost.
    pub failure: Option<io::Error>,
}

/// A worker's end of the log.
#[derive(Debug)]
pub(crate) struct LogSink {
    entries: Producer<LogEntry>,
    /// Number of entries lost since the last one that was added.
    missing: u64,
    lost: Arc<AtomicU64>,
}

impl LogSink {
    /// Adds an entry, or counts it as lost.
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

/// Starts a frame log that is written to `out`, and returns the ends of `workers` workers.
pub(crate) fn start(
    (header, zero): (&LogHeader, Time),
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
    let encoder = LogEncoder::new(header, &mut buffer).counted_from(zero);
    let writer = Writer { out, encoder, buffer, entries: 0, missing: 0, bytes: 0, failure: None };
    let writer = thread::Builder::new()
        .name("netloom-log".into())
        .spawn(move || writer.run(rings, &lost))
        .map_err(DataplaneError::system("start the writer of the frame log"))?;
    Ok((FrameLog { writer }, sinks))
}

impl FrameLog {
    /// Waits until everything is written. The workers must have dropped their ends.
    pub(crate) fn wait(self) -> Result<FrameLogSummary, DataplaneError> {
        let died = |_| io::Error::other("its thread has died");
        self.writer.join().map_err(died).map_err(DataplaneError::system("write the frame log"))
    }
}

/// The thread that writes.
struct Writer<W> {
    out: W,
    encoder: LogEncoder,
    /// Encoded entries that are not written yet.
    buffer: Vec<u8>,
    entries: u64,
    /// Number of lost entries that the log has recorded.
    missing: u64,
    bytes: u64,
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    fn run(mut self, mut rings: Vec<Consumer<LogEntry>>, lost: &AtomicU64) -> FrameLogSummary {
        loop {
            // Checked before the rings are emptied, so that entries added before the end are found.
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

    /// Encodes a portion of the entries in `ring`, and returns their number.
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

    /// Writes encoded entries. After a failure, they are discarded.
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
