//! Independent frames, with exponential gaps.

use netloom_units::Stream;
use netloom_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, TrafficError, mean_rate, one_of_rate_and_load, pace};
use crate::distribution::{Exponential, nanoseconds};
use crate::sizes::SizeLaw;
use crate::source::FrameSource;
use crate::{Emission, Load, Moments, Pace};

/// Frames that arrive as a Poisson process.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PoissonConfig {
    /// The mean rate of the frames' bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The mean rate as a share of the line's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
}

impl Configured for PoissonConfig {
    fn check(&self) -> Result<(), String> {
        one_of_rate_and_load(self.rate.is_some(), self.load.is_some())
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let rate = pace(mean_rate(self.rate, self.load, given)?)?;
        Ok(PoissonFrames::new(rate, given.sizes.law()?, given.stream).into())
    }

    fn moments(&self, given: &Given<'_>) -> Result<Moments, TrafficError> {
        Ok(Moments::poisson(mean_rate(self.rate, self.load, given)?, &given.sizes.law()?))
    }
}

/// The frames of a Poisson process.
#[derive(Debug, Clone)]
pub(crate) struct PoissonFrames {
    at: Time,
    gap: Exponential,
    gaps: Stream,
    sizes: SizeLaw,
    lengths: Stream,
}

impl PoissonFrames {
    fn new(rate: Pace, sizes: SizeLaw, stream: &Stream) -> Self {
        Self {
            at: Time::ZERO,
            gap: Exponential(sizes.mean() * 8e9 / rate.bits_per_second()),
            gaps: stream.fork("gaps"),
            lengths: stream.fork("sizes"),
            sizes,
        }
    }

    /// Returns the next frame, or `None` at the end of time.
    pub fn next(&mut self) -> Option<Emission> {
        self.at += nanoseconds(self.gap.next(&mut self.gaps));
        let bytes = self.sizes.draw(&mut self.lengths);
        (self.at < Time::from_nanos(u64::MAX)).then_some(Emission { at: self.at, bytes })
    }
}
