//! eMAC, the MAC of EMPOWER (Zheng 2003 §3.8): carrier sense by the flags of neighbours, with
//! optional requests and acknowledgements. It is `dcf` without the delays of radios: a carrier is
//! sensed at once, and a failed reception does not prolong anybody's wait.

use netloom_link::Frame;
use netloom_units::{Duration, Rate};
use serde::{Deserialize, Serialize};

use super::config::{Built, DcfConfig, Retry, RtsThreshold, Window};
use super::dcf::Dcf;
use super::rate::RateControl;
use super::{Backoff, MacState, Member};
use crate::phy::{Phy, Preamble, Timing};
use crate::{MediumConfig, StationConfig};

/// Parameters of `emac`. Times are the PHY's where nothing is said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EmacConfig {
    /// Length of a slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<Duration>,
    /// Time between a frame and its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sifs: Option<Duration>,
    /// Time for which the medium has to be idle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difs: Option<Duration>,
    /// Rate of frames, one of the PHY's (default: its highest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether frames for one station are asked for with RTS and CTS (default `false`).
    pub rts: bool,
    /// Whether frames for one station are acknowledged (default `true`).
    pub ack: bool,
    /// How often a frame is sent.
    pub retry: Retry,
    /// Least and largest contention window in slots (default: the PHY's).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw: Option<Window>,
    /// How the contention window follows failures and successes (default `binary`).
    pub backoff: Backoff,
    /// Where frames collide: at the `receiver` (default), or at the `sender`, as published: what a
    /// sender senses keeps it from sending, and nothing that is sent is destroyed.
    pub collisions: Collisions,
}

impl Default for EmacConfig {
    fn default() -> Self {
        Self {
            slot: None,
            sifs: None,
            difs: None,
            rate: None,
            rts: false,
            ack: true,
            retry: Retry::default(),
            cw: None,
            backoff: Backoff::default(),
            collisions: Collisions::default(),
        }
    }
}

/// Where frames collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Collisions {
    /// At the receiver: signals that overlap there disturb each other.
    #[default]
    Receiver,
    /// At the sender only: all that is sent arrives.
    Sender,
}

impl EmacConfig {
    fn dcf(&self) -> DcfConfig {
        let all = netloom_units::Size::from_bytes(0);
        DcfConfig {
            rate: self.rate.map(RateControl::Fixed),
            rts_threshold: if self.rts { RtsThreshold::Above(all) } else { RtsThreshold::None },
            retry: self.retry,
            cw: self.cw,
            backoff: self.backoff.clone(),
            ..DcfConfig::default()
        }
    }
}

impl Built for EmacConfig {
    fn check(&self) -> Result<(), String> {
        if self.slot == Some(Duration::ZERO) {
            return Err("`slot` is the length of a slot, more than 0s".into());
        }
        if self.rts && !self.ack {
            return Err("`rts` without `ack` would ask for nothing; leave `rts` out".into());
        }
        self.dcf().check()
    }

    fn fits(&self, medium: &MediumConfig) -> Result<(), String> {
        medium.phy.has_rate("rate", self.rate)
    }

    fn build<F: Frame>(
        &self,
        timing: &Timing,
        station: &StationConfig,
        _: Member,
    ) -> Box<dyn MacState<F>> {
        Box::new(Dcf::new(&self.dcf(), timing, station).with_acknowledgements(self.ack))
    }

    fn timing(&self, phy: Phy) -> Timing {
        let timing = Timing::new(phy, Preamble::Long, None);
        timing.with_flags(self.slot, self.sifs, self.difs)
    }

    fn disturbs(&self) -> bool {
        self.collisions == Collisions::Receiver
    }
}
