//! Scenario files.
mod address;
mod spec;
pub use address::*;
pub use spec::*;
