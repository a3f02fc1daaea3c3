//! Scenarios that are written anew are the same scenarios.

use std::fs;
use std::path::{Path, PathBuf};

use netloom_scenario::{Loaded, OpenCapture, ReadFile, Unreadable, load_with_files, rewritten};

/// Files in a folder.
struct Folder(PathBuf);

impl ReadFile for Folder {
    fn text(&mut self, file: &str) -> Result<String, Unreadable> {
        fs::read_to_string(self.0.join(file)).map_err(|e| Unreadable::because(e.to_string()))
    }

    fn capture(&mut self, file: &str) -> Result<OpenCapture, Unreadable> {
        let open = fs::File::open(self.0.join(file));
        let bytes = Box::new(open.map_err(|error| Unreadable::because(error.to_string()))?);
        Ok(OpenCapture { path: format!("/{file}"), bytes })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Returns every text of the repository that may be a scenario: its name, its folder and itself.
fn texts() -> Vec<(String, PathBuf, String)> {
    let mut files = Vec::new();
    for folder in ["examples", "crates/scenario/scenario/tests", "docs", "tests", "README.md"] {
        collect(&root().join(folder), &mut files);
    }
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let folder = file.parent().unwrap().to_owned();
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        if file.extension().is_some_and(|extension| extension == "yaml") {
            texts.push((name, folder, text));
            continue;
        }
        let blocks = text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
        texts.extend(blocks.map(|block| (name.clone(), folder.clone(), block.to_owned())));
    }
    texts
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| collect(&entry.unwrap().path(), files));
    } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "md") {
        files.push(path.to_owned());
    }
}

#[test]
fn scenarios_that_are_written_anew_are_the_same() {
    let (mut loaded, mut written) = (0, 0);
    for (name, folder, text) in texts() {
        let Ok(new) = rewritten(&text) else { continue };
        written += 1;
        assert_eq!(rewritten(&new).as_ref(), Ok(&new), "{name} changes when it is read again");
        let load = |text: &str| load_with_files(text, &mut Folder(folder.clone()));
        match (load(&text), load(&new)) {
            (Ok(Loaded { scenario, .. }), Ok(again)) => {
                assert_eq!(again.scenario, scenario, "{name} became\n{new}");
                loaded += 1;
            }
            (Ok(_), Err(findings)) => panic!("{name}: {}", findings.render("new", &new)),
            (Err(_), Ok(_)) => panic!("{name} was wrong, and became right:\n{new}"),
            (Err(_), Err(_)) => {}
        }
    }
    println!("{written} texts were written, {loaded} of them are valid scenarios");
    assert!(loaded > 50, "{loaded} scenarios");
}

#[test]
fn a_scenario_is_written_without_what_is_the_default() {
    let text = "name: two\ntopology:\n  nodes: {a: , r: {kind: router, mtu: 1400}}\n  links:\n    \
                - {endpoints: [\"a:eth1\", r], delay: 5ms, reverse: {loss: 1%}}\n";
    let expected = "\
name: two
seed: 1
topology:
  nodes:
    a: {}
    r:
      kind: router
      mtu: 1400
  links:
    - endpoints: [a:eth1, r]
      reverse:
        loss: 1%
      delay: 5ms
";
    assert_eq!(rewritten(text).unwrap(), expected);
    let wrong = rewritten(&text.replace("delay", "dealy")).unwrap_err();
    assert!(wrong.to_string().contains("did you mean `delay`?"));
}
