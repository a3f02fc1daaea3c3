//! Transfers over TCP: a connection carries each transfer or burst as fast as TCP allows.

use netloom_units::Stream;
use netloom_units::{Duration, Size, Time};

use crate::model::{Flows, Model, TrafficError};
use crate::{Bursts, Pace, Sizes};

/// One connection: its beginning, and what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Time at which it begins, counted from the start of its sender.
    pub at: Time,
    /// The amount that it carries.
    pub extent: Extent,
}

/// The amount that a connection carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// This many bytes.
    Bytes(Size),
    /// As much as TCP sends in this time.
    Lasts(Duration),
}

/// Transfers in order of their beginnings, as an iterator.
#[derive(Debug, Clone)]
pub struct Transfers(Process);

#[derive(Debug, Clone)]
enum Process {
    Flows(Flows),
    /// Bursts, and the rate that determines the number of bytes of each.
    Bursts(Box<Bursts>, Option<Pace>),
}

impl Model {
    /// Returns the model's transfers over TCP, with the random numbers of `stream`: those of
    /// `flows`, or a connection for each burst of `on_off` and `ppbp`. A burst with a rate carries
    /// the bytes that it has at that rate. A burst without one sends as much as it can for its
    /// duration.
    ///
    /// # Errors
    /// If the model has no transfers, or lacks what they need.
    pub fn transfers(&self, stream: &Stream) -> Result<Transfers, TrafficError> {
        match self {
            Self::Flows(config) => Ok(Transfers(Process::Flows(config.flows(stream)?))),
            Self::OnOff(_) | Self::Ppbp(_) => {
                let (bursts, pace) = self.paced_bursts(&Sizes::default(), stream)?;
                Ok(Transfers(Process::Bursts(Box::new(bursts), pace)))
            }
            _ => Err(TrafficError::NoTransfers { model: self.name() }),
        }
    }
}

impl Iterator for Transfers {
    type Item = Transfer;

    fn next(&mut self) -> Option<Transfer> {
        match &mut self.0 {
            Process::Flows(flows) => {
                flows.next().map(|flow| Transfer { at: flow.at, extent: Extent::Bytes(flow.bytes) })
            }
            Process::Bursts(bursts, pace) => {
                let burst = bursts.next()?;
                let extent = match pace {
                    Some(pace) => Extent::Bytes(bytes_of(*pace, burst.lasts)),
                    None => Extent::Lasts(burst.lasts),
                };
                Some(Transfer { at: burst.at, extent })
            }
        }
    }
}

/// Returns the bytes sent at `pace` in the time `lasts`, rounded to the nearest, but at least one.
fn bytes_of(pace: Pace, lasts: Duration) -> Size {
    let bytes = pace.bits_per_second() / 8.0 * lasts.as_secs_f64();
    Size::from_bytes((libm::round(bytes) as u64).max(1))
}
