//! Shared media.

use netloom_medium::{Antenna, MediumConfig, Window};
use netloom_mobility::Point;
use netloom_units::{Power, Rate, Speed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A medium that nodes share, like a radio channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Medium {
    /// The channel, and how stations use it.
    pub config: MediumConfig,
    /// Which addresses its interfaces get.
    pub addressing: MediumAddressing,
    /// Switches and routers through which all other members talk; none if members talk to each
    /// other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access_points: Vec<String>,
}

/// What is particular to the station of an interface; what is absent is as its medium says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StationSetup {
    /// Power that it sends with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// Its antenna.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub antenna: Option<Antenna>,
    /// Rate of its data frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Its least and largest contention window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw: Option<Window>,
}

impl StationSetup {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Which addresses the interfaces on a medium get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MediumAddressing {
    /// All of one prefix (default).
    #[default]
    Subnet,
    /// Each alone in its own: a /32 and a /128.
    Hosts,
}

/// A place, in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Position {
    /// To the east.
    pub x: f64,
    /// To the north.
    pub y: f64,
    /// Upwards.
    #[serde(default)]
    pub z: f64,
}

impl From<Point> for Position {
    fn from(Point { x, y, z }: Point) -> Self {
        Self { x, y, z }
    }
}

/// What changes of a station; what is absent stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StationChange {
    /// Whether its radio is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Power that it sends with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// Rate of its data frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Its least and largest contention window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw: Option<Window>,
    /// Where it goes, or is at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Position>,
    /// How fast it goes there (default: it is there at once).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
}

impl StationChange {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
