//! Values with their positions in the file.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::U64Deserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, SeqAccess, Visitor,
};

use super::deserializer::NodeDeserializer;
use super::error::DecodeError;
use crate::span::Span;
use crate::yaml::NodeId;

/// Name by which the deserializer recognises that a value's position is needed too.
pub(super) const NAME: &str = "$netloom::Spanned";

/// A value, its position and its node. Only the deserializer of this crate can create it.
#[derive(Debug, Clone)]
pub(crate) struct Spanned<T> {
    pub value: T,
    pub span: Span,
    pub id: NodeId,
}

impl<T> Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// Passes the five numbers of the position, then the value.
pub(super) struct SpannedAccess<'a> {
    inner: NodeDeserializer<'a>,
    step: usize,
}

impl<'a> SpannedAccess<'a> {
    pub fn new(inner: NodeDeserializer<'a>) -> Self {
        Self { inner, step: 0 }
    }
}

impl<'a> SeqAccess<'a> for SpannedAccess<'a> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        let NodeDeserializer { scope, node } = self.inner;
        let span = scope.tree.span(node);
        let numbers = [span.line, span.column, span.end_line, span.end_column, node.index()];
        let value = match numbers.get(self.step) {
            Some(number) => {
                let number: U64Deserializer<DecodeError> = (*number as u64).into_deserializer();
                seed.deserialize(number)
            }
            None => seed.deserialize(self.inner),
        };
        self.step += 1;
        value.map(Some)
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
    access.next_element()?.ok_or_else(|| A::Error::custom("only a scenario file can be read so"))
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
