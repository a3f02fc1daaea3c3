//! A monitor, with a file of everything that it observes.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::ops::Deref;

use netloom_monitor::trace::{self, TraceError};
use netloom_monitor::{Monitor, Observation, Signal, Work};
use netloom_units::{Dilation, Duration, Time};

/// A monitor whose observations may be recorded, to be judged again.
pub struct RecordedMonitor {
    monitor: Monitor,
    dilation: Dilation,
    record: Option<BufWriter<File>>,
    failure: Option<TraceError>,
}

impl RecordedMonitor {
    /// Makes a monitor without a record, for an experiment of this dilation.
    pub fn new(monitor: Monitor, dilation: Dilation) -> Self {
        Self { monitor, dilation, record: None, failure: None }
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

    /// Passes on an observation at `at`. A record that cannot be written ends there.
    pub fn observe(&mut self, at: Time, observation: &Observation) {
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
        self.monitor.spent(work, self.dilation.to_experiment(cpu_time));
    }

    /// See [`Monitor::elapsed`]. The argument is in the machine's time.
    pub fn elapsed(&mut self, time: Duration) {
        self.monitor.elapsed(self.dilation.to_experiment(time));
    }
}

impl Deref for RecordedMonitor {
    type Target = Monitor;

    fn deref(&self) -> &Monitor {
        &self.monitor
    }
}
