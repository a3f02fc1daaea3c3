//! Parses a command line. Building the tree of all commands takes 0.3 ms of CPU time, a tenth of
//! what `exec` takes. Scripts call it by the hundred, so it is parsed by a tree of its own.

use std::ffi::OsString;

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
            return Self::parse_from(words);
        }
        let OnlyExec::Exec(args) = Alone::parse_from(words).command;
        Self { command: Command::Exec(args) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
