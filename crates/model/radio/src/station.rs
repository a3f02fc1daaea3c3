//! The configuration of one station's radio.

use netloom_units::{Length, Power};
use serde::{Deserialize, Serialize};

use crate::Antenna;

/// The keys of one station's radio. Each may be left away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct StationConfig {
    /// The power that it sends with (default `16dBm`, or that of the preset).
    pub power: Power,
    /// Its antenna (default `omni`).
    pub antenna: Antenna,
    /// How much higher its antenna is than its position (default `1.5m`).
    pub height: Length,
}

impl Default for StationConfig {
    fn default() -> Self {
        Self {
            power: Power::from_millionths(16_000_000),
            antenna: Antenna::Omni,
            height: Length::from_micrometres(1_500_000),
        }
    }
}
