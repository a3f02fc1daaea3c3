//! Files of obstacles, in any of their formats.

use netloom_units::{DataError, DataFormat, check_count};

use super::{Polygons, geojson, sumo};

impl DataFormat for Polygons {
    const WHAT: &'static str = "file of obstacles";

    fn parse(text: &str) -> Result<Self, DataError> {
        let polygons = match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
            Some('{') => geojson::parse(text),
            Some('<') => sumo::parse(text),
            _ => Err(DataError::Whole(
                "it is neither GeoJSON, which begins with `{`, nor SUMO's XML, with `<`".into(),
            )),
        }?;
        check_count(polygons.outlines.len(), "a file of obstacles").map_err(DataError::Whole)?;
        let corners = polygons.outlines.iter().flat_map(|outline| outline.rings.iter().flatten());
        match corners.flatten().find(|value| value.abs() > 1e9 || !value.is_finite()) {
            Some(value) => Err(DataError::Whole(format!("{value} is no coordinate"))),
            None => Ok(polygons),
        }
    }
}
