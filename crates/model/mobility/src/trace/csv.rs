//! CSV with the columns `time,node,x,y,z,on` and a line for each fix.
//!
//! Times are in seconds. Places are in metres, or in degrees in the columns `lat`, `lon` and `alt`.
//! `on` is 1 if the node is present from then on, and 0 if it is absent. `z` (or `alt`) and `on`
//! may be omitted. A heading names the columns, in any order. Without a heading the columns are
//! those above.

use netloom_units::{DataError, lines, quoted};

use super::{Fix, Movements, Traces, can_write, fixes, text};
use crate::Point;

/// The columns of a file without a heading.
const COLUMNS: [&str; 6] = ["time", "node", "x", "y", "z", "on"];

impl From<Traces> for Vec<String> {
    fn from(traces: Traces) -> Self {
        lines_of(&traces)
    }
}

/// Whether a text looks like CSV.
pub(super) fn seems(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| line.split(',').count() >= 4)
}

pub(super) fn read(text: &str) -> Result<Traces, DataError> {
    let mut traces = Traces::default();
    let mut columns: Option<Columns> = None;
    for (number, line) in lines(text) {
        let fault = |message: String| DataError::at(number, message);
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let columns = match &columns {
            Some(columns) => columns,
            None => {
                let is_heading = cells[0].parse::<f64>().is_err();
                let heading = if is_heading { &cells[..] } else { &COLUMNS };
                let found = Columns::new(heading).map_err(fault)?;
                traces.degrees = found.degrees;
                columns = Some(found);
                if is_heading {
                    continue;
                }
                // The value has just been stored.
                columns.as_ref().ok_or_else(|| fault("no columns".into()))?
            }
        };
        let (node, fix) = columns.fix(&cells).map_err(fault)?;
        traces.push(node, fix);
    }
    Ok(traces)
}

/// The number of each column in a line.
struct Columns {
    time: usize,
    node: usize,
    x: usize,
    y: usize,
    z: Option<usize>,
    on: Option<usize>,
    degrees: bool,
}

impl Columns {
    fn new(names: &[&str]) -> Result<Self, String> {
        let find = |name: &str| names.iter().position(|found| found.eq_ignore_ascii_case(name));
        let need = |name: &str| {
            find(name).ok_or_else(|| {
                format!(
                    "there is no column `{name}`; a heading is `time,node,x,y,z` or \
                         `time,node,lat,lon,alt`"
                )
            })
        };
        let known = ["time", "node", "x", "y", "z", "on", "lat", "lon", "alt"];
        if let Some(other) =
            names.iter().find(|name| !known.contains(&name.to_lowercase().as_str()))
        {
            return Err(format!(
                "{} is no column; columns are {}",
                quoted(other),
                known.join(", ")
            ));
        }
        let degrees = find("lat").is_some();
        let [x, y, z] = if degrees { ["lon", "lat", "alt"] } else { ["x", "y", "z"] };
        Ok(Self {
            time: need("time")?,
            node: need("node")?,
            x: need(x)?,
            y: need(y)?,
            z: find(z),
            on: find("on"),
            degrees,
        })
    }

    fn fix<'a>(&self, cells: &[&'a str]) -> Result<(&'a str, Fix), String> {
        let cell = |column: usize| {
            let found = cells.get(column).copied().filter(|cell| !cell.is_empty());
            found.ok_or_else(|| format!("there are {} cells, and no {}.", cells.len(), column + 1))
        };
        let number = |column: usize| text::number(cell(column)?);
        // An optional column may also be empty in a single line.
        let optional = |column: Option<usize>| column.filter(|column| cell(*column).is_ok());
        let z = optional(self.z).map_or(Ok(0.0), number)?;
        let on = match optional(self.on).map(cell).transpose()? {
            None | Some("1") => true,
            Some("0") => false,
            Some(other) => return Err(format!("{} is neither 1 nor 0", quoted(other))),
        };
        let point = Point::new(number(self.x)?, number(self.y)?, z);
        Ok((cell(self.node)?, Fix { at: text::time(cell(self.time)?)?, point, on }))
    }
}

/// Writes one line.
fn line(node: &str, fix: &Fix) -> String {
    let Fix { at, point: Point { x, y, z }, on } = fix;
    format!("{},{node},{x},{y},{z},{}", text::written(*at), u8::from(*on))
}

/// Returns the lines of traces, with a heading.
fn lines_of(traces: &Traces) -> Vec<String> {
    let heading = if traces.degrees { "time,node,lon,lat,alt,on" } else { "time,node,x,y,z,on" };
    let fixes = traces
        .nodes
        .iter()
        .flat_map(|(name, fixes)| fixes.iter().map(|fix| line(name.as_str(), fix)));
    std::iter::once(heading.to_owned()).chain(fixes).collect()
}

pub(super) fn write(movements: &Movements<'_>) -> Result<String, String> {
    let mut text = String::from("time,node,x,y,z,on\n");
    for (name, path) in movements.nodes {
        if !can_write(name) {
            return Err(format!("the name `{name}` cannot be written into CSV"));
        }
        for fix in fixes(path, movements.until) {
            text += &line(name, &fix);
            text.push('\n');
        }
    }
    Ok(text)
}
