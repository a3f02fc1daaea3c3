//! Carriers together, and when they are sampled.

mod changes;
mod schedule;
