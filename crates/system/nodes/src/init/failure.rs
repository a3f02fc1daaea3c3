//! Why a node could not be set up.

use std::io;

/// Why setting up failed: at what, with which error.
pub(super) type Failed = (String, io::Error);

/// Names what was attempted in an error.
pub(super) fn attempt<T, E: Into<io::Error>>(
    result: Result<T, E>,
    action: impl FnOnce() -> String,
) -> Result<T, Failed> {
    result.map_err(|error| (action(), error.into()))
}
