//! Constellations of satellites as they are written.

use netloom_mobility::Geographic;
use netloom_mobility::orbit::{Choice, Elements, WalkerConfig};
use netloom_units::{Angle, Data};
use schemars::JsonSchema;
use serde::Deserialize;

use super::link::RawPipe;
use crate::decode::{Entries, Spanned};

/// Satellites, which become routers, with links between them and to places on the ground. Delays of
/// these links follow the distances; links go up and down as satellites rise and set.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Constellation")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawConstellation {
    /// A Walker constellation: planes of circular orbits, evenly around the Earth. The satellites
    /// are called `NAME-PLANE-PLACE`, from `NAME-1-1` on.
    #[serde(default)]
    pub walker: Option<Spanned<WalkerConfig>>,
    /// A file of two-line elements, of which each becomes a satellite, by SGP4. The run begins at
    /// the time of the latest. The satellites are called `NAME-1`, `NAME-2` … in the file's order.
    #[serde(default)]
    pub tle: Option<Spanned<Data<Elements>>>,
    /// Links between satellites: `grid` (default of `walker`), each with the next in its plane and
    /// with the one of the next plane; or `none` (default of `tle`).
    #[serde(default)]
    pub isl: Option<Spanned<RawIsl>>,
    /// The group that the satellites belong to.
    #[serde(default)]
    pub group: Option<Spanned<String>>,
    /// Places on the ground, each the node of that name: one of `nodes`, or else a router that is
    /// made for it.
    #[serde(default)]
    pub ground: Entries<Spanned<RawGround>>,
    /// Properties of all its links, like `{rate: 1Gbit/s}`.
    #[serde(default)]
    pub link: Option<Spanned<RawPipe>>,
}

/// Which satellites have links with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "InterSatelliteLinks")]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawIsl {
    /// Each with the next one in its plane, and with the one of the same place in the next plane.
    Grid,
    /// None.
    None,
}

/// A place on the ground that has a link to one satellite at a time.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Ground")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGround {
    /// Latitude in degrees, north positive, −90 to 90.
    pub lat: f64,
    /// Longitude in degrees, east positive, −180 to 180.
    pub lon: f64,
    /// Altitude in m (default 0).
    #[serde(default)]
    pub alt: f64,
    /// How high above the horizon a satellite must be (default `25deg`).
    #[serde(default)]
    pub elevation: Option<Angle>,
    /// Which of those in sight is used: the `nearest` at any time (default), or the one that stays
    /// `longest`.
    #[serde(default)]
    pub choose: Choice,
}

impl RawGround {
    /// Where it is.
    pub fn place(&self) -> Geographic {
        Geographic { lat: self.lat, lon: self.lon, alt: self.alt }
    }
}
