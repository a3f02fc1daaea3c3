//! Typed values to plain ones with serde: the way back of `decode`.
//!
//! | module | contents |
//! |---|---|
//! | `serializer` | serde's serializer, which returns a value |
//! | `error` | what has no form in a document |

mod error;
mod serializer;

use serde::{Serialize, Serializer};

use crate::value::Value;
pub use error::EncodeError;
use serializer::ValueSerializer;

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Unsigned(number) => serializer.serialize_u64(*number),
            Self::Negative(number) => serializer.serialize_i64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(elements) => serializer.collect_seq(elements),
            Self::Mapping(entries) => {
                serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}

/// Returns `typed` as a value. Fields without a value are left out: in documents, a key that is
/// present has one.
///
/// # Errors
/// It has a part that documents cannot have: a number that is not finite or has more than 64 bits,
/// bytes, a key that is no text or number, or two keys of one name.
pub fn encode<T: Serialize + ?Sized>(typed: &T) -> Result<Value, EncodeError> {
    typed.serialize(ValueSerializer)
}

/// Whether `typed` is written like the default of its type, so that it can be left out: for
/// `#[serde(skip_serializing_if)]`.
pub fn is_default<T: Serialize + Default>(typed: &T) -> bool {
    match (encode(typed), encode(&T::default())) {
        (Ok(typed), Ok(default)) => typed == default,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;
    use crate::write::document;

    #[derive(Serialize, Default)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        #[default]
        Host,
        Port(u16),
        Range {
            from: i32,
            to: Option<f32>,
        },
    }

    #[derive(Serialize, Default)]
    struct Node {
        name: String,
        #[serde(skip_serializing_if = "is_default")]
        kind: Kind,
        weights: Vec<f64>,
    }

    #[test]
    fn types_become_the_documents_that_they_are_decoded_from() {
        let nodes = [
            Node { name: "a".into(), ..Node::default() },
            Node { name: "1".into(), kind: Kind::Port(80), weights: vec![0.5, 2.0] },
            Node { kind: Kind::Range { from: -1, to: Some(0.1) }, ..Node::default() },
        ];
        let expected = "- name: a\n  weights: []\n\
                        - name: \"1\"\n  kind:\n    port: 80\n  weights: [0.5, 2.0]\n\
                        - name: \"\"\n  kind:\n    range:\n      from: -1\n      to: 0.1\n  \
                        weights: []\n";
        assert_eq!(document(&encode(&nodes).unwrap()), expected);
    }

    #[test]
    fn what_no_document_can_have_is_refused() {
        let message = |error: EncodeError| error.to_string();
        assert!(message(encode(&f64::NAN).unwrap_err()).contains("NaN"));
        assert!(message(encode(&u128::MAX).unwrap_err()).contains("64 bits"));
        assert!(
            encode(&[(1, "one")].into_iter().collect::<std::collections::HashMap<_, _>>()).is_ok()
        );
        let keyed = std::collections::BTreeMap::from([(vec![1], 2)]);
        assert!(message(encode(&keyed).unwrap_err()).contains("key"));
    }
}
