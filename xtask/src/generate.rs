//! Files that are made from the types: one line each in [`files`].

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

/// Every generated file: its path in the repository, and what it holds.
fn files() -> Vec<(&'static str, Value)> {
    vec![
        ("docs/scenario.schema.json", netloom_scenario::json_schema()),
        ("docs/openapi.json", netloom_api::openapi::document()),
    ]
}

/// Writes all generated files.
pub fn run() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (path, content) in files() {
        let text = serde_json::to_string_pretty(&content)? + "\n";
        let target = root.join(path);
        fs::write(&target, text).with_context(|| format!("cannot write {}", target.display()))?;
        println!("{path}");
    }
    Ok(())
}
