//! Arguments of `netloom completion` and `netloom man`.

use std::path::PathBuf;

use clap::Args;

/// `netloom completion`
#[derive(Debug, Args)]
pub struct Completion {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `netloom man`
#[derive(Debug, Args)]
pub struct Man {
    /// Where: a directory that is there.
    pub directory: PathBuf,
}
