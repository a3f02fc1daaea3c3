//! The serde and schema faces that all quantities written as text share.

/// The methods of a serde visitor that take a number as the text that it is written as: `1e-6` may
/// stand without quotes, and a quantity without its unit is refused with the same words.
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

/// Implements `Serialize`, `Deserialize` and `JsonSchema` for a type that is written as text: one
/// that has `FromStr<Err = UnitError>` and `Display`. Arguments: the type, its name in messages,
/// the schema's pattern, its description, and an example.
///
/// The caller needs `serde` and `schemars` among its dependencies.
#[macro_export]
macro_rules! text_quantity {
    ($type:ty, $name:literal, $pattern:literal, $doc:literal, $example:literal) => {
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
