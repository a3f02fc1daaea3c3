//! Carriers together, what changes backgrounds allow, and when carriers are sampled.

mod backgrounds;
mod changes;
mod schedule;
