//! Every file under `bad/` is invalid, and the file beside it contains the expected errors.
//! `BLESS=1` rewrites these; read them before you commit them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use netloom_scenario::{OpenCapture, ReadFile, Unreadable, load_with_files};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    files
}

/// The files of `bad/files`, with a hint for a file that does not exist.
struct Folder;

impl Folder {
    fn path(file: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad/files").join(file)
    }

    fn missing() -> Unreadable {
        Unreadable {
            reason: "there is no such file".into(),
            help: Some("names are relative to the scenario's folder".into()),
        }
    }
}

impl ReadFile for Folder {
    fn text(&mut self, file: &str) -> Result<String, Unreadable> {
        fs::read_to_string(Self::path(file)).map_err(|_| Self::missing())
    }

    fn capture(&mut self, file: &str) -> Result<OpenCapture, Unreadable> {
        let open = fs::File::open(Self::path(file)).map_err(|_| Self::missing())?;
        Ok(OpenCapture { path: format!("/{file}"), bytes: Box::new(open) })
    }
}

#[test]
fn bad_scenarios_are_refused_with_these_words() {
    let files = files("bad");
    assert!(files.len() >= 30, "only {} bad scenarios found", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let Err(findings) = load_with_files(&text, &mut Folder) else {
            wrong.push(format!("{name} was accepted"));
            continue;
        };
        assert!(findings.error_count() > 0, "{name}: refused without an error");
        let rendered = findings.render(name, &text);
        let golden = path.with_extension("txt");
        if env::var_os("BLESS").is_some() {
            fs::write(&golden, &rendered).unwrap();
        } else if fs::read_to_string(&golden).ok().as_deref() != Some(rendered.as_str()) {
            wrong.push(format!("{name} says now:\n{rendered}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n(BLESS=1 accepts this)", wrong.join("\n"));
}
