//! A file of the kernel that is read repeatedly. It is kept open, and read from its beginning into
//! a buffer that is kept, too.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use netloom_monitor::SignalKind;
use netloom_units::{Duration, Time};

use crate::probe::{Sink, cannot_watch, watches, watches_a_part};

/// An open file and its contents at the last read.
#[derive(Debug)]
pub struct PolledFile {
    file: File,
    buffer: Vec<u8>,
    length: usize,
    /// Whether one read returns all of it.
    at_once: bool,
}

impl PolledFile {
    /// Opens a file and reads it once: some files can be opened but not read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (buffer, length) = (vec![0; 1024], 0);
        let mut source = Self { file: File::open(path)?, buffer, length, at_once: false };
        source.read()?;
        Ok(source)
    }

    /// Opens a file that the kernel generates as a whole, such as those of processes and cgroups.
    /// One read returns as much as fits, so there is no need for another read that finds the end.
    pub fn open_whole(path: &Path) -> io::Result<Self> {
        Ok(Self { at_once: true, ..Self::open(path)? })
    }

    /// Opens a file that the kernel generates in parts, if only the beginning is of interest: the
    /// kernel would collect everything anew for each further part. If `says` does not accept the
    /// first part, the whole file is read.
    pub fn open_head(path: &Path, says: impl Fn(&[u8]) -> bool) -> io::Result<Self> {
        let mut source = Self::open_whole(path)?;
        source.read()?;
        source.at_once = says(source.text());
        Ok(source)
    }

    /// Reads the file again.
    pub fn read(&mut self) -> io::Result<()> {
        self.length = 0;
        loop {
            if self.length == self.buffer.len() {
                self.buffer.resize(2 * self.length, 0);
            }
            match self.file.read_at(&mut self.buffer[self.length..], self.length as u64) {
                Ok(0) => return Ok(()),
                Ok(read) => {
                    self.length += read;
                    if self.at_once && self.length < self.buffer.len() {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Its contents at the last read.
    pub fn text(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

/// The one file that a probe depends on: without it, its signals are not watched.
pub struct Foundation {
    name: &'static str,
    signals: &'static [SignalKind],
    source: io::Result<PolledFile>,
    last: Option<Time>,
    partial: bool,
}

impl Foundation {
    pub fn open(name: &'static str, path: &Path, signals: &'static [SignalKind]) -> Self {
        Self::of(name, signals, PolledFile::open(path))
    }

    fn of(
        name: &'static str,
        signals: &'static [SignalKind],
        source: io::Result<PolledFile>,
    ) -> Self {
        Self { name, signals, source, last: None, partial: false }
    }

    /// A file of which only the part that `says` accepts is read.
    pub fn of_head(
        name: &'static str,
        path: &Path,
        signals: &'static [SignalKind],
        says: impl Fn(&[u8]) -> bool,
    ) -> Self {
        Self::of(name, signals, PolledFile::open_head(path, says))
    }

    /// A file that shows too little of its signals to count alone.
    pub fn of_a_part(name: &'static str, path: &Path, signals: &'static [SignalKind]) -> Self {
        Self { partial: true, ..Self::open(name, path, signals) }
    }

    /// Reports the signals that are watched, and the parts of them that cannot be observed.
    pub fn start(&self, sink: Sink<'_>, cannot_see: &[&str]) {
        match &self.source {
            Ok(_) if self.partial => watches_a_part(sink, self.name, self.signals, cannot_see),
            Ok(_) => watches(sink, self.name, self.signals, cannot_see),
            Err(error) => cannot_watch(sink, self.name, self.signals, &error.to_string()),
        }
    }

    /// The contents of the file now, and the time since the last look, if there was one. If the
    /// file becomes unreadable, that is reported once.
    pub fn read(&mut self, at: Time, sink: Sink<'_>) -> Option<(&[u8], Option<Duration>)> {
        let read = self.source.as_mut().ok()?.read();
        if let Err(error) = read {
            cannot_watch(sink, self.name, self.signals, &error.to_string());
            self.source = Err(error);
        }
        let over = self.last.replace(at).map(|last| at.since(last));
        self.source.as_ref().ok().map(|source| (source.text(), over))
    }
}
