//! Observations as a stream of bytes, from which a run can be judged again: one JSON array
//! `[time, observation]` a line, the time in ns since the experiment's zero.

use std::io::{BufRead, Write};

use netloom_units::Time;
use thiserror::Error;

use crate::monitor::Monitor;
use crate::observation::Observation;

/// Error of writing or reading a trace.
#[derive(Debug, Error)]
pub enum TraceError {
    /// The stream failed.
    #[error("the trace of observations cannot be written or read: {0}")]
    Stream(#[from] std::io::Error),
    /// A line is not an observation.
    #[error("line {line} of the trace is not an observation with its time: {source}")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// The error of the parser.
        source: serde_json::Error,
    },
}

/// Writes one observation.
///
/// # Errors
/// Fails if the stream does.
pub fn write(
    stream: &mut impl Write,
    at: Time,
    observation: &Observation,
) -> Result<(), TraceError> {
    serde_json::to_writer(&mut *stream, &(at, observation)).map_err(std::io::Error::from)?;
    Ok(stream.write_all(b"\n")?)
}

/// Reads the observations of a trace, in order.
pub fn read(stream: impl BufRead) -> impl Iterator<Item = Result<(Time, Observation), TraceError>> {
    stream.lines().zip(1..).map(|(text, line)| {
        serde_json::from_str(&text?).map_err(|source| TraceError::Line { line, source })
    })
}

/// Passes all observations of a trace to a monitor.
///
/// # Errors
/// Fails at the first line that cannot be read. All lines before it have been observed.
pub fn replay(stream: impl BufRead, monitor: &mut Monitor) -> Result<(), TraceError> {
    for entry in read(stream) {
        let (at, observation) = entry?;
        monitor.observe(at, &observation);
    }
    Ok(())
}
