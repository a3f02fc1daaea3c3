//! Recorded arrivals, which may be stretched.

use netloom_units::{Data, DataFile};
use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use super::{Configured, Given, TrafficError};
use crate::recorded::Arrivals;
use crate::source::FrameSource;
use crate::{Emission, Load, Moments};

/// Units in a stretch of 1.
const PARTS: f64 = 1e9;

/// Arrivals as they were recorded, counted from the file's time 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TrafficTrace"))]
#[serde(deny_unknown_fields)]
pub struct TraceConfig {
    /// A file with `SECONDS BYTES` in each line, a capture (pcap or pcapng), or a list of texts
    /// like those lines.
    pub file: Data<Arrivals>,
    /// Factor for all times, from 0.001 to 1000 (default 1): 10 is ten times slower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<f64>,
    /// Instead of `stretch`: the mean rate, for which times are stretched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// After so long, in the file's time, it begins again (default: it ends).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<Duration>,
}

impl TraceConfig {
    fn arrivals(&self) -> Result<&Arrivals, TrafficError> {
        let values = self.file.values().ok_or_else(|| TrafficError::unread(self.file.file()))?;
        Ok(values)
    }

    /// Returns the duration of one round: `repeat`, or the time up to the last arrival plus a mean
    /// gap.
    fn round(&self, arrivals: &Arrivals) -> Result<Duration, TrafficError> {
        let last = arrivals.last().since(Time::ZERO);
        match self.repeat {
            Some(repeat) if repeat <= last => Err(TrafficError::RepeatsEarly { repeat, last }),
            Some(repeat) => Ok(repeat),
            None => {
                let first = arrivals.as_slice()[0].at;
                let gaps = (arrivals.as_slice().len() - 1).max(1) as u64;
                let span = arrivals.last().since(first).as_nanos();
                Ok(last + Duration::from_nanos(span / gaps))
            }
        }
    }

    /// Returns the mean rate of the file as it is, in bit/s.
    fn recorded_rate(&self, arrivals: &Arrivals) -> Result<f64, TrafficError> {
        match self.round(arrivals)?.as_secs_f64() {
            0.0 => Err(TrafficError::NoTime),
            seconds => Ok(arrivals.bits() / seconds),
        }
    }

    /// Returns the stretch in units.
    fn parts(&self, given: &Given<'_>) -> Result<u64, TrafficError> {
        let Some(load) = self.load else {
            return Ok((self.stretch.unwrap_or(1.0) * PARTS + 0.5) as u64);
        };
        let arrivals = self.arrivals()?;
        // The length of a frame on a line depends on its own length, so the recorded lengths are
        // used.
        let sizes = crate::SizeLaw::of_frames(arrivals.as_slice());
        let stretch = self.recorded_rate(arrivals)? / load.bits_per_second(&sizes, given.line)?;
        match stretch * PARTS {
            parts if (1.0..1e18).contains(&parts) => Ok((parts + 0.5) as u64),
            _ => Err(TrafficError::Stretch { stretch }),
        }
    }
}

impl Configured for TraceConfig {
    fn check(&self) -> Result<(), String> {
        match (self.stretch, self.load) {
            (Some(_), Some(_)) => Err("one of `stretch` and `load`, not both".into()),
            (Some(stretch), None) if !(0.001..=1000.0).contains(&stretch) => {
                Err(format!("`stretch: {stretch}` must be from 0.001 to 1000"))
            }
            _ => Ok(()),
        }
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        vec![&mut self.file]
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let arrivals = self.arrivals()?;
        let round = self.repeat.is_some().then_some(self.round(arrivals)?);
        let parts = self.parts(given)?;
        Ok(Recorded { arrivals: arrivals.clone(), next: 0, begun: 0, round, parts }.into())
    }

    fn moments(&self, given: &Given<'_>) -> Result<Moments, TrafficError> {
        let arrivals = self.arrivals()?;
        let stretch = self.parts(given)? as f64 / PARTS;
        Ok(Moments::unknown(self.recorded_rate(arrivals)? / stretch))
    }
}

/// The state of a recording that is sent.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    arrivals: Arrivals,
    /// Index of the next arrival.
    next: usize,
    /// Start of the current round in ns, in the recording's time.
    begun: u64,
    /// Duration of a round, if there is more than one.
    round: Option<Duration>,
    /// The stretch in units.
    parts: u64,
}

impl Recorded {
    /// Returns the next frame.
    pub fn next(&mut self) -> Option<Emission> {
        let arrivals = self.arrivals.as_slice();
        if self.next == arrivals.len() {
            self.begun = self.begun.checked_add(self.round?.as_nanos())?;
            self.next = 0;
        }
        let Emission { at, bytes } = arrivals[self.next];
        self.next += 1;
        let nanos = u128::from(self.begun) + u128::from(at.as_nanos());
        let stretched = nanos * u128::from(self.parts) / PARTS as u128;
        Some(Emission { at: Time::from_nanos(u64::try_from(stretched).ok()?), bytes })
    }
}
