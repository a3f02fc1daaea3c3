//! Exit codes. `exec` returns the command's own code instead; its own failures are 125 to 127.

use netloom_api::progress::{Failure, Progress};

use crate::output;

/// All went well.
pub const SUCCESS: i32 = 0;
/// The operation failed.
pub const FAILURE: i32 = 1;
/// The command line or the scenario is wrong. Nothing was changed.
pub const USAGE: i32 = 2;
/// The run took place, but a process or an event of it failed.
pub const RUN_FAILED: i32 = 3;
/// The run took place, but its results are those of the machine, not of the network; only with
/// `--strict`.
pub const INVALID: i32 = 4;
/// `compare` found two runs farther apart than is tolerated.
pub const DIFFERENT: i32 = 5;
/// `exec` itself failed.
pub const EXEC_FAILED: i32 = 125;
/// The user interrupted the program (Ctrl-C): 128 + SIGINT.
pub const INTERRUPTED: i32 = 130;

/// An error with an exit code of its own.
#[derive(Debug)]
pub struct WithCode {
    /// The exit code.
    pub code: i32,
    /// The whole message.
    pub message: String,
}

impl std::fmt::Display for WithCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WithCode {}

/// An error that ends the program with [`USAGE`].
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    WithCode { code: USAGE, message: message.into() }.into()
}

/// Returns the outcome of an action on several experiments, of which these failed. A single failure
/// keeps its own error. Several are listed by name, with what they `could_not_be`.
pub fn all_of(could_not_be: &str, mut failed: Vec<(String, anyhow::Error)>) -> anyhow::Result<i32> {
    match failed.len() {
        0 => Ok(SUCCESS),
        1 => Err(failed.remove(0).1),
        count => {
            let each: Vec<_> =
                failed.iter().map(|(name, error)| format!("\n  {name}: {error:#}")).collect();
            anyhow::bail!("{count} experiments could not be {could_not_be}:{}", each.concat())
        }
    }
}

/// Prints an error. Returns its exit code.
pub fn report(error: &anyhow::Error) -> i32 {
    let message = netloom_api::in_words(error.as_ref());
    if message.starts_with("error:") || message.starts_with("warning:") {
        eprintln!("{}", message.trim_end());
    } else {
        eprintln!("error: {message}");
    }
    let code = error.downcast_ref::<WithCode>().map_or(FAILURE, |error| error.code);
    output::progress(|| Progress::Failed(Failure { error: message, code }));
    code
}
