//! Simulated clocks, the path between them, and a judge who knows the truth.

pub mod clock;
pub mod judge;
pub mod world;
