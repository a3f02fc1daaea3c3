//! What a scenario says about runs over several machines. Runs on one machine ignore it.

use netloom_units::{Duration, Probability, Rate, Size};
use serde::{Deserialize, Serialize};

use crate::limits::CpuQuota;

/// How nodes are placed on several machines.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacementOptions {
    /// Number of machines that are used.
    pub objective: Objective,
    /// Share of each machine's capacity that may be used, more than 0.
    pub headroom: Probability,
    /// Length of the search for a better placement. It counts in steps of the search, so that a
    /// search has the same result on any machine.
    pub solve_for: Duration,
}

impl PlacementOptions {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for PlacementOptions {
    fn default() -> Self {
        Self {
            objective: Objective::Fewest,
            headroom: Probability::new(0.7).unwrap_or_default(),
            solve_for: Duration::from_secs(10),
        }
    }
}

/// Number of machines that a placement uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// As few as bear the load.
    #[default]
    Fewest,
    /// All that there are.
    Spread,
}

/// Whether the ends of a link may be on different machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// If its delay covers the time that frames take between the machines.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Always, even if frames are late. The run is then `suspect` at best.
    Any,
}

impl Cut {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// Expected load of a node; see [`Node::expected_load`](super::Node::expected_load).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeLoad {
    /// CPU time that the node's processes use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuQuota>,
    /// Memory that the node's processes use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
}

impl NodeLoad {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Expected load of one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkLoad {
    /// Mean rate of the traffic. Absent: what the rates of the links allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Mean size of a frame without FCS. Absent: 1514 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Size>,
}

impl LinkLoad {
    pub(super) fn are_empty(both: &[Self; 2]) -> bool {
        *both == [Self::default(); 2]
    }
}
