//! The machine that a run used: `machine.json` of its results.

use serde::{Deserialize, Serialize};

/// Properties of a machine that may explain results later. Those that could not be read are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// Version of NetLoom.
    pub netloom: String,
    /// Release of the kernel.
    pub kernel: String,
    /// Architecture of the processor.
    pub architecture: String,
    /// Name and version of the distribution.
    pub distribution: Option<String>,
    /// Name of the host.
    pub host: String,
    /// Name of the processor.
    pub processor: Option<String>,
    /// Number of processors that the engine may use.
    pub processors: usize,
    /// Memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// Clock source of the kernel.
    pub clock_source: Option<String>,
    /// Highest frequency of the processor in MHz, or its only one if it cannot be changed.
    #[serde(default)]
    pub frequency_mhz: Option<u32>,
    /// Frequency governor of the processor.
    pub frequency_governor: Option<String>,
    /// Default TCP congestion control, which nodes inherit.
    pub tcp_congestion_control: Option<String>,
}
