//! serde's view of one node of a tree: its deserializer, and access to the entries of a mapping,
//! the elements of a list and the variant of an enumeration. Pruned nodes are skipped.

use std::slice::Iter;

use serde::de::value::{BorrowedStrDeserializer, U64Deserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use super::error::DecodeError;
use super::inline;
use super::scope::Scope;
use super::spanned;
use crate::yaml::{Content, NodeId, Plain};

/// A node to decode. Every error that it returns has a node.
#[derive(Clone, Copy)]
pub(super) struct NodeDeserializer<'a> {
    pub scope: &'a Scope<'a>,
    pub node: NodeId,
}

impl<'a> NodeDeserializer<'a> {
    fn content(self) -> &'a Content {
        self.scope.tree.content(self.node)
    }

    /// Whether the value is missing, as in `key:`.
    fn is_null(self) -> bool {
        match self.content() {
            Content::Scalar { text, plain: true } => Plain::read(text) == Plain::Null,
            _ => false,
        }
    }

    fn scalar<V: Visitor<'a>>(
        self,
        text: &'a str,
        plain: bool,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if !plain {
            return visitor.visit_borrowed_str(text);
        }
        match Plain::read(text) {
            Plain::Null => visitor.visit_unit(),
            Plain::Bool(value) => visitor.visit_bool(value),
            Plain::Unsigned(number) => visitor.visit_u64(number),
            Plain::Negative(number) => visitor.visit_i64(number),
            Plain::Float(number) => visitor.visit_f64(number),
            Plain::Text(text) => visitor.visit_borrowed_str(text),
        }
    }

    fn any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.content() {
            Content::Scalar { text, plain } => self.scalar(text, *plain, visitor),
            Content::Sequence(elements) => {
                visitor.visit_seq(ElementAccess::new(self.scope, elements))
            }
            Content::Mapping(entries) => visitor.visit_map(EntryAccess::new(self.scope, entries)),
        }
    }

    /// Decodes a text. Where a text is expected, `1`, `true` and `1.50` are texts too, exactly as
    /// written.
    fn text<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.content() {
            Content::Scalar { text, .. } if !self.is_null() => visitor.visit_borrowed_str(text),
            _ => self.any(visitor),
        }
    }

    fn variant<V: Visitor<'a>>(
        self,
        variants: &[&str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let found = match self.content() {
            Content::Scalar { .. } if self.is_null() => "nothing",
            Content::Scalar { text, .. } => {
                return visitor.visit_enum(BorrowedStrDeserializer::new(text));
            }
            Content::Mapping(entries) => match entries.as_slice() {
                [(key, value)] if !self.scope.is_pruned(&(*key, *value)) => {
                    let (key, value) = (*key, *value);
                    return visitor.visit_enum(VariantAccess { scope: self.scope, key, value });
                }
                entries => &format!("{} keys", entries.len()),
            },
            Content::Sequence(_) => "a list",
        };
        let variants: Vec<String> = variants.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("expected one of {}, found {found}", variants.join(", "));
        Err(DecodeError::custom(message))
    }

    fn newtype<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if name == spanned::NAME {
            return visitor.visit_seq(SpannedAccess::new(self));
        }
        if name == inline::NAME {
            return visitor.visit_seq(InlineAccess::new(self));
        }
        visitor.visit_newtype_struct(self)
    }
}

impl<'a> Deserializer<'a> for NodeDeserializer<'a> {
    type Error = DecodeError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.any(visitor).map_err(|error| error.at(self.node))
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.text(visitor).map_err(|error| error.at(self.node))
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    /// A key that is present must have a value: `rate:` alone is an error and does not mean the
    /// default.
    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_some(self).map_err(|error| error.at(self.node))
    }

    /// A missing value is an empty list here.
    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_null() {
            return visitor.visit_seq(ElementAccess::new(self.scope, &[]));
        }
        self.deserialize_any(visitor)
    }

    /// A missing value is an empty mapping here: a node may be written as `a:`.
    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.is_null() {
            let access = EntryAccess::new(self.scope, &[]);
            return visitor.visit_map(access).map_err(|error| error.at(self.node));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        if matches!(self.content(), Content::Sequence(_)) {
            // Derived code would accept the elements as the values of the fields.
            let error: DecodeError = Error::invalid_type(Unexpected::Seq, &visitor);
            return Err(error.at(self.node));
        }
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.variant(variants, visitor).map_err(|error| error.at(self.node))
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.newtype(name, visitor).map_err(|error| error.at(self.node))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct
        tuple tuple_struct ignored_any
    }
}

