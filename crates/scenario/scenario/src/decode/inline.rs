//! Decodes two structs from the keys of one mapping. Unlike `#[serde(flatten)]`, this keeps
//! positions and lists of accepted keys.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::access::EntryAccess;
use super::deserializer::NodeDeserializer;
use super::error::DecodeError;
use super::spanned::next;

/// Name by which the deserializer recognises a mapping that must be decoded twice.
pub(super) const NAME: &str = "$netloom::Inline";

/// `head` and `rest`, whose keys are in one mapping. Both are structs with different keys, or such
/// pairs themselves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inline<H, R> {
    pub head: H,
    pub rest: R,
}

impl<'de, H: Deserialize<'de>, R: Deserialize<'de>> Deserialize<'de> for Inline<H, R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, InlineVisitor(PhantomData))
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

/// Number of parts that share a mapping.
const PARTS: usize = 2;

/// Records the keys of all parts, checks that the mapping has no others, and then passes the same
/// node to each part.
pub(super) struct InlineAccess<'a> {
    inner: NodeDeserializer<'a>,
    known: Vec<&'static str>,
    step: usize,
    purpose: Purpose,
}

/// Purpose of visiting a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Its values. The pair uses the whole mapping.
    Whole,
    /// Its values. The mapping has other parts too, and the enclosing pair checks the keys.
    Part,
    /// Only its keys.
    Keys,
}

impl<'a> InlineAccess<'a> {
    pub fn new(inner: NodeDeserializer<'a>) -> Self {
        Self { inner, known: Vec::new(), step: 0, purpose: Purpose::Whole }
    }

    /// Returns an error for the first key that belongs to no part.
    fn check_keys(&self) -> Result<(), DecodeError> {
        let NodeDeserializer { scope, node } = self.inner;
        for entry in scope.tree.entries(node).iter().filter(|entry| !scope.is_pruned(entry)) {
            let key = scope.tree.text(entry.0).unwrap_or_default();
            if !self.known.contains(&key) {
                return Err(DecodeError::unknown_key(key, self.known.clone()).at(entry.0));
            }
        }
        Ok(())
    }
}

impl<'a> SeqAccess<'a> for InlineAccess<'a> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        self.step += 1;
        if self.step == PARTS + 1 {
            match self.purpose {
                Purpose::Whole => self.check_keys()?,
                Purpose::Part => {}
                Purpose::Keys => return Err(only_keys()),
            }
        }
        let known = (self.step <= PARTS).then_some(&mut self.known);
        seed.deserialize(PartDeserializer { inner: self.inner, known }).map(Some)
    }
}

/// The node, restricted to the keys of one part.
struct PartDeserializer<'a, 'k> {
    inner: NodeDeserializer<'a>,
    /// Receives the keys of the part, if only the keys are needed.
    known: Option<&'k mut Vec<&'static str>>,
}

impl<'a> Deserializer<'a> for PartDeserializer<'a, '_> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'a>>(self, _visitor: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError::custom("only structs can share a mapping"))
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if let Some(known) = self.known {
            known.extend(fields);
            return Err(only_keys());
        }
        let NodeDeserializer { scope, node } = self.inner;
        let entries = scope.tree.entries(node);
        if entries.is_empty() {
            // The node is not a mapping: it is empty, or an error.
            return self.inner.deserialize_struct(name, fields, visitor);
        }
        visitor.visit_map(EntryAccess::new(scope, entries).only(fields))
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if name != NAME {
            return self.deserialize_any(visitor);
        }
        let mut pair = InlineAccess::new(self.inner);
        let Some(known) = self.known else {
            pair.purpose = Purpose::Part;
            return visitor.visit_seq(pair);
        };
        pair.purpose = Purpose::Keys;
        let walked = visitor.visit_seq(&mut pair);
        known.append(&mut pair.known);
        walked
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

fn only_keys() -> DecodeError {
    DecodeError::custom("only the keys were wanted")
}

impl<H: JsonSchema, R: JsonSchema> JsonSchema for Inline<H, R> {
    fn schema_name() -> Cow<'static, str> {
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
