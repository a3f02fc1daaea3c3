//! The notation of differentiated services code points: numbers or standard names; one of them, or
//! a set.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// A set of code points, written as one code point or as a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dscps {
    /// Bit n stands for code point n.
    set: u64,
}

impl Dscps {
    /// Creates a set. Code points above 63 do not exist and are left out.
    pub fn of(dscps: impl IntoIterator<Item = u8>) -> Self {
        let bits = dscps.into_iter().filter(|dscp| *dscp < 64).map(|dscp| 1 << dscp);
        Self { set: bits.fold(0, |set, bit: u64| set | bit) }
    }

    /// Whether the set contains `dscp`.
    #[inline]
    pub const fn contains(self, dscp: u8) -> bool {
        dscp < 64 && self.set & (1 << dscp) != 0
    }

    /// The code points in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |dscp| self.contains(*dscp))
    }

    fn insert(&mut self, dscp: Dscp) {
        self.set |= 1 << dscp.0;
    }
}

/// One code point (RFC 2474), written as a number from 0 to 63 or a name like `ef`, `af41` or
/// `cs6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Dscp(u8);

impl Dscp {
    /// Number of the code point, 0 to 63.
    pub const fn value(self) -> u8 {
        self.0
    }
}

impl TryFrom<u64> for Dscp {
    type Error = String;
    fn try_from(number: u64) -> Result<Self, String> {
        let value = u8::try_from(number).ok().filter(|value| *value < 64).map(Self);
        value.ok_or_else(|| format!("a DSCP is a number from 0 to 63 or a name, not {number}"))
    }
}

impl FromStr for Dscp {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let number: Option<u64> = text.parse().ok().or_else(|| named(&text.to_ascii_lowercase()));
        Self::try_from(number.ok_or_else(|| {
            format!(
                "`{text}` is not a DSCP; write a number from 0 to 63, or a name: `be`, `le`, `ef`, \
                 `va`, `cs0` to `cs7`, `af11` to `af43`"
            )
        })?)
    }
}

/// Returns the code point with this name (RFC 2474, 2597, 3246, 5865, 8622).
fn named(name: &str) -> Option<u64> {
    let digits: Vec<u64> =
        name.chars().skip(2).map(|c| c.to_digit(10).map(u64::from)).collect::<Option<_>>()?;
    match (name.get(..2)?, digits.as_slice()) {
        ("be", []) => Some(0),
        ("le", []) => Some(1),
        ("va", []) => Some(44),
        ("ef", []) => Some(46),
        ("cs", [class @ 0..=7]) => Some(8 * class),
        ("af", [class @ 1..=4, drop @ 1..=3]) => Some(8 * class + 2 * drop),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for Dscps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DscpsVisitor;
        impl<'de> Visitor<'de> for DscpsVisitor {
            type Value = Dscps;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a DSCP like `46` or `ef`, or a list of them")
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Dscps, E> {
                let mut dscps = Dscps::default();
                dscps.insert(Dscp::try_from(number).map_err(E::custom)?);
                Ok(dscps)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Dscps, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Dscps, E> {
                let mut dscps = Dscps::default();
                dscps.insert(text.parse().map_err(E::custom)?);
                Ok(dscps)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Dscps, A::Error> {
                let mut dscps = Dscps::default();
                while let Some(Dscps { set }) = list.next_element()? {
                    dscps.set |= set;
                }
                if dscps.set == 0 {
                    return Err(de::Error::custom("a list of DSCPs has at least one"));
                }
                Ok(dscps)
            }
        }
        deserializer.deserialize_any(DscpsVisitor)
    }
}

impl<'de> Deserialize<'de> for Dscp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DscpVisitor;
        impl Visitor<'_> for DscpVisitor {
            type Value = Dscp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a DSCP like `46` or `ef`")
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Dscp, E> {
                Dscp::try_from(number).map_err(E::custom)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Dscp, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Dscp, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(DscpVisitor)
    }
}

impl Serialize for Dscp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dscp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dscp".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A DSCP: a number from 0 to 63, or a name.",
            "anyOf": [one_schema()],
            "examples": [46, "af11"],
        })
    }
}

impl Serialize for Dscps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers: Vec<u8> = self.iter().collect();
        match numbers.as_slice() {
            [number] => number.serialize(serializer),
            numbers => numbers.serialize(serializer),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Dscps {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dscps".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = one_schema();
        schemars::json_schema!({
            "description": "A DSCP, by number or by name, or a list of them.",
            "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }],
            "examples": [46, "ef", ["cs6", "cs7"]],
        })
    }
}

/// Schema of one code point.
#[cfg(feature = "schema")]
fn one_schema() -> schemars::Schema {
    schemars::json_schema!({
        "type": ["integer", "string"],
        "minimum": 0,
        "maximum": 63,
        "pattern": "^([0-9]+|[a-zA-Z]{2}[0-9]*)$",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<u8>, String> {
        serde_json::from_str::<Dscps>(text)
            .map(|dscps| dscps.iter().collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_names_and_lists_are_read() {
        assert_eq!(read("46"), Ok(vec![46]));
        assert_eq!(read("\"EF\""), Ok(vec![46]));
        assert_eq!(read(r#"["af41", "cs6", 0, "le"]"#), Ok(vec![0, 1, 34, 48]));
        assert_eq!(read(r#""af13""#), Ok(vec![14]));
    }

    #[test]
    fn errors_say_what_to_write_instead() {
        assert!(read("64").unwrap_err().contains("0 to 63"));
        assert!(read("-1").unwrap_err().contains("0 to 63"));
        assert!(read(r#""af44""#).unwrap_err().contains("`af11` to `af43`"));
        assert!(read("[]").unwrap_err().contains("at least one"));
    }

    #[test]
    fn dscps_survive_a_round_trip() {
        for text in ["46", "[10,12,14]"] {
            let dscps: Dscps = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&dscps).unwrap(), text);
        }
    }
}
