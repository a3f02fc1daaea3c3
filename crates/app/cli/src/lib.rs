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
//! Not here: anything that touches a namespace. What the client needs to know of this machine comes
//! through [`Machine`].

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
mod preflight;
mod profile_file;
pub mod report_metric;
mod results;
mod table;
mod terminal;

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Parser;

pub use args::Cli;
pub use netloom_api::machine::Machine as MachineDescription;
pub use netloom_scenario::Controller;

/// An experiment of which there is a trace on this machine.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Whether its engine lives.
    pub alive: bool,
    /// The engine's process id, if it is known.
    pub pid: Option<u32>,
    /// The socket of its API.
    pub socket: PathBuf,
}

/// How large an experiment is to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Nodes with a network stack.
    pub nodes: u64,
    /// Their interfaces.
    pub interfaces: u64,
    /// Those of them that the engine holds open: not the ends of direct links.
    pub opened: u64,
    /// Entries of the neighbour table of each family, if all who hear each other talk.
    pub neighbours: u64,
}

/// Something that a machine has only so many of.
#[derive(Debug, Clone)]
pub struct Wall {
    /// What.
    pub what: &'static str,
    /// How many the experiment needs.
    pub needs: u64,
    /// How many it can have.
    pub has: u64,
    /// Whether it cannot start with fewer; else something in it may fail.
    pub stops_start: bool,
    /// What happens with fewer, and how to raise it.
    pub advice: Cow<'static, str>,
}

/// What was done about the remains of an experiment.
#[derive(Debug, Clone)]
pub struct Cleaned {
    /// What was removed, in words.
    pub removed: Vec<String>,
    /// What bears the experiment's name and was left alone, as the experiment has not made it.
    pub foreign: Vec<PathBuf>,
}

/// What the command line needs to know and do on this machine beside talking to engines.
pub trait Machine {
    /// The names of all experiments of which there is a trace, sorted.
    fn names(&self) -> Vec<String>;
    /// All experiments of which there is a trace, sorted by name.
    fn experiments(&self) -> anyhow::Result<Vec<Found>>;
    /// What there is of the experiment `name`.
    fn inspect(&self, name: &str) -> anyhow::Result<Found>;
    /// Removes what a dead engine left. An error if the engine lives.
    fn cleanup(&self, name: &str) -> anyhow::Result<Cleaned>;
    /// What the machine is: what may change how much it bears.
    fn describe(&self) -> MachineDescription;
    /// What the machine has only so many of, held against an experiment of this size.
    fn walls(&self, size: Size) -> Vec<Wall>;
    /// What would enforce limits of a controller, in words; or why nothing would, and what to
    /// change.
    fn enforcer(&self, controller: Controller) -> Result<&'static str, String>;
    /// Kills the engine of `name`, if it lives, and waits until it is gone.
    fn kill_engine(&self, name: &str) -> anyhow::Result<()>;
}

/// Runs one command line; its exit code.
pub fn main(machine: &dyn Machine) -> i32 {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return exit::FAILURE;
        }
    };
    let result = runtime.block_on(commands::dispatch(machine, cli));
    // A thread that waits for standard input would hold an ordinary end up until the next key.
    runtime.shutdown_background();
    match result.and_then(output::outcome) {
        Ok(code) => code,
        Err(error) => exit::report(&error),
    }
}
