//! serde's deserializer for one node of a tree.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::Scope;
use super::access::{ElementAccess, EntryAccess, VariantAccess};
use super::error::DecodeError;
use super::inline::{self, InlineAccess};
use super::spanned::{self, SpannedAccess};
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
