//! Frames of a capture that are sent again. Not here: reading captures (`capture`).

use std::collections::BTreeMap;
use std::net::IpAddr;

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::{Configured, Given, TrafficError};
use crate::Moments;
use crate::source::FrameSource;

/// Largest number of rewritten addresses. They are an argument of a process.
const MOST: usize = 1000;

/// Units in a stretch of 1.
const PARTS: f64 = 1e9;

/// Frames of a capture with their bytes, from one interface: a description, since what they are is
/// in a file that is too long to be held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReplayConfig {
    /// A capture, pcap or pcapng, of Ethernet or IP.
    pub file: String,
    /// Factor for the times between frames, from 0.001 to 1000 (default 1): 10 is ten times
    /// slower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<f64>,
    /// The node whose address each address of the capture becomes: at most 1000 of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rewrite: BTreeMap<IpAddr, String>,
    /// Whether frames are sent as they are, whosever addresses they have (default false).
    #[serde(default, skip_serializing_if = "is_false")]
    pub as_is: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl ReplayConfig {
    /// Returns the time at which a frame is due that was captured `after_first` ns after the first
    /// one. Frames stay in order: a frame earlier than the first one is due with it.
    pub fn due(&self, after_first: i128) -> Duration {
        let parts = (self.stretch.unwrap_or(1.0) * PARTS + 0.5) as u128;
        let nanos = u128::try_from(after_first).unwrap_or(0);
        let stretched = nanos.saturating_mul(parts) / PARTS as u128;
        Duration::from_nanos(u64::try_from(stretched).unwrap_or(u64::MAX))
    }
}

impl Configured for ReplayConfig {
    fn check(&self) -> Result<(), String> {
        match self.stretch {
            Some(stretch) if !(0.001..=1000.0).contains(&stretch) => {
                Err(format!("`stretch: {stretch}` must be from 0.001 to 1000"))
            }
            _ if self.as_is && !self.rewrite.is_empty() => {
                Err("one of `rewrite` and `as_is`, not both".into())
            }
            _ if self.rewrite.len() > MOST => {
                Err(format!("`rewrite` has more than {MOST} addresses"))
            }
            _ if !self.as_is && self.rewrite.is_empty() => Err(
                "say in `rewrite` which node's address each address of the capture becomes, or \
                 `as_is: true`"
                    .into(),
            ),
            _ => Ok(()),
        }
    }

    fn source(&self, _: &Given<'_>) -> Result<FrameSource, TrafficError> {
        Err(TrafficError::WholeFrames { model: "replay" })
    }

    fn moments(&self, _: &Given<'_>) -> Result<Moments, TrafficError> {
        Err(TrafficError::WholeFrames { model: "replay" })
    }
}
