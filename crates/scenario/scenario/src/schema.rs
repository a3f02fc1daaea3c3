//! The JSON Schema of scenario files, for editors that complete and check while the user types.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Value, json};

use crate::raw::RawScenario;

pub mod titles;

/// Returns the JSON Schema (draft 2020-12) of a scenario file, generated from the types that decode
/// it. A copy is in `docs/scenario.schema.json`.
pub fn json_schema() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let mut schema = settings.into_generator().into_root_schema_for::<RawScenario>();
    for_editors(&mut schema);
    schema.insert("title".into(), json!("NetLoom scenario"));
    let mut schema = schema.to_value();
    // `a:` alone is a node with all defaults.
    if let Some(kind) = schema.pointer_mut("/$defs/Node/type") {
        *kind = json!(["object", "null"]);
    }
    titles::add("Scenario", &mut schema, "$defs");
    schema
}

/// Makes a schema that was generated from types say what files of users may have.
pub fn for_editors(schema: &mut Schema) {
    RecursiveTransform(refuse_null).transform(schema);
    RecursiveTransform(join_lines).transform(schema);
}

/// Replaces line breaks in descriptions by spaces: doc comments are wrapped, descriptions are not.
fn join_lines(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
}

/// Removes null from optional keys: a key may be absent, but a key that is present has a value.
fn refuse_null(schema: &mut Schema) {
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    let is_null = |value: &Value| *value == json!("null") || *value == json!({ "type": "null" });
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| !is_null(kind));
        if let [kind] = types.as_slice() {
            let kind = kind.clone();
            schema.insert("type".into(), kind);
        }
    }
    let Some(Value::Array(choices)) = schema.get_mut("anyOf") else { return };
    choices.retain(|choice| !is_null(choice));
    let [Value::Object(only)] = choices.as_slice() else { return };
    let only = only.clone();
    schema.remove("anyOf");
    for (key, value) in only {
        if schema.get(&key).is_none() {
            schema.insert(key, value);
        }
    }
}
