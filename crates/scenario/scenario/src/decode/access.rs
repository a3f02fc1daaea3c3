//! serde's access to the entries of a mapping, the elements of a list and the variant of an
//! enumeration. Pruned nodes are skipped.

use std::slice::Iter;

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};

use super::Scope;
use super::deserializer::NodeDeserializer;
use super::error::DecodeError;
use crate::yaml::NodeId;

/// The elements of a list.
pub(super) struct ElementAccess<'a> {
    scope: &'a Scope<'a>,
    elements: Iter<'a, NodeId>,
}

impl<'a> ElementAccess<'a> {
    pub fn new(scope: &'a Scope<'a>, elements: &'a [NodeId]) -> Self {
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
pub(super) struct EntryAccess<'a> {
    scope: &'a Scope<'a>,
    entries: Iter<'a, (NodeId, NodeId)>,
    only: Option<&'static [&'static str]>,
    value: Option<NodeId>,
}

impl<'a> EntryAccess<'a> {
    pub fn new(scope: &'a Scope<'a>, entries: &'a [(NodeId, NodeId)]) -> Self {
        Self { scope, entries: entries.iter(), only: None, value: None }
    }

    /// Skips entries whose keys are not in `keys`.
    pub fn only(self, keys: &'static [&'static str]) -> Self {
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
pub(super) struct VariantAccess<'a> {
    pub scope: &'a Scope<'a>,
    pub key: NodeId,
    pub value: NodeId,
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
