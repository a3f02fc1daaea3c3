//! The far end of a pipe whose near end is elsewhere: in another cell of a simulation, or on
//! another machine. Not here: the near end, which is a pipe that keeps what it sends
//! ([`Pipe::keep_sent`](crate::Pipe::keep_sent)), and the transport between the two.

use std::collections::VecDeque;

use netloom_units::Time;

use crate::{InFlight, LinkState, PipeChange, PipeConfig};

/// The far end of a pipe whose near end is elsewhere. It carries `T`, a frame with what its
/// receiver needs.
///
/// The near end announces each frame that leaves its line, with the time of its release. The far
/// end holds the frame until then. The account of the pipe stays at the near end.
///
/// Each end applies the changes of the pipe at their times, but neither waits for the other. So
/// frames carry the number of cuts that the near end had made when they left the line. The far end
/// compares it with its own: it drops those frames that the near end counts as dropped, whichever
/// end makes a cut first.
#[derive(Debug)]
pub struct Inlet<T> {
    /// Frames on their way, ordered by release. Equal ones stay in the order in which they left the
    /// line, whatever order they are announced in.
    coming: VecDeque<Coming<T>>,
    /// Number of cuts that this end has made. The near end may be ahead of or behind this count.
    cuts: u32,
    /// Frames with a release up to this time had arrived at the last cut.
    arrived: Time,
    /// The configuration of the pipe, which decides what a cut does.
    config: PipeConfig,
}

/// A frame on its way.
#[derive(Debug)]
struct Coming<T> {
    release: Time,
    sequence: u64,
    cuts: u32,
    frame: T,
}

impl<T> Inlet<T> {
    /// Returns the far end of a pipe with `config` that has been cut `cuts` times.
    pub fn new(config: PipeConfig, cuts: u32) -> Self {
        Self { coming: VecDeque::new(), cuts, arrived: Time::ZERO, config }
    }

    /// Time at which the next frame arrives.
    #[inline]
    pub fn next_release(&self) -> Option<Time> {
        self.coming.front().map(|coming| coming.release)
    }

    /// Returns the next frame that has arrived by `now`, in order of release.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<T> {
        let is_due = self.next_release()? <= now;
        if is_due { self.coming.pop_front().map(|coming| coming.frame) } else { None }
    }

    /// Takes note of a frame that arrives at `release` and left the line after `cuts` cuts. Those
    /// with the same release arrive by `sequence`; where that is equal too, as they are announced.
    ///
    /// # Errors
    /// Returns the frame if a cut drops it that this end has already made.
    pub fn announce(&mut self, release: Time, sequence: u64, cuts: u32, frame: T) -> Result<(), T> {
        if cuts < self.cuts && (cuts + 1 < self.cuts || release > self.arrived) {
            return Err(frame);
        }
        // Few frames overtake others, and only a few places.
        let at = (release, sequence);
        let later = |other: &&Coming<T>| (other.release, other.sequence) > at;
        let after = self.coming.iter().rev().take_while(later).count();
        self.coming.insert(self.coming.len() - after, Coming { release, sequence, cuts, frame });
        Ok(())
    }

    /// Changes the pipe. A cut drops the frames that are on their way: those with a release after
    /// `arrived`. Returns them.
    pub fn change(&mut self, arrived: Time, change: &PipeChange) -> Vec<T> {
        let was = self.config.state;
        change.apply_to(&mut self.config);
        if !is_cut(was, &self.config) {
            return Vec::new();
        }
        self.cuts += 1;
        self.arrived = arrived;
        // Frames that left the line after this cut, which the near end made earlier, still arrive.
        let stays = |frame: &Coming<T>| frame.cuts >= self.cuts || frame.release <= arrived;
        let coming = std::mem::take(&mut self.coming).into_iter();
        let (kept, dropped): (VecDeque<_>, VecDeque<_>) = coming.partition(stays);
        self.coming = kept;
        dropped.into_iter().map(|coming| coming.frame).collect()
    }

    /// Returns all frames on their way, which do not arrive any more.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        self.coming.drain(..).map(|coming| coming.frame)
    }
}

