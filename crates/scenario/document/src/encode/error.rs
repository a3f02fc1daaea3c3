//! What has no form in a document.

use std::fmt;

use serde::ser;

/// Why a typed value has no form in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodeError(String);

impl EncodeError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this cannot be written as YAML: {}", self.0)
    }
}

impl std::error::Error for EncodeError {}

impl ser::Error for EncodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}
