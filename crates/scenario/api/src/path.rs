//! Paths between the real hosts of a symbiotic run: `GET /v1/paths`, also on the Unix socket that
//! processes in nodes find in [`SOCKET_VARIABLE`](crate::metric::SOCKET_VARIABLE).

use std::net::IpAddr;

use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A path from one real host to another, as the simulated network was in the last period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathStatus {
    /// The host at its beginning.
    pub from: String,
    /// The host at its end.
    pub to: String,
    /// The addresses of that host to which it leads.
    pub addresses: Vec<IpAddr>,
    /// When the period ended, in ns since the run began; null before the first one, when the
    /// network is taken for idle.
    pub at: Option<Time>,
    /// Propagation delay, in ns.
    pub delay_ns: u64,
    /// Mean time that frames of real hosts spent in queues and on lines (W), in ns.
    pub time_ns: u64,
    /// Share of the frames of real hosts that were lost (P).
    pub loss: f64,
    /// What simulated traffic left of the narrowest link, in bits of Ethernet frames a second; null
    /// if no link limits the rate.
    pub free_bits_per_second: Option<u64>,
}
