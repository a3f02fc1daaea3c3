//! The `netloom` command line: a thin client of the engine's API, and the offline commands.
//!
//! | module | contents |
//! |---|---|
//! | `args` | the commands and their options |
//! | `commands` | one file per command |
//! | `client` | the API over its Unix socket |
//! | `controls` | congestion controls that nodes name and lack |
//! | `part` | what flows and pipes did, over a run and over a part of it |
//! | `interrupts` | requests of the user that a command ends |
//! | `owner` | hands results over to whoever called `sudo` |
//! | `output` | prints messages, without control characters for a terminal |
//! | `launch` | starts an engine and follows its start |
//! | `files` | reads the files that properties name |
//! | `find` | finds the scenario and the experiment if none is named |
//! | `finding` | findings about this machine |
//! | `programs` | the programs that a scenario needs on this machine |
//! | `preflight` | checks whether the machine has room for an experiment |
//! | `profile_file` | the file of the profile of this machine, and its use in runs |
//! | `results` | reads the results of a run |
//! | [`survey`] | members that report on machines and ask each other, before a run |
//! | `table` | tables for people |
//! | `terminal` | the user's terminal |
//! | [`ui`] | what the server of the web UI has in common with the command line |
//! | `warnings` | counts repeated warnings instead of printing them |
//! | [`report_metric`] | the command by which processes in nodes report a metric |
//! | [`exit`] | exit codes |
//!
//! Not here: anything that touches a namespace. Facts about this machine that the client needs are
//! in `netloom-host`.

// Comes first, because the other modules use its macros.
#[macro_use]
mod output;

mod args;
mod client;
mod commands;
mod controls;
pub mod exit;
mod files;
mod find;
mod finding;
mod interrupts;
mod launch;
mod owner;
mod part;
mod placing;
mod preflight;
mod profile_file;
mod programs;
pub mod report_metric;
mod results;
pub mod survey;
mod table;
mod terminal;
pub mod ui;
mod warnings;

use std::ffi::OsString;
use std::path::Path;

pub use args::{Cli, Ui, UiServer};
pub use client::Client;
pub use commands::peers::{MODE as PEERS_MODE, main as peers_there};
pub use commands::sweep::away::{MODE as SWEEP_MODE, there::main as sweep_there};
pub use commands::sweep::child::{ROLE as SWEEP_RUN, main as sweep_run};

/// Runs one command line, with this server of the web UI. Returns its exit code.
pub fn main(ui: UiServer) -> i32 {
    let cli = Cli::of(words());
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return exit::FAILURE;
        }
    };
    let result = runtime.block_on(commands::dispatch(cli, ui));
    // A thread that waits for standard input would delay an ordinary end until the next key.
    runtime.shutdown_background();
    match result.and_then(output::outcome) {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    }
}

/// Removes the remains of an experiment, or of all whose engines have died. Returns the exit code.
pub fn clean_up(experiment: Option<String>) -> i32 {
    let args = args::Cleanup { experiment, all: false, force: false, machines: None };
    match commands::cleanup::cleanup(args).and_then(output::outcome) {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    }
}

/// Returns the words of the command line. If the binary is called by the name of PlanetLab's tool,
/// it accepts the words of that tool.
fn words() -> Vec<OsString> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let is_netconfig = words.first().is_some_and(|name| Path::new(name).ends_with("netconfig"));
    if !is_netconfig {
        return words;
    }
    let before = ["netloom", "shape", "netconfig", "--"].map(OsString::from);
    before.into_iter().chain(words.into_iter().skip(1)).collect()
}
