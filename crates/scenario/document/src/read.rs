//! Plain values from other formats, by serde: keys keep their order.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::value::Value;

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Plain)
    }
}

struct Plain;

impl<'de> Visitor<'de> for Plain {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of a document")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Unsigned(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        Ok(u64::try_from(number).map_or(Value::Negative(number), Value::Unsigned))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        match number.is_finite() {
            true => Ok(Value::Float(number)),
            false => Err(E::custom("a number of a document is finite")),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut mapping: Vec<(String, Value)> = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Value>()? {
            if mapping.iter().any(|(other, _)| *other == key) {
                return Err(A::Error::custom(format!("the key `{key}` occurs twice")));
            }
            mapping.push((key, value));
        }
        Ok(Value::Mapping(mapping))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_nothing_is_lost() {
        let text = r#"{"b":null,"a":[1,-2,0.5,true,"x"]}"#;
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), text);
        assert!(serde_json::from_str::<Value>(r#"{"a":1,"a":2}"#).is_err());
    }
}
