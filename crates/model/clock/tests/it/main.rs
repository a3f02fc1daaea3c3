//! Two simulated clocks and a path between them: what the estimator answers, and what is true.

mod bound;
mod common;
mod events;
mod laws;
mod refused;
