//! Which super-frames stay whole in a pipe. Not here: who cuts the others.

use netloom_units::Time;

use super::Pipe;
use crate::{COALESCING_BOUND, Frame, FrameInfo, MtuLimit};

impl<F: Frame> Pipe<F> {
    /// How many wire frames of the super-frame `info` may stay together if it arrives at `now`:
    /// all, some, or 1 (split it fully).
    ///
    /// Frames stay together where the result is the same to within [`COALESCING_BOUND`] of
    /// serialization time: nothing is drawn for each frame, the queue is not counted in packets,
    /// and no limit would cut the super-frame in the middle.
    pub fn coalesce(&mut self, now: Time, info: &FrameInfo) -> u32 {
        if info.frames() == 1 {
            return 1;
        }
        // What arrives meanwhile comes between its frames.
        if self.has_draws_per_frame() || self.has_background() {
            return 1;
        }
        self.advance(now);
        let Some(rate) = self.line.rate(self.now) else { return info.frames() };
        if self.queue.wants_single_frames() {
            return 1;
        }
        let line_bytes = self.config.rate.line_bytes(info, self.config.framing);
        if self.serving.is_some() && !self.queue.has_room(info, line_bytes) {
            return 1;
        }
        let each = self.config.framing.line_bytes(info.largest()).max(1);
        let together = rate.bytes_in(COALESCING_BOUND).bytes() / u64::from(each);
        u32::try_from(together).unwrap_or(u32::MAX).clamp(1, info.frames())
    }

    /// Whether each wire frame has a fate of its own.
    fn has_draws_per_frame(&self) -> bool {
        self.config.pipe_mtu != MtuLimit::None
            || self.channel.draws_per_frame()
            || self.flight.draws_per_frame()
            || self.line.draws_per_frame()
    }
}
