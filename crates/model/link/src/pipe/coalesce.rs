//! Which super-frames stay whole in a pipe. Not here: splitting the others.

use netloom_units::Time;

use super::Pipe;
use crate::receiver::ReceiverLimit;
use crate::{COALESCING_BOUND, Frame, FrameInfo, MtuLimit, PipeConfig};

impl<F: Frame> Pipe<F> {
    /// Sets the MTU of the interface at the far end, in bytes, for frames that leave the line from
    /// now on. Longer ones are lost there ([`DropReason::ReceiverMtu`](crate::DropReason)), but for
    /// the room that drivers have for a VLAN tag. `None`, as at first: it takes frames of any
    /// length.
    pub fn set_receiver_mtu(&mut self, mtu: Option<u32>) {
        self.receiver = ReceiverLimit::of_mtu(mtu);
    }

    /// Returns how many wire frames of the super-frame `frame`, which is `info` on the wire, may
    /// stay together if it arrives at `now`: all, some, or 1 (split it fully).
    ///
    /// Frames stay together where the result is the same to within [`COALESCING_BOUND`] of
    /// serialization time: nothing is drawn for each frame, the queue is not counted in packets, no
    /// limit would cut the super-frame in the middle, and a meter gives the same colour to all of
    /// it.
    pub fn coalesce(&mut self, now: Time, info: &FrameInfo, frame: &F) -> u32 {
        if info.frames() == 1 {
            return 1;
        }
        // The last one may be short enough for the receiver.
        if self.receiver.may_cut(info) {
            return 1;
        }
        // Arrivals of the background may come between its frames.
        if self.has_draws_per_frame() || self.has_background() {
            return 1;
        }
        self.advance(now);
        if !self.is_metered_alike(info, frame) {
            return 1;
        }
        let Some(rate) = self.line.rate(self.now) else { return info.frames() };
        if self.queue.wants_single_frames() {
            return 1;
        }
        let line_bytes = self.config.rate.line_bytes(info, self.config.framing);
        if !self.line_is_free() && !self.queue.has_room(info, line_bytes) {
            return 1;
        }
        let each = self.config.framing.line_bytes(info.largest()).max(1);
        let together = rate.bytes_in(COALESCING_BOUND).bytes() / u64::from(each);
        u32::try_from(together).unwrap_or(u32::MAX).clamp(1, info.frames())
    }

    /// Whether all wire frames of a super-frame that arrives now get the same colour from their
    /// meter.
    fn is_metered_alike(&self, info: &FrameInfo, frame: &F) -> bool {
        let Some(conditioning) = &self.conditioning else { return true };
        let PipeConfig { rate, framing, .. } = &self.config;
        let line_bytes = |one: &FrameInfo| rate.line_bytes(one, *framing);
        conditioning.is_alike(self.now, frame.header(), info, line_bytes)
    }

    /// Whether each wire frame has a fate of its own.
    fn has_draws_per_frame(&self) -> bool {
        self.config.pipe_mtu != MtuLimit::None
            || self.loses_early()
            || self.channel.draws_per_frame()
            || self.flight.draws_per_frame()
            || self.line.draws_per_frame()
    }
}
