//! The configuration of MACs.

use std::fmt;
use std::str::FromStr;

use netloom_link::Frame;
use netloom_units::{Duration, Rate, Size, UnitError, text_or_table, text_quantity, variants};
use serde::{Deserialize, Serialize};

use super::dcf::Dcf;
use super::{
    AlohaConfig, Backoff, CableConfig, CsmaCdConfig, EmacConfig, MacState, Member, NoMacConfig,
    PairConfig, RateControl, TdmaConfig,
};
use crate::phy::{Phy, Preamble, Timing, air_bytes};
use crate::{MediumConfig, StationConfig};

/// Functions of every MAC's configuration.
pub(crate) trait Built {
    /// Rejects invalid values.
    fn check(&self) -> Result<(), String>;
    /// Rejects values that do not fit the medium.
    fn fits(&self, _medium: &MediumConfig) -> Result<(), String> {
        Ok(())
    }
    /// Creates the MAC of one station.
    fn build<F: Frame>(
        &self,
        timing: &Timing,
        station: &StationConfig,
        member: Member,
    ) -> Box<dyn MacState<F>>;
    /// Returns whether stations compete for one channel, so that signals disturb each other.
    fn has_contention(&self) -> bool {
        true
    }
    /// Returns the shortest time that a frame is on the air.
    fn shortest(&self, timing: &Timing) -> Duration {
        timing.airtime(air_bytes(0), timing.highest())
    }
    /// Returns whether signals that overlap at a receiver disturb each other there.
    fn disturbs(&self) -> bool {
        true
    }
    /// Returns the cable that joins the stations, unless they use a radio channel.
    fn cable(&self) -> Option<&CableConfig> {
        None
    }
    /// Returns the pairs of senders and receivers, if they are listed.
    fn pairs(&self) -> Option<&[PairConfig]> {
        None
    }
    /// Returns the times of frames.
    fn timing(&self, phy: Phy) -> Timing {
        Timing::new(phy, Preamble::Long, None)
    }
}

variants! {
    /// A medium access control and its parameters.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Mac, written as MacTable ("MacParameters", "The MACs with their parameters."),
        matched by each_mac, named by named;
    /// The distributed coordination function of IEEE 802.11 (2007, clause 9).
    Dcf(DcfConfig) = "dcf";
    /// Carrier sense with collision detection: Ethernet on a cable (IEEE 802.3, clause 4).
    CsmaCd(CsmaCdConfig) = "csma_cd";
    /// Who has something to send sends it (Abramson 1970; Roberts 1972).
    Aloha(AlohaConfig) = "aloha";
    /// Slots that belong to stations.
    Tdma(TdmaConfig) = "tdma";
    /// The MAC of EMPOWER (Zheng 2003 §3.8).
    Emac(EmacConfig) = "emac";
    /// No contention: each station has a line of its own.
    None(NoMacConfig) = "none";
}

impl Default for Mac {
    fn default() -> Self {
        Self::Dcf(DcfConfig::default())
    }
}

impl Mac {
    fn checked(self) -> Result<Self, String> {
        each_mac!(&self, config => config.check())?;
        Ok(self)
    }

    pub(crate) fn build<F: Frame>(
        &self,
        timing: &Timing,
        station: &StationConfig,
        member: Member,
    ) -> Box<dyn MacState<F>> {
        each_mac!(self, config => config.build(timing, station, member))
    }

    pub(crate) fn shortest(&self, timing: &Timing) -> Duration {
        each_mac!(self, config => config.shortest(timing))
    }

    pub(crate) fn disturbs(&self) -> bool {
        each_mac!(self, config => config.disturbs())
    }

    pub(crate) fn pairs(&self) -> Option<&[PairConfig]> {
        each_mac!(self, config => config.pairs())
    }

    /// Returns whether each station draws backoffs from a contention window.
    pub fn has_window(&self) -> bool {
        matches!(self, Self::Dcf(_) | Self::Emac(_))
    }

    /// Returns whether stations are on a cable instead of a radio channel.
    pub fn is_on_a_cable(&self) -> bool {
        self.cable().is_some()
    }

    pub(crate) fn cable(&self) -> Option<&CableConfig> {
        each_mac!(self, config => config.cable())
    }

    pub(crate) fn has_contention(&self) -> bool {
        each_mac!(self, config => config.has_contention())
    }

    pub(crate) fn timing(&self, phy: Phy) -> Timing {
        each_mac!(self, config => config.timing(phy))
    }

    /// Rejects parameters that do not fit the medium.
    pub(crate) fn check(&self, medium: &MediumConfig) -> Result<(), String> {
        each_mac!(self, config => config.fits(medium))
    }

