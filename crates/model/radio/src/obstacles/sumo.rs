//! Reads SUMO's polygons: `<poly … shape="x,y x,y …"/>`. Coordinates are in metres, or in degrees
//! with `geo="true"`.

use netloom_units::{DataError, quoted};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Outline, Polygons};

/// Reads all polygons of a SUMO additional file.
pub(super) fn parse(text: &str) -> Result<Polygons, DataError> {
    let mut reader = Reader::from_str(text);
    let (mut outlines, mut degrees) = (Vec::new(), None);
    loop {
        let event = reader.read_event();
        let fault = |message: String| DataError::at(line(text, reader.buffer_position()), message);
        match event.map_err(|error| fault(format!("it is no XML: {error}")))? {
            Event::Start(element) | Event::Empty(element)
                if element.local_name().as_ref() == b"poly" =>
            {
                let poly = poly(&element).map_err(fault)?;
                if *degrees.get_or_insert(poly.degrees) != poly.degrees {
                    return Err(fault("some polygons are in degrees, others in metres".into()));
                }
                outlines.push(Outline { rings: vec![poly.corners] });
            }
            Event::Eof => break,
            _ => {}
        }
    }
    Ok(Polygons { degrees: degrees.unwrap_or(false), outlines })
}

/// Returns the number of the line that contains a byte, counted from 1.
fn line(text: &str, byte: u64) -> usize {
    let end = usize::try_from(byte).unwrap_or(usize::MAX).min(text.len());
    text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count() + 1
}

struct Poly {
    corners: Vec<[f64; 2]>,
    degrees: bool,
}

fn poly(element: &BytesStart<'_>) -> Result<Poly, String> {
    let attribute = |name: &str| {
        let found = element.try_get_attribute(name).map_err(|error| error.to_string())?;
        let value = found.map(|found| String::from_utf8(found.value.into_owned()));
        value.transpose().map_err(|error| error.to_string())
    };
    let shape = attribute("shape")?.ok_or("`poly` has no `shape`")?;
    let degrees = attribute("geo")?.is_some_and(|geo| matches!(geo.as_str(), "true" | "1"));
    let mut corners = shape.split_whitespace().map(corner).collect::<Result<Vec<_>, _>>()?;
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    match corners.len() {
        0..3 => Err("a `shape` needs three corners or more".into()),
        _ => Ok(Poly { corners, degrees }),
    }
}

/// Parses `x,y` or `x,y,z`.
fn corner(text: &str) -> Result<[f64; 2], String> {
    let mut numbers = text.split(',').map(|number| number.parse::<f64>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(x), Some(y)) => Ok([x, y]),
        _ => Err(format!("{} is no corner: `x,y`", quoted(text))),
    }
}
