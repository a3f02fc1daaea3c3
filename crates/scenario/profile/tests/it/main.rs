//! Profiles of a machine, and the search for its thresholds.
//!
//! All tests are in one program, because linking takes longer than running.

mod profile;
mod search;
