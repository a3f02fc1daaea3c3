//! The wish that the process ends: SIGTERM, by which the engine ends a run's processes.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::sys::signal::{SigSet, Signal};

use super::clock::Clock;

/// For how long a receiver takes what is still under way, in ns: the engine waits longer.
const DRAIN: u64 = 2_000_000_000;

/// Whether the process is to end.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Becomes true with SIGTERM. Threads that were started before may be ended by it.
    pub fn on_sigterm() -> io::Result<Self> {
        let stop = Self::default();
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGTERM);
        signals.thread_block()?;
        let told = stop.clone();
        thread::Builder::new().name("stop".into()).spawn(move || {
            // Nothing but SIGTERM is waited for, and it cannot fail.
            let _ = signals.wait();
            told.ask();
        })?;
        Ok(stop)
    }

    /// Asks for the end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Waits until `due`; `false` if the end is asked for before.
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

    /// Whether what was under way when the end was asked for has had its time. `since` is when that
    /// was noticed.
    pub fn is_overdue(&self, since: &mut Option<u64>, clock: &Clock) -> bool {
        self.is_asked() && {
            let now = clock.now();
            now.saturating_sub(*since.get_or_insert(now)) >= DRAIN
        }
    }

    /// Whether the end was asked for.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
