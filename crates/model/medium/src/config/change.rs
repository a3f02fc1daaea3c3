//! Changes of a medium at one time, and its settings beside the configuration.

use netloom_mobility::Plane;
use netloom_radio::{LossGrid, RadioError, Surroundings};
use netloom_units::Speed;
use serde::{Deserialize, Serialize};

use super::{MediumConfig, MediumProperties, StationConfig, StationProperties};
use crate::StationId;
use crate::field::{Cable, Field, OpenField, Pairs};

/// Settings of a medium beside its configuration.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// The experiment's seed.
    pub seed: u64,
    /// The medium's name, from which its random streams follow.
    pub name: String,
    /// Names of the stations, in the order of their numbers, if files of losses name them.
    pub stations: Vec<String>,
    /// Projection of degrees to metres, if files of obstacles have degrees.
    pub plane: Option<Plane>,
    /// Contents of the file of `propagation: grid`.
    pub grid: Option<LossGrid>,
}

impl Setting {
    /// Creates the field of a medium, without stations.
    pub(crate) fn field(&self, config: &MediumConfig) -> Result<Box<dyn Field>, RadioError> {
        if let Some(cable) = config.mac.cable() {
            return Ok(Box::new(Cable::new(cable)));
        }
        if let Some(pairs) = config.mac.pairs() {
            return Ok(Box::new(Pairs::new(pairs)));
        }
        let names: Vec<&str> = self.stations.iter().map(String::as_str).collect();
        let given = Surroundings {
            seed: self.seed,
            names: &names,
            plane: self.plane.as_ref(),
            grid: self.grid.as_ref(),
        };
        Ok(Box::new(OpenField::new(config, &given)?))
    }
}

/// A change of a medium. All its parts take effect at one time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MediumChange {
    /// New configuration of the medium as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Box<MediumConfig>>,
    /// Properties of the medium that replace those of the configuration.
    pub medium: MediumProperties,
    /// Stations with a new configuration; `off` switches the radio. Waiting frames stay.
    pub stations: Vec<(StationId, StationConfig)>,
    /// Properties of stations that replace those in force.
    pub properties: Vec<(StationId, StationProperties)>,
    /// Whether all stations restart the movement with which they were added. A run counts from this
    /// time.
    pub begins: bool,
    /// Stations with a new movement.
    pub movements: Vec<(StationId, Movement)>,
    /// Losses in dB from one station to another. They replace the losses computed from positions,
    /// antennas included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<(StationId, StationId, f64)>,
}

impl MediumChange {
    /// Returns the change as JSON, the form that air logs hold.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a change has keys that are texts only")
    }

    /// Parses a change from an air log.
    ///
    /// # Errors
    /// The text is not a change.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

/// New movement of a station. Points are (x, y, z) in metres.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Movement {
    /// It is at a point, and rests there.
    Place([f64; 3]),
    /// It goes straight to a point, and rests there.
    Go([f64; 3], Speed),
}
