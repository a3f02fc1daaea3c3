//! Frames that have left the line of a pipe whose receiver is elsewhere, in another cell of a
//! simulation or on another machine. Not here: the far end (`crossing`).

use netloom_units::Time;

use super::{Announced, Delivery, Pipe};
use crate::{Frame, FrameInfo, Passage};

impl<F: Frame> Pipe<F> {
    /// Sets whether copies of frames that leave the line are kept, to be collected with
    /// [`poll_sent`](Self::poll_sent). With them, the receiver can learn about frames while they
    /// propagate.
    pub fn keep_sent(&mut self, wanted: bool) {
        self.sent = wanted.then(|| self.sent.take().unwrap_or_default());
    }

    /// Returns a copy of the next frame that has left the line. The frame itself is released as
    /// usual, but a cut may still drop it before. The receiver then drops the copy, by its number
    /// of cuts ([`Inlet`](crate::Inlet)).
    #[inline]
    pub fn poll_sent(&mut self) -> Option<Announced<F>> {
        self.sent.as_mut()?.pop_front()
    }

    /// Performs all events of the line up to and including `now`, each at its time, without taking
    /// frames out at the far end. Callers of [`poll_sent`](Self::poll_sent) that do not need frames
    /// at their release call it before. A fluid flows up to the last of the events only, so that
    /// nothing depends on when this is called.
    #[inline]
    pub fn reach(&mut self, now: Time) {
        self.now = self.now.max(now);
        match self.background.is_some() {
            true => self.advance_with_background(),
            false => self.advance_line(),
        };
    }

    /// Number of wire frames that have left the line while copies were kept.
    pub fn wire_frames_sent(&self) -> u64 {
        self.wire_frames_sent
    }

    /// Number of cuts so far: changes that dropped all frames in the pipe.
    #[inline]
    pub fn cuts(&self) -> u32 {
        self.cuts
    }

    /// Adds a frame to those that propagate.
    #[inline]
    pub(super) fn propagate(&mut self, frame: F, info: FrameInfo, passage: Passage) {
        let copy = self.sent.is_some().then(|| frame.duplicate());
        let release = self.flight.push(frame, info, passage);
        if let Some((sent, frame)) = self.sent.as_mut().zip(copy) {
            let delivery = Delivery { frame, info, passage, release };
            let sequence = self.wire_frames_sent;
            sent.push_back(Announced { delivery, sequence, cuts: self.cuts });
            self.wire_frames_sent += u64::from(info.frames());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{FrameInfo, Pipe, PipeChange, PipeConfig, Stream};
    use netloom_units::Time;

    #[test]
    fn sequences_count_wire_frames_and_each_duplicate() {
        let text = r#"{"rate":"1Gbit/s","delay":"1ms","duplicate":"100%"}"#;
        let mut config = PipeConfig::default();
        serde_json::from_str::<PipeChange>(text).expect("valid").apply_to(&mut config);
        // A super-frame is never duplicated: whoever wants that splits it before.
        let mut pipe = Pipe::new(config, Stream::new(1, "p"), Time::ZERO);
        pipe.keep_sent(true);
        for (name, info) in [(1u64, FrameInfo::coalesced(3, 1514, 200)), (2, FrameInfo::single(60))]
        {
            pipe.offer(Time::ZERO, info, name).expect("the queue has room");
        }
        pipe.reach(Time::from_nanos(1_000_000));
        let sent: Vec<(u64, u64)> = std::iter::from_fn(|| pipe.poll_sent())
            .map(|announced| (announced.delivery.frame, announced.sequence))
            .collect();
        assert_eq!(sent, [(1, 0), (2, 3), (2, 4)]);
        assert_eq!(pipe.wire_frames_sent(), 5);
    }
}
