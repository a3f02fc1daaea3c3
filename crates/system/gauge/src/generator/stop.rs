//! The request that the process ends: SIGTERM, by which the engine ends a run's processes.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sys::signal::{SigSet, Signal};

use super::clock::Clock;

/// How late a sender may be for its beginning to be the intended one, in ns.
const MOMENT: u64 = 1_000_000;

/// Whether the end is requested.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A request that SIGTERM sets. It may kill threads that were started before this call.
    pub fn on_sigterm() -> io::Result<Self> {
        let stop = Self::default();
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGTERM);
        signals.thread_block()?;
        let other = stop.clone();
        thread::Builder::new().name("stop".into()).spawn(move || {
            // Only SIGTERM is waited for, and waiting for it cannot fail.
            let _ = signals.wait();
            other.ask();
        })?;
        Ok(stop)
    }

    /// Requests the end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Waits for the time at which a sender is to begin, and returns it. If it has passed by more
    /// than a moment, or is not set, the sender begins now.
    pub fn begin(&self, clock: &Clock) -> u64 {
        while let Some((begin, left)) = clock.begin() {
            if left > 0 && !self.is_asked() {
                clock.sleep_for(left);
                continue;
            }
            let now = clock.now();
            return if now.saturating_sub(begin) > MOMENT { now } else { begin };
        }
        clock.now()
    }

    /// Waits until `due`. Returns `false` if the end is requested first.
    pub fn unless_before(&self, due: u64, clock: &Clock) -> bool {
        loop {
            if self.is_asked() {
                return false;
            }
            if clock.now() >= due {
                return true;
            }
            clock.sleep_until(due);
        }
    }

    /// Whether the end is requested, and the time for what was under way has passed. `since` stores
    /// when the request was noticed.
    pub fn is_overdue(&self, since: &mut Option<u64>, clock: &Clock) -> bool {
        self.has_been_for(clock.drain(), since, clock)
    }

    /// Whether the end has been requested for this time, in ns. `since` stores when that was
    /// noticed.
    pub fn has_been_for(&self, time: u64, since: &mut Option<u64>, clock: &Clock) -> bool {
        self.is_asked() && {
            let now = clock.now();
            now.saturating_sub(*since.get_or_insert(now)) >= time
        }
    }

    /// Whether the end is requested.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
