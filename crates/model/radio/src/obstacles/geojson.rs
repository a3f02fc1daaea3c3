//! Reads polygons in degrees from GeoJSON (RFC 7946).

use netloom_units::DataError;
use serde_json::Value;

use super::{Outline, Polygons};

/// Reads all polygons of a GeoJSON text.
pub(super) fn parse(text: &str) -> Result<Polygons, DataError> {
    let text = text.trim_start_matches('\u{feff}');
    let value: Value = serde_json::from_str(text)
        .map_err(|error| DataError::at(error.line(), format!("it is no JSON: {error}")))?;
    let mut outlines = Vec::new();
    collect(&value, &mut outlines).map_err(DataError::Whole)?;
    if outlines.is_empty() {
        return Err(DataError::Whole("there is no Polygon or MultiPolygon in it".into()));
    }
    Ok(Polygons { degrees: true, outlines })
}

/// Collects the outlines of an object. Points and lines are not obstacles and are ignored.
fn collect(object: &Value, outlines: &mut Vec<Outline>) -> Result<(), String> {
    let all = |key: &str, outlines: &mut Vec<Outline>| {
        let list = object.get(key).and_then(Value::as_array);
        let list = list.ok_or_else(|| format!("`{key}` is missing, or no list"))?;
        list.iter().try_for_each(|value| collect(value, outlines))
    };
    match object.get("type").and_then(Value::as_str) {
        Some("FeatureCollection") => all("features", outlines),
        Some("GeometryCollection") => all("geometries", outlines),
        Some("Feature") => match object.get("geometry") {
            None | Some(Value::Null) => Ok(()),
            Some(geometry) => collect(geometry, outlines),
        },
        Some("Polygon") => {
            outlines.push(outline(object.get("coordinates"))?);
            Ok(())
        }
        Some("MultiPolygon") => {
            for polygon in list(object.get("coordinates"))? {
                outlines.push(outline(Some(polygon))?);
            }
            Ok(())
        }
        Some("Point" | "MultiPoint" | "LineString" | "MultiLineString") => Ok(()),
        Some(other) => Err(format!("{} is no type of GeoJSON", netloom_units::quoted(other))),
        None => Err("an object without `type` is no GeoJSON".into()),
    }
}

fn list(value: Option<&Value>) -> Result<&Vec<Value>, String> {
    value.and_then(Value::as_array).ok_or_else(|| "`coordinates` are no list".into())
}

fn outline(rings: Option<&Value>) -> Result<Outline, String> {
    let rings: Result<_, _> = list(rings)?.iter().map(ring).collect();
    Ok(Outline { rings: rings? })
}

fn ring(ring: &Value) -> Result<Vec<[f64; 2]>, String> {
    let corner = |corner: &Value| {
        let at = |axis: usize| corner.get(axis).and_then(Value::as_f64);
        match (at(0), at(1)) {
            (Some(lon), Some(lat)) => Ok([lon, lat]),
            _ => Err(format!(
                "{} is no corner: [longitude, latitude]",
                netloom_units::quoted(&corner.to_string())
            )),
        }
    };
    let mut corners = list(Some(ring))?.iter().map(corner).collect::<Result<Vec<_>, String>>()?;
    // GeoJSON repeats the first corner as the last one.
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    if corners.len() < 3 { Err("a ring needs three corners or more".into()) } else { Ok(corners) }
}
