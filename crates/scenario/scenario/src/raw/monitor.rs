//! What a run is held to, as it is written.

use netloom_monitor::Criteria;
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::RawTime;
use crate::decode::Spanned;
use crate::spec::OnContention;

/// When a run counts as disturbed by its own machine, and what is done then.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Monitor")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMonitor {
    /// Whether the run is watched (default `true`). One that is not is never said to be valid.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// What is done when contention begins: `report` (default), or `abort` the run and keep what it
    /// has measured.
    #[serde(default)]
    pub on_contention: Option<Spanned<OnContention>>,
    /// How long the experiment warms up (default `0s`): contention that ends before is reported,
    /// but not held against the run.
    #[serde(default)]
    pub warm_up: Option<Spanned<RawTime>>,
    /// Thresholds and windows that differ from the defaults.
    #[serde(default)]
    pub criteria: Option<Spanned<Criteria>>,
}
