//! Options of runs in virtual time.

use std::num::NonZeroU32;

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

/// Options of runs in virtual time. Results do not depend on `processes`, `threads` and `cells`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationOptions {
    /// Largest number of processes of the simulation. Absent: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<NonZeroU32>,
    /// Number of threads of all processes together.
    #[serde(default)]
    pub threads: Threads,
    /// Largest number of cells that the network is divided into. Absent: several for each thread if
    /// there are several threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<NonZeroU32>,
    /// `CONFIG_HZ` of the hosts' TCP, in Hz. Absent: the default of the TCP model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_hz: Option<u32>,
    /// Time from a link going down or up until routes avoid the parts that are down. Absent: routes
    /// stay as planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reroute: Option<Duration>,
}

/// Number of threads that a simulation runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Threads {
    /// One for each CPU.
    Auto,
    /// This number.
    Of(NonZeroU32),
}

impl Default for Threads {
    fn default() -> Self {
        Self::Of(NonZeroU32::MIN)
    }
}

impl SimulationOptions {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
