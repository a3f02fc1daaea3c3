//! State of a worker that others read and write without sending it a command or waking it. Not
//! here: decisions based on it (`balance`).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use netloom_units::Duration;

use crate::thread_clock::ThreadClock;

/// State of one worker.
#[derive(Debug, Default)]
pub(crate) struct WorkerStats {
    /// Clock of its thread, once that has begun.
    time: OnceLock<ThreadClock>,
    /// Time for which it was awake only because a deadline was near, in ns.
    waited_awake: AtomicU64,
    may_spin: AtomicBool,
}

impl WorkerStats {
    /// Registers the calling thread. Must be called by the worker, before everything else.
    pub fn begin(&self) {
        // Fails only for a second worker, which does not exist.
        let _ = self.time.set(ThreadClock::of_this_thread());
    }

    /// Returns the worker's CPU time so far, and how much of it was waiting awake. `None` before it
    /// begins and after it has ended.
    pub fn spent(&self) -> Option<(Duration, Duration)> {
        let waited = Duration::from_nanos(self.waited_awake.load(Ordering::Relaxed));
        Some((self.time.get()?.read()?, waited))
    }

    /// Sets the total time for which the worker was awake only because a deadline was near.
    #[inline]
    pub fn waited_awake(&self, time: Duration) {
        self.waited_awake.store(time.as_nanos(), Ordering::Relaxed);
    }

    /// Whether a core is free to wait awake on.
    #[inline]
    pub fn may_spin(&self) -> bool {
        self.may_spin.load(Ordering::Relaxed)
    }

    /// Sets whether a core is free to wait awake on.
    pub fn set_may_spin(&self, may: bool) {
        self.may_spin.store(may, Ordering::Relaxed);
    }
}
