//! Shared media as they are written.

use netloom_medium::{MediumProperties, Window};
use netloom_mobility::{MobilityError, Place};
use netloom_units::{Power, Rate, Speed};
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::RawMtu;
use crate::decode::{Inline, Spanned};
use crate::spec::{MediumAddressing, Position, StationChange};

/// A shared medium: its own keys, and beside them those of its channel and of how stations use it.
pub(crate) type RawMedium = Inline<RawMediumHead, MediumProperties>;

/// A medium that its members share, like a radio channel or an Ethernet cable.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Medium")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMediumHead {
    /// The medium that it is like, where nothing else is said: `802.11b`, `802.11a`, `802.11g`,
    /// `802.11bg`, `dsss`, `fhss`, or `wavelan`.
    #[serde(default)]
    pub preset: Option<Spanned<String>>,
    /// The nodes that have a station on it, or groups of nodes. Each gets an interface: `wlan1` on
    /// its first medium, `wlan2` on its second.
    #[schemars(required)]
    pub members: Option<Spanned<Vec<Spanned<String>>>>,
    /// Switches and routers with a radio, through which members talk to each other and to what is
    /// beyond them (default: members talk to each other).
    #[serde(default)]
    pub access_points: Vec<Spanned<String>>,
    /// Which addresses its interfaces get: `subnet` (default), all of one prefix; or `hosts`, each
    /// alone in its own, for routing daemons that know their neighbours themselves.
    #[serde(default)]
    pub addressing: MediumAddressing,
    /// Largest IP packet of its interfaces in bytes (default 1500).
    #[serde(default)]
    pub mtu: Option<RawMtu>,
}

/// Where a node goes, and how fast.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Move")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMove {
    /// Where it goes in a straight line.
    pub to: Place,
    /// How fast.
    pub speed: Speed,
}

/// A radio, on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "RadioState")]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawRadio {
    /// On.
    On,
    /// Off: it hears and sends nothing.
    Off,
}

/// What can be told a node about its stations while the network runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StationKeys {
    position: Option<Place>,
    power: Option<Power>,
    rate: Option<Rate>,
    cw: Option<Window>,
    radio: Option<RawRadio>,
}

impl StationKeys {
    /// What changes.
    ///
    /// # Errors
    /// A place in degrees: only a scenario knows the plane that it is on.
    pub fn change(self) -> Result<StationChange, MobilityError> {
        let Self { position, power, rate, cw, radio } = self;
        let on = radio.map(|radio| radio == RawRadio::On);
        let to = position.map(|place| place.point(None)).transpose()?;
        Ok(StationChange { on, power, rate, cw, to: to.map(Position::from), speed: None })
    }
}