/// Whether a pipe drops the frames in it as it changes from the state `before` to the configuration
/// `after`.
pub(crate) fn is_cut(before: LinkState, after: &PipeConfig) -> bool {
    (before, after.state) == (LinkState::Up, LinkState::Down) && after.in_flight == InFlight::Drop
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    fn state(state: LinkState) -> PipeChange {
        PipeChange { state: Some(state), in_flight: Some(InFlight::Drop), ..Default::default() }
    }

    fn inlet() -> Inlet<&'static str> {
        Inlet::new(PipeConfig::default(), 0)
    }

    fn arrived(inlet: &mut Inlet<&'static str>, now: u64) -> Vec<&'static str> {
        std::iter::from_fn(|| inlet.pop_due(at(now))).collect()
    }

    #[test]
    fn frames_arrive_by_release_and_equal_ones_as_they_left() {
        let mut inlet = inlet();
        for (release, name) in [(30, "a"), (10, "b"), (30, "c"), (20, "d")] {
            inlet.announce(at(release), 0, 0, name).expect("no cut");
        }
        assert_eq!(inlet.next_release(), Some(at(10)));
        assert_eq!(arrived(&mut inlet, 9), Vec::<&str>::new());
        assert_eq!(arrived(&mut inlet, 30), ["b", "d", "a", "c"]);
    }

    #[test]
    fn frames_with_the_same_release_arrive_as_they_left_however_they_are_announced() {
        let mut inlet = inlet();
        for (release, sequence, name) in [(30, 7, "d"), (30, 5, "b"), (30, 6, "c"), (10, 9, "a")] {
            inlet.announce(at(release), sequence, 0, name).expect("no cut");
        }
        assert_eq!(arrived(&mut inlet, 30), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_cut_drops_what_left_before_it_and_has_not_arrived() {
        let mut inlet = inlet();
        for (release, name) in [(10, "due"), (11, "on its way")] {
            inlet.announce(at(release), 0, 0, name).expect("no cut");
        }
        // The near end has already made the cut, and the pipe is up again there.
        inlet.announce(at(40), 0, 1, "later").expect("no cut drops it");
        assert_eq!(inlet.change(at(10), &state(LinkState::Down)), ["on its way"]);
        assert_eq!(inlet.change(at(20), &state(LinkState::Up)), Vec::<&str>::new());
        assert_eq!(arrived(&mut inlet, 40), ["due", "later"]);
    }

    #[test]
    fn a_frame_that_comes_after_the_cut_meets_the_same_fate() {
        let mut inlet = inlet();
        inlet.change(at(10), &state(LinkState::Down));
        assert_eq!(inlet.announce(at(11), 0, 0, "cut"), Err("cut"));
        assert_eq!(inlet.announce(at(10), 0, 0, "late"), Ok(()));
        inlet.change(at(20), &state(LinkState::Up));
        inlet.change(at(30), &state(LinkState::Down));
        assert_eq!(inlet.announce(at(9), 0, 0, "two cuts ago"), Err("two cuts ago"));
        assert_eq!(inlet.announce(at(30), 0, 1, "after the first"), Ok(()));
        assert_eq!(arrived(&mut inlet, 50), ["late", "after the first"]);
    }

    #[test]
    fn a_pipe_that_keeps_what_is_in_flight_is_not_cut() {
        let mut inlet = inlet();
        inlet.announce(at(10), 0, 0, "kept").expect("no cut");
        let keep = PipeChange { in_flight: Some(InFlight::Deliver), ..state(LinkState::Down) };
        assert_eq!(inlet.change(at(5), &keep), Vec::<&str>::new());
        assert_eq!(inlet.announce(at(20), 0, 0, "also"), Ok(()));
        assert_eq!(arrived(&mut inlet, 20), ["kept", "also"]);
    }
}
