//! Values that are in the scenario itself or come from a file: traces, samples, tables. Not here:
//! reading files. The caller passes their text to [`Data::load`].

mod files;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use thiserror::Error;

pub use files::{DataFile, FileError, FileFault, SharedData, load_files};

/// Largest number of values in a file or a list.
pub const MAX_VALUES: usize = 10_000_000;

/// Values of type `T`, or the name of the file that holds them.
///
/// The notation is a file's name (`"lte.trace"`) or a list of the values themselves. On its way to
/// an engine, a file's content is sent with its name: `{file: …, values: […]}`.
#[derive(Debug, Clone, PartialEq)]
pub enum Data<T> {
    /// The file has not been read yet.
    File(String),
    /// The values, and the file that they came from.
    Values {
        /// The file's name, if there was one.
        file: Option<String>,
        /// The values.
        values: Arc<T>,
    },
}

/// A kind of values that can be read from a text file.
pub trait DataFormat: Sized {
    /// Name of the format, for messages: "Mahimahi trace".
    const WHAT: &'static str;

    /// Parses the file's text.
    ///
    /// # Errors
    /// The fault, and the line that it is in.
    fn parse(text: &str) -> Result<Self, DataError>;
}

/// A fault of a data file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DataError {
    /// A line does not follow the format.
    #[error("line {line}: {message}")]
    Line {
        /// Number of the line, from 1 on.
        line: usize,
        /// The fault, and what would be accepted.
        message: String,
    },
    /// The file as a whole is not usable.
    #[error("{0}")]
    Whole(String),
}

impl DataError {
    /// Returns the error `message` about the line with this number, counted from 1.
    pub fn at(line: usize, message: impl fmt::Display) -> Self {
        Self::Line { line, message: message.to_string() }
    }
}

/// Returns the lines of `text` that are not empty, with their numbers, from 1 on. `#` begins a
/// comment.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let content = |line: &'_ str| line.find('#').unwrap_or(line.len());
    text.lines()
        .enumerate()
        .map(move |(index, line)| (index + 1, line[..content(line)].trim()))
        .filter(|(_, line)| !line.is_empty())
}

/// Quotes the first word of `text` for messages, or its beginning if it is long. The file may not
/// be the one that was meant, and may contain secrets. The user who names the file may not be
/// allowed to read it.
pub fn quoted(text: &str) -> String {
    const MOST: usize = 12;
    let is_short = text.chars().count() <= MOST;
    let word: String = match is_short {
        true => text.into(),
        false => text.chars().take_while(|c| c.is_alphanumeric() || ".+-_".contains(*c)).collect(),
    };
    let shown: String = word.chars().take(MOST).flat_map(char::escape_debug).collect();
    match is_short {
        true => format!("`{shown}`"),
        false => format!("`{shown}…`"),
    }
}

/// Checks the number of values in a list.
///
/// # Errors
/// If there are no values, or more than [`MAX_VALUES`].
pub fn check_count(count: usize, what: &str) -> Result<(), String> {
    match count {
        0 => Err(format!("{what} needs at least one value")),
        1..=MAX_VALUES => Ok(()),
        _ => Err(format!("{what} has at most {MAX_VALUES} values, not {count}")),
    }
}

impl<T> Data<T> {
    /// Returns values without a file.
    pub fn inline(values: T) -> Self {
        Self::Values { file: None, values: Arc::new(values) }
    }

    /// Returns the values, unless the file has not been read yet.
    pub fn values(&self) -> Option<&Arc<T>> {
        match self {
            Self::File(_) => None,
            Self::Values { values, .. } => Some(values),
        }
    }

    /// Returns the file's name, whether it has been read or not.
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::File(file) => Some(file),
            Self::Values { file, .. } => file.as_deref(),
        }
    }
}

impl<T: Default> Default for Data<T> {
    fn default() -> Self {
        Self::inline(T::default())
    }
}

impl<T: DataFormat> Data<T> {
    /// Parses the values from the file's `text`.
    ///
    /// # Errors
    /// The fault of the text.
    pub fn load(&mut self, text: &str) -> Result<(), DataError> {
        if let Self::File(file) = self {
            let values = Arc::new(T::parse(text)?);
            *self = Self::Values { file: Some(std::mem::take(file)), values };
        }
        Ok(())
    }
}

/// How a file's content travels with its name.
#[derive(serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FileContentOf{T}"))]
#[serde(deny_unknown_fields)]
struct FileContent<T> {
    /// The file's name.
    file: String,
    /// Values of the file.
    values: T,
}

impl<T: Serialize> Serialize for Data<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::File(file) => file.serialize(serializer),
            Self::Values { file: None, values } => values.as_ref().serialize(serializer),
            Self::Values { file: Some(file), values } => {
                FileContent { file: file.clone(), values: values.as_ref() }.serialize(serializer)
            }
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Data<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DataVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for DataVisitor<T> {
            type Value = Data<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a file, or a list of values")
            }
            fn visit_str<E: Error>(self, file: &str) -> Result<Data<T>, E> {
                Ok(Data::File(file.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Data<T>, A::Error> {
                T::deserialize(SeqAccessDeserializer::new(list)).map(Data::inline)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Data<T>, A::Error> {
                let content = FileContent::<T>::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Data::Values { file: Some(content.file), values: Arc::new(content.values) })
            }
        }
        deserializer.deserialize_any(DataVisitor(PhantomData))
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Data<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("DataOf{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let values = generator.subschema_for::<T>();
        let content = generator.subschema_for::<FileContent<T>>();
        schemars::json_schema!({
            "description": "The name of a file, or the values themselves.",
            "anyOf": [{ "type": "string" }, values, content],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_leave_comments_and_blanks_out_and_keep_their_numbers() {
        let text = "# title\n1 # one\n\n  2\r\n#\n3";
        assert_eq!(lines(text).collect::<Vec<_>>(), [(2, "1"), (4, "2"), (6, "3")]);
    }

    #[test]
    fn long_texts_are_quoted_by_their_beginning() {
        assert_eq!(quoted("short"), "`short`");
        assert_eq!(quoted(&"ü".repeat(1000)), format!("`{}…`", "ü".repeat(12)));
        assert_eq!(quoted("root:$y$j9T$secret:20000:0:99999:7:::"), "`root…`");
        assert_eq!(quoted("\u{1b}[31m"), "`\\u{1b}[31m`");
    }

    #[test]
    fn lists_have_at_least_one_value_and_not_too_many() {
        assert!(check_count(0, "a list").unwrap_err().contains("at least one"));
        assert!(check_count(MAX_VALUES, "a list").is_ok());
        let error = check_count(MAX_VALUES + 1, "a list").unwrap_err();
        assert!(error.contains("at most 10000000 values, not 10000001"), "{error}");
    }
}
