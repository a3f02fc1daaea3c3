//! Values of the ECN field in the notation of classes.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::Ecn;

/// The values with their names (RFC 3168).
const NAMED: [(&str, Ecn); 4] = [
    ("not_ect", Ecn::NotCapable),
    ("ect1", Ecn::Capable1),
    ("ect0", Ecn::Capable0),
    ("ce", Ecn::Congestion),
];

/// A set of values of the ECN field (RFC 3168), written as one or as a list: `not_ect`, `ect0`,
/// `ect1`, `ce`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ecns {
    /// Whether the set contains each value of [`NAMED`].
    set: [bool; NAMED.len()],
}

impl Ecns {
    /// Whether the set contains `ecn`.
    #[inline]
    pub fn contains(&self, ecn: Ecn) -> bool {
        NAMED.iter().zip(self.set).any(|((_, one), is_in)| is_in && *one == ecn)
    }

    fn named(text: &str) -> Result<Self, String> {
        let place = NAMED.iter().position(|(name, _)| *name == text).ok_or_else(|| {
            format!(
                "`{text}` is no value of the ECN field; write `not_ect`, `ect0`, `ect1` or `ce`"
            )
        })?;
        let mut set = [false; NAMED.len()];
        set[place] = true;
        Ok(Self { set })
    }

    fn names(&self) -> Vec<&'static str> {
        NAMED.iter().zip(self.set).filter(|(_, is_in)| *is_in).map(|((name, _), _)| *name).collect()
    }
}

impl<'de> Deserialize<'de> for Ecns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EcnsVisitor;
        impl<'de> Visitor<'de> for EcnsVisitor {
            type Value = Ecns;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value of the ECN field like `ce`, or a list of them")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Ecns, E> {
                Ecns::named(text).map_err(E::custom)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ecns, A::Error> {
                let mut all = Ecns::default();
                while let Some(next) = list.next_element::<Ecns>()? {
                    all.set.iter_mut().zip(next.set).for_each(|(one, is_in)| *one |= is_in);
                }
                if all == Ecns::default() {
                    return Err(de::Error::custom(
                        "a list of values of the ECN field has at least one",
                    ));
                }
                Ok(all)
            }
        }
        deserializer.deserialize_any(EcnsVisitor)
    }
}

impl Serialize for Ecns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.names().as_slice() {
            [name] => serializer.serialize_str(name),
            names => names.serialize(serializer),
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Ecns {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Ecns".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = schemars::json_schema!({ "enum": NAMED.map(|(name, _)| name) });
        schemars::json_schema!({
            "description": "A value of the ECN field, or a list of them.",
            "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }],
            "examples": ["ce", ["ect0", "ect1"]],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Ecns, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn names_and_lists_are_read_and_written() {
        for text in ["\"ce\"", "[\"ect1\",\"ect0\"]"] {
            assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
        }
        let takes_part = read(r#"["ect0", "ect1", "ce"]"#).unwrap();
        for (_, ecn) in NAMED {
            assert_eq!(takes_part.contains(ecn), ecn.takes_part());
        }
    }

    #[test]
    fn errors_say_what_to_write_instead() {
        assert!(read("\"ect2\"").unwrap_err().contains("`not_ect`, `ect0`"));
        assert!(read("3").unwrap_err().contains("like `ce`"));
        assert!(read("[]").unwrap_err().contains("at least one"));
    }
}