/// The elements of a list.
struct ElementAccess<'a> {
    scope: &'a Scope<'a>,
    elements: Iter<'a, NodeId>,
}

impl<'a> ElementAccess<'a> {
    fn new(scope: &'a Scope<'a>, elements: &'a [NodeId]) -> Self {
        Self { scope, elements: elements.iter() }
    }
}

impl<'a> SeqAccess<'a> for ElementAccess<'a> {
    type Error = DecodeError;

    fn next_element_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        let Self { scope, elements } = self;
        let next = elements.find(|node| !scope.pruned.contains(node));
        next.map(|node| seed.deserialize(NodeDeserializer { scope, node: *node })).transpose()
    }
}

/// The entries of a mapping: all of them, or those with given keys.
struct EntryAccess<'a> {
    scope: &'a Scope<'a>,
    entries: Iter<'a, (NodeId, NodeId)>,
    only: Option<&'static [&'static str]>,
    value: Option<NodeId>,
}

impl<'a> EntryAccess<'a> {
    fn new(scope: &'a Scope<'a>, entries: &'a [(NodeId, NodeId)]) -> Self {
        Self { scope, entries: entries.iter(), only: None, value: None }
    }

    /// Skips entries whose keys are not in `keys`.
    fn only(self, keys: &'static [&'static str]) -> Self {
        Self { only: Some(keys), ..self }
    }
}

impl<'a> MapAccess<'a> for EntryAccess<'a> {
    type Error = DecodeError;

    fn next_key_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DecodeError> {
        let Self { scope, entries, only, value } = self;
        let wanted = |key: NodeId| {
            only.is_none_or(|only| scope.tree.text(key).is_some_and(|key| only.contains(&key)))
        };
        let Some(entry) = entries.find(|entry| !scope.is_pruned(entry) && wanted(entry.0)) else {
            return Ok(None);
        };
        *value = Some(entry.1);
        seed.deserialize(NodeDeserializer { scope, node: entry.0 }).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'a>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        let node = self.value.take().ok_or_else(|| DecodeError::custom("value before key"))?;
        seed.deserialize(NodeDeserializer { scope: self.scope, node })
    }
}

/// A variant with a value: `variant: value`.
struct VariantAccess<'a> {
    scope: &'a Scope<'a>,
    key: NodeId,
    value: NodeId,
}

impl<'a> EnumAccess<'a> for VariantAccess<'a> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'a>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), DecodeError> {
        let variant = seed.deserialize(NodeDeserializer { scope: self.scope, node: self.key })?;
        Ok((variant, self))
    }
}

impl<'a> de::VariantAccess<'a> for VariantAccess<'a> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        Err(DecodeError::custom("this word takes no value").at(self.key))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'a>>(
        self,
        seed: S,
    ) -> Result<S::Value, DecodeError> {
        seed.deserialize(NodeDeserializer { scope: self.scope, node: self.value })
    }

    fn tuple_variant<V: Visitor<'a>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        NodeDeserializer { scope: self.scope, node: self.value }.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        NodeDeserializer { scope: self.scope, node: self.value }.deserialize_map(visitor)
    }
}

/// Passes the five numbers of the position, then the value.
struct SpannedAccess<'a> {
    inner: NodeDeserializer<'a>,
    step: usize,
}

impl<'a> SpannedAccess<'a> {
    fn new(inner: NodeDeserializer<'a>) -> Self {
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

/// Number of parts that share a mapping.
const PARTS: usize = 2;

/// Records the keys of all parts, checks that the mapping has no others, and then passes the same
/// node to each part.
struct InlineAccess<'a> {
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
    fn new(inner: NodeDeserializer<'a>) -> Self {
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
        if name != inline::NAME {
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
