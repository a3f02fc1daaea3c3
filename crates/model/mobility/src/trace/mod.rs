//! Recorded movements, and the formats of their files.
//!
//! | file | format |
//! |---|---|
//! | `ns2` | movement scripts of ns-2, as `setdest`, BonnMotion and SUMO write them |
//! | `bonnmotion` | BonnMotion's own format: one line for each node |
//! | `fcd` | SUMO's floating car data, XML |
//! | `gpx` | tracks of satellite receivers, XML |
//! | `csv` | one line for each fix; can express all features of a trajectory |
//! | `nodes` | names of nodes in natural order |
//! | `text`, `xml` | functions that the readers share |

mod bonnmotion;
mod csv;
mod fcd;
mod gpx;
mod nodes;
mod ns2;
mod text;
mod xml;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use netloom_units::{DataError, DataFormat, MAX_VALUES, Time, quoted};
use serde::{Deserialize, Serialize};

use crate::{Geographic, MobilityError, Plane, Point, Trajectory};
use nodes::Name;

/// Declares the formats from one table.
macro_rules! formats {
    ($($(#[doc = $doc:literal])* $variant:ident($module:ident) = $name:literal;)*) => {
        /// A format of recorded movements.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum TraceFormat {
            $($(#[doc = $doc])* #[serde(rename = $name)] $variant,)*
        }

        impl TraceFormat {
            /// All formats, each with its name and a description.
            pub const ALL: &[(TraceFormat, &str, &str)] =
                &[$((Self::$variant, $name, concat!($($doc),*))),*];

            /// Guesses the format of a text.
            pub fn guess(text: &str) -> Option<Self> {
                None$(.or_else(|| $module::seems(text).then_some(Self::$variant)))*
            }

            /// Reads a text of this format.
            ///
            /// # Errors
            /// The first fault, with its line.
            pub fn read(self, text: &str) -> Result<Traces, DataError> {
                let traces = match self {
                    $(Self::$variant => $module::read(text),)*
                };
                traces?.checked(self)
            }

            /// Writes movements up to a time.
            ///
            /// # Errors
            /// A sentence about the movement that the format cannot express.
            pub fn write(self, movements: &Movements<'_>) -> Result<String, String> {
                match self {
                    $(Self::$variant => $module::write(movements),)*
                }
            }
        }
    };
}

formats! {
    /// ns-2's movement script: `setdest`.
    Ns2(ns2) = "ns2";
    /// SUMO's floating car data.
    Fcd(fcd) = "fcd";
    /// GPX: tracks of satellite receivers.
    Gpx(gpx) = "gpx";
    /// BonnMotion: a line of times and places for each node.
    Bonnmotion(bonnmotion) = "bonnmotion";
    /// CSV: `time,node,x,y,z`.
    Csv(csv) = "csv";
}

impl TraceFormat {
    /// Returns the format's name.
    pub fn name(self) -> &'static str {
        // All formats are in the table.
        Self::ALL.iter().find(|(format, ..)| *format == self).map_or("", |(_, name, _)| name)
    }
}

impl FromStr for TraceFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, name, _)| *name == text);
        found.map(|(format, ..)| *format).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(_, name, _)| *name).collect();
            format!("`{text}` is no format of movements; formats are {}", names.join(", "))
        })
    }
}

impl fmt::Display for TraceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Movements to be written into a file.
#[derive(Debug, Clone, Copy)]
pub struct Movements<'a> {
    /// Names and trajectories, in the order of the file. Trajectories must be drawn up to `until`.
    pub nodes: &'a [(String, Trajectory)],
    /// Time up to which movements are written.
    pub until: Time,
    /// The plane that converts metres to degrees, for formats that use these.
    pub plane: Option<&'a Plane>,
}

/// The position of a node at a time. Between two fixes the node moves straight. Two fixes at the
/// same time are a jump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fix {
    /// Time of the fix, in the file's time.
    pub at: Time,
    /// Position in metres, or in degrees: x is the longitude, y the latitude, z the altitude in
    /// metres.
    pub point: Point,
    /// Whether the node is present from then on.
    pub on: bool,
}

