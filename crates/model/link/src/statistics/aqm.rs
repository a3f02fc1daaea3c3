//! The state of active queue management.

use serde::{Deserialize, Serialize};

/// The state of a queue discipline that manages its queue actively, at the time of the statistics.
/// What a discipline does not have is absent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AqmState {
    /// Probability that an arrival is dropped or marked: of `pie`, PIE's drop probability; of
    /// `red`, p_b at its average, without the thresholds by DSCP; of `dualpi2`, p_C, that of the
    /// classic queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Probability, which may exceed 1, that `dualpi2` marks in its low-latency queue because of
    /// the classic one: p_CL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coupled: Option<f64>,
    /// Average length of `red`'s queue at the latest arrival, in packets or bytes like its
    /// thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// Number of drops and marks since `codel` entered its dropping state; 0 outside of it. Of
    /// `fq_codel`, the largest of all flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}
