//! Devices, and the network namespaces that have them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Identity of a network namespace: the kernel's cookie, which no other one has until the machine
/// starts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NetworkId(pub u64);

/// A device of the daemon's network namespace or of another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// The network namespace. `None` is the daemon's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkId>,
    /// Name of the device.
    pub device: String,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.device)
    }
}
