//! Generates files from types: one line each in [`files`].

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use crate::{live, properties, python};

/// Every generated file: its path in the repository, and its contents.
fn files() -> anyhow::Result<Vec<(&'static str, String)>> {
    let json = |value: &Value| -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(value)? + "\n")
    };
    let schema = netloom_scenario::json_schema();
    let document = netloom_api::openapi::document();
    let [types, api_types] = python::modules(&schema, &document)?;
    Ok(vec![
        ("python/netloom/_types.py", types),
        ("python/netloom/_api_types.py", api_types),
        ("docs/scenario.schema.json", json(&schema)?),
        ("docs/openapi.json", json(&document)?),
        ("docs/ui-openapi.json", json(&netloom_api::openapi::ui::document())?),
        ("web/src/generated/live.ts", live::decoder()),
        ("web/src/generated/live-golden.json", json(&live::golden())?),
        ("docs/machines.schema.json", json(&netloom_placement::json_schema())?),
        ("docs/profile.schema.json", json(&netloom_profile::json_schema())?),
        ("docs/sweep.schema.json", json(&netloom_sweep::json_schema())?),
        ("docs/properties.md", properties::page(&schema)?),
    ])
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Writes all generated files.
pub fn run() -> anyhow::Result<()> {
    for (path, text) in files()? {
        let target = in_repository(path);
        fs::write(&target, text).with_context(|| format!("cannot write {}", target.display()))?;
        println!("{path}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_in_the_repository_are_current() {
        for (path, text) in files().unwrap() {
            let there = fs::read_to_string(in_repository(path)).unwrap();
            assert!(there == text, "{path} is out of date: run `make generate`");
        }
    }

    #[test]
    fn the_page_of_properties_describes_every_one() {
        let page = properties::page(&netloom_scenario::json_schema()).unwrap();
        let config = serde_json::to_value(netloom_link::PipeConfig::default()).unwrap();
        let notations = ["netem", "tbf", "dummynet"].map(String::from);
        for property in config.as_object().unwrap().keys().chain(&notations) {
            let begin = page.find(&format!("\n## `{property}`\n")).expect(property);
            let section = page[begin + 4..].split("\n## ").next().unwrap();
            assert!(section.len() > 30, "{property}: {section}");
        }
        for key in ["gilbert_elliott", "p13", "paretonormal", "schedule", "at", "extra_delay"] {
            assert!(page.contains(&format!("`{key}`")) || page.contains(&format!("{{{key}: …}}")));
        }
        assert!(!page.contains("FileContent"), "how files travel is not for people");
    }
}
