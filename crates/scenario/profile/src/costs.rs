//! The machine's timers, disk and memory.

use netloom_api::timing::Scheduling;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How late a thread that sleeps wakes, of the class that the data plane's workers have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WakeUps {
    /// The class that the machine granted.
    pub scheduling: Scheduling,
    /// Times it slept.
    pub count: u64,
    /// Median, µs.
    pub p50_us: f64,
    /// 99th percentile, µs.
    pub p99_us: f64,
    /// Largest, µs.
    pub max_us: f64,
}

/// How long the machine takes to carry a frame over a link, beside the link's delay: the kernels at
/// both ends, the engine's wake-ups and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Crossing {
    /// Median of the rounds, µs.
    pub p50_us: f64,
    /// The least of a round, µs. Below zero where the machine had other work in the other rounds.
    pub least_us: f64,
    /// The most of a round, µs.
    pub most_us: f64,
}

/// How fast a file system takes data. What could not be measured is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disk {
    /// A directory in the file system.
    pub directory: String,
    /// Sequential writes of 256 KiB each.
    pub sequential: Option<DiskWrites>,
    /// Writes of 4 KiB, each of which is on the disk before the next begins.
    pub synchronous: Option<SmallWrites>,
    /// What could not be measured, and why, in words.
    pub missing: Vec<String>,
}

/// Sequential writes of 256 KiB each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiskWrites {
    /// Bytes a second.
    pub bytes_per_second: f64,
    /// Whether they went past the page cache. If not, the time until all was on the disk counts.
    pub direct: bool,
}

/// How long small synchronous writes took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SmallWrites {
    /// Writes.
    pub count: u64,
    /// Median, µs.
    pub p50_us: f64,
    /// 99th percentile, µs.
    pub p99_us: f64,
}

/// How much memory there is, and what nodes and links take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Memory {
    /// Of the machine, in bytes.
    pub total_bytes: u64,
    /// What could be had without swapping when it was measured, in bytes.
    pub available_bytes: u64,
    /// The least limit of the control groups that NetLoom was in, in bytes; nothing if there was
    /// none.
    pub limit_bytes: Option<u64>,
    /// What a node without processes and links takes.
    pub node: Option<MemoryCost>,
    /// What a link with both its interfaces takes.
    pub link: Option<MemoryCost>,
}

/// What one of many takes, in bytes. Others used the machine meanwhile: rough figures, and none
/// where less was in use with many than without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryCost {
    /// Of the kernel: slabs, stacks, page tables, memory of each CPU, mapped memory.
    pub kernel_bytes: Option<u64>,
    /// Of the engine.
    pub engine_bytes: Option<u64>,
}
