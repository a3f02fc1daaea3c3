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
///
/// That is so if both ends make a cut at the same time. Where they [do not](Self::follow), the near
/// end, which has the account, decides: it [tells](Self::cut) when it has made a cut. Frames that
/// the far end's own cut may concern wait for that.
#[derive(Debug)]
pub struct Inlet<T> {
    /// Frames on their way, ordered by release. Equal ones stay in the order in which they left the
    /// line, whatever order they are announced in.
    coming: VecDeque<Coming<T>>,
    /// Number of cuts that this end has made. The near end may be ahead of or behind this count.
    cuts: u32,
    /// Frames with a release up to this time had arrived at the last cut; at the first one of those
    /// that the near end has not told of.
    arrived: Time,
    /// The last cut that the near end has told of, if it tells.
    told: Option<Cut>,
    /// The configuration of the pipe, which decides what a cut does.
    config: PipeConfig,
}

/// A cut that the near end has made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Its number: of cuts so far, itself included ([`Pipe::cuts`](crate::Pipe::cuts)).
    pub number: u32,
    /// Frames with a release up to this time had arrived.
    pub at: Time,
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
        Self { coming: VecDeque::new(), cuts, arrived: Time::ZERO, told: None, config }
    }

    /// Lets the near end decide what cuts drop, from now on. It tells of [each](Self::cut).
    pub fn follow(&mut self) {
        self.told = Some(Cut { number: self.cuts, at: Time::ZERO });
    }

    /// Time at which the next frame arrives. `None` if that is for the near end to tell.
    #[inline]
    pub fn next_release(&self) -> Option<Time> {
        let next = self.coming.front()?;
        (!self.is_undecided(next)).then_some(next.release)
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
    /// Returns the frame if a cut drops it that this end has already made, or was told of.
    pub fn announce(&mut self, release: Time, sequence: u64, cuts: u32, frame: T) -> Result<(), T> {
        let last = self.told.unwrap_or(Cut { number: self.cuts, at: self.arrived });
        if last.drops(release, cuts) {
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
    /// `arrived`. Returns them. Where the near end decides, they wait instead.
    pub fn change(&mut self, arrived: Time, change: &PipeChange) -> Vec<T> {
        let was = self.config.state;
        change.apply_to(&mut self.config);
        if !is_cut(was, &self.config) {
            return Vec::new();
        }
        if self.told.is_none_or(|told| told.number >= self.cuts) {
            self.arrived = arrived;
        }
        self.cuts += 1;
        match self.told {
            None => self.drop_between(self.cuts, arrived),
            Some(_) => Vec::new(),
        }
    }

    /// Takes note of a cut that the near end has made. Returns the frames that it drops.
    pub fn cut(&mut self, cut: Cut) -> Vec<T> {
        let Some(told) = self.told.filter(|told| told.number < cut.number) else {
            return Vec::new();
        };
        self.told = Some(cut);
        // What left before a cut that was not told of has not arrived.
        let mut dropped = match told.number + 1 < cut.number {
            true => self.drop_between(cut.number - 1, Time::ZERO),
            false => Vec::new(),
        };
        dropped.extend(self.drop_between(cut.number, cut.at));
        dropped
    }

    /// Returns the frames that still wait for the near end to tell of a cut. They do not arrive.
    pub fn give_up(&mut self) -> Vec<T> {
        let coming = std::mem::take(&mut self.coming).into_iter();
        let (given_up, kept): (Vec<_>, _) = coming.partition(|frame| self.is_undecided(frame));
        self.coming = kept.into();
        given_up.into_iter().map(|coming| coming.frame).collect()
    }

    /// Drops what left the line before the cut of this number, and is released after `arrived`.
    /// Frames that left after it, which the near end made earlier, still arrive.
    fn drop_between(&mut self, cuts: u32, arrived: Time) -> Vec<T> {
        let coming = std::mem::take(&mut self.coming).into_iter();
        let is_hit = |frame: &Coming<T>| frame.cuts < cuts && frame.release > arrived;
        let (dropped, kept): (Vec<_>, Vec<_>) = coming.partition(is_hit);
        self.coming = kept.into();
        dropped.into_iter().map(|coming| coming.frame).collect()
    }

    /// Whether a cut of this end may drop a frame, and the near end has not told of that.
    #[inline]
    fn is_undecided(&self, frame: &Coming<T>) -> bool {
        let is_told = |told: Cut| told.number >= self.cuts;
        !self.told.is_none_or(is_told) && frame.cuts < self.cuts && frame.release > self.arrived
    }

    /// Returns all frames on their way, which do not arrive any more.
    pub fn drain(&mut self) -> impl Iterator<Item = T> {
        self.coming.drain(..).map(|coming| coming.frame)
    }
}

impl Cut {
    /// Whether it, or one before it, drops a frame with this release that left the line after
    /// `cuts` cuts.
    fn drops(self, release: Time, cuts: u32) -> bool {
        cuts < self.number && (cuts + 1 < self.number || release > self.at)
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

    /// Both ends cut at 10 or later, and the near end tells.
    fn following() -> Inlet<&'static str> {
        let mut inlet = inlet();
        inlet.follow();
        for (release, name) in [(9, "a"), (11, "b"), (13, "c"), (15, "d")] {
            inlet.announce(at(release), 0, 0, name).expect("no cut");
        }
        inlet
    }

    #[test]
    fn what_the_near_end_counts_as_delivered_arrives_though_this_end_cuts_earlier() {
        let mut inlet = following();
        assert_eq!(inlet.change(at(10), &state(LinkState::Down)), Vec::<&str>::new());
        assert_eq!(arrived(&mut inlet, 20), ["a"]);
        assert_eq!(inlet.next_release(), None);
        // What comes meanwhile waits, too, and so does what left after the cut.
        inlet.announce(at(12), 0, 0, "e").expect("it waits");
        inlet.announce(at(30), 0, 1, "later").expect("no cut");
        assert_eq!(inlet.cut(Cut { number: 1, at: at(12) }), ["c", "d"]);
        assert_eq!(inlet.announce(at(12), 0, 0, "f"), Ok(()));
        assert_eq!(inlet.announce(at(13), 0, 0, "g"), Err("g"));
        assert_eq!(arrived(&mut inlet, 30), ["b", "e", "f", "later"]);
        // Told twice, it does nothing.
        assert_eq!(inlet.cut(Cut { number: 1, at: at(0) }), Vec::<&str>::new());
    }

    #[test]
    fn what_the_near_end_counts_as_dropped_is_dropped_though_this_end_cuts_later() {
        let mut inlet = following();
        assert_eq!(inlet.cut(Cut { number: 1, at: at(11) }), ["c", "d"]);
        assert_eq!(inlet.change(at(14), &state(LinkState::Down)), Vec::<&str>::new());
        inlet.announce(at(14), 0, 1, "later").expect("no cut");
        assert_eq!(arrived(&mut inlet, 30), ["a", "b", "later"]);
    }

    #[test]
    fn a_second_cut_keeps_waiting_what_the_first_one_may_drop() {
        let mut inlet = following();
        inlet.change(at(10), &state(LinkState::Down));
        inlet.change(at(12), &state(LinkState::Up));
        inlet.change(at(14), &state(LinkState::Down));
        assert_eq!(arrived(&mut inlet, 20), ["a"]);
        assert_eq!(inlet.cut(Cut { number: 1, at: at(10) }), ["b", "c", "d"]);
    }

    #[test]
    fn what_waits_in_vain_is_given_up() {
        let mut inlet = following();
        inlet.change(at(10), &state(LinkState::Down));
        inlet.announce(at(30), 0, 1, "later").expect("no cut");
        assert_eq!(inlet.give_up(), ["b", "c", "d"]);
        assert_eq!(arrived(&mut inlet, 30), ["a", "later"]);
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