    /// Returns the name alone, if all parameters have their defaults.
    fn text(&self) -> Option<String> {
        let name = self.name();
        (Self::named(name).as_ref() == Some(self)).then(|| name.into())
    }
}

impl FromStr for Mac {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::named(text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("`{text}` is not a MAC; there are {}", names.join(", "))
        })
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

text_or_table!(
    Mac,
    MacTable,
    "the name of a MAC, or a table of its parameters like `{dcf: {rts_threshold: 0B}}`",
    "A medium access control: its name, or its name with its parameters."
);

/// Parameters of `dcf`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DcfConfig {
    /// Rate of data frames for one station, one of the PHY's (default: its highest), or how a
    /// station chooses it: `arf`, `aarf`, `ideal`, or a table like `{arf: {up: 10, down: 2}}`.
    pub rate: Option<RateControl>,
    /// Rate of broadcasts and multicasts (default: the lowest basic rate).
    pub multicast_rate: Option<Rate>,
    /// The only basic rate: that of answers, and of broadcasts unless `multicast_rate` says
    /// otherwise (default: the PHY's basic rates).
    pub basic: Option<Rate>,
    /// Frames longer than this on the air, header and FCS included, are asked for with RTS and CTS:
    /// `none` (default) or a size; `0B` is all.
    pub rts_threshold: RtsThreshold,
    /// How often a frame is sent.
    pub retry: Retry,
    /// Least and largest contention window in slots, like `[31, 1023]` (default: the PHY's).
    pub cw: Option<Window>,
    /// How the contention window follows failures and successes (default `binary`).
    pub backoff: Backoff,
    /// Preamble of frames above 1 Mbit/s: `long` (default) or `short`.
    pub preamble: Preamble,
}

/// Length above which a frame is requested with RTS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RtsThreshold {
    /// No frame.
    #[default]
    None,
    /// Frames that are longer than this.
    Above(Size),
}

impl RtsThreshold {
    /// Returns whether a frame of `bytes` on the air is requested with RTS.
    pub(crate) fn asks(self, bytes: u32) -> bool {
        matches!(self, Self::Above(size) if u64::from(bytes) > size.bytes())
    }
}

impl FromStr for RtsThreshold {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        if text == "none" { Ok(Self::None) } else { text.parse().map(Self::Above) }
    }
}

impl fmt::Display for RtsThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad("none"),
            Self::Above(size) => size.fmt(f),
        }
    }
}

text_quantity!(
    RtsThreshold,
    "RTS threshold",
    r"^(none|[0-9]+ *(B|bytes?|kB|KiB))$",
    "`none`, or the length in bytes above which a frame is asked for with RTS and CTS.",
    "500B"
);

/// How often a frame is sent in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Retry {
    /// Requests, and frames that are not asked for (default 7).
    pub short: u32,
    /// Frames that were asked for (default 4).
    pub long: u32,
}

impl Default for Retry {
    fn default() -> Self {
        Self { short: 7, long: 4 }
    }
}

/// Least and largest contention window in slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window(pub u32, pub u32);

impl Window {
    /// Largest window that a configuration may have.
    const MOST: u32 = 65_535;

    pub(crate) fn check(self) -> Result<(), String> {
        let Self(least, most) = self;
        if least > most || most > Self::MOST {
            return Err(format!(
                "`cw: [{least}, {most}]` has to be the least and the largest window in slots, in \
                 this order and at most {}",
                Self::MOST
            ));
        }
        Ok(())
    }
}

impl Built for DcfConfig {
    fn check(&self) -> Result<(), String> {
        self.backoff.check()?;
        if self.retry.short == 0 || self.retry.long == 0 {
            return Err("`retry` counts the first try: `short` and `long` are at least 1".into());
        }
        self.cw.map_or(Ok(()), Window::check)
    }

    fn build<F: Frame>(
        &self,
        timing: &Timing,
        station: &StationConfig,
        _: Member,
    ) -> Box<dyn MacState<F>> {
        Box::new(Dcf::new(self, timing, station))
    }

    fn timing(&self, phy: Phy) -> Timing {
        Timing::new(phy, self.preamble, self.basic)
    }

    fn fits(&self, medium: &MediumConfig) -> Result<(), String> {
        let fixed = match self.rate {
            Some(RateControl::Fixed(rate)) => Some(rate),
            _ => None,
        };
        medium.phy.has_rate("rate", fixed)?;
        medium.phy.has_rate("multicast_rate", self.multicast_rate)?;
        medium.phy.has_rate("basic", self.basic)
    }
}
