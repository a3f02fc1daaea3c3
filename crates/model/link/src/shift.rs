//! How much later frames leave the line because they were offered late: whoever reads a device sees a frame at
//! some time, and it may have waited there unseen. If the line is busy, those behind it wait too, until it is
//! next idle. Not here: how long nobody looked, which is the caller's knowledge.
//!
//! Frames leave the line one after the other, so with frame n offered `u` late, `w` the time for which it waited
//! for the line, and `g` the time for which the line was idle before it, `e(n) = min(u + w, e(n-1) + g)` is how
//! much earlier it would have left the line, had every frame been offered at once (Lindley's recursion, for both
//! cases). Every frame that was on the line counts, in the order of the line, whatever becomes of it afterwards:
//! lost, corrupted, duplicated or overtaken. Senders who are answered adapt: a second after the last frame that
//! was late for having been offered late, none is counted, though the line may not have been idle since.

use netloom_units::{Duration, Time};

use crate::queue::Waiting;

/// For how long what follows from a stall is followed.
const MEMORY: Duration = Duration::from_secs(1);

/// The recursion of one line.
#[derive(Debug, Default)]
pub(crate) struct Shift {
    /// When the last frame left the line.
    free: Time,
    /// How much earlier that frame would have left.
    by: Duration,
    /// Until when that matters to the next ones.
    until: Time,
}

impl Shift {
    /// How much earlier a frame that left the line at `end` would have left it. Called for every frame, in the
    /// order of the line.
    ///
    /// Frames keep their order, a fluid does not: of what flowed in while a frame stood unseen, it
    /// would have been in front. By so much time, `overtakes`, it may have left earlier though the
    /// line was not idle.
    #[inline]
    pub fn left<F>(
        &mut self,
        frame: &Waiting<F>,
        started: Time,
        end: Time,
        overtakes: impl FnOnce() -> Duration,
    ) -> Duration {
        let free = std::mem::replace(&mut self.free, end);
        if self.by == Duration::ZERO && frame.unseen == Duration::ZERO {
            return Duration::ZERO;
        }
        let idle = started.since(free) + overtakes();
        self.follow(frame.unseen, frame.offered, started, idle)
    }

    /// The line was held up to `until`, and not idle.
    pub fn held(&mut self, until: Time) {
        self.free = until;
    }

    /// The line sent a fluid up to `until`, which had waited for `waited` when it left.
    #[inline]
    pub fn carried(&mut self, until: Time, waited: Duration) {
        self.free = until;
        self.by = self.by.min(waited);
    }

    #[cold]
    fn follow(&mut self, late: Duration, offered: Time, started: Time, idle: Duration) -> Duration {
        let waited = started.since(offered);
        let before = if offered > self.until { Duration::ZERO } else { self.by };
        self.by = (late + waited).min(before + idle);
        // Of a line that had work all the time, a stall changes nothing.
        if self.by > waited.min(before + idle) {
            self.until = offered + MEMORY;
        }
        self.by
    }
}
