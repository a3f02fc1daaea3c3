//! Paths between the real hosts of a symbiotic run: `GET /v1/paths`, also on the Unix socket that
//! processes in nodes find in [`SOCKET_VARIABLE`](crate::metric::SOCKET_VARIABLE).

use std::net::IpAddr;

use netloom_units::Time;
use serde::{Deserialize, Serialize};

/// A path from one real host to another, in the simulated network of the last period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathStatus {
    /// Host at the beginning of the path.
    pub from: String,
    /// Host at the end of the path.
    pub to: String,
    /// Addresses of that host that the path leads to.
    pub addresses: Vec<IpAddr>,
    /// End of the period, in ns since the run began. Null before the end of the first period, when
    /// the network counts as idle.
    pub at: Option<Time>,
    /// Propagation delay, in ns.
    pub delay_ns: u64,
    /// Mean time that frames of real hosts spent in queues and on lines (W), in ns.
    pub time_ns: u64,
    /// Share of the frames of real hosts that were lost (P), from 0 to 1.
    pub loss: f64,
    /// Rate that simulated traffic left unused on the narrowest link, in bits of Ethernet frames
    /// per second. Null if no link limits the rate.
    pub free_bits_per_second: Option<u64>,
}
