//! How much traffic of a real host goes through a claim of `netloom shape`.

use serde::{Deserialize, Serialize};

use crate::forwarding::{NotBorne, Traffic};

/// How much of one kind of traffic a claim bears, between two hosts joined by a direct link. The
/// claim delays by 1 ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shaping {
    /// The kind of traffic.
    pub traffic: Traffic,
    /// The highest load that was borne; absent if even the lowest one that was tried was too much.
    pub edge: Option<ShapedEdge>,
    /// The lowest load that was not borne; absent if even the highest one that was tried was borne.
    pub beyond: Option<NotBorne>,
}

/// The highest load that was borne: every byte arrived, and the claim's verdict was `valid`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShapedEdge {
    /// Traffic that arrived, in bit/s: Ethernet frames without FCS for UDP, the payload for TCP.
    pub bits_per_second: f64,
    /// UDP frames that arrived in a second. Absent for TCP, whose segments are not counted.
    pub frames_per_second: Option<f64>,
}
