//! How much later frames leave the line because they were offered late. Whoever reads a device
//! receives a frame at some time, but the frame may have waited there before. If the line is busy,
//! the frames behind it wait too, until the line is next idle. Not here: how long a frame may have
//! waited unread, which the caller knows.
//!
//! Frames leave the line one after the other. Let frame n be offered `u` late, let `w` be the time
//! for which it waited for the line, and let `g` be the time for which the line was idle before it.
//! Then `e(n) = min(u + w, e(n-1) + g)` is how much earlier it would have left the line if every
//! frame had been offered without delay (Lindley's recursion, for both cases).
//!
//! Frames of one device keep their order, however late they are read. Those of several, which meet
//! at a switch, do not: a frame that was read late would have overtaken what came from elsewhere
//! meanwhile. So it may also have left earlier by the time for which it waited for such frames, and
//! for others that left late themselves.
//!
//! Every frame that was on the line counts, in the order of the line, even if it was then lost,
//! corrupted, duplicated or overtaken. Senders that receive answers adapt. So one second after the
//! last frame that left late because of a late offer, the shift is zero, even if the line has not
//! been idle since.

use netloom_units::{Duration, Time};

use crate::queue::Queued;

/// Time for which the consequences of a stall are followed.
const MEMORY: Duration = Duration::from_secs(1);

/// The state of the recursion for one line.
#[derive(Debug, Default)]
pub(crate) struct StallDelay {
    /// Time at which the last frame left the line.
    free: Time,
    /// How much earlier that frame would have left.
    by: Duration,
    /// Time up to which `by` applies to later frames.
    until: Time,
    /// The last frames that were on the line, if they are remembered.
    recent: Option<Box<Recent>>,
}

/// The last frames that were on a line.
#[derive(Debug, Default)]
struct Recent {
    /// When each may have come first, and for how long it was on the line.
    frames: [(Time, Duration); RECENT],
    /// Number of frames so far.
    count: usize,
}

/// Number of frames that may have been overtaken and are counted exactly. If there are more, all
/// that a frame waited for may have been.
const RECENT: usize = 16;
/// Differences of arrival up to this do not change the order: a worker that is never held up reads
/// its devices in turn, and looks at each as often.
const IN_ORDER: Duration = Duration::from_micros(500);

impl Recent {
    fn add(&mut self, came: Time, work: Duration) {
        self.frames[self.count % RECENT] = (came, work);
        self.count = self.count.wrapping_add(1);
    }

    /// Returns for how long the line sent frames that a frame would have overtaken if it had been
    /// offered when it `came`: at most for the time that it `waited`. `None` if it would have
    /// overtaken none.
    fn overtaken(&self, came: Time, waited: Duration) -> Option<Duration> {
        let known = self.frames.iter().take(self.count);
        let later = known.filter(|(other, _)| *other > came + IN_ORDER);
        let (count, work) =
            later.fold((0, Duration::ZERO), |(count, sum), (_, work)| (count + 1, sum + *work));
        match count {
            0 => None,
            // The frame itself is one of them, so that the frames before may be others like these.
            _ if count + 1 >= RECENT => Some(waited),
            _ => Some(work),
        }
    }
}

impl StallDelay {
    /// Remembers from now on which frames came last, so that a late one counts only those that it
    /// would have overtaken. Without this, it counts all for which it waited.
    pub fn remember(&mut self) {
        self.recent.get_or_insert_default();
    }

    /// Whether no frame has ever been late, and none is remembered.
    pub fn is_zero(&self) -> bool {
        self.by == Duration::ZERO && self.until == Time::ZERO && self.recent.is_none()
    }

    /// Returns how much earlier a frame that left the line at `end` would have left it. Must be
    /// called for every frame, in the order of the line.
    ///
    /// Frames keep their order, but a fluid does not: the frame would have been in front of the
    /// fluid that arrived while it waited unread. So it may have left earlier by the time
    /// `overtakes`, although the line was not idle.
    #[inline]
    pub fn left<F>(
        &mut self,
        frame: &Queued<F>,
        started: Time,
        end: Time,
        overtakes: impl FnOnce() -> Duration,
    ) -> Duration {
        let free = std::mem::replace(&mut self.free, end);
        if let Some(recent) = &mut self.recent {
            recent.add(frame.offered - frame.arrival_uncertainty, end.since(started));
        }
        if self.by == Duration::ZERO && frame.arrival_uncertainty == Duration::ZERO {
            return Duration::ZERO;
        }
        let idle = started.since(free) + overtakes();
        self.follow(frame.arrival_uncertainty, frame.offered, started, idle)
    }

    /// Records that the line was held up to `until`, so it was not idle.
    pub fn held(&mut self, until: Time) {
        self.free = until;
    }

    /// Records that the line sent fluid up to `until`. That fluid had waited for `waited` when it
    /// left.
    #[inline]
    pub fn carried(&mut self, until: Time, waited: Duration) {
        self.free = until;
        self.by = self.by.min(waited);
    }

    #[cold]
    fn follow(&mut self, late: Duration, offered: Time, started: Time, idle: Duration) -> Duration {
        let waited = started.since(offered);
        let before = if offered > self.until { Duration::ZERO } else { self.by };
        let overtakes = match &self.recent {
            Some(recent) => recent.overtaken(offered - late, waited),
            None => (late > Duration::ZERO).then_some(waited),
        };
        // It waited for those that it would have overtaken, and for others that left late.
        let overtaking =
            overtakes.map_or(Duration::ZERO, |work| late + (before + work).min(waited));
        self.by = (late + waited).min(before + idle).max(overtaking);
        // A stall does not change a line that always had work.
        if self.by > waited.min(before + idle) {
            self.until = offered + MEMORY;
        }
        self.by
    }
}
