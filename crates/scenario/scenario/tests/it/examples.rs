//! Every example of the project is a scenario without errors or warnings.

use std::fs;
use std::path::Path;

#[test]
fn examples_are_valid() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    let mut checked = 0;
    for entry in fs::read_dir(examples).unwrap() {
        let file = entry.unwrap().path().join("netloom.yaml");
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
    assert!(checked >= 4, "{checked} examples");
}
