//! A sign of life of each worker, for who sends frames elsewhere when one is silent.

use std::fmt;
use std::sync::Arc;

use netloom_units::Duration;

/// The longest that a worker sleeps that shows that it lives.
pub(crate) const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// What workers call with their number: with each turn, and at least ten times a second while
/// nothing holds them up. It is on the way of frames, so it must not wait.
#[derive(Clone)]
pub struct Heartbeat(Arc<dyn Fn(usize) + Send + Sync>);

impl Heartbeat {
    /// One that calls `beat`.
    pub fn new(beat: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self(Arc::new(beat))
    }

    /// The worker of this number lives.
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
