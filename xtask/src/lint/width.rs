//! Detects lines that are too long. Tables, code blocks of Markdown and addresses of links do not
//! count, because they cannot be broken, and files that are generated, because nobody writes them.

/// Suffixes of the files that are checked.
pub const SUFFIXES: [&str; 5] = [".rs", ".md", ".py", ".sh", ".c"];
/// Longest line, in characters.
const WIDTH: usize = 100;
/// In the first line of a file that `generate` makes.
const GENERATED: &str = "`make generate` makes this file";

/// The complaints about lines that are too long in `text`, the contents of the file `path`.
pub fn faults(path: &str, text: &str) -> Vec<String> {
    if text.lines().next().is_some_and(|line| line.contains(GENERATED)) {
        return Vec::new();
    }
    let lines = long_lines(path, text).into_iter();
    lines.map(|line| format!("{path}:{line}: longer than {WIDTH} characters")).collect()
}

/// The numbers of these lines.
fn long_lines(path: &str, text: &str) -> Vec<usize> {
    let is_markdown = path.ends_with(".md");
    let mut in_code = false;
    let mut long = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let is_fence = is_markdown && start.starts_with("```");
        in_code ^= is_fence;
        let is_table = match is_markdown {
            true => start.starts_with('|'),
            false => start.starts_with("//! |") || start.starts_with("/// |"),
        };
        if !in_code && !is_fence && !is_table && width(line, is_markdown) > WIDTH {
            long.push(index + 1);
        }
    }
    long
}

/// Number of characters of a line, without addresses.
fn width(line: &str, is_markdown: bool) -> usize {
    let words = line.split(' ').map(|word| match (word.find("](").filter(|_| is_markdown), word) {
        (Some(at), _) => &word[..at],
        (None, word) => word.split("http").next().filter(|_| is_address(word)).unwrap_or(word),
    });
    let characters = words.map(|word| word.chars().count() + 1).sum::<usize>();
    characters.saturating_sub(1)
}

fn is_address(word: &str) -> bool {
    word.contains("http://") || word.contains("https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(characters: usize) -> String {
        "ab ".repeat(characters)[..characters - 1].to_owned() + "x"
    }

    #[test]
    fn generated_files_have_lines_of_any_length() {
        let text = |head: &str| format!("{head}\n{}", words(101));
        assert!(faults("a.py", &text("\"\"\"`make generate` makes this file.\"\"\"")).is_empty());
        assert_eq!(faults("a.py", &text("x")).len(), 1);
    }

    #[test]
    fn a_line_may_have_a_hundred_characters() {
        assert!(long_lines("a.rs", &words(100)).is_empty());
        assert_eq!(long_lines("a.rs", &format!("short\n{}", words(101))), [2]);
        assert!(long_lines("a.py", &"µ".repeat(100)).is_empty());
    }

    #[test]
    fn tables_and_code_blocks_of_markdown_may_be_longer() {
        let long = words(120);
        let text = format!("| {long} |\n```\n{long}\n```\n{long}");
        assert_eq!(long_lines("a.md", &text), [5]);
        let text = format!("//! | {long} |\n    /// | {long} |\n// | {long} |\n```\n{long}");
        assert_eq!(long_lines("a.rs", &text), [3, 5]);
    }

    #[test]
    fn addresses_are_not_counted() {
        let address = "x".repeat(90);
        let link = format!("{} [a link](docs/{address}.md) {}", words(40), words(40));
        assert!(long_lines("a.md", &link).is_empty());
        assert_eq!(long_lines("a.rs", &link), [1]);
        assert!(long_lines("a.rs", &format!("// {} https://{address}", words(60))).is_empty());
        assert_eq!(long_lines("a.rs", &format!("// {} {address}", words(60))), [1]);
    }
}
