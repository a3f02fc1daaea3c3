//! Frame logs and captures, for carriers that hand over frames. Not here: those that the data plane
//! writes by itself.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use anyhow::{Context, Result};
use netloom_api::summary::FrameLogSummary;
use netloom_link::{CapturedFrame, Direction, LogEncoder, LogEntry, LogHeader};
use netloom_results::{CaptureWriter, Results};
use netloom_scenario::Capture;

/// Returns the names of the two pipes of a link.
pub fn pipe_names(link: &str) -> [String; 2] {
    Direction::BOTH.map(|direction| format!("{link}/{}", direction.name()))
}

/// Returns the header of a frame log over the pipes of `links`, whose time zero is at this date.
pub fn log_header<'l>(zero_unix_ns: u64, links: impl Iterator<Item = &'l str>) -> LogHeader {
    LogHeader { zero_unix_ns, pipes: links.flat_map(pipe_names).collect() }
}

/// The frame log.
pub(crate) struct FrameFile {
    file: BufWriter<File>,
    encoder: LogEncoder,
    buffer: Vec<u8>,
    entries: u64,
    bytes: u64,
}

impl FrameFile {
    pub fn new(file: File, header: &LogHeader) -> Self {
        let mut buffer = Vec::new();
        let encoder = LogEncoder::new(header, &mut buffer);
        Self { file: BufWriter::new(file), encoder, buffer, entries: 0, bytes: 0 }
    }

    pub fn write(&mut self, entry: &LogEntry) -> io::Result<()> {
        self.encoder.encode(entry, &mut self.buffer);
        self.entries += 1;
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.bytes += self.buffer.len() as u64;
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<FrameLogSummary> {
        self.flush()?;
        self.file.flush()?;
        let (entries, bytes) = (self.entries, self.bytes);
        Ok(FrameLogSummary { entries, lost: 0, bytes, failure: None })
    }
}

/// A capture.
pub(crate) struct CaptureFile {
    file: File,
    writer: CaptureWriter,
}

impl CaptureFile {
    /// The file of a capture, whose time zero is `zero` since 1970-01-01 UTC.
    pub fn new(wanted: &Capture, results: &Results, zero: Duration) -> Result<Self> {
        let file = results.capture_file(&wanted.interface.node, &wanted.interface.interface)?;
        Ok(Self { file, writer: CaptureWriter::new(&wanted.interface, zero)? })
    }

    pub fn add(&mut self, frame: &CapturedFrame) -> io::Result<()> {
        self.writer.add(frame)
    }

    pub fn write(&mut self) -> Result<()> {
        self.file.write_all(&self.writer.take()).context("a capture is not complete")
    }

    pub fn finish(mut self) -> Result<()> {
        self.file.write_all(&self.writer.finish(0)?).context("a capture is not complete")
    }
}
