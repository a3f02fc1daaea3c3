//! A monitor, with a file of everything that it observes. Observers give times of the engine's
//! clock; the monitor and the file have times since zero.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Deref;
use std::sync::Arc;

use netloom_monitor::trace::{self, TraceError};
use netloom_monitor::{Monitor, Observation, Signal, Work};
use netloom_units::{Duration, Time};

use crate::zero::Zero;

/// A monitor whose observations may be recorded, to be judged again.
pub struct RecordedMonitor {
    monitor: Monitor,
    zero: Arc<Zero>,
    /// Observations so far, until zero is known.
    held: Option<Vec<(Time, Observation)>>,
    record: Option<BufWriter<File>>,
    failure: Option<TraceError>,
}

impl RecordedMonitor {
    /// Makes a monitor without a record, of a run that begins at `zero`.
    pub fn new(monitor: Monitor, zero: Arc<Zero>) -> Self {
        Self { monitor, zero, held: Some(Vec::new()), record: None, failure: None }
    }

    /// Passes on all earlier observations, now that zero is known.
    pub fn begin(&mut self) {
        for (at, observation) in self.held.take().unwrap_or_default() {
            self.observe(at, &observation);
        }
    }

    /// Writes every observation to `file` from now on.
    pub fn record_to(&mut self, file: File) {
        self.record = Some(BufWriter::new(file));
    }

    /// Ends the record. Returns an error if it is not complete.
    pub fn end_record(&mut self) -> Result<(), TraceError> {
        let flushed = self.record.take().map_or(Ok(()), |mut record| Ok(record.flush()?));
        self.failure.take().map_or(flushed, Err)
    }

    /// Passes on an observation at `at`, once zero is known. A record that cannot be written ends
    /// there.
    pub fn observe(&mut self, at: Time, observation: &Observation) {
        if let Some(held) = &mut self.held {
            return held.push((at, observation.clone()));
        }
        let at = self.zero.since(at);
        self.monitor.observe(at, observation);
        let written = self.record.as_mut().map(|record| trace::write(record, at, observation));
        if let Some(Err(error)) = written {
            self.failure = Some(error);
            self.record = None;
        }
    }

    /// See [`Monitor::poll_signal`].
    pub fn poll_signal(&mut self) -> Option<Signal> {
        self.monitor.poll_signal()
    }

    /// See [`Monitor::spent`]. The argument is in the machine's time.
    pub fn spent(&mut self, work: Work, cpu_time: Duration) {
        self.monitor.spent(work, self.to_experiment(cpu_time));
    }

    /// See [`Monitor::elapsed`]. The argument is in the machine's time.
    pub fn elapsed(&mut self, time: Duration) {
        self.monitor.elapsed(self.to_experiment(time));
    }

    fn to_experiment(&self, time: Duration) -> Duration {
        self.zero.clock().dilation().to_experiment(time)
    }
}

impl Deref for RecordedMonitor {
    type Target = Monitor;

    fn deref(&self) -> &Monitor {
        &self.monitor
    }
}
