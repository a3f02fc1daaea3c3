//! All that was measured of a machine.

use netloom_api::machine::Machine;
use netloom_units::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::costs::{Crossing, Disk, Memory, WakeUps};
use crate::forwarding::{Forwarding, Traffic};
use crate::shaping::Shaping;
use crate::stale;
use crate::text::FORMAT;

/// What a machine can bear, and when that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Profile {
    /// The version of this format: [`FORMAT`].
    pub format: u32,
    /// When it was measured: date, time and offset from UTC (RFC 3339).
    pub measured: String,
    /// How thoroughly.
    pub thoroughness: Thoroughness,
    /// The machine.
    pub machine: Machine,
    /// How much traffic its nodes may send each other, over networks and kinds of traffic.
    pub forwarding: Vec<Forwarding>,
    /// How long the machine takes to carry a frame over a link; absent in profiles of versions that
    /// did not measure it.
    #[serde(default)]
    pub crossing: Option<Crossing>,
    /// How much traffic of this host claims bear; empty unless that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shaping: Vec<Shaping>,
    /// How late a sleeping thread wakes while the CPUs have nothing to do.
    pub idle_wake_ups: WakeUps,
    /// How late it wakes while every CPU computes for others.
    pub busy_wake_ups: WakeUps,
    /// How fast the disk takes data.
    pub disk: Disk,
    /// How much memory there is, and what nodes and links take.
    pub memory: Memory,
    /// What disturbed the measures, in words: the machine may bear more than this says.
    pub disturbances: Vec<String>,
}

/// How thoroughly a machine was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Thoroughness {
    /// All networks, and long enough.
    Full,
    /// A few networks, and for a moment each.
    Quick,
}

impl Profile {
    /// The current format.
    pub const FORMAT: u32 = FORMAT;

    /// The threshold θ_n of internal traffic (Maier 2011, Eq. 4.1, δ = 10 ms): more than the most
    /// that all links together carried in 10 ms of any run that was borne. Nothing if none was.
    pub fn net_internal(&self) -> Option<Rate> {
        let edges = self.forwarding.iter().filter_map(|forwarding| forwarding.edge);
        let most = edges.map(|edge| edge.peak_bits_per_second).fold(0.0, f64::max);
        // Contended is what reaches the threshold: what was borne stays below it. Casts saturate.
        let bits = (most.floor() as u64).saturating_add(1).min(Rate::MAX.bits_per_second());
        Rate::from_bits_per_second(bits).filter(|_| most > 0.0)
    }

    /// What claims bear of frames of 1514 bytes; nothing if that was not measured.
    pub fn shaping_rate(&self) -> Option<Rate> {
        let large = self.shaping.iter().find(|shaping| shaping.traffic == Traffic::Udp1514)?;
        // Casts saturate.
        Rate::from_bits_per_second((large.edge?.bits_per_second as u64).max(1))
    }

    /// What `compensate: calibrated` takes off the delay of a link.
    pub fn compensation(&self) -> Option<Duration> {
        let crossing = self.crossing?;
        // Casts saturate.
        Some(Duration::from_nanos((crossing.p50_us * 1e3).round() as u64))
    }

    /// In what `now` is another machine than the one that was measured, a sentence each; empty if
    /// the profile still holds.
    pub fn staleness(&self, now: &Machine) -> Vec<String> {
        stale::differences(&self.machine, now)
    }
}
