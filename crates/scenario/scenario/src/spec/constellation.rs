//! Constellations of satellites.

use std::collections::BTreeMap;

use netloom_mobility::Geographic;
use netloom_mobility::orbit::{Elements, WalkerConfig};
use netloom_units::Angle;
use serde::{Deserialize, Serialize};

/// Satellites that are nodes of the scenario, and places on the ground that have links to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Constellation {
    /// Name, which is the prefix of the satellites' names.
    pub name: String,
    /// Orbits of the satellites.
    pub orbits: Orbits,
    /// Angle of the Earth's prime meridian at the beginning, eastwards from the ascending node of
    /// the first plane of a Walker constellation.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub meridian: Angle,
    /// Positions of the constellation's nodes on the ground, by node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ground: BTreeMap<String, Geographic>,
}

fn is_zero(angle: &Angle) -> bool {
    *angle == Angle::ZERO
}

/// Orbits of satellites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Orbits {
    /// Planes of circular orbits.
    Walker(WalkerConfig),
    /// Orbits given as two-line element sets.
    Tle(Elements),
}
