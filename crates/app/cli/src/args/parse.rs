//! Parses a command line. Building the tree of all commands takes 0.3 ms of CPU time, a tenth of
//! what `exec` takes. Scripts call it by the hundred, so it is parsed by a tree of its own.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use super::{Cli, Command, Exec};

/// [`Cli`] with one command.
#[derive(Debug, Parser)]
#[command(name = "netloom", version, max_term_width = 100)]
struct Alone {
    #[command(subcommand)]
    command: OnlyExec,
}

#[derive(Debug, Subcommand)]
enum OnlyExec {
    /// Run a command in a node; the exit code is the command's own.
    Exec(Exec),
}

impl Cli {
    /// Parses the words of a command line. Ends the process if they are none.
    pub fn of(words: Vec<OsString>) -> Self {
        if words.get(1).is_none_or(|word| word != "exec") {
            return Self::try_parse_from(words).unwrap_or_else(|error| with_hint(error).exit());
        }
        let OnlyExec::Exec(args) = Alone::parse_from(words).command;
        Self { command: Command::Exec(args) }
    }
}

/// Adds to the error about a scenario file without `-t` how to name it.
fn with_hint(mut error: clap::Error) -> clap::Error {
    let unknown = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(word))) => word.clone(),
        _ => return error,
    };
    if !unknown.starts_with('-') && (unknown.ends_with(".yaml") || unknown.ends_with(".yml")) {
        let tip = format!("a scenario file is named with `-t`: `-t {unknown}`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// Splits a line as a shell does, up to where its first command ends.
    fn split(line: &str) -> Vec<String> {
        let (mut words, mut word) = (Vec::new(), None::<String>);
        let mut letters = line.chars().peekable();
        let mut depth = 0;
        while let Some(letter) = letters.next() {
            match letter {
                '\'' | '"' if depth == 0 => {
                    let quoted = letters.by_ref().take_while(|other| *other != letter);
                    word.get_or_insert_default().extend(quoted);
                }
                ' ' if depth == 0 => words.extend(word.take()),
                '#' if word.is_none() => break,
                '|' | ';' | '>' | '&' if depth == 0 => break,
                letter => {
                    depth += usize::from(letter == '(');
                    depth -= usize::from(letter == ')');
                    word.get_or_insert_default().push(letter);
                }
            }
        }
        words.extend(word);
        words
    }

    /// All Markdown files in a folder.
    fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pages(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "md") {
                found.push(path);
            }
        }
    }

    /// Every command on a page is one that this version takes.
    #[test]
    fn commands_on_pages_can_be_typed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let mut all = vec![root.join("README.md")];
        pages(&root.join("docs"), &mut all);
        pages(&root.join("examples"), &mut all);
        let (mut wrong, mut count) = (Vec::new(), 0);
        for page in all {
            let text = fs::read_to_string(&page).unwrap();
            let blocks = text.split("```").skip(1).step_by(2);
            let of_shell = blocks.filter_map(|block| {
                let (language, body) = block.split_once('\n')?;
                ["console", "sh", "bash"].contains(&language).then(|| body.replace("\\\n", ""))
            });
            for line in
                of_shell.flat_map(|body| body.lines().map(str::to_owned).collect::<Vec<_>>())
            {
                let typed = line.trim_start_matches(['$', '#', ' ']);
                let typed = typed.strip_prefix("sudo ").unwrap_or(typed);
                if !typed.starts_with("netloom ") {
                    continue;
                }
                count += 1;
                // What another command prints is a number on these pages.
                let number = |word: String| match word.starts_with("$(") {
                    true => "1".into(),
                    false => word,
                };
                if let Err(error) = Cli::try_parse_from(split(typed).into_iter().map(number)) {
                    wrong.push(format!("{}: {typed}\n{error}", page.display()));
                }
            }
        }
        assert!(count > 60, "{count} commands");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn lines_are_split_as_by_a_shell() {
        let line = "netloom set 'a b' x=\"c d\" $(e -f '{{.g}}')  -w - | less # h";
        assert_eq!(split(line), ["netloom", "set", "a b", "x=c d", "$(e -f '{{.g}}')", "-w", "-"]);
        assert_eq!(split("netloom run # later"), ["netloom", "run"]);
    }

    #[test]
    fn a_scenario_file_without_its_option_is_recognised() {
        let error = |line: &str| {
            let words = std::iter::once("netloom").chain(line.split(' '));
            with_hint(Cli::try_parse_from(words).unwrap_err()).to_string()
        };
        for line in ["run lab.yaml", "graph -o x.svg lab.yml", "deploy lab.yaml"] {
            let (text, file) = (error(line), line.rsplit(' ').next().unwrap());
            assert!(text.contains(&format!("`-t {file}`")), "{text}");
        }
        for line in ["run lab", "run --lab.yaml", "run"] {
            let words = std::iter::once("netloom").chain(line.split(' '));
            let text = Cli::try_parse_from(words).map_err(|error| with_hint(error).to_string());
            assert!(text.is_ok() || !text.unwrap_err().contains("named with"), "{line}");
        }
    }

    #[test]
    fn both_trees_have_the_same_exec() {
        for line in [
            "exec --help",
            "exec -h",
            "exec",
            "exec node",
            "exec --version",
            "exec --no-such-option node true",
            "exec --tty --env node true",
            "exec -t a.yaml -e A=B node@lab ls -l --help",
            "exec node -- sh -c x",
        ] {
            let words = || std::iter::once("netloom").chain(line.split(' '));
            let of_all = Cli::try_parse_from(words()).map(|cli| format!("{:?}", cli.command));
            let alone = Alone::try_parse_from(words()).map(|cli| format!("{:?}", cli.command));
            let text = |error: clap::Error| error.to_string();
            assert_eq!(alone.map_err(text), of_all.map_err(text), "{line}");
        }
    }
}
