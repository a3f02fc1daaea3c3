//! A change as programs write it: properties of a pipe and strings of other tools in one mapping.
//! Not here: scenario files, which record the position of every key.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

use super::Notations;
use crate::PipeChange;

/// A change that consists of properties, strings of other tools, or both.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenChange(pub PipeChange);

impl<'de> Deserialize<'de> for WrittenChange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ChangeVisitor;
        impl<'de> Visitor<'de> for ChangeVisitor {
            type Value = WrittenChange;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("properties of a pipe, like `{\"delay\": \"10ms\"}`")
            }
            fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<WrittenChange, A::Error> {
                let mut strings = Notations::default();
                let properties = Properties { inner, strings: &mut strings };
                let beside = PipeChange::deserialize(MapAccessDeserializer::new(properties))?;
                strings.combine(&beside).map(WrittenChange).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_map(ChangeVisitor)
    }
}

/// The entries of a mapping without the strings of other tools, which are moved to `strings`.
struct Properties<'a, A> {
    inner: A,
    strings: &'a mut Notations,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Properties<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Self { inner, strings } = self;
        while let Some(key) = inner.next_key::<String>()? {
            match key.as_str() {
                "netem" => once("netem", &mut strings.netem, inner)?,
                "tbf" => once("tbf", &mut strings.tbf, inner)?,
                "dummynet" => once("dummynet", &mut strings.dummynet, inner)?,
                _ => return seed.deserialize(key.into_deserializer()).map(Some),
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    key: &'static str,
    place: &mut Option<T>,
    inner: &mut A,
) -> Result<(), A::Error> {
    match place.replace(inner.next_value()?) {
        None => Ok(()),
        Some(_) => Err(A::Error::duplicate_field(key)),
    }
}

/// The possible entries, for the schema.
#[cfg(feature = "schema")]
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Written {
    #[schemars(flatten)]
    _strings: Notations,
    #[schemars(flatten)]
    _properties: PipeChange,
}

#[cfg(feature = "schema")]
impl JsonSchema for WrittenChange {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WrittenChange".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Written::json_schema(generator)
    }
}
