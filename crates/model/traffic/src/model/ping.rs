//! Requests at a constant interval, as ping(8) sends them.

use netloom_units::Stream;
use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, TrafficError};
use crate::sizes::SizeLaw;
use crate::source::FrameSource;
use crate::{Emission, Moments};

/// The default interval of ping(8).
const SECOND: Duration = Duration::from_secs(1);

/// Echo requests at a constant interval. The first one is sent at 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PingConfig {
    /// The time between two requests (default `1s`).
    #[serde(default = "second")]
    pub interval: Duration,
    /// How many requests there are (default: no limit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

fn second() -> Duration {
    SECOND
}

impl Configured for PingConfig {
    fn check(&self) -> Result<(), String> {
        match (self.interval, self.count) {
            (Duration::ZERO, _) => Err("`interval` must be above 0".into()),
            (_, Some(0)) => Err("`count` is 1 or more".into()),
            _ => Ok(()),
        }
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let (sizes, lengths) = (given.sizes.law()?, given.stream.fork("sizes"));
        let (interval, left) = (self.interval, self.count.unwrap_or(u64::MAX));
        Ok(Requests { at: Time::ZERO, interval, left, sizes, lengths }.into())
    }

    fn moments(&self, given: &Given<'_>) -> Result<Moments, TrafficError> {
        let sizes = given.sizes.law()?;
        Ok(Moments::unknown(sizes.mean() * 8.0 / self.interval.as_secs_f64()))
    }
}

/// The state of a sender of requests.
#[derive(Debug, Clone)]
pub(crate) struct Requests {
    at: Time,
    interval: Duration,
    left: u64,
    sizes: SizeLaw,
    lengths: Stream,
}

impl Requests {
    /// Returns the next request, or `None` at the end.
    pub fn next(&mut self) -> Option<Emission> {
        if self.left == 0 || self.at == Time::from_nanos(u64::MAX) {
            return None;
        }
        self.left -= 1;
        let frame = Emission { at: self.at, bytes: self.sizes.draw(&mut self.lengths) };
        self.at += self.interval;
        Some(frame)
    }
}
