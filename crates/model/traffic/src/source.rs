//! The state machines that a model becomes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::Time;

use crate::model::{OnOffBursts, PoissonFrames, PpbpBursts};
use crate::train::Trains;
use crate::{Burst, Emission, Pace, RateStep};

/// A model at work: an iterator over its frames in order of time, which ends when the model does.
#[derive(Debug, Clone)]
pub struct Source(Frames);

#[derive(Debug, Clone)]
enum Frames {
    Trains(Trains),
    Poisson(PoissonFrames),
}

impl Iterator for Source {
    type Item = Emission;

    #[inline]
    fn next(&mut self) -> Option<Emission> {
        match &mut self.0 {
            Frames::Trains(trains) => trains.next(),
            Frames::Poisson(frames) => frames.next(),
        }
    }
}

impl From<Trains> for Source {
    fn from(trains: Trains) -> Self {
        Self(Frames::Trains(trains))
    }
}

impl From<PoissonFrames> for Source {
    fn from(frames: PoissonFrames) -> Self {
        Self(Frames::Poisson(frames))
    }
}

/// When the senders of a model are on: an iterator over bursts in order of their beginnings. They
/// may overlap.
#[derive(Debug, Clone)]
pub struct Bursts(Process);

#[derive(Debug, Clone)]
enum Process {
    Once(Option<Burst>),
    OnOff(OnOffBursts),
    Ppbp(PpbpBursts),
}

impl Bursts {
    /// One burst.
    pub(crate) fn once(burst: Burst) -> Self {
        Self(Process::Once(Some(burst)))
    }
}

impl Iterator for Bursts {
    type Item = Burst;

    fn next(&mut self) -> Option<Burst> {
        match &mut self.0 {
            Process::Once(burst) => burst.take(),
            Process::OnOff(bursts) => bursts.next(),
            Process::Ppbp(bursts) => bursts.next(),
        }
    }
}

impl From<OnOffBursts> for Bursts {
    fn from(bursts: OnOffBursts) -> Self {
        Self(Process::OnOff(bursts))
    }
}

impl From<PpbpBursts> for Bursts {
    fn from(bursts: PpbpBursts) -> Self {
        Self(Process::Ppbp(bursts))
    }
}

/// The rate of a model: an iterator over its steps in order of time. The first is at 0.
#[derive(Debug, Clone)]
pub struct Fluid {
    bursts: Bursts,
    /// The burst that begins next.
    next: Option<Burst>,
    /// When the active ones end.
    ends: BinaryHeap<Reverse<Time>>,
    /// The rate of one burst.
    pace: Pace,
    /// How many bursts were active at the last step; none before the first.
    last: Option<usize>,
}

impl Fluid {
    /// The rate of `bursts` that send at `pace` each.
    pub(crate) fn new(mut bursts: Bursts, pace: Pace) -> Self {
        let next = bursts.next();
        Self { bursts, next, ends: BinaryHeap::new(), pace, last: None }
    }

    /// The time of the next beginning or end.
    fn soonest(&self) -> Option<Time> {
        let end = self.ends.peek().map(|Reverse(end)| *end);
        let begin = self.next.map(|burst| burst.at);
        [begin, end].into_iter().flatten().min()
    }

    /// All that begins and ends at `now`.
    fn settle(&mut self, now: Time) {
        while let Some(burst) = self.next.filter(|burst| burst.at <= now) {
            self.ends.push(Reverse(burst.end()));
            self.next = self.bursts.next();
        }
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= now) {
            self.ends.pop();
        }
    }
}

impl Iterator for Fluid {
    type Item = RateStep;

    fn next(&mut self) -> Option<RateStep> {
        loop {
            let at = match self.last {
                None => Time::ZERO,
                Some(_) => self.soonest()?,
            };
            self.settle(at);
            if self.last != Some(self.ends.len()) {
                self.last = Some(self.ends.len());
                return Some(RateStep { at, rate: self.pace.times(self.ends.len() as u64) });
            }
        }
    }
}
