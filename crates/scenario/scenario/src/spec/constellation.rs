//! Constellations of satellites.

use std::collections::BTreeMap;

use netloom_mobility::Geographic;
use netloom_mobility::orbit::{Elements, WalkerConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Satellites that are nodes of the scenario, and places on the ground that have links to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Constellation {
    /// Its name, with which those of its satellites begin.
    pub name: String,
    /// How its satellites go around the Earth.
    pub orbits: Orbits,
    /// Where its nodes on the ground are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ground: BTreeMap<String, Geographic>,
}

/// How satellites go around the Earth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Orbits {
    /// In planes of circular orbits.
    Walker(WalkerConfig),
    /// As their two-line elements say.
    Tle(Elements),
}
