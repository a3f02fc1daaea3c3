//! Mappings whose keys are names that the user chooses.

use std::fmt;
use std::marker::PhantomData;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::spanned::Spanned;

/// Keys and values in the order of the file. No key occurs twice.
#[derive(Debug, Clone)]
pub struct Entries<V>(pub Vec<(Spanned<String>, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Entries<V> {
    /// Returns the keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&Spanned<String>, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of `key`.
    pub fn find(&self, key: &str) -> Option<&V> {
        self.iter().find(|(name, _)| name.value == key).map(|(_, value)| value)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

struct EntriesVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<V> {
    type Value = Entries<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Entries<V>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

impl<V: Serialize> Serialize for Entries<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (&key.value, value)))
    }
}

impl<V> FromIterator<(String, V)> for Entries<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

#[cfg(feature = "schema")]
impl<V: JsonSchema> JsonSchema for Entries<V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Entries_of_{}", V::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["object", "null"],
            "additionalProperties": generator.subschema_for::<V>(),
        })
    }
}
