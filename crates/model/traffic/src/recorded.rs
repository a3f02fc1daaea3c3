//! Recorded arrivals, and their text form: one line `SECONDS BYTES` each.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use netloom_units::Time;
use netloom_units::{DataError, DataFormat, check_count, lines, quoted};
use serde::{Deserialize, Serialize};

use crate::Emission;

/// The text form of an arrival: seconds and bytes, as in `0.000125 1514`.
impl fmt::Display for Emission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.at.as_nanos();
        write!(f, "{}.{:09} {}", nanos / 1_000_000_000, nanos % 1_000_000_000, self.bytes)
    }
}

/// The expected form, for messages.
const EXPECTED: &str = "seconds and bytes, like `0.000125 1514`";

impl FromStr for Emission {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("{} is not {EXPECTED}", quoted(text));
        let mut words = text.split_whitespace();
        let (at, bytes) = match (words.next(), words.next(), words.next()) {
            (Some(at), Some(bytes), None) => (at, bytes),
            _ => return Err(refused()),
        };
        let nanos = seconds(at).ok_or_else(refused)?;
        match bytes.parse() {
            Ok(bytes @ 1..) => Ok(Self { at: Time::from_nanos(nanos), bytes }),
            _ => Err(refused()),
        }
    }
}

/// Parses a plain decimal of seconds as whole nanoseconds. Digits behind the ninth must be 0, so
/// that nothing is rounded.
pub(crate) fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let (exact, beyond) = fraction.split_at(fraction.len().min(9));
    if beyond.bytes().any(|digit| digit != b'0') {
        return None;
    }
    let part: u64 = format!("{exact:0<9}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(part)
}

/// Arrivals in order of time: at least one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
pub struct Arrivals(Arc<[Emission]>);

impl Arrivals {
    /// # Errors
    /// If there are no arrivals, too many, or one is earlier than the one before.
    pub fn new(arrivals: Vec<Emission>) -> Result<Self, String> {
        check_count(arrivals.len(), "a list of arrivals")?;
        match arrivals.windows(2).position(|pair| pair[1].at < pair[0].at) {
            Some(index) => Err(format!("arrival {} is earlier than the one before", index + 2)),
            None => Ok(Self(arrivals.into())),
        }
    }

    /// Returns the arrivals.
    pub fn as_slice(&self) -> &[Emission] {
        &self.0
    }

    /// Returns the sum of all bits.
    pub(crate) fn bits(&self) -> f64 {
        self.0.iter().map(|arrival| f64::from(arrival.bytes) * 8.0).sum()
    }

    /// Returns the time of the last arrival.
    pub(crate) fn last(&self) -> Time {
        self.0[self.0.len() - 1].at
    }
}

impl TryFrom<Vec<String>> for Arrivals {
    type Error = String;
    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        let arrivals: Result<_, _> = texts.iter().map(|text| text.parse()).collect();
        Self::new(arrivals?)
    }
}

impl From<Arrivals> for Vec<String> {
    fn from(arrivals: Arrivals) -> Self {
        arrivals.0.iter().map(ToString::to_string).collect()
    }
}

impl DataFormat for Arrivals {
    const WHAT: &'static str = "list of arrivals";

    fn parse(text: &str) -> Result<Self, DataError> {
        let parsed = lines(text).map(|(number, line)| {
            line.parse::<Emission>().map_err(|error| DataError::at(number, error))
        });
        Self::new(parsed.collect::<Result<_, _>>()?).map_err(DataError::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        for (text, nanos) in [("0", 0), ("1.5", 1_500_000_000), ("0.000000001", 1), ("2.", 0)] {
            let expected = (!text.ends_with('.')).then_some(nanos);
            assert_eq!(seconds(text), expected, "{text}");
        }
        assert_eq!(seconds("0.0000000010"), Some(1));
        assert_eq!(seconds("0.0000000011"), None);
        assert_eq!(seconds("-1"), None);
        assert_eq!(seconds("99999999999999"), None);
    }

    #[test]
    fn arrivals_are_written_as_they_are_read() {
        let arrivals = Arrivals::parse("# s bytes\n0.5 60\n 0.500000001  1514\n").unwrap();
        let texts = Vec::<String>::from(arrivals.clone());
        assert_eq!(texts, ["0.500000000 60", "0.500000001 1514"]);
        assert_eq!(Arrivals::try_from(texts).unwrap(), arrivals);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, words) in [
            ("1 60\n2", "line 2: `2` is not seconds and bytes"),
            ("1 0", "line 1: `1 0` is not"),
            ("2 60\n1 60", "arrival 2 is earlier than the one before"),
            ("", "at least one"),
        ] {
            let error = Arrivals::parse(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
