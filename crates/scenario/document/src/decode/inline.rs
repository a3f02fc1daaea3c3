//! Decodes two structs from the keys of one mapping. Unlike `#[serde(flatten)]`, this keeps
//! positions and lists of accepted keys.

use std::fmt;
use std::marker::PhantomData;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTupleStruct, Serializer};

use super::spanned::next;

/// Name by which the deserializer recognises a mapping that must be decoded twice, and the
/// serializer two structs that share one.
pub(crate) const NAME: &str = "$document::Inline";

/// `head` and `rest`, whose keys are in one mapping. Both are structs with different keys, or such
/// pairs themselves.
#[derive(Debug, Clone, Default)]
pub struct Inline<H, R> {
    /// The values of the first keys.
    pub head: H,
    /// The values of the other keys.
    pub rest: R,
}

impl<'de, H: Deserialize<'de>, R: Deserialize<'de>> Deserialize<'de> for Inline<H, R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, InlineVisitor(PhantomData))
    }
}

impl<H: Serialize, R: Serialize> Serialize for Inline<H, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_tuple_struct(NAME, 2)?;
        parts.serialize_field(&self.head)?;
        parts.serialize_field(&self.rest)?;
        parts.end()
    }
}

struct InlineVisitor<H, R>(PhantomData<(H, R)>);

impl<'de, H: Deserialize<'de>, R: Deserialize<'de>> Visitor<'de> for InlineVisitor<H, R> {
    type Value = Inline<H, R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Inline<H, R>, A::Error> {
        let _: (Probe<H>, Probe<R>) = (next(&mut access)?, next(&mut access)?);
        Ok(Inline { head: next(&mut access)?, rest: next(&mut access)? })
    }
}

/// Requests a value only to make the deserializer record the value's keys.
struct Probe<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Probe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let _ = T::deserialize(deserializer);
        Ok(Self(PhantomData))
    }
}

#[cfg(feature = "schema")]
impl<H: JsonSchema, R: JsonSchema> JsonSchema for Inline<H, R> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        H::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = H::json_schema(generator);
        let rest = R::json_schema(generator);
        for part in ["properties", "required"] {
            let Some(more) = rest.get(part) else { continue };
            match (schema.get_mut(part), more) {
                (Some(serde_json::Value::Object(own)), serde_json::Value::Object(more)) => {
                    own.extend(more.clone());
                }
                (Some(serde_json::Value::Array(own)), serde_json::Value::Array(more)) => {
                    own.extend(more.iter().cloned());
                }
                _ => {
                    schema.insert(part.into(), more.clone());
                }
            }
        }
        schema
    }
}
