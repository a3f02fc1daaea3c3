//! Shared media, as the user wrote them.

use netloom_document::{Inline, Spanned, is_default};
use netloom_medium::{MediumProperties, Window};
use netloom_mobility::{Coordinates, MobilityError};
use netloom_units::{Power, Rate, Speed};
use serde::{Deserialize, Serialize};

use super::values::RawMtu;
use crate::spec::{MediumAddressing, Position, StationChange};

/// A shared medium: its own keys, and the properties of its channel and its MAC.
pub(crate) type RawMedium = Inline<RawMediumHead, MediumProperties>;

/// A medium that its members share, like a radio channel or an Ethernet cable.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Medium"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMediumHead {
    /// Medium whose properties are the defaults: `802.11b`, `802.11a`, `802.11g`, `802.11bg`,
    /// `dsss`, `fhss`, or `wavelan`.
    #[serde(default)]
    pub preset: Option<Spanned<String>>,
    /// Nodes, or groups of nodes, that have a station on the medium. Each node gets an interface:
    /// `wlan1` on its first medium, `wlan2` on its second.
    #[cfg_attr(feature = "schema", schemars(required))]
    pub members: Option<Spanned<Vec<Spanned<String>>>>,
    /// Switches and routers with a radio that act as access points: members reach each other, and
    /// networks beyond, through them (default: none; members reach each other directly).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access_points: Vec<Spanned<String>>,
    /// Addresses of the medium's interfaces: `subnet` (default) gives all of them addresses of one
    /// prefix. `hosts` gives each a prefix of its own, for routing daemons that discover their
    /// neighbours.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub addressing: MediumAddressing,
    /// MTU of the medium's interfaces: largest IP packet in bytes (default 1500).
    #[serde(default)]
    pub mtu: Option<RawMtu>,
}

/// A movement of a node: destination and speed.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Move"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMove {
    /// Destination, which the node reaches in a straight line.
    pub to: Coordinates,
    /// Speed of the movement.
    pub speed: Speed,
}

/// State of a radio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RadioState"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawRadio {
    /// The radio is on.
    On,
    /// The radio is off: it neither sends nor receives.
    Off,
}

/// Properties of a node's stations that can change while the network runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StationKeys {
    position: Option<Coordinates>,
    power: Option<Power>,
    rate: Option<Rate>,
    cw: Option<Window>,
    radio: Option<RawRadio>,
}

impl StationKeys {
    /// Converts these keys to a change of a station.
    ///
    /// # Errors
    /// Fails for a position in degrees: only a scenario has the plane that converts it to metres.
    pub fn change(self) -> Result<StationChange, MobilityError> {
        let Self { position, power, rate, cw, radio } = self;
        let on = radio.map(|radio| radio == RawRadio::On);
        let to = position.map(|place| place.point(None)).transpose()?;
        Ok(StationChange { on, power, rate, cw, to: to.map(Position::from), speed: None })
    }
}
