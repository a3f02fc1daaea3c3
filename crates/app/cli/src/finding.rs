//! Findings about this machine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One thing that was checked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Check {
    /// The thing.
    pub what: String,
    /// Whether it is as it should be.
    pub state: State,
    /// What was found, and what to do about it.
    pub found: String,
}

/// The state of a thing that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it should be.
    Ok,
    /// Works, with restrictions.
    Note,
    /// Does not work.
    Problem,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "PROBLEM",
        })
    }
}

impl Check {
    /// Creates the finding.
    pub fn new(what: impl Into<String>, state: State, found: impl Into<String>) -> Self {
        Self { what: what.into(), state, found: found.into() }
    }
}
