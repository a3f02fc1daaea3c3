//! A text that may look like another type.

use serde::{Deserialize, Serialize};

/// A text that may look like another type, like `1`. It is used exactly as written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct ScalarText(pub String);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ScalarText {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["string", "number", "boolean"] })
    }
}
