//! Where scenarios of a sweep are from, how its runs are carried, and what is kept of them.

use serde::{Deserialize, Serialize};

/// Where a scenario is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file, relative to the sweep's.
    File(String),
    /// A command that prints it, with `{NAME}` for values of parameters.
    Command(String),
}

/// How runs are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By network stacks of the kernel, in real time.
    #[default]
    Emulate,
    /// By models, in virtual time.
    Simulate,
}

/// What is kept of the results of each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// All of it.
    #[default]
    All,
    /// Its `summary.json`.
    Summary,
}