/// Recorded movements of nodes.
///
/// Written, where there is no file, as a list of lines of CSV.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
pub struct Traces {
    /// The format of the file that they came from.
    format: Option<TraceFormat>,
    /// Whether places are degrees.
    degrees: bool,
    nodes: BTreeMap<Name, Vec<Fix>>,
    /// Parts of the file that are left out, in words.
    left_out: Vec<String>,
}

impl Traces {
    /// Returns the format of the file that the traces were read from.
    pub fn format(&self) -> Option<TraceFormat> {
        self.format
    }

    /// Returns the names of the nodes in natural order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.nodes.keys().map(Name::as_str)
    }

    /// Whether places are on the Earth, so that a plane is needed.
    pub fn needs_plane(&self) -> bool {
        self.degrees
    }

    /// Whether places are metres by the file's format, and all of them would be degrees just as
    /// well: longitudes and latitudes, of which some are no whole numbers. Programs write degrees
    /// into formats that have no word for them, as SUMO into FCD with `--fcd-output.geo`.
    pub fn may_be_degrees(&self) -> bool {
        let points = || self.nodes.values().flatten().map(|fix| fix.point);
        let is_whole = |value: f64| libm::trunc(value) == value;
        !self.degrees
            && points().all(|point| point.x.abs() <= 180.0 && point.y.abs() <= 90.0)
            && points().any(|point| !is_whole(point.x) || !is_whole(point.y))
    }

    /// Returns the trace of one node alone.
    pub fn of_node(&self, node: &str) -> Option<Self> {
        let name = Name::new(node);
        let fixes = self.nodes.get(&name)?.clone();
        Some(Self { nodes: BTreeMap::from([(name, fixes)]), left_out: Vec::new(), ..*self })
    }

    /// Returns these traces with places in degrees: x is the longitude, y the latitude.
    ///
    /// # Errors
    /// If a place is none on the Earth, and if the file has speeds, which are in metres.
    pub fn in_degrees(mut self) -> Result<Self, MobilityError> {
        if self.format == Some(TraceFormat::Ns2) {
            return Err(MobilityError::SpeedsInMetres);
        }
        for (name, fixes) in &self.nodes {
            for Fix { point, .. } in fixes {
                let place = Geographic { lat: point.y, lon: point.x, alt: point.z };
                place.check().map_err(|problem| MobilityError::NoPlace {
                    node: name.as_str().into(),
                    problem,
                })?;
            }
        }
        self.degrees = true;
        Ok(self)
    }

    /// Returns the first place on the Earth, as an origin for scenarios that have none.
    pub fn first_place(&self) -> Option<Geographic> {
        let first = self.nodes.values().find_map(|fixes| fixes.first())?.point;
        self.degrees.then_some(Geographic { lat: first.y, lon: first.x, alt: first.z })
    }

    /// Returns descriptions of the parts of the file that are no movements and are left out.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Returns the time at which the last node is at its last place, in the file's time.
    pub fn last(&self) -> Time {
        let ends = self.nodes.values().filter_map(|fixes| fixes.last());
        ends.map(|fix| fix.at).max().unwrap_or(Time::ZERO)
    }

    /// Returns the trajectory of a node. Its time zero is the file's time `start`. `place`
    /// transforms each place, in metres. A node is at its first fix before that fix, and at its
    /// last fix after that one.
    ///
    /// # Errors
    /// If there is no such node, or places are in degrees and there is no plane.
    pub fn trajectory(
        &self,
        node: &str,
        plane: Option<&Plane>,
        start: Time,
        place: &dyn Fn(Point) -> Point,
    ) -> Result<Trajectory, MobilityError> {
        let unknown = || MobilityError::UnknownNode { node: node.into(), known: self.known() };
        let fixes = self.nodes.get(&Name::new(node)).ok_or_else(unknown)?;
        if self.degrees && plane.is_none() {
            return Err(MobilityError::NoOrigin);
        }
        let metres = |point: Point| match plane {
            Some(plane) if self.degrees => {
                plane.point(Geographic { lat: point.y, lon: point.x, alt: point.z })
            }
            _ => point,
        };
        let point = |fix: &Fix| place(metres(fix.point));
        // A node has at least one fix.
        let first = fixes.first().ok_or_else(unknown)?;
        let mut path = Trajectory::fixed(point(first));
        path.switch(first.on);
        for fix in fixes {
            path.reach(point(fix), fix.at);
            path.switch(fix.on);
        }
        Ok(path.from(start))
    }

    /// Lists the known nodes, in words.
    fn known(&self) -> String {
        const MOST: usize = 5;
        let names: Vec<_> = self.names().take(MOST).map(|name| format!("`{name}`")).collect();
        let more = if self.nodes.len() > MOST { ", …" } else { "" };
        format!("it has {}{more} ({} in all)", names.join(", "), self.nodes.len())
    }

    /// Appends a fix of a node.
    fn push(&mut self, node: &str, fix: Fix) {
        self.nodes.entry(Name::new(node)).or_default().push(fix);
    }

    /// Rejects movements that go back in time or leave the bounds, and traces without movements.
    fn checked(mut self, format: TraceFormat) -> Result<Self, DataError> {
        let whole = |message: String| Err(DataError::Whole(message));
        let count: usize = self.nodes.values().map(Vec::len).sum();
        match count {
            0 => return whole(format!("there is no movement of {format} in it")),
            1..=MAX_VALUES => {}
            _ => return whole(format!("a trace has at most {MAX_VALUES} places, not {count}")),
        }
        for (name, fixes) in &self.nodes {
            let name = name.as_str();
            if !can_write(name) {
                return whole(format!(
                    "a node is called {}; a name is not empty and has no comma, no `#` and no \
                     blank at its ends",
                    quoted(name)
                ));
            }
            if let Some(fix) = fixes.iter().find(|fix| fix.at > text::LATEST) {
                return whole(format!("node {name} arrives at {}, too late", fix.at));
            }
            if let Some(pair) = fixes.windows(2).find(|pair| pair[1].at < pair[0].at) {
                return whole(format!("node {name} is at {} after {}", pair[1].at, pair[0].at));
            }
            let bounds = if self.degrees { [180.0, 90.0, 1e9] } else { [1e9; 3] };
            let within = |point: Point| {
                let sizes = [point.x, point.y, point.z].map(f64::abs);
                // NaN is not within any bounds.
                sizes.iter().zip(bounds).all(|(size, bound)| *size <= bound)
            };
            if let Some(fix) = fixes.iter().find(|fix| !within(fix.point)) {
                let Point { x, y, z } = fix.point;
                return whole(format!("node {name} is at ({x}, {y}, {z}) at {}", fix.at));
            }
        }
        self.format = Some(format);
        Ok(self)
    }
}

