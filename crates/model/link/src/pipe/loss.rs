//! Frames that do not leave a pipe: rejected at its beginning, dropped within it, or lost when the
//! link is cut. Not here: the reasons (the stages decide), and virtual frames (`background`).

use netloom_units::Time;

use super::hold::Hold;
use super::{Dropped, Pipe, Rejected, Serving};
use crate::background::LineFrame;
use crate::flight::Flying;
use crate::log::{FrameEvent, Occurrence};
use crate::queue::{Marked, Queued, Refused};
use crate::{DropReason, Frame, FrameInfo, Passage};

impl<F: Frame> Pipe<F> {
    /// Counts a frame that was collected with [`poll`](Self::poll) and released at `release`, but
    /// refused by the interface at the far end. To be called immediately.
    #[cold]
    pub fn not_taken(&mut self, info: &FrameInfo, release: Time) {
        self.statistics.lost_unmodelled(info, release);
    }

    #[cold]
    pub(super) fn reject(
        &mut self,
        reason: DropReason,
        waiting: Queued<F>,
    ) -> Result<(), Rejected<F>> {
        let Queued { frame, info, offered, .. } = waiting;
        let LineFrame::Real { frame, number } = frame else {
            self.background_dropped(&info);
            return Ok(());
        };
        self.statistics.dropped(reason, &info);
        self.journal
            .note(|| FrameEvent::new(number, offered, &info, Occurrence::Rejected { reason }));
        Err(Rejected { frame, number, reason })
    }

    /// Drops a frame that waited or was on the line.
    pub(super) fn discard(
        &mut self,
        reason: DropReason,
        waiting: Queued<F>,
        started: Option<Time>,
        at: Time,
    ) {
        let Queued { frame, info, offered, .. } = waiting;
        match frame {
            LineFrame::Real { frame, number } => {
                let dropped = Dropped { frame, info, number, offered, started, reason, at };
                self.discard_frame(dropped, None);
            }
            LineFrame::Virtual(_) => self.background_dropped(&info),
        }
    }

    /// Drops an offered frame. `serialized` is the time at which its last bit left the line, if it
    /// did.
    pub(super) fn discard_frame(&mut self, dropped: Dropped<F>, serialized: Option<Time>) {
        let Dropped { info, number, offered, started, reason, at, .. } = dropped;
        self.count_drop(reason, &info, number, at, (offered, started, serialized));
        self.discarded.push_back(dropped);
    }

    /// Counts the drop of a frame that came as far as the three times indicate.
    pub(super) fn count_drop(
        &mut self,
        reason: DropReason,
        info: &FrameInfo,
        number: u64,
        at: Time,
        (offered, started, serialized): (Time, Option<Time>, Option<Time>),
    ) {
        self.statistics.dropped(reason, info);
        self.journal.note(|| {
            let what = Occurrence::Dropped { reason, offered, started, serialized };
            FrameEvent::new(number, at, info, what)
        });
    }

    /// Drops everything when the link is cut: frames in flight, the frame on the line, and waiting
    /// frames, oldest first.
    pub(super) fn drop_everything(&mut self, now: Time) {
        let reason = DropReason::Down;
        while let Some(Flying { frame, info, passage, .. }) = self.flight.take() {
            let Passage { number, offered, started, serialized, .. } = passage;
            let (started, at) = (Some(started), now);
            let dropped = Dropped { frame, info, number, offered, started, reason, at };
            self.discard_frame(dropped, Some(serialized));
        }
        if let Some(Serving { waiting, started, .. }) = self.serving.take() {
            self.line.abort(now);
            self.shift_of(&waiting, started, now);
            self.discard(reason, waiting, Some(started), now);
        }
        self.hold = Hold::None;
        for waiting in self.queue.drain() {
            self.leaves_queue(&waiting);
            self.discard(reason, waiting, None, now);
        }
        self.drop_fluid();
        self.queue_changed(now);
    }

    /// Processes the marks and drops of the queue discipline.
    #[cold]
    pub(super) fn take_effects(&mut self, now: Time) {
        let mut effects = std::mem::take(&mut self.queue.effects);
        for Marked { number, info } in effects.marked.drain(..) {
            let Some(number) = number else {
                self.statistics.background().marked.add(&info);
                continue;
            };
            self.statistics.marked(&info);
            self.journal.note(|| FrameEvent::new(number, now, &info, Occurrence::Marked));
        }
        for Refused { waiting, reason, at } in effects.dropped.drain(..) {
            self.leaves_queue(&waiting);
            self.discard(reason, waiting, None, at);
        }
        // Returns the empty lists, to reuse their memory.
        self.queue.effects = effects;
    }
}
