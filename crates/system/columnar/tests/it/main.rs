//! Tables as files: written at once, and growing.
//!
//! One program for all: linking takes longer than running.

mod growing;
mod stored;
