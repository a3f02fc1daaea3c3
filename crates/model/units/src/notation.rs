//! Properties whose notation is a text (`1%`) or, if a text is not enough, a table
//! (`{gilbert_elliott: {…}}`): the implementations of serde and schemas that they share.

/// Implements `Serialize`, `Deserialize` and `JsonSchema` for a property. It must have `FromStr`, a
/// method `text(&self) -> Option<String>` for values that a text can express, and a table type with
/// `TryFrom<Table> for Property` and `From<&Property> for Table` for the others. The arguments are
/// the type, the table type, a description of the notation for messages, and the schema's
/// description.
///
/// The caller needs the dependency `serde`, and a feature `schema` with `schemars`.
#[macro_export]
macro_rules! text_or_table {
    ($type:ty, $table:ty, $expected:literal, $doc:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.text() {
                    Some(text) => serializer.serialize_str(&text),
                    None => <$table>::from(self).serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<'de> serde::de::Visitor<'de> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expected)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                    $crate::visit_numbers_as_text!();
                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<$type, A::Error> {
                        let entries = serde::de::value::MapAccessDeserializer::new(&mut map);
                        let table = <$table as serde::Deserialize>::deserialize(entries)?;
                        // An enumeration takes one entry and leaves the others unread.
                        if let Some(key) = map.next_key::<String>()? {
                            return Err(serde::de::Error::custom(format!(
                                "`{key}` is one too many here; keep one of them"
                            )));
                        }
                        table.try_into().map_err(serde::de::Error::custom)
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let table = generator.subschema_for::<$table>();
                schemars::json_schema!({
                    "description": $doc,
                    "anyOf": [{ "type": ["string", "number"] }, table],
                })
            }
        }
    };
}
