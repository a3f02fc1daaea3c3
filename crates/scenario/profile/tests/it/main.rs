//! Profiles of a machine, and the search for its thresholds.
//!
//! One program for all: linking takes longer than running.

mod profile;
mod search;
