//! Detects functions and files that are too long to be read at one go. Tests do not count.

use super::source::Module;

/// Most lines of a function, from its name to its end.
const FUNCTION: usize = 80;
/// Most lines of a file, with its tests.
const FILE: usize = 600;

/// The functions of a module that are too long: name, first line, number of lines.
pub fn long_functions(module: &Module) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (index, line) in module.lines.iter().enumerate() {
        let Some(name) = function(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        // A function of one line, and one without a body, end nowhere below.
        let is_end = |line: &String| *line == end || line.ends_with(';') && is_at(line, indent);
        let Some(more) = module.lines[index + 1..].iter().position(is_end) else { continue };
        let length = more + 2;
        if length > FUNCTION && !line.ends_with(['}', ';']) {
            found.push((name.to_owned(), index + 1, length));
        }
    }
    found
}

/// Whether a line begins at this indentation.
fn is_at(line: &str, indent: &str) -> bool {
    line.strip_prefix(indent).is_some_and(|rest| !rest.starts_with(' '))
}

/// The name of the function that begins in a line.
fn function(line: &str) -> Option<&str> {
    let words = ["const", "async", "unsafe", "extern", "\"C\"", "pub"];
    let mut rest = line.trim_start();
    loop {
        let (word, behind) = rest.split_once(' ')?;
        if word == "fn" {
            return behind.split(['(', '<']).next();
        }
        if !words.contains(&word) && !word.starts_with("pub(") {
            return None;
        }
        rest = behind;
    }
}

/// The complaint about a file with this text, if it is too long.
pub fn long_file(file: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > FILE).then(|| format!("{file}: {lines} lines, more than {FILE}"))
}

/// The complaint about a function.
pub fn complaint(file: &str, (name, line, length): &(String, usize, usize)) -> String {
    format!("{file}:{line}: `{name}` has {length} lines, more than {FUNCTION}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        Module::read("crates/a/b/src/c.rs", text).unwrap()
    }

    #[test]
    fn a_function_may_have_eighty_lines() {
        let of = |lines: usize| {
            let body = "        let a = 1;\n".repeat(lines - 2);
            format!("impl A {{\n    pub(crate) const fn long<T>(a: T) {{\n{body}    }}\n}}\n")
        };
        assert!(long_functions(&module(&of(80))).is_empty());
        assert_eq!(long_functions(&module(&of(81))), [("long".to_owned(), 2, 81)]);
    }

    #[test]
    fn declarations_and_functions_of_one_line_are_short() {
        let below = "// more\n".repeat(100);
        let text = format!("trait A {{\n    fn a(&self);\n    fn b() {{}}\n{below}}}\n");
        assert!(long_functions(&module(&text)).is_empty());
        let text =
            format!("trait A {{\n    fn a(\n        x: u8,\n    ) -> u8;\n{below}    }}\n}}\n");
        assert!(long_functions(&module(&text)).is_empty());
    }
}
