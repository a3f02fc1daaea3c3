//! `netloom completion`

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{Cli, Completion};
use crate::exit;

/// Prints the script with which a shell completes commands and options.
pub fn completion(args: &Completion) -> Result<i32> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "netloom", &mut script);
    print!("{}", String::from_utf8(script)?);
    Ok(exit::SUCCESS)
}
