//! Defaults of constellations.

use netloom_units::Angle;

use crate::raw::{RawConstellation, RawIsl};

/// Default of the lowest elevation of a satellite above the horizon.
pub(super) const ELEVATION: Angle = Angle::from_degrees(25);

/// Returns the pattern of the links between satellites.
pub(super) fn isl(raw: &RawConstellation) -> RawIsl {
    let usual = if raw.walker.is_some() { RawIsl::Grid } else { RawIsl::None };
    raw.isl.as_ref().map_or(usual, |isl| isl.value)
}
