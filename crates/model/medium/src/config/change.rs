//! What happens to a medium at one time, and what it is made of beside its configuration.

use netloom_mobility::Plane;
use netloom_radio::{LossGrid, RadioError, Surroundings};
use netloom_units::Speed;
use serde::{Deserialize, Serialize};

use super::{MediumConfig, MediumProperties, StationConfig, StationProperties};
use crate::StationId;
use crate::field::{Cable, Field, OpenField, Pairs};

/// What a medium needs beside its configuration.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// The experiment's seed.
    pub seed: u64,
    /// The medium's name, from which its random streams follow.
    pub name: String,
    /// The names of stations, in the order of their numbers, if files of losses name them.
    pub stations: Vec<String>,
    /// What makes metres of degrees, if files of obstacles have degrees.
    pub plane: Option<Plane>,
    /// What the file of `propagation: grid` holds.
    pub grid: Option<LossGrid>,
}

impl Setting {
    /// The field of a medium, without stations.
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

/// A change of a medium: all of it happens at one time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MediumChange {
    /// What the medium runs on from now on, all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Box<MediumConfig>>,
    /// Properties of the medium, over what it runs on.
    pub medium: MediumProperties,
    /// Stations that are others from now on; `off` switches the radio. What waits, stays.
    pub stations: Vec<(StationId, StationConfig)>,
    /// Properties of stations, over those that they have.
    pub properties: Vec<(StationId, StationProperties)>,
    /// Whether all stations begin anew to move as they were added to move: the time from which a
    /// run counts.
    pub begins: bool,
    /// Stations that move in another way from now on.
    pub movements: Vec<(StationId, Movement)>,
    /// Losses in dB from one station to another that hold from now on instead of all that follows
    /// from where they are, antennas included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<(StationId, StationId, f64)>,
}

impl MediumChange {
    /// The change as JSON, as air logs hold it.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a change has keys that are texts only")
    }

    /// The change that an air log holds.
    ///
    /// # Errors
    /// It is none.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}

/// How a station moves from now on. Points are (x, y, z) in metres.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Movement {
    /// It is at a point, and rests there.
    Place([f64; 3]),
    /// It goes straight to a point, and rests there.
    Go([f64; 3], Speed),
}
