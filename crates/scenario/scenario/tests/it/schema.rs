//! The JSON Schema in the repository is the one generated from the types.

use std::path::Path;

#[test]
fn the_schema_in_the_repository_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/scenario.schema.json");
    let kept: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(
        kept == netloom_scenario::json_schema(),
        "docs/scenario.schema.json is out of date: run `make generate`"
    );
}

#[test]
fn every_key_is_described() {
    let schema = netloom_scenario::json_schema();
    let types = schema["$defs"].as_object().unwrap().values().chain([&schema]);
    for one in types {
        let Some(properties) = one["properties"].as_object() else { continue };
        for (key, property) in properties {
            assert!(property["description"].is_string(), "`{key}` has no description");
        }
    }
}
