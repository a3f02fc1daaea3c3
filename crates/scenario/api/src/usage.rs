//! Resources of the machine that nodes use.

use serde::{Deserialize, Serialize};

/// Resources that the processes of a node use and have used. Those that the machine does not
/// account for are absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeUsage {
    /// CPU time in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Periods of 100 ms in which the node's own CPU quota was used up. The scenario asks for this;
    /// it is not contention. Only with a quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u64>,
    /// Time for which its processes were paused then, in ns, summed over CPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_ns: Option<u64>,
    /// Memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Highest memory use, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_peak: Option<u64>,
    /// Number of processes that the kernel killed for lack of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_kills: Option<u64>,
    /// Number of processes and threads, without NetLoom's own init.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids: Option<u64>,
    /// Highest number of processes and threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids_peak: Option<u64>,
}
