//! Two-line elements, and the model that they are made for: SGP4 (Vallado, Crawford, Hujsak & Kelso
//! 2006). The constants are those of WGS 72, with which elements are computed.

use std::fmt;

use netloom_units::{DataError, DataFormat, Time, check_count, quoted};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::walker::MOST_SATELLITES;
use super::{Earth, Orbiting};
use crate::Point;

/// Two-line elements of satellites, each with its name: the lines of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
pub struct Elements(Vec<[String; 3]>);

/// The reason why elements do not result in orbits.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TleError {
    /// SGP4 rejects the elements.
    #[error("the elements of {name} make no orbit: {reason}")]
    NoOrbit {
        /// Name of the satellite.
        name: String,
        /// The message of SGP4.
        reason: String,
    },
    /// The satellite decays before the end of the run.
    #[error(
        "SGP4 has no place for {name} {minutes} min after its elements: {reason}; take newer ones"
    )]
    Decayed {
        /// Name of the satellite.
        name: String,
        /// Minutes since the epoch of its elements.
        minutes: i64,
        /// The message of SGP4.
        reason: String,
    },
}

/// The orbit of one satellite.
pub struct TleOrbit {
    name: String,
    constants: sgp4::Constants,
    /// Minutes from the epoch of its elements to time zero.
    zero: f64,
}

impl Elements {
    /// Returns the number of satellites, which is never 0.
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the orbits and the rotation of the Earth at time zero, which is the epoch of the
    /// latest elements. Each orbit is checked at time zero and at `time`.
    ///
    /// If SGP4 rejects the elements of a satellite, or the satellite decays earlier.
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

/// Parses the elements of two lines.
fn elements(first: &str, second: &str) -> Result<sgp4::Elements, String> {
    // The parser takes for granted that the checksum is a digit.
    let ends_well = |line: &str| line.as_bytes().get(68).is_none_or(u8::is_ascii_digit);
    if !ends_well(first) || !ends_well(second) {
        return Err("column 69 of both lines must be their checksum, a digit".into());
    }
    sgp4::Elements::from_tle(None, first.as_bytes(), second.as_bytes())
        .map_err(|error| error.to_string())
}

impl TleOrbit {
    /// Returns the satellite's name.
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
    /// Returns the position. After the time for which it was checked, the satellite may have
    /// decayed. It is then placed at the centre of the Earth, from where it is not visible.
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

    /// Parses the lines `1 …` and `2 …` of each satellite. A line with the name may precede them.
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
        if all.len() > MOST_SATELLITES as usize {
            let count = all.len();
            let message = format!("it has {count} satellites, of at most {MOST_SATELLITES}");
            return Err(DataError::Whole(message));
        }
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
