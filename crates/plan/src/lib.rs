//! From a resolved scenario to what must exist: every address, route and name decided.
mod model;
pub use model::*;
