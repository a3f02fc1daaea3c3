//! A timer that is polled: it ends when its time has come, without an event. Not here: deadlines
//! (`port`).

use netloom_units::{Duration, Time};

/// The time at which the timer ends. The default timer has ended. The standard's "timer ≠ 0" is
/// [`runs`](Self::runs) (§17.17).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Timer(Time);

impl Timer {
    pub(crate) fn start(&mut self, now: Time, length: Duration) {
        self.0 = now + length;
    }

    pub(crate) fn stop(&mut self) {
        self.0 = Time::ZERO;
    }

    pub(crate) fn runs(self, now: Time) -> bool {
        now < self.0
    }

    pub(crate) fn end(self) -> Time {
        self.0
    }
}
