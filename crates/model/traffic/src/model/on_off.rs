//! Senders that alternate between on and off.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::{DataFile, Stream};
use netloom_units::{Duration, Rate, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, Sending, Start, TrafficError, enough};
use crate::distribution::{DurationDistribution, Law};
use crate::source::FrameSource;
use crate::train::Trains;
use crate::{Burst, Distribution, Moments, Pace};

/// Largest number of senders of one entry.
const MOST: u32 = 100_000;

/// Senders that are on and off by turns, independently (Willinger, Taqqu, Sherman & Wilson 1997).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OnOffConfig {
    /// How many senders there are (default 1).
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub sources: u32,
    /// How long a sender is on.
    pub on: DurationDistribution,
    /// How long it is off.
    pub off: DurationDistribution,
    /// Rate of each sender while it is on. Over TCP the default is as much as the path takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// `stationary` (default), or `empty`: all senders are off at first.
    #[serde(default, skip_serializing_if = "Start::is_default")]
    pub start: Start,
}

fn one() -> u32 {
    1
}

fn is_one(sources: &u32) -> bool {
    *sources == 1
}

impl OnOffConfig {
    fn pace(&self) -> Result<Pace, TrafficError> {
        self.rate.map(Pace::from).ok_or(TrafficError::NoRate { model: "on_off" })
    }
}

impl Configured for OnOffConfig {
    fn check(&self) -> Result<(), String> {
        match self.sources {
            1..=MOST => Ok(()),
            n => Err(format!("`sources: {n}` must be from 1 to {MOST}")),
        }
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        [self.on.file(), self.off.file()].into_iter().flatten().collect()
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let pace = self.pace()?;
        enough(&self.on.law()?, pace, given.sizes)?;
        let bursts = OnOffBursts::new(self, given.stream)?.into();
        Ok(Trains::new(bursts, pace, given.sizes.law()?, given.stream).into())
    }

    fn bursts(&self, given: &Given<'_>) -> Result<Option<Sending>, TrafficError> {
        let bursts = OnOffBursts::new(self, given.stream)?.into();
        Ok(Some(Sending { bursts, pace: self.pace().ok() }))
    }

    fn changes(&self, _: &Given<'_>) -> Result<f64, TrafficError> {
        let round = (self.on.law()?.mean() + self.off.law()?.mean()) / 1e9;
        Ok(2.0 * f64::from(self.sources) / round)
    }

    fn moments(&self, _: &Given<'_>) -> Result<Moments, TrafficError> {
        let rate = self.pace()?.bits_per_second();
        let seconds = |law: &DurationDistribution| Ok(law.law()?.mean() / 1e9);
        let (on, off) = (seconds(&self.on)?, seconds(&self.off)?);
        let sources = f64::from(self.sources);
        // The heavier tail decides. With a shape of 2 or more there is no long memory.
        let tail = [self.on.tail(), self.off.tail()].into_iter().flatten().fold(2.0, f64::min);
        let memoryless = matches!(
            (&self.on, &self.off),
            (Distribution::Exponential(_), Distribution::Exponential(_))
        );
        let hurst = (3.0 - tail) / 2.0;
        Ok(Moments::on_off(sources, on, off, rate, hurst, memoryless))
    }
}

/// The bursts of all senders, in order of time.
#[derive(Debug, Clone)]
pub(crate) struct OnOffBursts {
    on: Law,
    off: Law,
    senders: Vec<Sender>,
    /// Time at which each sender's next burst begins.
    next: BinaryHeap<Reverse<(Time, usize)>>,
}

/// One sender: its random numbers and its next burst.
#[derive(Debug, Clone)]
struct Sender {
    stream: Stream,
    burst: Burst,
}

impl OnOffBursts {
    fn new(config: &OnOffConfig, stream: &Stream) -> Result<Self, TrafficError> {
        let (on, off) = (config.on.law()?, config.off.law()?);
        let senders: Vec<_> = (0..config.sources)
            .map(|number| {
                let stream = stream.fork(&format!("source {number}"));
                Sender::new(config.start, &on, &off, stream)
            })
            .collect();
        let begin = |(index, sender): (usize, &Sender)| Reverse((sender.burst.at, index));
        let next = senders.iter().enumerate().map(begin).collect();
        Ok(Self { on, off, senders, next })
    }

    /// Returns the next burst, or `None` at the end of time.
    pub fn next(&mut self) -> Option<Burst> {
        let mut first = self.next.peek_mut()?;
        let Reverse((_, index)) = *first;
        let sender = &mut self.senders[index];
        let burst = sender.burst;
        let after = burst.end() + self.off.duration(&mut sender.stream);
        sender.burst = Burst::drawn(after, &self.on, &mut sender.stream);
        *first = Reverse((after, index));
        (burst.at < Time::from_nanos(u64::MAX)).then_some(burst)
    }
}

impl Sender {
    fn new(start: Start, on: &Law, off: &Law, mut stream: Stream) -> Self {
        let share = on.mean() / (on.mean() + off.mean());
        let burst = match start {
            Start::Empty => {
                let at = Time::ZERO + off.duration(&mut stream);
                Burst::drawn(at, on, &mut stream)
            }
            Start::Stationary if stream.uniform() < share => {
                let lasts = on.residual_duration(&mut stream);
                Burst { at: Time::ZERO, lasts, phase: stream.uniform() }
            }
            Start::Stationary => {
                let at = Time::ZERO + off.residual_duration(&mut stream);
                Burst::drawn(at, on, &mut stream)
            }
        };
        Self { stream, burst }
    }
}

impl Burst {
    /// Returns a burst at `at` whose duration follows `law`, with a random phase.
    pub(crate) fn drawn(at: Time, law: &Law, stream: &mut Stream) -> Self {
        let lasts: Duration = law.duration(stream);
        Self { at, lasts, phase: stream.uniform() }
    }
}
