//! `netloom completion`, `netloom man`: what shells and `man` know of the commands.

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::args::{Cli, Completion, Man};
use crate::exit;

/// Prints the script with which a shell completes commands and options.
pub fn completion(args: &Completion) -> Result<i32> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "netloom", &mut script);
    print!("{}", String::from_utf8(script)?);
    Ok(exit::SUCCESS)
}

/// Writes a manual page for each command.
pub fn man(args: &Man) -> Result<i32> {
    let directory = &args.directory;
    let written = clap_mangen::generate_to(Cli::command(), directory);
    written.with_context(|| format!("cannot write manual pages to {}", directory.display()))?;
    Ok(exit::SUCCESS)
}
