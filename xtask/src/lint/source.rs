//! Rust files as lints read them: formatted by rustfmt, and without tests. Not here: what is looked
//! for.

/// A module of a crate, which is a file.
#[derive(Debug)]
pub struct Module {
    /// The path of the file, from the root of the repository.
    pub file: String,
    /// The path of the crate's directory.
    pub root: String,
    /// The path of the module inside its crate; empty for the crate itself.
    pub path: Vec<String>,
    /// The lines of the file. Those of tests are empty.
    pub lines: Vec<String>,
    /// Whether the modules inside it are in a directory with its name, beside it.
    pub is_beside_its_directory: bool,
}

impl Module {
    /// Reads a file of a crate's sources; `None` for files of tests, and for others.
    pub fn read(file: &str, text: &str) -> Option<Self> {
        let (root, inside) = file.split_once("src/")?;
        let inside = inside.strip_suffix(".rs")?;
        let mut path: Vec<String> = inside.split('/').map(Into::into).collect();
        if path.iter().any(|part| part == "tests") || file.contains("/tests/") {
            return None;
        }
        let is_of_directory = path.last().is_some_and(|last| last == "mod");
        let is_of_crate = matches!(inside, "lib" | "main");
        if is_of_directory || is_of_crate {
            path.pop();
        }
        Some(Self {
            file: file.into(),
            root: root.trim_end_matches('/').into(),
            path,
            lines: without_tests(text),
            is_beside_its_directory: !is_of_directory && !is_of_crate,
        })
    }

    /// The path of the directory of the modules inside it.
    pub fn directory(&self) -> String {
        match self.is_beside_its_directory {
            true => self.file.trim_end_matches(".rs").into(),
            false => self.file.rsplit_once('/').map_or("", |(directory, _)| directory).into(),
        }
    }

    /// Its name for people: `link::queue`.
    pub fn name(&self) -> String {
        let of_crate = self.root.rsplit('/').next().filter(|name| !name.is_empty());
        let parts = [of_crate.unwrap_or("netloom")].into_iter();
        parts.chain(self.path.iter().map(String::as_str)).collect::<Vec<_>>().join("::")
    }
}

/// The lines of a file, with empty ones for what is compiled for tests only.
fn without_tests(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.lines();
    while let Some(line) = rest.next() {
        if line != "#[cfg(test)]" {
            lines.push(line.to_owned());
            continue;
        }
        lines.push(String::new());
        for line in rest.by_ref() {
            lines.push(String::new());
            // The end of an item at the outermost level.
            if line == "}" || !line.starts_with([' ', '#']) && line.ends_with(';') {
                break;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_left_out() {
        let text = "use a;\n#[cfg(test)]\nmod tests;\nfn f() {}\n#[cfg(test)]\nmod more {\n    \
                    fn g() {}\n}\nfn h() {}";
        let lines = without_tests(text);
        assert_eq!(lines, ["use a;", "", "", "fn f() {}", "", "", "", "", "fn h() {}"]);
        for file in ["crates/a/b/tests/it/c.rs", "crates/a/b/src/c/tests.rs", "build.rs"] {
            assert!(Module::read(file, "").is_none(), "{file}");
        }
    }

    #[test]
    fn modules_have_paths_and_directories() {
        let read = |file| Module::read(file, "").unwrap();
        let name = |file| (read(file).name(), read(file).directory());
        let expected = |name: &str, directory: &str| (name.into(), directory.into());
        assert_eq!(name("crates/a/b/src/lib.rs"), expected("b", "crates/a/b/src"));
        assert_eq!(name("crates/a/b/src/c/mod.rs"), expected("b::c", "crates/a/b/src/c"));
        assert_eq!(name("crates/a/b/src/c/d.rs"), expected("b::c::d", "crates/a/b/src/c/d"));
        assert_eq!(name("src/main.rs"), expected("netloom", "src"));
    }
}
