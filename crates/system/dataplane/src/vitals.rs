//! What others see of a worker without asking it, and tell it without waking it. Not here: what follows from it
//! (`balance`).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use netloom_units::Duration;

use crate::thread_clock::ThreadClock;

/// Of one worker.
#[derive(Debug, Default)]
pub(crate) struct Vitals {
    /// Its thread's, once that has begun.
    time: OnceLock<ThreadClock>,
    /// For how long it was awake only because a deadline was near, in ns.
    waited_awake: AtomicU64,
    may_spin: AtomicBool,
}

impl Vitals {
    /// To be called by the worker, before all else.
    pub fn begin(&self) {
        // There is one worker.
        let _ = self.time.set(ThreadClock::of_this_thread());
    }

    /// For how long the worker had a CPU, and for how long of that it waited awake, until now. Nothing before it
    /// begins and after it has ended.
    pub fn spent(&self) -> Option<(Duration, Duration)> {
        let waited = Duration::from_nanos(self.waited_awake.load(Ordering::Relaxed));
        Some((self.time.get()?.read()?, waited))
    }

    /// For how long in all the worker was awake only because a deadline was near.
    #[inline]
    pub fn waited_awake(&self, time: Duration) {
        self.waited_awake.store(time.as_nanos(), Ordering::Relaxed);
    }

    /// Whether a core is spare to wait on awake.
    #[inline]
    pub fn may_spin(&self) -> bool {
        self.may_spin.load(Ordering::Relaxed)
    }

    /// Tells the worker so.
    pub fn set_may_spin(&self, may: bool) {
        self.may_spin.store(may, Ordering::Relaxed);
    }
}
