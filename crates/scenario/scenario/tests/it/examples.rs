//! Every example of the project is a scenario without errors or warnings.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn examples_are_valid() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    let mut checked = 0;
    let folders = fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    // Those of sweeps have other names before the suffix, and those of Python write theirs.
    let is_scenario = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy();
        name == "netloom.yaml" || name.ends_with(".netloom.yaml")
    };
    for file in files.map(|entry| entry.unwrap().path()).filter(is_scenario) {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.display().to_string();
        let folder = file.parent().unwrap().to_owned();
        let mut read = |name: &str| {
            let text = fs::read_to_string(folder.join(name));
            text.map_err(|error| netloom_scenario::Unreadable::because(error.to_string()))
        };
        match netloom_scenario::load_with_files(&text, &mut read) {
            Ok(loaded) if loaded.warnings.is_empty() => checked += 1,
            Ok(loaded) => panic!("{}", loaded.warnings.render(&name, &text)),
            Err(diagnostics) => panic!("{}", diagnostics.render(&name, &text)),
        }
    }
    assert!(checked >= 30, "{checked} examples");
}
