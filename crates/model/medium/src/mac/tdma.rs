//! Time division: each station has slots of its own, in a cycle that begins at the experiment's
//! zero.

use std::fmt;
use std::str::FromStr;

use netloom_link::Frame;
use netloom_units::{Duration, Rate, Time, text_or_table};
use serde::{Deserialize, Serialize};

use super::config::Built;
use super::{Carries, Io, Kind, MacState, Member, Ppdu, Timer};
use crate::desk::End;
use crate::phy::{Phy, Preamble, Timing, air_bytes};
use crate::{FrameLoss, MediumConfig, StationConfig, StationId};

/// Parameters of `tdma`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TdmaConfig {
    /// Length of a slot.
    pub slot: Duration,
    /// Time at the end of each slot in which nothing is sent (default `0s`).
    #[serde(default)]
    pub guard: Duration,
    /// Whose slots follow each other: a list of stations, of which one may come more than once, or
    /// `round_robin` (default), all in the order of their numbers.
    #[serde(default)]
    pub order: SlotOrder,
    /// Rate of frames, one of the PHY's (default: its highest).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

impl Default for TdmaConfig {
    fn default() -> Self {
        Self {
            slot: Duration::from_millis(10),
            guard: Duration::ZERO,
            order: SlotOrder::RoundRobin,
            rate: None,
        }
    }
}

/// The order of slots in a cycle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SlotOrder {
    /// All stations, in the order of their numbers.
    #[default]
    RoundRobin,
    /// Stations by name.
    Names(Vec<String>),
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SlotNames"))]
#[serde(rename_all = "snake_case")]
enum SlotTable {
    /// Stations by name.
    Names(Vec<String>),
}

impl SlotOrder {
    fn text(&self) -> Option<String> {
        (*self == Self::RoundRobin).then(|| "round_robin".into())
    }
}

impl FromStr for SlotOrder {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "round_robin" => Ok(Self::RoundRobin),
            text => Err(format!(
                "`{text}` is no order of slots; write `round_robin` or `{{names: [a, b]}}`"
            )),
        }
    }
}

impl fmt::Display for SlotOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin => f.pad("round_robin"),
            Self::Names(names) => f.pad(&names.join(", ")),
        }
    }
}

impl TryFrom<SlotTable> for SlotOrder {
    type Error = String;
    fn try_from(SlotTable::Names(names): SlotTable) -> Result<Self, String> {
        if names.is_empty() { Err("`names` is empty".into()) } else { Ok(Self::Names(names)) }
    }
}

impl From<&SlotOrder> for SlotTable {
    fn from(order: &SlotOrder) -> Self {
        match order {
            SlotOrder::Names(names) => Self::Names(names.clone()),
            SlotOrder::RoundRobin => Self::Names(Vec::new()),
        }
    }
}

text_or_table!(
    SlotOrder,
    SlotTable,
    "`round_robin`, or `{names: [a, b]}`",
    "Whose slots follow each other: `round_robin`, or names of stations."
);

impl Built for TdmaConfig {
    fn check(&self) -> Result<(), String> {
        if self.guard >= self.slot {
            let Self { slot, guard, .. } = self;
            return Err(format!("`guard: {guard}` leaves nothing of `slot: {slot}`; shorten it"));
        }
        Ok(())
    }

    fn fits(&self, medium: &MediumConfig) -> Result<(), String> {
        medium.phy.has_rate("rate", self.rate)
    }

    fn build<F: Frame>(
        &self,
        timing: &Timing,
        station: &StationConfig,
        member: Member,
    ) -> Box<dyn MacState<F>> {
        let mut tdma = Tdma {
            rate: station.rate.or(self.rate).unwrap_or(timing.highest()),
            config: self.clone(),
            name: station.name.clone(),
            places: Vec::new(),
            cycle: 1,
        };
        tdma.take_places(member);
        Box::new(tdma)
    }

    fn timing(&self, phy: Phy) -> Timing {
        Timing::new(phy, Preamble::Long, None)
    }
}

impl TdmaConfig {
    /// Returns the longest frame in bytes, Ethernet header included, that a slot holds.
    pub fn longest(&self, phy: Phy, rate: Option<Rate>) -> Option<u32> {
        let timing = self.timing(phy);
        let rate = rate.or(self.rate).unwrap_or(timing.highest());
        let room = self.slot.saturating_sub(self.guard);
        // No frame is longer than this.
        (0..=65_535).rev().find(|bytes| timing.airtime(air_bytes(*bytes), rate) <= room)
    }
}

/// State of one station.
#[derive(Debug)]
struct Tdma {
    config: TdmaConfig,
    name: String,
    rate: Rate,
    /// Indices of its own slots in a cycle, in order.
    places: Vec<u64>,
    /// Number of slots in a cycle.
    cycle: u64,
}

impl Tdma {
    fn take_places(&mut self, member: Member) {
        match &self.config.order {
            SlotOrder::RoundRobin => {
                self.places = vec![u64::from(member.rank)];
                self.cycle = u64::from(member.count.max(1));
            }
            SlotOrder::Names(names) => {
                let own = (0..).zip(names).filter(|(_, name)| **name == self.name);
                self.places = own.map(|(place, _)| place).collect();
                self.cycle = names.len() as u64;
            }
        }
    }

    /// Returns the time at which a frame that takes `airtime` may be sent: `from`, or the beginning
    /// of the next slot of its own. Returns `None` if it fits in no slot.
    fn turn(&self, from: Time, airtime: Duration) -> Option<Time> {
        let room = self.config.slot.saturating_sub(self.config.guard);
        if airtime > room || self.places.is_empty() {
            return None;
        }
        let slot = self.config.slot.as_nanos();
        let now = from.as_nanos() / slot;
        // The current slot if it is its own and has room, or else the next one of its own.
        let is_own = |number: u64| self.places.contains(&(number % self.cycle));
        let ends = Time::from_nanos(now * slot) + room;
        if is_own(now) && from + airtime <= ends {
            return Some(from);
        }
        let next = (now + 1..=now + self.cycle).find(|number| is_own(*number))?;
        Some(Time::from_nanos(next * slot))
    }

    fn airtime<F: Frame>(&self, io: &Io<'_, F>) -> Option<Duration> {
        let bytes = air_bytes(io.head()?.info.largest());
        Some(io.timing.airtime(bytes, self.rate))
    }

    /// Plans to send the frame, and drops frames that fit in no slot.
    fn plan<F: Frame>(&self, io: &mut Io<'_, F>) {
        if io.is_sending() {
            return;
        }
        while let Some(airtime) = self.airtime(io) {
            if let Some(at) = self.turn(io.now, airtime) {
                io.set(Timer::Access, at);
                return;
            }
            io.finish(End::Dropped(FrameLoss::Mtu));
        }
    }
}

impl<F: Frame> MacState<F> for Tdma {
    fn queued(&mut self, io: &mut Io<'_, F>) {
        self.plan(io);
    }

    fn sent(&mut self, io: &mut Io<'_, F>, _: Kind) {
        io.finish(End::Sent);
        self.plan(io);
    }

    fn due(&mut self, io: &mut Io<'_, F>, _: Timer) {
        let Some(head) = io.head().copied() else { return };
        io.desk.attempt();
        let bytes = air_bytes(head.info.largest());
        io.send(Ppdu {
            kind: Kind::Data,
            to: head.to,
            rate: self.rate,
            airtime: io.timing.airtime(bytes, self.rate),
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
        self.plan(io);
    }

    fn joined(&mut self, io: &mut Io<'_, F>, member: Member) {
        self.take_places(member);
        self.plan(io);
    }
}
