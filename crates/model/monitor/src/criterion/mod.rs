//! The criteria, one file each. They take observations of their own kind, and report through their
//! trackers when contention holds. To add one, add a file here and its lines in `criterion/all.rs`.
//!
//! | file | signals |
//! |---|---|
//! | `lateness` | `lateness`: percentile, single frame, pauses of the engine |
//! | `drops` | `unmodelled_drop`, `buffers` |
//! | `cpu` | `cpu` (Maier 2011, Eq. 4.2) |
//! | `run_queue` | `run_queue` |
//! | `network` | `net_internal`, `net_external` (Eq. 4.1) |
//! | `memory` | `memory_in`, `memory_out` (Eq. 4.3) |
//! | `disk` | `disk` (Eq. 4.4) |
//! | `parts_of_time` | `steal`, `pressure` |
//! | `application` | `application` |
//! | `timeline` | `timeline` |
//! | `simulation` | `simulation` |
//! | `divergence` | `divergence` |
//! | `machines` | `clock`, `tunnel`, `change_late` |
//!
//! `all` combines them; `parts` composes criteria from windows, stretches and trackers.

#[macro_use]
mod parts;
mod all;
mod application;
mod cpu;
mod disk;
mod divergence;
mod drops;
mod lateness;
mod machines;
mod memory;
mod network;
mod parts_of_time;
mod run_queue;
mod simulation;
mod timeline;

use netloom_units::{Duration, Time};

pub(crate) use all::All;
pub use divergence::MOST_DIVERGENCE;

use crate::tracker::{Outbox, Tracker};

/// Interface of all criteria.
pub(crate) trait Criterion {
    /// Advances time to `now`, so that conditions that go on or end in silence are detected.
    fn tick(&mut self, now: Time, out: &mut Outbox);

    /// Calls `visitor` with every tracker.
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Tracker));

    /// Calls `visitor` with every tracker, which it may change.
    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Tracker));
}

/// A criterion that does not need every tick.
pub(crate) trait Quiet: Criterion {
    /// Until when a tick has no effect.
    fn quiet(&self) -> Time;
}

/// Converts a length of time to nanoseconds, as a value of a signal.
fn nanos(duration: Duration) -> f64 {
    duration.as_nanos() as f64
}
