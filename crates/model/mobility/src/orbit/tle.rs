//! Two-line elements, and the model that they are made for: SGP4 (Vallado, Crawford, Hujsak &
//! Kelso 2006), with the constants of WGS 72 that elements are computed with.

use std::fmt;

use netloom_units::{DataError, DataFormat, Time, check_count, quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Earth, Orbiting};
use crate::Point;

/// Two-line elements of satellites, each with its name: the lines of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[schemars(with = "Vec<String>")]
pub struct Elements(Vec<[String; 3]>);

/// Why elements give no orbits.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TleError {
    /// SGP4 refuses the elements.
    #[error("the elements of {name} make no orbit: {reason}")]
    NoOrbit {
        /// The satellite.
        name: String,
        /// SGP4's own words.
        reason: String,
    },
    /// The satellite comes down before the end.
    #[error(
        "SGP4 has no place for {name} {minutes} min after its elements: {reason}; take newer ones"
    )]
    Decayed {
        /// The satellite.
        name: String,
        /// Minutes since its elements.
        minutes: i64,
        /// SGP4's own words.
        reason: String,
    },
}

/// A satellite at work.
pub struct TleOrbit {
    name: String,
    constants: sgp4::Constants,
    /// Minutes from its elements to the zero.
    zero: f64,
}

impl Elements {
    /// How many satellites there are; never none.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The orbits, with the time of the latest elements as their zero, and how the Earth stands
    /// then. All are checked for `time` from the zero on.
    ///
    /// # Errors
    /// SGP4 refuses the elements of a satellite, or it comes down earlier.
    pub fn orbits(
        &self,
        time: netloom_units::Duration,
    ) -> Result<(Vec<TleOrbit>, Earth), TleError> {
        let mut all = Vec::new();
        for [name, first, second] in &self.0 {
            let no_orbit = |reason: String| TleError::NoOrbit { name: name.clone(), reason };
            let elements = elements(first, second).map_err(no_orbit)?;
            let constants = sgp4::Constants::from_elements_afspc_compatibility_mode(&elements);
            let constants = constants.map_err(|error| no_orbit(error.to_string()))?;
            all.push((name.clone(), elements, constants));
        }
        let latest = all.iter().max_by_key(|(_, elements, _)| elements.datetime);
        let (epoch, meridian) = latest.map_or((None, 0.0), |(_, elements, _)| {
            let epoch = elements.epoch_afspc_compatibility_mode();
            (Some(elements.datetime), sgp4::afspc_epoch_to_sidereal_time(epoch))
        });
        let orbits = all.into_iter().map(|(name, elements, constants)| {
            let since = epoch.map_or(0, |epoch| (epoch - elements.datetime).num_milliseconds());
            let orbit = TleOrbit { name, constants, zero: since as f64 / 60_000.0 };
            let end = Time::ZERO + time;
            orbit.place(Time::ZERO)?;
            orbit.place(end)?;
            Ok(orbit)
        });
        Ok((orbits.collect::<Result<_, _>>()?, Earth::Ellipsoid(meridian)))
    }
}

/// The elements of two lines.
fn elements(first: &str, second: &str) -> Result<sgp4::Elements, String> {
    sgp4::Elements::from_tle(None, first.as_bytes(), second.as_bytes())
        .map_err(|error| error.to_string())
}

impl TleOrbit {
    /// The satellite's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn place(&self, at: Time) -> Result<Point, TleError> {
        let minutes = self.zero + at.since(Time::ZERO).as_secs_f64() / 60.0;
        let predicted =
            self.constants.propagate_afspc_compatibility_mode(sgp4::MinutesSinceEpoch(minutes));
        let [x, y, z] = predicted
            .map_err(|error| TleError::Decayed {
                name: self.name.clone(),
                minutes: minutes as i64,
                reason: error.to_string(),
            })?
            .position;
        Ok(Point::new(x * 1000.0, y * 1000.0, z * 1000.0))
    }
}

impl Orbiting for TleOrbit {
    /// Where it is. Beyond the time for which it was checked it may have come down: then it is in
    /// the middle of the Earth, where nobody sees it.
    fn position(&self, at: Time) -> Point {
        self.place(at).unwrap_or(Point::ZERO)
    }
}

impl fmt::Debug for TleOrbit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TleOrbit({}, {} min)", self.name, self.zero)
    }
}

impl DataFormat for Elements {
    const WHAT: &'static str = "file of two-line elements";

    /// Lines `1 …` and `2 …` of each satellite, with a line for its name in front or without.
    fn parse(text: &str) -> Result<Self, DataError> {
        let mut all = Vec::new();
        let mut name: Option<String> = None;
        let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim_end()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        while let Some((number, line)) = lines.next() {
            if !line.starts_with("1 ") {
                name = Some(line.trim_start_matches("0 ").trim().into());
                continue;
            }
            let fault = |message: String| DataError::at(number, message);
            let second = lines.next().map(|(_, line)| line).filter(|line| line.starts_with("2 "));
            let second = second.ok_or_else(|| {
                fault(format!("{} has no second line, which begins with `2 `", quoted(line)))
            })?;
            elements(line, second).map_err(fault)?;
            let name = name.take().unwrap_or_else(|| line.get(2..7).unwrap_or("").trim().into());
            all.push([name, line.into(), second.into()]);
        }
        check_count(all.len(), "a file of two-line elements").map_err(DataError::Whole)?;
        Ok(Self(all))
    }
}

impl TryFrom<Vec<String>> for Elements {
    type Error = String;
    fn try_from(lines: Vec<String>) -> Result<Self, String> {
        Self::parse(&lines.join("\n")).map_err(|error| error.to_string())
    }
}

impl From<Elements> for Vec<String> {
    fn from(elements: Elements) -> Self {
        elements.0.into_iter().flatten().collect()
    }
}
