//! The Poisson Pareto burst process (Zukerman, Neame & Addie 2003).

use netloom_units::Stream;
use netloom_units::{Duration, Rate, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, Sending, Start, TrafficError, enough, pace};
use crate::distribution::{Exponential, Law, Pareto, nanoseconds};
use crate::source::FrameSource;
use crate::train::Trains;
use crate::{Burst, Distribution, Load, Moments};

/// Largest mean number of simultaneous bursts.
const MOST: f64 = 1e6;

/// Bursts that begin as a Poisson process, last by a Pareto distribution, and send at one rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PpbpConfig {
    /// The mean rate of all bursts together. Two of `load`, `burst_rate` and `bursts` are needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// The rate of one burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_rate: Option<Rate>,
    /// How many bursts begin in a second, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bursts: Option<f64>,
    /// How long a burst lasts on average.
    pub burst: Duration,
    /// The Hurst parameter, above 0.5 and below 1: bursts have the Pareto shape 3 − 2H.
    pub hurst: f64,
    /// `stationary` (default), or `empty`: no burst is active at first.
    #[serde(default, skip_serializing_if = "Start::is_default")]
    pub start: Start,
}

/// The parameters that follow from the configuration.
struct Derived {
    /// Bursts per second, λ.
    arrivals: f64,
    /// Rate of one burst in bit/s, r.
    rate: f64,
    /// Mean duration of a burst in seconds, d.
    length: f64,
}

impl PpbpConfig {
    fn derived(&self, given: &Given<'_>) -> Result<Derived, TrafficError> {
        let length = self.burst.as_secs_f64();
        let load = match self.load {
            Some(load) => Some(load.bits_per_second(&given.sizes.law()?, given.line)?),
            None => None,
        };
        let rate = self.burst_rate.map(|rate| rate.bits_per_second() as f64);
        let (arrivals, rate) = match (load, rate, self.bursts) {
            (Some(load), Some(rate), _) => (load / (rate * length), rate),
            (Some(load), None, Some(bursts)) => (bursts, load / (bursts * length)),
            (None, Some(rate), Some(bursts)) => (bursts, rate),
            // The check of the configuration requires two of them.
            _ => return Err(TrafficError::NoRate { model: "ppbp" }),
        };
        let active = arrivals * length;
        if active > MOST {
            return Err(TrafficError::TooMany { active, most: MOST });
        }
        Ok(Derived { arrivals, rate, length })
    }

    /// Returns the law of the durations of bursts.
    fn lengths(&self) -> Result<Law, TrafficError> {
        let shape = 3.0 - 2.0 * self.hurst;
        Distribution::Pareto(Pareto { mean: self.burst, shape, most: None }).law()
    }

    fn process(&self, derived: &Derived, stream: &Stream) -> Result<PpbpBursts, TrafficError> {
        Ok(PpbpBursts::new(derived.arrivals, self.lengths()?, self.start, stream))
    }
}

impl Configured for PpbpConfig {
    fn check(&self) -> Result<(), String> {
        let said = [self.load.is_some(), self.burst_rate.is_some(), self.bursts.is_some()];
        let words = ["none", "one", "two", "three"];
        let count = said.into_iter().filter(|said| *said).count();
        if count != 2 {
            let count = words[count];
            return Err(format!("two of `load`, `burst_rate` and `bursts`, not {count}"));
        }
        if !self.bursts.is_none_or(|bursts| bursts > 0.0 && bursts <= 1e9) {
            let bursts = self.bursts.unwrap_or_default();
            return Err(format!("`bursts: {bursts}` a second must be above 0 and at most 10⁹"));
        }
        if self.burst == Duration::ZERO {
            return Err("`burst: 0ns` must be above 0".into());
        }
        match self.hurst > 0.5 && self.hurst < 1.0 {
            true => Ok(()),
            false => Err(format!("`hurst: {}` must be above 0.5 and below 1", self.hurst)),
        }
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let derived = self.derived(given)?;
        let pace = pace(derived.rate)?;
        enough(&self.lengths()?, pace, given.sizes)?;
        let bursts = self.process(&derived, given.stream)?.into();
        Ok(Trains::new(bursts, pace, given.sizes.law()?, given.stream).into())
    }

    fn bursts(&self, given: &Given<'_>) -> Result<Option<Sending>, TrafficError> {
        let derived = self.derived(given)?;
        let bursts = self.process(&derived, given.stream)?.into();
        Ok(Some(Sending { bursts, pace: Some(pace(derived.rate)?) }))
    }

    fn changes(&self, given: &Given<'_>) -> Result<f64, TrafficError> {
        Ok(2.0 * self.derived(given)?.arrivals)
    }

    fn moments(&self, given: &Given<'_>) -> Result<Moments, TrafficError> {
        let Derived { arrivals, rate, length } = self.derived(given)?;
        Ok(Moments::ppbp(arrivals, rate, length, self.hurst))
    }
}

/// The bursts, in order of time.
#[derive(Debug, Clone)]
pub(crate) struct PpbpBursts {
    gap: Exponential,
    gaps: Stream,
    law: Law,
    lengths: Stream,
    /// Number of bursts that were active at the start and are still to be returned, and their
    /// random numbers.
    initial: (u64, Stream),
    /// Time at which the last burst began.
    at: Time,
}

impl PpbpBursts {
    /// Returns a process of `arrivals` bursts per second, whose durations follow `law`.
    fn new(arrivals: f64, law: Law, start: Start, stream: &Stream) -> Self {
        let mut initial = stream.fork("initial");
        let active = match start {
            Start::Stationary => poisson(arrivals * law.mean() / 1e9, &mut initial),
            Start::Empty => 0,
        };
        Self {
            gap: Exponential(1e9 / arrivals),
            gaps: stream.fork("arrivals"),
            law,
            lengths: stream.fork("lengths"),
            initial: (active, initial),
            at: Time::ZERO,
        }
    }

    /// Returns the next burst, or `None` at the end of time.
    pub fn next(&mut self) -> Option<Burst> {
        let (left, stream) = &mut self.initial;
        if *left > 0 {
            *left -= 1;
            let lasts = self.law.residual_duration(stream);
            return Some(Burst { at: Time::ZERO, lasts, phase: stream.uniform() });
        }
        self.at += nanoseconds(self.gap.next(&mut self.gaps));
        let burst = Burst::drawn(self.at, &self.law, &mut self.lengths);
        (self.at < Time::from_nanos(u64::MAX)).then_some(burst)
    }
}

/// Draws from the Poisson distribution: the number of arrivals in `mean` mean gaps.
fn poisson(mean: f64, stream: &mut Stream) -> u64 {
    let gap = Exponential(1.0);
    let (mut count, mut passed) = (0, gap.next(stream));
    while passed <= mean {
        count += 1;
        passed += gap.next(stream);
    }
    count
}
