//! Why a model cannot send.

use netloom_units::Duration;
use thiserror::Error;

use crate::Load;

/// Why a model cannot send.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TrafficError {
    /// A load in percent where there is no line.
    #[error("`load: {0}` is a share of a line's rate, and there is none here; write a rate")]
    ShareOfNothing(Load),
    /// A file has not been read.
    #[error("the file {0} has not been read")]
    Unread(String),
    /// Nothing says how fast the model sends.
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
    /// A recording begins again before it is over.
    #[error("`repeat: {repeat}` is not after the last arrival, at {last}")]
    RepeatsEarly {
        /// When it begins again.
        repeat: Duration,
        /// When its last arrival is.
        last: Duration,
    },
    /// A recording without a length has no rate.
    #[error("the recording has no length in time, so that it has no mean rate")]
    NoTime,
    /// The stretch that a load asks for is extreme.
    #[error("the load asks for a stretch of {stretch:e}; that is out of range")]
    Stretch {
        /// What times would be multiplied with.
        stretch: f64,
    },
    /// A rate that no sender has.
    #[error("{rate} bit/s is no rate to send at: from 0.001 to 10¹⁶")]
    Extreme {
        /// In bit/s.
        rate: f64,
    },
    /// Bursts with hardly a frame.
    #[error("{share:.1e} of all bursts hold a frame; write longer bursts or smaller frames")]
    TooLittle {
        /// Which share of the bursts holds a frame.
        share: f64,
    },
    /// Steps of a rate that are far shorter than a frame.
    #[error("{passed:.1e} steps pass before one frame has been sent; write longer steps")]
    ManySteps {
        /// How many, on average.
        passed: f64,
    },
    /// More bursts at a time than can be followed.
    #[error("{active:.1e} bursts at a time are too many: at most {most:.0e}")]
    TooMany {
        /// Their mean number.
        active: f64,
        /// The limit.
        most: f64,
    },
}

impl TrafficError {
    /// The values of `file` are not here.
    pub(crate) fn unread(file: Option<&str>) -> Self {
        Self::Unread(file.unwrap_or("without a name").into())
    }
}
