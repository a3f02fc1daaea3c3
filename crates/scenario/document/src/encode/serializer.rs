//! serde's serializer, which returns a value.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::error::EncodeError;
use crate::decode::INLINE;
use crate::value::Value;

type Result<T> = std::result::Result<T, EncodeError>;

/// Serializes to a value.
pub(super) struct ValueSerializer;

/// Elements of a list. `variant` is the variant of an enumeration that has the list.
pub(super) struct Elements {
    list: Vec<Value>,
    variant: Option<&'static str>,
}

/// Entries of a mapping. `variant` is the variant of an enumeration that has the mapping.
pub(super) struct EntryList {
    entries: Vec<(String, Value)>,
    key: Option<String>,
    variant: Option<&'static str>,
}

/// Two mappings that become one.
pub(super) struct Joined(Vec<(String, Value)>);

/// Parts of a tuple struct: elements, or mappings that share one.
pub(super) enum Parts {
    Elements(Elements),
    Joined(Joined),
}

fn under(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => Value::Mapping(vec![(variant.into(), value)]),
        None => value,
    }
}

fn float(number: f64) -> Result<Value> {
    if number.is_finite() {
        Ok(Value::Float(number))
    } else {
        Err(EncodeError::new(format!("the number {number} is not finite")))
    }
}

fn wide(number: impl std::fmt::Display) -> EncodeError {
    EncodeError::new(format!("the number {number} has more than 64 bits"))
}

macro_rules! small_integers {
    ($($name:ident: $type:ty => $wide:ident),*) => {$(
        fn $name(self, number: $type) -> Result<Value> {
            self.$wide(number.into())
        }
    )*};
}

impl Serializer for ValueSerializer {
    type Ok = Value;
    type Error = EncodeError;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Elements;
    type SerializeMap = EntryList;
    type SerializeStruct = EntryList;
    type SerializeStructVariant = EntryList;

    small_integers! {
        serialize_i8: i8 => serialize_i64, serialize_i16: i16 => serialize_i64,
        serialize_i32: i32 => serialize_i64, serialize_u8: u8 => serialize_u64,
        serialize_u16: u16 => serialize_u64, serialize_u32: u32 => serialize_u64
    }

    fn serialize_i64(self, number: i64) -> Result<Value> {
        Ok(u64::try_from(number).map_or(Value::Negative(number), Value::Unsigned))
    }

    fn serialize_u64(self, number: u64) -> Result<Value> {
        Ok(Value::Unsigned(number))
    }

    fn serialize_i128(self, number: i128) -> Result<Value> {
        self.serialize_i64(i64::try_from(number).map_err(|_| wide(number))?)
    }

    fn serialize_u128(self, number: u128) -> Result<Value> {
        self.serialize_u64(u64::try_from(number).map_err(|_| wide(number))?)
    }

    fn serialize_bool(self, value: bool) -> Result<Value> {
        Ok(Value::Bool(value))
    }

    /// The shortest decimal that gives the number again, not the exact value of its bits.
    fn serialize_f32(self, number: f32) -> Result<Value> {
        float(number.to_string().parse().unwrap_or(f64::from(number)))
    }

    fn serialize_f64(self, number: f64) -> Result<Value> {
        float(number)
    }

    fn serialize_char(self, value: char) -> Result<Value> {
        Ok(Value::Text(value.into()))
    }

    fn serialize_str(self, text: &str) -> Result<Value> {
        Ok(Value::Text(text.into()))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<Value> {
        Err(EncodeError::new("documents have no bytes"))
    }

    fn serialize_none(self) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value> {
        Ok(Value::Text(variant.into()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Value> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value> {
        Ok(under(Some(variant), value.serialize(self)?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements> {
        Ok(Elements { list: Vec::new(), variant: None })
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Parts> {
        match name {
            INLINE => Ok(Parts::Joined(Joined(Vec::new()))),
            _ => Ok(Parts::Elements(self.serialize_seq(None)?)),
        }
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Elements> {
        Ok(Elements { list: Vec::new(), variant: Some(variant) })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<EntryList> {
        Ok(EntryList { entries: Vec::new(), key: None, variant: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<EntryList> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<EntryList> {
        Ok(EntryList { entries: Vec::new(), key: None, variant: Some(variant) })
    }
}

impl Elements {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.list.push(value.serialize(ValueSerializer)?);
        Ok(())
    }

    fn finish(self) -> Value {
        under(self.variant, Value::List(self.list))
    }
}

impl SerializeSeq for Elements {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.finish())
    }
}

impl SerializeTuple for Elements {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.finish())
    }
}

impl SerializeTupleVariant for Elements {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.finish())
    }
}

impl SerializeTupleStruct for Parts {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        match self {
            Self::Elements(elements) => elements.push(value),
            Self::Joined(Joined(entries)) => match value.serialize(ValueSerializer)? {
                Value::Mapping(more) => {
                    more.into_iter().try_for_each(|(key, value)| add(entries, key, value))
                }
                // A part without any keys.
                Value::Null => Ok(()),
                _ => Err(EncodeError::new("only structs can share a mapping")),
            },
        }
    }

    fn end(self) -> Result<Value> {
        match self {
            Self::Elements(elements) => Ok(elements.finish()),
            Self::Joined(Joined(entries)) => Ok(Value::Mapping(entries)),
        }
    }
}

/// Adds an entry to a mapping that does not have its key.
fn add(entries: &mut Vec<(String, Value)>, key: String, value: Value) -> Result<()> {
    // Mappings of structs are short; those of maps have unique keys.
    if entries.len() < 100 && entries.iter().any(|(known, _)| *known == key) {
        return Err(EncodeError::new(format!("the key `{key}` occurs twice")));
    }
    entries.push((key, value));
    Ok(())
}

impl EntryList {
    fn push<T: Serialize + ?Sized>(&mut self, key: String, value: &T) -> Result<()> {
        add(&mut self.entries, key, value.serialize(ValueSerializer)?)
    }

    /// Adds a field, unless it has no value.
    fn push_field<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        match value.serialize(ValueSerializer)? {
            Value::Null => Ok(()),
            value => add(&mut self.entries, key.to_owned(), value),
        }
    }

    fn finish(self) -> Value {
        under(self.variant, Value::Mapping(self.entries))
    }
}

impl SerializeMap for EntryList {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.key = Some(match key.serialize(ValueSerializer)? {
            Value::Text(text) => text,
            Value::Unsigned(number) => number.to_string(),
            Value::Negative(number) => number.to_string(),
            Value::Bool(value) => value.to_string(),
            _ => return Err(EncodeError::new("a key must be a text or a whole number")),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let key = self.key.take().ok_or_else(|| EncodeError::new("a value without a key"))?;
        self.push(key, value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.finish())
    }
}

impl SerializeStruct for EntryList {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.push_field(key, value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.finish())
    }
}

impl SerializeStructVariant for EntryList {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.push_field(key, value)
    }

    fn end(self) -> Result<Value> {
        Ok(self.finish())
    }
}
