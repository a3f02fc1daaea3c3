//! `netloom traffic`: traffic models without a network.
//!
//! | file | command |
//! |---|---|
//! | `generate` | `generate`: writes the arrivals of a model into a file |
//! | `check` | `check`: mean, variance and Hurst parameter of a file, beside a model's |
//! | `headers` | the headers of frames in a generated pcap |

mod check;
mod generate;
mod headers;

use std::path::Path;

use anyhow::Result;
use netloom_link::{FileError, FileFault};

use netloom_scenario::{ReadFile, Unreadable};
use netloom_traffic::{Line, Model, Sizes};

use crate::args::{ModelOptions, Traffic};
use crate::exit::WithCode;
use crate::table::table;
use crate::{exit, files};

/// Runs a command of `netloom traffic`.
pub fn traffic(args: &Traffic) -> Result<i32> {
    match args {
        Traffic::Models => Ok(models()),
        Traffic::Generate(args) => generate::generate(args),
        Traffic::Check(args) => check::check(args),
    }
}

/// Lists the models.
fn models() -> i32 {
    let mut rows = table(&["model", "what it is"]);
    for (name, what) in Model::ALL {
        rows.add_row([*name, what.trim()]);
    }
    println!("{rows}");
    exit::SUCCESS
}

/// A model with the lengths of its frames and its other inputs.
struct Chosen {
    model: Model,
    sizes: Sizes,
    line: Option<Line>,
}

/// Reads a model as in a scenario. Files are relative to the current folder.
fn chosen(model: &str, options: &ModelOptions) -> Result<Chosen> {
    let mut chosen = Chosen {
        model: value(model, "MODEL")?,
        sizes: match &options.size {
            Some(size) => value(size, "--size")?,
            None => Sizes::default(),
        },
        line: options.line.map(|rate| Line { rate, framing: options.framing }),
    };
    let mut read = files::reader(Path::new("."));
    let mut read = |name: &str| read.text(name);
    chosen.model.load(&mut read).map_err(unusable)?;
    chosen.sizes.load(&mut read).map_err(unusable)?;
    Ok(chosen)
}

/// Reads a value as in a scenario.
fn value<T: serde::de::DeserializeOwned>(text: &str, what: &str) -> Result<T> {
    netloom_scenario::value(text).map_err(|findings| {
        WithCode { code: exit::USAGE, message: findings.render(what, text) }.into()
    })
}

/// Makes the error for files that could not be used.
fn unusable(errors: Vec<FileError<Unreadable>>) -> anyhow::Error {
    let lines = errors.into_iter().map(|FileError { property, file, what, cause }| match cause {
        FileFault::Unreadable(Unreadable { reason, help }) => {
            let help = help.map(|help| format!("; {help}")).unwrap_or_default();
            format!("{property}: cannot read the {what} {file}: {reason}{help}")
        }
        FileFault::Malformed(error) => format!("{property}: {file} is no {what}: {error}"),
    });
    exit::usage(lines.collect::<Vec<_>>().join("\n"))
}
