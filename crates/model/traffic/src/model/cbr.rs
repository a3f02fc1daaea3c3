//! Frames at a constant rate: one burst that never ends.

use netloom_units::{Duration, Rate, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, Sending, TrafficError, mean_rate, one_of_rate_and_load, pace};
use crate::source::{Bursts, FrameSource};
use crate::train::Trains;
use crate::{Burst, Load, Moments};

/// Frames at a constant rate, with a random phase.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CbrConfig {
    /// The rate of the frames' bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// The rate as a share of the line's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
}

impl Configured for CbrConfig {
    fn check(&self) -> Result<(), String> {
        one_of_rate_and_load(self.rate.is_some(), self.load.is_some())
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let pace = pace(mean_rate(self.rate, self.load, given)?)?;
        Ok(Trains::new(for_ever(given), pace, given.sizes.law()?, given.stream).into())
    }

    fn bursts(&self, given: &Given<'_>) -> Result<Option<Sending>, TrafficError> {
        let pace = pace(mean_rate(self.rate, self.load, given)?)?;
        Ok(Some(Sending { bursts: for_ever(given), pace: Some(pace) }))
    }

    fn moments(&self, given: &Given<'_>) -> Result<Moments, TrafficError> {
        Ok(Moments::periodic(mean_rate(self.rate, self.load, given)?, &given.sizes.law()?))
    }
}

/// Returns one burst that begins at 0 and never ends.
fn for_ever(given: &Given<'_>) -> Bursts {
    let phase = given.stream.fork("phase").uniform();
    Bursts::once(Burst { at: Time::ZERO, lasts: Duration::from_nanos(u64::MAX), phase })
}
