//! Values with their positions in the file.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::span::Span;
use crate::yaml::NodeId;

/// Name by which the deserializer recognises that a value's position is needed too.
pub(super) const NAME: &str = "$document::Spanned";

/// A value, its position and its node. Of all deserializers, only that of this crate can create it.
#[derive(Debug, Clone)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its position in the text.
    pub span: Span,
    /// Its node in the tree.
    pub id: NodeId,
}

impl<T> Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, SpannedVisitor(PhantomData))
    }
}

struct SpannedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
    type Value = Spanned<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value with its place")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Spanned<T>, A::Error> {
        let mut number = || next::<usize, A>(&mut access);
        let [line, column, end_line, end_column] = [number()?, number()?, number()?, number()?];
        let id = NodeId::from_index(number()?);
        let span = Span { line, column, end_line, end_column };
        Ok(Spanned { value: next(&mut access)?, span, id })
    }
}

/// Reads the next part of a value that a magic name requested.
pub(super) fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(
    access: &mut A,
) -> Result<T, A::Error> {
    access.next_element()?.ok_or_else(|| A::Error::custom("only a document can be read so"))
}

impl<T> From<T> for Spanned<T> {
    /// A value that is in no text yet.
    fn from(value: T) -> Self {
        Self { value, span: Span::START, id: NodeId::NONE }
    }
}

impl<T: Serialize> Serialize for Spanned<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
