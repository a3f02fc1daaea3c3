//! A sign of life of each worker, for owners that send frames elsewhere when one is silent.

use std::fmt;
use std::sync::Arc;

use netloom_units::Duration;

/// Longest sleep of a worker that gives signs of life.
pub(crate) const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// A function that workers call with their number: with each turn, and at least ten times a second
/// while nothing delays them. Frames wait for it, so it must not block.
#[derive(Clone)]
pub struct Heartbeat(Arc<dyn Fn(usize) + Send + Sync>);

impl Heartbeat {
    /// Makes a heartbeat that calls `beat`.
    pub fn new(beat: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(beat))
    }

    /// Reports that the worker of this number lives.
    #[inline]
    pub(crate) fn beat(&self, worker: usize) {
        (self.0)(worker);
    }
}

impl fmt::Debug for Heartbeat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Heartbeat")
    }
}
