//! The configuration of one station.

use netloom_link::QueueConfig;
use netloom_radio::Antenna;
use netloom_units::{Length, Power, Rate};
use serde::{Deserialize, Serialize};

use crate::mac::Window;

/// Properties of one station. Absent ones are those of the medium.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StationConfig {
    /// Its name, from which its random stream follows.
    pub name: String,
    /// Power that it sends with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// Its antenna (default `omni`).
    pub antenna: Antenna,
    /// Rate of its data frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Its least and largest contention window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw: Option<Window>,
    /// Its queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueConfig>,
    /// Its place on a cable, from one end (default: stations are spread evenly).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Length>,
    /// Whether its radio is off: it hears nothing, and sends nothing.
    pub off: bool,
    /// Whether it is an access point. Where one is, all other stations talk through theirs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub access_point: bool,
}

impl StationConfig {
    /// Returns the configuration as JSON, the form that air logs hold.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a configuration has keys that are texts only")
    }

    /// Parses a configuration from an air log.
    ///
    /// # Errors
    /// The text is not a configuration.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

/// Properties of a station. Each is optional: an absent one keeps its value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StationProperties {
    /// Whether its radio is on.
    pub on: Option<bool>,
    /// Power with which it sends.
    pub power: Option<Power>,
    /// Rate of its data frames.
    pub rate: Option<Rate>,
    /// Its least and largest contention window.
    pub cw: Option<Window>,
}

impl StationProperties {
    /// Writes the properties that are present into `config`.
    pub fn apply_to(&self, config: &mut StationConfig) {
        let Self { on, power, rate, cw } = self;
        config.off = on.map_or(config.off, |on| !on);
        config.power = power.or(config.power);
        config.rate = rate.or(config.rate);
        config.cw = cw.or(config.cw);
    }
}
