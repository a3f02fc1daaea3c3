//! Constellations of satellites, as the user wrote them.

use netloom_document::{Entries, Spanned, is_default};
use netloom_mobility::Geographic;
use netloom_mobility::orbit::{Choice, Elements, WalkerConfig};
use netloom_units::{Angle, Data};
use serde::{Deserialize, Serialize};

use super::link::RawPipe;

/// Satellites, each of which is a router, with links to each other and to places on the ground. The
/// delay of each link follows its length. Links go up and down as satellites rise and set.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Constellation"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawConstellation {
    /// A Walker constellation: planes of circular orbits, evenly distributed around the Earth. The
    /// satellites' names are `NAME-PLANE-PLACE`, starting at `NAME-1-1`.
    #[serde(default)]
    pub walker: Option<Spanned<WalkerConfig>>,
    /// A file of two-line element sets. Each set is one satellite, whose position is computed by
    /// SGP4. The run begins at the time of the latest set. The satellites' names are `NAME-1`,
    /// `NAME-2` … in the order of the file.
    #[serde(default)]
    pub tle: Option<Spanned<Data<Elements>>>,
    /// Links between satellites. `grid` (default with `walker`): each satellite has a link to the
    /// next one in its plane and to one in the next plane. With `tle`, satellites whose ascending
    /// nodes are within 1° are a plane. `none` (default with `tle`): no links.
    #[serde(default)]
    pub isl: Option<Spanned<RawIsl>>,
    /// With `walker`: angle of the Earth's prime meridian at the beginning, eastwards from the
    /// ascending node of the first plane (default `0deg`).
    #[serde(default)]
    pub meridian: Option<Spanned<Angle>>,
    /// Group that the satellites belong to.
    #[serde(default)]
    pub group: Option<Spanned<String>>,
    /// Places on the ground by the name of their node. If `nodes` has no node of that name, a
    /// router is created.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub ground: Entries<Spanned<RawGround>>,
    /// Properties of all links of the constellation, like `{rate: 1Gbit/s}`.
    #[serde(default)]
    pub link: Option<Spanned<RawPipe>>,
}

/// Pattern of the links between satellites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "InterSatelliteLinks"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawIsl {
    /// Links of each satellite to the next one in its plane, and to the one at the same place in
    /// the next plane (with `tle`: the nearest place).
    Grid,
    /// No links.
    None,
}

/// A place on the ground, which has links to satellites in sight.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Ground"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGround {
    /// Latitude in degrees, north positive, −90 to 90.
    pub lat: f64,
    /// Longitude in degrees, east positive, −180 to 180.
    pub lon: f64,
    /// Altitude in m (default 0).
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub alt: f64,
    /// Lowest elevation of a usable satellite above the horizon (default `25deg`).
    #[serde(default)]
    pub elevation: Option<Angle>,
    /// Which of the visible satellites it has links to: at any time the `nearest` (default), the
    /// one that stays visible `longest`, or all, of which the `path` of packets decides.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub choose: Choice,
    /// Number of its links at a time (default 1), but for `choose: path`.
    #[serde(default)]
    pub links: Option<Spanned<u32>>,
}

impl RawGround {
    /// Returns the place's position on the Earth.
    pub fn place(&self) -> Geographic {
        Geographic { lat: self.lat, lon: self.lon, alt: self.alt }
    }
}
