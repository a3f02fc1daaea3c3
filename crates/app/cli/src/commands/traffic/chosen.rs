//! The model that a command is about, and its other inputs.

use std::path::Path;

use anyhow::Result;
use netloom_link::{FileError, FileFault};
use netloom_scenario::{ReadFile, Unreadable};
use netloom_traffic::{Line, Model, Sizes};

use crate::args::ModelOptions;
use crate::exit::WithCode;
use crate::{exit, files};

/// A model with the lengths of its frames and its other inputs.
pub(super) struct Chosen {
    pub model: Model,
    pub sizes: Sizes,
    pub line: Option<Line>,
}

/// Reads a model as in a scenario. Files are relative to the current folder.
pub(super) fn chosen(model: &str, options: &ModelOptions) -> Result<Chosen> {
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
