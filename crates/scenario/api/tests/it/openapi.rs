//! The checked-in API document is the one generated from the types, and every reference in it is
//! valid.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use netloom_api::openapi::document;
use serde_json::Value;

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/openapi.json");
    let there: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert!(there == document(), "docs/openapi.json is out of date: run `make generate`");
}

#[test]
fn references_lead_somewhere() {
    let document = document();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut references = BTreeSet::new();
    collect(&document, &mut references);
    assert!(references.len() > 20, "{references:?}");
    for reference in references {
        let name = reference.strip_prefix("#/components/schemas/").unwrap_or(&reference);
        assert!(schemas.contains_key(name), "{reference} leads nowhere");
    }
}

fn collect(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                references.insert(reference.clone());
            }
            map.values().for_each(|value| collect(value, references));
        }
        Value::Array(list) => list.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}
