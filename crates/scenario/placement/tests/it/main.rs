//! Lists of machines, demands of scenarios, and placements.
//!
//! All tests are one program, because linking takes longer than running.

mod common;
mod demands;
mod golden;
mod machines;
mod profiles;
mod random;
mod rules;
mod written;
mod zheng;