impl DataFormat for Traces {
    const WHAT: &'static str = "movement trace";

    fn parse(text: &str) -> Result<Self, DataError> {
        let format = TraceFormat::guess(text).ok_or_else(|| {
            let names: Vec<_> = TraceFormat::ALL.iter().map(|(_, name, _)| *name).collect();
            DataError::Whole(format!("it is none of the formats {}", names.join(", ")))
        })?;
        format.read(text)
    }
}

impl TryFrom<Vec<String>> for Traces {
    type Error = String;
    fn try_from(lines: Vec<String>) -> Result<Self, String> {
        TraceFormat::Csv.read(&lines.join("\n")).map_err(|error| error.to_string())
    }
}

/// Whether a name can be written into a cell.
fn can_write(name: &str) -> bool {
    let is_plain = !name.contains(|c: char| c == ',' || c == '#' || c.is_control());
    !name.is_empty() && is_plain && name.trim() == name
}

/// Returns the fixes of a trajectory up to a time. There is one where each leg begins, one where a
/// leg ends if the next one begins elsewhere, and one at the end.
fn fixes(path: &Trajectory, until: Time) -> Vec<Fix> {
    /// A distance up to this, in m, is a rounding error and not a jump.
    const SLACK: f64 = 1e-6;
    let mut fixes: Vec<Fix> = Vec::new();
    let legs = path.legs();
    let within = legs.partition_point(|leg| leg.start < until).max(1);
    for (index, leg) in legs[..within].iter().enumerate() {
        fixes.push(Fix { at: leg.start, point: leg.at, on: leg.on });
        let next = legs[..within].get(index + 1);
        let end = next.map_or(until, |next| next.start);
        let point = leg.position(end);
        let is_apart = match next {
            Some(next) => next.at.distance(point) > SLACK,
            None => leg.velocity != Point::ZERO && end > leg.start,
        };
        if is_apart {
            fixes.push(Fix { at: end, point, on: leg.on });
        }
    }
    fixes
}
