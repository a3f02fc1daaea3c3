//! No contention: each station has a line of its own, and all its frames reach all its hearers
//! (Maier 2011 §3.7.3.2; Zheng 2003 §4.3).

use netloom_link::{BitErrorRate, Frame};
use netloom_units::{Duration, Probability, Rate, Size};
use serde::{Deserialize, Serialize};

use super::config::Built;
use super::{Carries, Io, Kind, MacState, Member, Ppdu, Timer};
use crate::desk::End;
use crate::phy::Timing;
use crate::{StationConfig, StationId};

/// Parameters of `none`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NoMacConfig {
    /// Rate of each station's line (default: the PHY's highest). A frame takes its Ethernet bytes
    /// without FCS, and nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Who receives from whom, instead of who is in reach: ordered pairs of stations, each with a
    /// delay and losses of its own. With an empty list, nobody receives from anybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<PairConfig>>,
}

/// An ordered pair of stations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PairConfig {
    /// Who sends.
    pub from: String,
    /// Who receives.
    pub to: String,
    /// How long it takes (default `0ns`).
    #[serde(default)]
    pub delay: Duration,
    /// The probability that a frame is lost (default `0%`).
    #[serde(default)]
    pub loss: Probability,
    /// Bit error rate (default `0`): a frame with a wrong bit is lost.
    #[serde(default)]
    pub ber: BitErrorRate,
}

impl Built for NoMacConfig {
    fn check(&self) -> Result<(), String> {
        let pairs = self.pairs.as_deref().unwrap_or_default();
        for (place, pair) in pairs.iter().enumerate() {
            let PairConfig { from, to, .. } = pair;
            if from == to {
                return Err(format!("`pairs` has `{from}` with itself; a pair is of two stations"));
            }
            if pairs[..place].iter().any(|other| (&other.from, &other.to) == (from, to)) {
                return Err(format!("`pairs` has `{from}` to `{to}` twice; keep one of them"));
            }
        }
        Ok(())
    }

    fn build<F: Frame>(
        &self,
        timing: &Timing,
        station: &StationConfig,
        _: Member,
    ) -> Box<dyn MacState<F>> {
        Box::new(NoMac { rate: station.rate.or(self.rate).unwrap_or(timing.highest()) })
    }

    fn has_contention(&self) -> bool {
        false
    }

    fn shortest(&self, _: &Timing) -> Duration {
        Duration::ZERO
    }

    fn pairs(&self) -> Option<&[PairConfig]> {
        self.pairs.as_deref()
    }
}

/// The line of one station.
#[derive(Debug)]
struct NoMac {
    rate: Rate,
}

impl<F: Frame> MacState<F> for NoMac {
    fn queued(&mut self, io: &mut Io<'_, F>) {
        if !io.is_sending() {
            io.set(Timer::Access, io.now);
        }
    }

    fn sent(&mut self, io: &mut Io<'_, F>, _: Kind) {
        io.finish(End::Sent);
        if io.head().is_some() {
            io.set(Timer::Access, io.now);
        }
    }

    fn due(&mut self, io: &mut Io<'_, F>, _: Timer) {
        let Some(head) = io.head().copied() else { return };
        io.desk.attempt();
        let bytes = head.info.largest();
        io.send(Ppdu {
            kind: Kind::Data,
            to: head.to,
            rate: self.rate,
            airtime: self.rate.time_for(Size::from_bytes(bytes.into())),
            nav: Duration::ZERO,
            bytes,
            attempt: 1,
            window: 0,
            slots: 0,
            carries: Carries::Leaves,
        });
    }

    fn rate_to(&self, _: StationId, _: u32, _: f64) -> Option<Rate> {
        Some(self.rate)
    }

    fn restart(&mut self, io: &mut Io<'_, F>) {
        if io.head().is_some() {
            io.set(Timer::Access, io.now);
        }
    }
}
