//! Events as lines of JSON.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use netloom_api::event::{Event, What};
use netloom_units::Time;

/// Writes events to a file, each with a number.
#[derive(Debug)]
pub struct EventFile {
    file: BufWriter<File>,
    next: u64,
    failure: Option<io::Error>,
}

impl EventFile {
    /// Writes events to an empty file.
    pub fn new(file: File) -> Self {
        Self { file: BufWriter::new(file), next: 0, failure: None }
    }

    /// Records that `what` happened at `time`.
    pub fn record(&mut self, time: Time, what: What) {
        self.record_of(None, time, what);
    }

    /// Records that `what` happened at `time`, on one of several machines.
    pub fn record_of(&mut self, machine: Option<String>, time: Time, what: What) {
        let event = Event { number: self.next, time, machine, what };
        self.next += 1;
        let write = serde_json::to_writer(&mut self.file, &event)
            .map_err(io::Error::from)
            .and_then(|()| self.file.write_all(b"\n"));
        if let Err(error) = write {
            self.failure.get_or_insert(error);
        }
    }

    /// Writes all remaining events.
    ///
    /// # Errors
    /// Returns the first error of any write.
    pub fn finish(mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.failure.map_or(flushed, Err)
    }
}
