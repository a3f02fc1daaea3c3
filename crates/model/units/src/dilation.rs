//! Time dilation: the factor by which the experiment's time is slower than the machine's.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::decimal::parse_number;
use crate::{Duration, UnitError};

/// The time dilation factor of an experiment, from 0.1 to 1000: the machine's time divided by the
/// experiment's (Gupta et al. 2006). At 10, ten seconds of the machine are one second of the
/// experiment.
///
/// The factor is a whole number of millionths, so that times are converted exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dilation {
    millionths: u64,
}

/// Millionths in 1.
const MILLIONTHS: u64 = 1_000_000;
const LEAST: u64 = MILLIONTHS / 10;
const MOST: u64 = 1000 * MILLIONTHS;

impl Dilation {
    /// No dilation: the experiment's time is the machine's.
    pub const NONE: Dilation = Dilation { millionths: MILLIONTHS };

    /// Whether the experiment's time is the machine's.
    pub const fn is_none(&self) -> bool {
        self.millionths == MILLIONTHS
    }

    /// Returns the factor in millionths.
    pub const fn millionths(self) -> u64 {
        self.millionths
    }

    /// Returns the factor as the nearest float, for printing and statistics only.
    pub fn as_f64(self) -> f64 {
        self.millionths as f64 / MILLIONTHS as f64
    }

    /// Returns the time of the experiment that passes in `machine`, rounded down.
    #[inline]
    pub const fn to_experiment(self, machine: Duration) -> Duration {
        let nanos = machine.as_nanos();
        if self.is_none() {
            return machine;
        }
        // This is exact without wider integers, because the remainder is below 10⁹.
        let (whole, rest) = (nanos / self.millionths, nanos % self.millionths);
        let part = rest * MILLIONTHS / self.millionths;
        Duration::from_nanos(whole.saturating_mul(MILLIONTHS).saturating_add(part))
    }

    /// Returns the time of the machine in which `experiment` passes, rounded up. A wait of this
    /// length is long enough.
    #[inline]
    pub const fn to_machine(self, experiment: Duration) -> Duration {
        let nanos = experiment.as_nanos();
        if self.is_none() {
            return experiment;
        }
        let (whole, rest) = (nanos / MILLIONTHS, nanos % MILLIONTHS);
        let part = (rest * self.millionths).div_ceil(MILLIONTHS);
        Duration::from_nanos(whole.saturating_mul(self.millionths).saturating_add(part))
    }
}

impl Default for Dilation {
    fn default() -> Self {
        Self::NONE
    }
}

impl FromStr for Dilation {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let range = "a dilation is from 0.1 to 1000";
        let out_of_range = || UnitError::OutOfRange { text: text.into(), range };
        let not_a_number = || UnitError::NotPlain {
            text: text.into(),
            quantity: "dilation",
            example: "10".into(),
        };
        let (is_negative, number) = match text.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, text),
        };
        let (digits, fraction) = parse_number(number).ok_or_else(not_a_number)?;
        if is_negative {
            return Err(out_of_range());
        }
        let scale = 10u128.pow(fraction);
        let scaled = digits.checked_mul(u128::from(MILLIONTHS)).ok_or_else(out_of_range)?;
        let millionths = u64::try_from(scaled / scale).map_err(|_| out_of_range())?;
        if !(LEAST..=MOST).contains(&millionths) {
            return Err(out_of_range());
        }
        if scaled % scale != 0 {
            return Err(UnitError::TooFine { text: text.into(), base: "millionths" });
        }
        Ok(Self { millionths })
    }
}

impl fmt::Display for Dilation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.millionths / MILLIONTHS, self.millionths % MILLIONTHS);
        if rest == 0 {
            return f.pad(&whole.to_string());
        }
        f.pad(format!("{whole}.{rest:06}").trim_end_matches('0'))
    }
}

impl Serialize for Dilation {
    /// Serializes the factor as a number, as an integer if it is whole.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.millionths % MILLIONTHS {
            0 => serializer.serialize_u64(self.millionths / MILLIONTHS),
            _ => serializer.serialize_f64(self.as_f64()),
        }
    }
}

impl<'de> Deserialize<'de> for Dilation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Dilation;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number from 0.1 to 1000")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Dilation, E> {
                text.parse().map_err(E::custom)
            }
            crate::visit_numbers_as_text!();
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dilation {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dilation".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "number",
            "description": "The machine's time divided by the experiment's, to six decimals.",
            "minimum": 0.1,
            "maximum": 1000,
            "examples": [10],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(text: &str) -> Dilation {
        text.parse().unwrap()
    }

    fn ns(nanos: u64) -> Duration {
        Duration::from_nanos(nanos)
    }

    #[test]
    fn it_is_a_number_between_a_tenth_and_a_thousand() {
        for text in ["0.1", "0.25", "1", "10", "2.5", "1000", "3.141593"] {
            assert_eq!(by(text).to_string(), text);
            let json = serde_json::to_string(&by(text)).unwrap();
            assert_eq!(json, text);
            assert_eq!(serde_json::from_str::<Dilation>(&json).unwrap(), by(text));
        }
        assert!(by("1.000").is_none());
        let why = |text: &str| text.parse::<Dilation>().unwrap_err().to_string();
        for text in ["0", "0.09", "1001", "-5", "0.0999999"] {
            assert!(why(text).contains("out of range; a dilation is from 0.1 to 1000"), "{text}");
        }
        assert!(why("1.0000001").contains("whole number of millionths"));
        for text in ["ten", "10x", "", "1e3", "-"] {
            assert!(why(text).contains("write a plain number, like `10`"), "{text}: {}", why(text));
        }
    }

    #[test]
    fn times_are_converted_exactly() {
        assert_eq!(by("10").to_experiment(ns(1_000_000_009)), ns(100_000_000));
        assert_eq!(by("10").to_machine(ns(100_000_001)), ns(1_000_000_010));
        assert_eq!(by("0.25").to_experiment(ns(1_000_000_001)), ns(4_000_000_004));
        assert_eq!(by("0.25").to_machine(ns(5)), ns(2));
        assert_eq!(by("1000").to_machine(ns(u64::MAX)), ns(u64::MAX));
        assert_eq!(Dilation::NONE.to_machine(ns(7)), ns(7));
    }

    proptest::proptest! {
        #[test]
        fn who_sleeps_as_long_as_it_takes_does_not_wake_early(
            millionths in LEAST..=MOST,
            nanos in 0u64..1_000_000_000_000_000,
        ) {
            let dilation = Dilation { millionths };
            let machine = dilation.to_machine(ns(nanos));
            let passed = dilation.to_experiment(machine);
            proptest::prop_assert!(passed >= ns(nanos), "{passed:?}");
            let exact = u128::from(nanos) * u128::from(millionths);
            proptest::prop_assert_eq!(
                u128::from(machine.as_nanos()),
                exact.div_ceil(u128::from(MILLIONTHS))
            );
            let exact = u128::from(nanos) * u128::from(MILLIONTHS) / u128::from(millionths);
            proptest::prop_assert_eq!(
                u128::from(dilation.to_experiment(ns(nanos)).as_nanos()), exact
            );
        }
    }
}
