//! GPX 1.0 and 1.1: tracks of satellite receivers. Each track is a node, identified by its name or
//! number. The segments of a track follow each other. The earliest point of all tracks is at time
//! 0. Routes and waypoints have no times and are left out.

use netloom_units::{DataError, Time};

use super::xml::{self, Element, Item};
use super::{Fix, Movements, Traces, fixes, text};
use crate::{Geographic, Point};

/// Whether a text looks like GPX.
pub(super) fn seems(text: &str) -> bool {
    xml::begins_with(text, "gpx")
}

/// A point of a track, with its time in nanoseconds since 1970.
struct Timed {
    nanos: i128,
    point: Point,
}

/// The state of the reader.
#[derive(Default)]
struct State {
    tracks: Vec<(String, Vec<Timed>)>,
    /// The open elements, outermost first.
    open: Vec<String>,
    point: Option<Point>,
    nanos: Option<i128>,
    text: String,
    left_out: usize,
}

pub(super) fn read(text: &str) -> Result<Traces, DataError> {
    let mut state = State::default();
    xml::read(text, &mut |item| match item {
        Item::Open(element) => state.open(&element),
        Item::Text(part) => {
            state.text += part;
            Ok(())
        }
        Item::Close(name) => state.close(name),
    })?;
    state.traces().map_err(DataError::Whole)
}

impl State {
    fn open(&mut self, element: &Element<'_>) -> Result<(), String> {
        self.text.clear();
        match element.name {
            "trk" => self.tracks.push((String::new(), Vec::new())),
            "trkpt" => {
                let number = |name: &str| text::number(&element.need(name)?);
                self.point = Some(Point::new(number("lon")?, number("lat")?, 0.0));
                self.nanos = None;
            }
            "wpt" | "rte" => self.left_out += 1,
            _ => {}
        }
        self.open.push(element.name.into());
        Ok(())
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        self.open.pop();
        let within = self.open.last().map(String::as_str);
        let text = self.text.trim();
        match (name, within) {
            ("name", Some("trk")) => {
                if let Some((name, _)) = self.tracks.last_mut() {
                    *name = text.into();
                }
            }
            ("ele", Some("trkpt")) => {
                let z = text::number(text)?;
                self.point = self.point.map(|point| Point { z, ..point });
            }
            ("time", Some("trkpt")) => self.nanos = Some(nanos(text)?),
            ("trkpt", _) => {
                let nanos = self.nanos.ok_or("a point of a track has no `time`")?;
                let track = self.tracks.last_mut().ok_or("a point outside a track")?;
                track.1.extend(self.point.take().map(|point| Timed { nanos, point }));
            }
            _ => {}
        }
        self.text.clear();
        Ok(())
    }

    fn traces(self) -> Result<Traces, String> {
        let points = self.tracks.iter().flat_map(|(_, points)| points);
        let zero = points.map(|point| point.nanos).min().unwrap_or_default();
        let mut traces = Traces { degrees: true, ..Traces::default() };
        for (index, (name, points)) in self.tracks.into_iter().enumerate() {
            let name = if name.is_empty() { (index + 1).to_string() } else { name };
            if traces.names().any(|known| known == name) {
                return Err(format!("two tracks are called `{name}`"));
            }
            for Timed { nanos, point } in points {
                let at = text::seconds((nanos - zero) as f64 / 1e9)?;
                traces.push(&name, Fix { at, point, on: true });
            }
        }
        if self.left_out > 0 {
            traces.left_out.push(format!("{} waypoints and routes, without times", self.left_out));
        }
        Ok(traces)
    }
}

/// Parses a time like `2024-05-01T12:00:00.5Z`, or with `+02:00` instead of `Z`. Returns
/// nanoseconds since 1970.
fn nanos(text: &str) -> Result<i128, String> {
    let wrong =
        || format!("{} is no time like `2024-05-01T12:00:00Z`", netloom_units::quoted(text));
    parsed(text).ok_or_else(wrong)
}

fn parsed(text: &str) -> Option<i128> {
    let (date, rest) = text.split_once(['T', ' '])?;
    let (time, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => (&rest[..at], offset_minutes(&rest[at..])?),
        None => (rest, 0),
    };
    let [year, month, day] = numbers(date, '-')?;
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [hour, minute, second] = numbers(clock, ':')?;
    let is_time = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (1..10_000).contains(&year)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !is_time || fraction.is_empty() || !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let exact: i128 = format!("{:0<9}", &fraction[..fraction.len().min(9)]).parse().ok()?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset;
    Some(i128::from(minutes * 60 + second) * 1_000_000_000 + exact)
}

/// Parses `Z`, `+02:00` or `-0330`. Returns the minutes east of Greenwich.
fn offset_minutes(text: &str) -> Option<i64> {
    let (sign, digits) = match text.split_at(1) {
        ("Z" | "z", "") => return Some(0),
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits: String = digits.chars().filter(|c| *c != ':').collect();
    let number: i64 = digits.parse().ok().filter(|_| digits.len() == 4)?;
    Some(sign * (number / 100 * 60 + number % 100))
}

/// Parses three whole numbers.
fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let digits = |part: &str| {
        let is_number = (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|_| is_number)
    };
    let all: Option<Vec<i64>> = text.split(separator).map(digits).collect();
    all?.try_into().ok()
}

/// Returns the number of days since 1970 of a day in the Gregorian calendar (Hinnant's algorithm).
fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that a leap day is the last day of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Formats a time since 1970 as a date and a time of day.
fn date(at: Time) -> String {
    let (seconds, nanos) = (at.as_nanos() / 1_000_000_000, at.as_nanos() % 1_000_000_000);
    let (days, second) = ((seconds / 86_400) as i64, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanos:09}Z")
}

pub(super) fn write(movements: &Movements<'_>) -> Result<String, String> {
    let plane = movements.plane.ok_or("GPX has places on the Earth: say where the origin is")?;
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <gpx version=\"1.1\" creator=\"netloom\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n",
    );
    for (name, path) in movements.nodes {
        let name = quick_xml::escape::escape(name.as_str());
        text += &format!("  <trk>\n    <name>{name}</name>\n    <trkseg>\n");
        for fix in fixes(path, movements.until) {
            if !fix.on {
                return Err(format!(
                    "GPX has no way to say that {name} is absent at times; CSV has"
                ));
            }
            let Geographic { lat, lon, alt } = plane.place(fix.point);
            let time = date(fix.at);
            text += &format!(
                "      <trkpt lat=\"{lat:.10}\" lon=\"{lon:.10}\"><ele>{alt}</ele>\
                 <time>{time}</time></trkpt>\n"
            );
        }
        text += "    </trkseg>\n  </trk>\n";
    }
    Ok(text + "</gpx>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_they_are_written() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2024-05-01T14:00:00.25+02:00", 1_714_564_800),
            ("2024-05-01T12:00:00", 1_714_564_800),
        ] {
            let found = parsed(text).unwrap();
            assert_eq!(found.div_euclid(1_000_000_000), seconds, "{text}");
        }
        for day in (0..40_000u64).step_by(17) {
            let at = Time::from_nanos((day * 86_400 + day) * 1_000_000_000 + day);
            assert_eq!(parsed(&date(at)), Some(i128::from(at.as_nanos())), "{}", date(at));
        }
        for text in
            ["", "2024", "2024-13-01T00:00:00Z", "2024-01-01T25:00:00Z", "2024-01-01T00:00:00.Z"]
        {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
