//! The machine a run ran on: `machine.json` of its results.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What may explain a number later. What could not be read is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// NetLoom's version.
    pub netloom: String,
    /// The kernel's release.
    pub kernel: String,
    /// The processor's architecture.
    pub architecture: String,
    /// The distribution's name and version.
    pub distribution: Option<String>,
    /// The host's name.
    pub host: String,
    /// The processor's name.
    pub processor: Option<String>,
    /// Processors that the engine may use.
    pub processors: usize,
    /// Memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// Where the kernel has the time from.
    pub clock_source: Option<String>,
    /// The processor's highest frequency in MHz; its only one where none can be chosen.
    #[serde(default)]
    pub frequency_mhz: Option<u32>,
    /// How the processor's frequency is chosen.
    pub frequency_governor: Option<String>,
    /// TCP's congestion control, which nodes inherit.
    pub tcp_congestion_control: Option<String>,
}
