//! How a run in virtual time is made.

use std::num::NonZeroU32;

use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run in virtual time is made. No result depends on `processes`, `threads` and `cells`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SimulationOptions {
    /// In how many processes at most; without it, in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<NonZeroU32>,
    /// On how many threads of all processes.
    #[serde(default)]
    pub threads: Threads,
    /// Into how many cells the network is divided at most; without it, some for each of several
    /// threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<NonZeroU32>,
    /// The kernel's `CONFIG_HZ` in the hosts' TCP; without it, that of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_hz: Option<u32>,
    /// How long after a link has gone down or up the routes of the plan are those without what is
    /// down; without it, they stay as planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reroute: Option<Duration>,
}

/// On how many threads a simulation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Threads {
    /// One for each CPU.
    Auto,
    /// So many.
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
