//! Reasons why a model cannot send.

use netloom_units::Duration;
use thiserror::Error;

/// The reason why a model cannot send.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TrafficError {
    /// A load is given in percent, but there is no line.
    #[error("`load: {0}` is a share of a line's rate, and there is none here; write a rate")]
    ShareOfNothing(String),
    /// A file has not been read.
    #[error("the file {0} has not been read")]
    Unread(String),
    /// The model has no rate.
    #[error("`{model}` has no `rate`; only TCP sends without one")]
    NoRate {
        /// The model's name.
        model: &'static str,
    },
    /// The model does not send in bursts.
    #[error("`{model}` does not send in bursts, as `on_off`, `ppbp` and `flows` with a rate do")]
    NoBursts {
        /// The model's name.
        model: &'static str,
    },
    /// The model has no transfers.
    #[error(
        "`{model}` has no transfers that TCP could carry, as `flows`, `on_off` and `ppbp` have"
    )]
    NoTransfers {
        /// The model's name.
        model: &'static str,
    },
    /// Only TCP knows when the model sends.
    #[error("`{model}` sends when TCP lets it; it has no times of its own")]
    ClosedLoop {
        /// The model's name.
        model: &'static str,
    },
    /// The model sends frames of a capture.
    #[error(
        "`{model}` sends frames of a capture, between nodes only; `trace` has times and lengths"
    )]
    WholeFrames {
        /// The model's name.
        model: &'static str,
    },
    /// A recording starts again before it has ended.
    #[error("`repeat: {repeat}` is not after the last arrival, at {last}")]
    RepeatsEarly {
        /// Time at which it starts again.
        repeat: Duration,
        /// Time of its last arrival.
        last: Duration,
    },
    /// A recording whose duration is zero has no rate.
    #[error("the recording has no length in time, so that it has no mean rate")]
    NoTime,
    /// The stretch that a load requires is out of range.
    #[error("the load asks for a stretch of {stretch:e}; that is out of range")]
    Stretch {
        /// Factor by which times would be multiplied.
        stretch: f64,
    },
    /// The rate is out of range.
    #[error("{rate} bit/s is no rate to send at: from 0.001 to 10¹⁶")]
    Extreme {
        /// The rate in bit/s.
        rate: f64,
    },
    /// Hardly any burst holds a frame.
    #[error("{share:.1e} of all bursts hold a frame; write longer bursts or smaller frames")]
    TooLittle {
        /// Share of the bursts that hold a frame.
        share: f64,
    },
    /// The steps of a rate are far shorter than a frame.
    #[error("{passed:.1e} steps pass before one frame has been sent; write longer steps")]
    ManySteps {
        /// Mean number of steps that pass.
        passed: f64,
    },
    /// There are more simultaneous bursts than can be handled.
    #[error("{active:.1e} bursts at a time are too many: at most {most:.0e}")]
    TooMany {
        /// Mean number of simultaneous bursts.
        active: f64,
        /// The limit.
        most: f64,
    },
}

impl TrafficError {
    /// Returns the error for a `file` whose values have not been loaded.
    pub(crate) fn unread(file: Option<&str>) -> Self {
        Self::Unread(file.unwrap_or("without a name").into())
    }
}
