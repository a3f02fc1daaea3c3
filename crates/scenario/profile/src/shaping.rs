//! How much traffic of a real host goes through a claim of `netloom shape`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::forwarding::{NotBorne, Traffic};

/// How much of one kind of traffic a claim bears: from one host to another one, joined by a direct
/// link, through a claim that delays by 1 ms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Shaping {
    /// The kind of traffic.
    pub traffic: Traffic,
    /// The most that was borne; nothing if the least that was tried was too much.
    pub edge: Option<ShapedEdge>,
    /// The least that was not borne; nothing if the most that was tried was.
    pub beyond: Option<NotBorne>,
}

/// The most that was borne: every frame arrived, and the claim's verdict was `valid`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShapedEdge {
    /// What arrived, in bit/s: of UDP Ethernet frames without FCS, of TCP the payload.
    pub bits_per_second: f64,
    /// UDP frames that arrived in a second; nothing for TCP, whose segments are not counted.
    pub frames_per_second: Option<f64>,
}
