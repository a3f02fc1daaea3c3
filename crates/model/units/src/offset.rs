//! Signed lengths of time, which are added to a delay.

use std::fmt;
use std::str::FromStr;

use crate::{Duration, UnitError, text_quantity};

/// A signed length of time in whole nanoseconds, up to 292 years in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Offset(i64);

impl Offset {
    /// The offset 0.
    pub const ZERO: Offset = Offset(0);

    /// Returns an offset of `nanos` nanoseconds. A negative one makes a delay shorter.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Returns the offset in nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }
}

impl FromStr for Offset {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (sign, length) = match trimmed.strip_prefix('-') {
            Some(length) => (-1, length),
            None => (1, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let length: Duration = length.parse()?;
        let nanos = i64::try_from(length.as_nanos()).map_err(|_| UnitError::OutOfRange {
            text: text.into(),
            range: "an offset is at most 292 years either way",
        })?;
        Ok(Self(sign * nanos))
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        f.pad(&format!("{sign}{}", Duration::from_nanos(self.0.unsigned_abs())))
    }
}

text_quantity!(
    Offset,
    "offset",
    r"^[-+]?[0-9]+(\.[0-9]+)? *(ns|us|µs|ms|s|min|h)$",
    "A signed length of time with its unit, like `-1.5ms`.",
    "-1.5ms"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_read_and_printed() {
        for (text, nanos) in [("-1.5ms", -1_500_000), ("2us", 2000), ("0", 0), ("+3ns", 3)] {
            let offset: Offset = text.parse().unwrap();
            assert_eq!(offset.as_nanos(), nanos);
            assert_eq!(offset.to_string().parse::<Offset>().unwrap(), offset);
        }
        assert!("--1ms".parse::<Offset>().is_err());
        assert!("-300000h".parse::<Offset>().is_ok());
        assert!("3000000h".parse::<Offset>().is_err());
    }
}
