//! Bulk traffic: as much as the path takes.

use netloom_units::Size;
use serde::{Deserialize, Serialize};

use super::{Configured, Given, TrafficError};
use crate::Moments;
use crate::source::FrameSource;

/// Connections that send as fast as their congestion control lets them. TCP decides when, so that
/// this is a description only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BulkConfig {
    /// How much each connection sends (default: until the end).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Size>,
    /// How many connections there are (default 1).
    #[serde(default = "one")]
    pub connections: u32,
}

impl Default for BulkConfig {
    fn default() -> Self {
        Self { bytes: None, connections: 1 }
    }
}

fn one() -> u32 {
    1
}

/// Largest number of connections of one entry.
const MOST: u32 = 10_000;

impl Configured for BulkConfig {
    fn check(&self) -> Result<(), String> {
        match (self.connections, self.bytes) {
            (1..=MOST, Some(bytes)) if bytes.bytes() == 0 => Err("`bytes` is 1B or more".into()),
            (1..=MOST, _) => Ok(()),
            (n, _) => Err(format!("`connections: {n}` must be from 1 to {MOST}")),
        }
    }

    fn source(&self, _: &Given<'_>) -> Result<FrameSource, TrafficError> {
        Err(TrafficError::ClosedLoop { model: "bulk" })
    }

    fn moments(&self, _: &Given<'_>) -> Result<Moments, TrafficError> {
        Err(TrafficError::ClosedLoop { model: "bulk" })
    }
}
