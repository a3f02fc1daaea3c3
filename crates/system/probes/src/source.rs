//! A file of the kernel that is read again and again: kept open, read from its beginning, into a
//! buffer that is kept too.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use netloom_monitor::SignalKind;
use netloom_units::{Duration, Time};

use crate::probe::{Sink, cannot_watch, watches, watches_a_part};

/// An open file and what it said when it was last read.
#[derive(Debug)]
pub struct Source {
    file: File,
    buffer: Vec<u8>,
    length: usize,
    /// Whether the kernel gives all of it at once.
    at_once: bool,
}

impl Source {
    /// Opens and reads once: some files open but cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let (buffer, length) = (vec![0; 1024], 0);
        let mut source = Self { file: File::open(path)?, buffer, length, at_once: false };
        source.read()?;
        Ok(source)
    }

    /// The same of a file that the kernel makes as a whole, so that one read gives all that there
    /// is room for: those of processes and cgroups. There is no need to ask whether there is more.
    pub fn open_whole(path: &Path) -> io::Result<Self> {
        Ok(Self { at_once: true, ..Self::open(path)? })
    }

    /// The same of a file of which the kernel makes only so much at a time, if the first part
    /// `says` what is looked for: the kernel would count everything anew for each further one. If
    /// not, all of it is read.
    pub fn open_head(path: &Path, says: impl Fn(&[u8]) -> bool) -> io::Result<Self> {
        let mut source = Self::open_whole(path)?;
        source.read()?;
        source.at_once = says(source.text());
        Ok(source)
    }

    /// Reads the file anew.
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

    /// What it said.
    pub fn text(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

/// The one file that a probe stands on: without it, its signals are not watched.
pub struct Foundation {
    name: &'static str,
    signals: &'static [SignalKind],
    source: io::Result<Source>,
    last: Option<Time>,
    partial: bool,
}

impl Foundation {
    pub fn open(name: &'static str, path: &Path, signals: &'static [SignalKind]) -> Self {
        Self::of(name, signals, Source::open(path))
    }

    fn of(name: &'static str, signals: &'static [SignalKind], source: io::Result<Source>) -> Self {
        Self { name, signals, source, last: None, partial: false }
    }

    /// One of which only what `says` looks for is read.
    pub fn of_head(
        name: &'static str,
        path: &Path,
        signals: &'static [SignalKind],
        says: impl Fn(&[u8]) -> bool,
    ) -> Self {
        Self::of(name, signals, Source::open_head(path, says))
    }

    /// One that shows too little of its signals to stand for them alone.
    pub fn of_a_part(name: &'static str, path: &Path, signals: &'static [SignalKind]) -> Self {
        Self { partial: true, ..Self::open(name, path, signals) }
    }

    /// Says what is watched, and what of each signal cannot be seen.
    pub fn start(&self, sink: Sink<'_>, cannot_see: &[&str]) {
        match &self.source {
            Ok(_) if self.partial => watches_a_part(sink, self.name, self.signals, cannot_see),
            Ok(_) => watches(sink, self.name, self.signals, cannot_see),
            Err(error) => cannot_watch(sink, self.name, self.signals, &error.to_string()),
        }
    }

    /// What the file says now, and the time since the last look, if there was one. If it cannot be
    /// read any more, that is told once.
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
