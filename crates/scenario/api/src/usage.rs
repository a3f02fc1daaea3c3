//! What nodes use of the machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the processes of a node use and have used. What the machine does not account for is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeUsage {
    /// CPU time in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Periods of 100 ms in which the node's own CPU quota was used up: what the scenario asks for,
    /// no contention. With a quota only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u64>,
    /// For how long its processes stood still then, in ns, summed over CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_ns: Option<u64>,
    /// Memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The most of it there was at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak: Option<u64>,
    /// Processes that the kernel has killed for want of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_kills: Option<u64>,
    /// Processes and threads, NetLoom's own init not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids: Option<u64>,
    /// The most of them there were at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids_peak: Option<u64>,
}
