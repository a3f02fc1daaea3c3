//! Shared media.

use netloom_medium::{Antenna, MediumConfig, Window};
use netloom_mobility::Point;
use netloom_units::{Power, Rate, Speed};
use serde::{Deserialize, Serialize};

/// A medium that nodes share, like a radio channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Medium {
    /// Channel and MAC of the medium.
    pub config: MediumConfig,
    /// Addresses of the medium's interfaces.
    pub addressing: MediumAddressing,
    /// Switches and routers that act as access points: all other members communicate through them.
    /// Empty if members communicate directly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access_points: Vec<String>,
}

/// Properties of the station of an interface. Absent ones are those of the medium.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StationSetup {
    /// Transmit power.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// Antenna.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub antenna: Option<Antenna>,
    /// Rate of its data frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Smallest and largest contention window, in slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw: Option<Window>,
}

impl StationSetup {
    /// Whether no property is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Addresses of the interfaces on a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MediumAddressing {
    /// All addresses have one prefix (default).
    #[default]
    Subnet,
    /// Each address has a prefix of its own: a /32 or a /128.
    Hosts,
}

/// A position on the plane, in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Position {
    /// Distance to the east.
    pub x: f64,
    /// Distance to the north.
    pub y: f64,
    /// Distance upwards.
    #[serde(default)]
    pub z: f64,
}

impl From<Point> for Position {
    fn from(Point { x, y, z }: Point) -> Self {
        Self { x, y, z }
    }
}

/// A change of a station. Absent properties keep their values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct StationChange {
    /// Whether the radio is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<bool>,
    /// Transmit power.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<Power>,
    /// Rate of its data frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Smallest and largest contention window, in slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw: Option<Window>,
    /// New position, or destination of a movement if `speed` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Position>,
    /// Speed of the movement. Without it, the station is at the new position immediately.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
}

impl StationChange {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
