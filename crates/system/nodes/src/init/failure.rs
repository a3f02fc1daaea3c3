//! Errors of setting up a node.

use std::io;

/// Why setting up a node failed: the step that failed, and its error.
pub(super) type Failed = (String, io::Error);

/// Adds the attempted step to an error.
pub(super) fn attempt<T, E: Into<io::Error>>(
    result: Result<T, E>,
    action: impl FnOnce() -> String,
) -> Result<T, Failed> {
    result.map_err(|error| (action(), error.into()))
}
