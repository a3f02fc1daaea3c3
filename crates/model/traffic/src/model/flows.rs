//! Transfers: the time at which each begins, and its length.

use netloom_units::{Data, DataFile, Stream};
use netloom_units::{Rate, Size, Time};
use serde::{Deserialize, Serialize};

use super::flow_list::FlowList;
use super::{Configured, Given, Sending, TrafficError};
use crate::distribution::{DurationDistribution, Exponential, Law, SizeDistribution, nanoseconds};
use crate::source::{Bursts, FrameSource};
use crate::train::Trains;
use crate::{Burst, Flow, Moments, Pace};

/// Transfers that begin by themselves: from distributions (`arrivals`, `bytes`) or from a `file`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlowsConfig {
    /// When transfers begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalsConfig>,
    /// How much each sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<SizeDistribution>,
    /// How fast each sends. Over TCP the default is as much as the path takes; those of a file send
    /// for as long as the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// A file with start and duration in seconds, bytes and, if known, packets of a transfer in
    /// each line; or a list of such texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Data<FlowList>>,
}

/// When transfers begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ArrivalsConfig {
    /// Independently, so many a second on average.
    Poisson(f64),
    /// With these times between two beginnings.
    Gaps(DurationDistribution),
}

impl ArrivalsConfig {
    /// Mean number of beginnings per second.
    fn per_second(&self) -> Result<f64, TrafficError> {
        match self {
            Self::Poisson(rate) => Ok(*rate),
            Self::Gaps(gaps) => Ok(1e9 / gaps.law()?.mean()),
        }
    }
}

impl FlowsConfig {
    /// Returns the transfers, with the random numbers of `stream`.
    ///
    /// # Errors
    /// If a file has not been read.
    pub fn flows(&self, stream: &Stream) -> Result<Flows, TrafficError> {
        if let Some(file) = &self.file {
            let list = file.values().ok_or_else(|| TrafficError::unread(file.file()))?;
            return Ok(Flows(Process::Listed(FlowList::clone(list), 0)));
        }
        let (Some(arrivals), Some(bytes)) = (&self.arrivals, &self.bytes) else {
            // The check of the configuration requires both.
            return Err(TrafficError::NoRate { model: "flows" });
        };
        let mut gaps = stream.fork("arrivals");
        let (gap, next) = match arrivals {
            ArrivalsConfig::Poisson(rate) => {
                let gap = Exponential(1e9 / rate);
                (Gap::Exponential(gap), Time::ZERO + nanoseconds(gap.next(&mut gaps)))
            }
            ArrivalsConfig::Gaps(distribution) => {
                let law = distribution.law()?;
                let first = law.residual_duration(&mut gaps);
                (Gap::Drawn(law), Time::ZERO + first)
            }
        };
        let sizes = (bytes.law()?, stream.fork("bytes"));
        Ok(Flows(Process::Drawn(Box::new(Drawn { gap, gaps, next, sizes }))))
    }

    fn pace(&self) -> Result<Pace, TrafficError> {
        self.rate.map(Pace::from).ok_or(TrafficError::NoRate { model: "flows" })
    }
}

impl Configured for FlowsConfig {
    fn check(&self) -> Result<(), String> {
        if let Some(ArrivalsConfig::Poisson(rate)) = self.arrivals
            && !(rate > 0.0 && rate <= 1e9)
        {
            return Err(format!("`poisson: {rate}` a second must be above 0 and at most 10⁹"));
        }
        match (&self.file, &self.arrivals, &self.bytes) {
            (Some(_), None, None) | (None, Some(_), Some(_)) => Ok(()),
            _ => Err("flows have either `arrivals` and `bytes`, or a `file`".into()),
        }
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        let gaps = match &mut self.arrivals {
            Some(ArrivalsConfig::Gaps(gaps)) => gaps.file(),
            _ => None,
        };
        let bytes = self.bytes.as_mut().and_then(|bytes| bytes.file());
        let list = self.file.as_mut().map(|file| file as &mut dyn DataFile);
        [gaps, bytes, list].into_iter().flatten().collect()
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let pace = match (&self.file, self.rate) {
            (Some(_), None) => None,
            _ => Some(self.pace()?),
        };
        let flows = self.flows(given.stream)?;
        Ok(Trains::of_flows(flows, pace, given.sizes.law()?, given.stream).into())
    }

    fn bursts(&self, given: &Given<'_>) -> Result<Option<Sending>, TrafficError> {
        let pace = self.pace()?;
        let bursts = Bursts::of_flows(self.flows(given.stream)?, pace);
        Ok(Some(Sending { bursts, pace: Some(pace) }))
    }

    fn changes(&self, _: &Given<'_>) -> Result<f64, TrafficError> {
        let arrivals = match &self.arrivals {
            Some(arrivals) => arrivals.per_second()?,
            // A recording is used once.
            None => 0.0,
        };
        Ok(2.0 * arrivals)
    }

    fn moments(&self, _: &Given<'_>) -> Result<Moments, TrafficError> {
        if let Some(file) = &self.file {
            let list = file.values().ok_or_else(|| TrafficError::unread(file.file()))?;
            return Ok(Moments::unknown(list.mean_rate().ok_or(TrafficError::NoTime)?));
        }
        let (Some(arrivals), Some(bytes)) = (&self.arrivals, &self.bytes) else {
            return Err(TrafficError::NoRate { model: "flows" });
        };
        let bits = bytes.law()?.mean() * 8.0;
        let burst = self.pace().ok().map(|pace| bits / pace.bits_per_second());
        Ok(Moments::heavy(arrivals.per_second()? * bits, burst, bytes.tail()))
    }
}

/// Transfers in order of their beginnings, as an iterator.
#[derive(Debug, Clone)]
pub struct Flows(Process);

#[derive(Debug, Clone)]
enum Process {
    Drawn(Box<Drawn>),
    /// The list, and the index of the next transfer.
    Listed(FlowList, usize),
}

/// Transfers drawn from distributions.
#[derive(Debug, Clone)]
struct Drawn {
    gap: Gap,
    gaps: Stream,
    /// Time at which the next one begins.
    next: Time,
    sizes: (Law, Stream),
}

/// The law of the times between two beginnings.
#[derive(Debug, Clone)]
enum Gap {
    Exponential(Exponential),
    Drawn(Law),
}

impl Iterator for Flows {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        match &mut self.0 {
            Process::Drawn(drawn) => drawn.next(),
            Process::Listed(list, next) => {
                let flow = list.as_slice().get(*next)?;
                *next += 1;
                Some(*flow)
            }
        }
    }
}

impl Drawn {
    /// Returns the next transfer, or `None` at the end of time.
    fn next(&mut self) -> Option<Flow> {
        let at = self.next;
        if at == Time::from_nanos(u64::MAX) {
            return None;
        }
        self.next += match &self.gap {
            Gap::Exponential(gap) => nanoseconds(gap.next(&mut self.gaps)),
            Gap::Drawn(law) => law.duration(&mut self.gaps),
        };
        let (law, stream) = &mut self.sizes;
        Some(Flow { at, bytes: law.size(stream), lasts: None, packets: None })
    }
}

impl Flow {
    /// Returns the burst that this transfer is at `pace`.
    pub(crate) fn burst(&self, pace: Pace) -> Burst {
        let nanos = Size::bytes(self.bytes) as f64 * 8e9 / pace.bits_per_second();
        Burst { at: self.at, lasts: nanoseconds(nanos), phase: 0.0 }
    }
}
