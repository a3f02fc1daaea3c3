//! The state machines that run models.

use crate::fluid::Merged;
use crate::model::{
    Flows, OnOffBursts, PoissonFrames, PpbpBursts, Recorded, Requests, Steps, Varying, Video,
};
use crate::train::Trains;
use crate::{Burst, Emission, Pace, RateStep};

/// Runs a model: an iterator over its frames in order of time, which ends when the model does.
#[derive(Debug, Clone)]
pub struct FrameSource(Frames);

impl FrameSource {
    /// Returns the number of the burst or transfer that the last frame belongs to, from 0 on.
    /// `None` if frames are independent.
    pub fn last_burst(&self) -> Option<u64> {
        match &self.0 {
            Frames::Trains(trains) => trains.last(),
            _ => None,
        }
    }
}

/// Declares the state machines that yield frames.
macro_rules! frames {
    ($($variant:ident($machine:ty);)*) => {
        #[derive(Debug, Clone)]
        enum Frames {
            $($variant($machine),)*
        }

        impl Iterator for FrameSource {
            type Item = Emission;

            #[inline]
            fn next(&mut self) -> Option<Emission> {
                match &mut self.0 {
                    $(Frames::$variant(machine) => machine.next(),)*
                }
            }
        }

        $(impl From<$machine> for FrameSource {
            fn from(machine: $machine) -> Self {
                Self(Frames::$variant(machine))
            }
        })*
    };
}

frames! {
    Trains(Trains);
    Poisson(PoissonFrames);
    Recorded(Recorded);
    Varying(Varying);
    Video(Video);
    Requests(Requests);
}

/// The periods in which the senders of a model are on: an iterator over bursts in order of their
/// beginnings. They may overlap.
#[derive(Debug, Clone)]
pub struct Bursts(Process);

#[derive(Debug, Clone)]
enum Process {
    Once(Option<Burst>),
    OnOff(OnOffBursts),
    Ppbp(PpbpBursts),
    Flows(Flows, Pace),
}

impl Bursts {
    /// Returns a single burst.
    pub(crate) fn once(burst: Burst) -> Self {
        Self(Process::Once(Some(burst)))
    }

    /// Returns the bursts of transfers that all send at one pace.
    pub(crate) fn of_flows(flows: Flows, pace: Pace) -> Self {
        Self(Process::Flows(flows, pace))
    }
}

impl Iterator for Bursts {
    type Item = Burst;

    fn next(&mut self) -> Option<Burst> {
        match &mut self.0 {
            Process::Once(burst) => burst.take(),
            Process::OnOff(bursts) => bursts.next(),
            Process::Ppbp(bursts) => bursts.next(),
            Process::Flows(flows, pace) => flows.next().map(|flow| flow.burst(*pace)),
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

/// The rate of a model: an iterator over its steps in order of time. The first step is at 0.
#[derive(Debug, Clone)]
pub struct Fluid(Level);

#[derive(Debug, Clone)]
enum Level {
    Bursts(Box<Merged>),
    Steps(Steps),
}

impl Fluid {
    /// Returns the total rate of `bursts` that send at `pace` each.
    pub(crate) fn of_bursts(bursts: Bursts, pace: Pace) -> Self {
        Self(Level::Bursts(Box::new(Merged::new(bursts, pace))))
    }
}

impl From<Steps> for Fluid {
    fn from(steps: Steps) -> Self {
        Self(Level::Steps(steps))
    }
}

impl Iterator for Fluid {
    type Item = RateStep;

    fn next(&mut self) -> Option<RateStep> {
        match &mut self.0 {
            Level::Bursts(merged) => merged.next(),
            Level::Steps(steps) => steps.next(),
        }
    }
}
