//! The implementations of serde and schemas that all quantities with a text notation share.

/// The methods of a serde visitor that treat a number as its text. `1e-6` may then be written
/// without quotes, and a quantity without its unit is refused with the same message.
#[macro_export]
macro_rules! visit_numbers_as_text {
    () => {
        fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
            self.visit_str(&number.to_string())
        }
        fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Self::Value, E> {
            self.visit_str(&number.to_string())
        }
        fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Self::Value, E> {
            self.visit_str(&number.to_string())
        }
    };
}

/// Implements `Serialize`, `Deserialize` and `JsonSchema` for a type with a text notation, which
/// must have `FromStr<Err = UnitError>` and `Display`. The arguments are the type, its name in
/// messages, the schema's pattern, its description, and an example.
///
/// The caller needs the dependency `serde`, and a feature `schema` with `schemars`.
#[macro_export]
macro_rules! text_quantity {
    ($type:ty, $name:literal, $pattern:expr, $doc:literal, $example:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("a ", $name, " with its unit, like `", $example, "`"))
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                    $crate::visit_numbers_as_text!();
                }
                deserializer.deserialize_any(Visitor)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({
                    "type": ["string", "number"],
                    "description": $doc,
                    "pattern": $pattern,
                    "maximum": 0,
                    "minimum": 0,
                    "examples": [$example],
                })
            }
        }
    };
}
