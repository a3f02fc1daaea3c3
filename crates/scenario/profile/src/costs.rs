//! Costs of the machine's timers, disk and memory.

use netloom_api::timing::Scheduling;
use serde::{Deserialize, Serialize};

/// How late a sleeping thread wakes that has the scheduling class of the data plane's workers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WakeUps {
    /// The class that the machine granted.
    pub scheduling: Scheduling,
    /// Number of sleeps.
    pub count: u64,
    /// Median, µs.
    pub p50_us: f64,
    /// 99th percentile, µs.
    pub p99_us: f64,
    /// Largest, µs.
    pub max_us: f64,
}

/// How long the machine takes to carry a frame over a link, in addition to the link's delay: the
/// kernels at both ends, the engine's wake-ups and its processing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Crossing {
    /// Median of the rounds, µs.
    pub p50_us: f64,
    /// Smallest value of a round, µs. It is negative if the machine had other work in the other
    /// rounds.
    pub least_us: f64,
    /// Largest value of a round, µs.
    pub most_us: f64,
}

/// How fast a file system takes data. Values that could not be measured are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Disk {
    /// A directory in the file system.
    pub directory: String,
    /// Sequential writes of 256 KiB each.
    pub sequential: Option<DiskWrites>,
    /// Writes of 4 KiB. Each is on the disk before the next begins.
    pub synchronous: Option<SmallWrites>,
    /// Measurements that failed, and why, in words.
    pub missing: Vec<String>,
}

/// Sequential writes of 256 KiB each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskWrites {
    /// Bytes a second.
    pub bytes_per_second: f64,
    /// Whether the writes bypassed the page cache. If not, the time until everything was on the
    /// disk counts.
    pub direct: bool,
}

/// Duration of small synchronous writes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SmallWrites {
    /// Number of writes.
    pub count: u64,
    /// Median, µs.
    pub p50_us: f64,
    /// 99th percentile, µs.
    pub p99_us: f64,
}

/// How much memory there is, and how much nodes and links take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Memory {
    /// Memory of the machine, in bytes.
    pub total_bytes: u64,
    /// Memory that was available without swapping at the measurement, in bytes.
    pub available_bytes: u64,
    /// The smallest limit of NetLoom's control groups, in bytes; absent if there was none.
    pub limit_bytes: Option<u64>,
    /// Memory of a node without processes and links.
    pub node: Option<MemoryCost>,
    /// Memory of a link with both its interfaces.
    pub link: Option<MemoryCost>,
}

/// Memory that one of many takes, in bytes. The figures are rough, because others used the machine
/// meanwhile. A figure is absent if less memory was in use with many than without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryCost {
    /// Memory of the kernel: slabs, stacks, page tables, memory of each CPU, mapped memory.
    pub kernel_bytes: Option<u64>,
    /// Memory of the engine.
    pub engine_bytes: Option<u64>,
}
