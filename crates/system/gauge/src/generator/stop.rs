//! Requests to the process: SIGTERM, by which the engine ends a run's processes, and SIGURG, by
//! which it asks how far they are. A process that does not wait for SIGURG yet ignores it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};

use nix::sys::signal::{SigSet, Signal};

use super::clock::Clock;
use super::so_far::{self, SoFar};

/// How late a sender may be for its beginning to be the intended one, in ns.
const MOMENT: u64 = 1_000_000;

/// What is requested.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Requests>);

#[derive(Debug, Default)]
struct Requests {
    /// Whether the end is.
    end: AtomicBool,
    /// Whether an answer how far the process is, and none has been given since.
    answer: AtomicBool,
    /// A thread that sleeps until an answer is requested, if there is one.
    answering: OnceLock<Thread>,
}

impl Stop {
    /// Requests that SIGTERM and SIGURG make. They may kill threads that were started before this
    /// call.
    pub fn on_signals() -> io::Result<Self> {
        let stop = Self::default();
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGTERM);
        signals.add(Signal::SIGURG);
        signals.thread_block()?;
        let other = stop.clone();
        thread::Builder::new().name("stop".into()).spawn(move || {
            // Waiting for signals that exist cannot fail.
            while let Ok(Signal::SIGURG) = signals.wait() {
                other.0.answer.store(true, Ordering::Relaxed);
                other.0.answering.get().map(Thread::unpark);
            }
            other.ask();
        })?;
        Ok(stop)
    }

    /// Requests the end.
    pub fn ask(&self) {
        self.0.end.store(true, Ordering::Relaxed);
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
        self.0.end.load(Ordering::Relaxed)
    }

    /// Answers how far the process is whenever that is requested, until `over`. Who sets that
    /// unparks this thread.
    pub fn answer_until(&self, over: &AtomicBool, so_far: impl Fn() -> SoFar) {
        let _ = self.0.answering.set(thread::current());
        while !over.load(Ordering::Relaxed) {
            self.answer(&so_far);
            thread::park();
        }
    }

    /// Answers how far the process is, if that is requested.
    #[inline]
    pub fn answer(&self, so_far: impl FnOnce() -> SoFar) {
        if self.0.answer.load(Ordering::Relaxed) && self.0.answer.swap(false, Ordering::Relaxed) {
            so_far::answer(&so_far());
        }
    }
}
