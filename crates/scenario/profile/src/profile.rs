//! The profile of a machine: everything that was measured.

use netloom_api::machine::Machine;
use netloom_units::{Duration, Rate};
use serde::{Deserialize, Serialize};

use crate::costs::{Crossing, Disk, Memory, WakeUps};
use crate::forwarding::{Forwarding, Traffic};
use crate::shaping::Shaping;
use crate::stale;

/// The version of the format that this version of NetLoom writes and reads.
pub const FORMAT: u32 = 1;

/// The load that a machine can bear, and when it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Profile {
    /// The version of this format: [`FORMAT`].
    pub format: u32,
    /// Time of the measurement: date, time and offset from UTC (RFC 3339).
    pub measured: String,
    /// How thoroughly it was measured.
    pub thoroughness: Thoroughness,
    /// The machine.
    pub machine: Machine,
    /// How much traffic its nodes may send each other, by network and kind of traffic.
    pub forwarding: Vec<Forwarding>,
    /// How long the machine takes to carry a frame over a link. Absent in profiles of versions that
    /// did not measure it.
    #[serde(default)]
    pub crossing: Option<Crossing>,
    /// How much traffic of this host claims bear; empty unless that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shaping: Vec<Shaping>,
    /// How late a sleeping thread wakes while the CPUs are idle.
    pub idle_wake_ups: WakeUps,
    /// How late a sleeping thread wakes while every CPU computes for others.
    pub busy_wake_ups: WakeUps,
    /// How fast the disk takes data.
    pub disk: Disk,
    /// How much memory there is, and how much nodes and links take.
    pub memory: Memory,
    /// Disturbances of the measurement, in words. The machine may bear more than this profile
    /// shows.
    pub disturbances: Vec<String>,
}

/// How thoroughly a machine was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Thoroughness {
    /// All networks, for long enough.
    Full,
    /// A few networks, for a moment each.
    Quick,
}

impl Profile {
    /// The current format.
    pub const FORMAT: u32 = FORMAT;

    /// The threshold θ_n of internal traffic (Maier 2011, Eq. 4.1, δ = 10 ms). It is just above the
    /// most that all links together carried in 10 ms of any run that the machine bore. `None` if it
    /// bore none.
    pub fn net_internal(&self) -> Option<Rate> {
        let edges = self.forwarding.iter().filter_map(|forwarding| forwarding.edge);
        let most = edges.map(|edge| edge.peak_bits_per_second).fold(0.0, f64::max);
        // Contention holds from the threshold on, so loads that were borne have to stay below it.
        // Casts saturate.
        let bits = (most.floor() as u64).saturating_add(1).min(Rate::MAX.bits_per_second());
        Rate::from_bits_per_second(bits).filter(|_| most > 0.0)
    }

    /// Returns the rate that claims bear in frames of 1514 bytes. `None` if that was not measured.
    pub fn shaping_rate(&self) -> Option<Rate> {
        let large = self.shaping.iter().find(|shaping| shaping.traffic == Traffic::Udp1514)?;
        // Casts saturate.
        Rate::from_bits_per_second((large.edge?.bits_per_second as u64).max(1))
    }

    /// The part of a link's delay that `compensate: calibrated` takes off.
    pub fn compensation(&self) -> Option<Duration> {
        let crossing = self.crossing?;
        // Casts saturate.
        Some(Duration::from_nanos((crossing.p50_us * 1e3).round() as u64))
    }

    /// How `now` differs from the machine that was measured, a sentence each; empty if the profile
    /// still holds.
    pub fn staleness(&self, now: &Machine) -> Vec<String> {
        stale::differences(&self.machine, now)
    }
}
