//! The `netloom` command line: a thin client of the engine's API, and the offline commands.
//!
//! | module | what |
//! |---|---|
//! | `args` | the commands and their options |
//! | `commands` | one file per command |
//! | `client` | the API over its Unix socket |
//! | `interrupts` | the user's wish that a command ends |
//! | `output` | what commands print, without what a terminal obeys |
//! | `launch` | starting an engine and following its start |
//! | `files` | the files that properties name |
//! | `find` | which scenario, which experiment, when none is named |
//! | `preflight` | whether the machine has room for an experiment |
//! | `profile_file` | where the profile of this machine is kept, and what runs take from it |
//! | `results` | reading what a run left behind |
//! | `table` | tables for people |
//! | `terminal` | the user's terminal |
//! | [`report_metric`] | the command by which processes in nodes report a metric |
//! | [`exit`] | exit codes |
//!
//! Not here: anything that touches a namespace. What the client needs to know of this machine is in
//! `netloom-host`.

// Before all others: it prints for them.
#[macro_use]
mod output;

mod args;
mod client;
mod commands;
pub mod exit;
mod files;
mod find;
mod interrupts;
mod launch;
mod measures;
mod preflight;
mod profile_file;
pub mod report_metric;
mod results;
mod table;
mod terminal;

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

pub use args::Cli;

/// Runs one command line; its exit code.
pub fn main() -> i32 {
    let cli = Cli::parse_from(words());
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return exit::FAILURE;
        }
    };
    let result = runtime.block_on(commands::dispatch(cli));
    // A thread that waits for standard input would hold an ordinary end up until the next key.
    runtime.shutdown_background();
    match result.and_then(output::outcome) {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    }
}

/// The words of the command line. By the name of PlanetLab's tool, the binary takes its words.
fn words() -> Vec<OsString> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let is_netconfig = words.first().is_some_and(|name| Path::new(name).ends_with("netconfig"));
    if !is_netconfig {
        return words;
    }
    let before = ["netloom", "shape", "netconfig", "--"].map(OsString::from);
    before.into_iter().chain(words.into_iter().skip(1)).collect()
}
