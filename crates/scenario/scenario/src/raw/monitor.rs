//! Options of the monitor, as the user wrote them.

use netloom_document::Spanned;
use netloom_monitor::Criteria;
use serde::{Deserialize, Serialize};

use super::values::RawTime;
use crate::spec::OnContention;

/// When a run counts as disturbed by the machine that it runs on, and what happens then.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Monitor"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMonitor {
    /// Whether the run is monitored (default `true`). A run that is not monitored is never reported
    /// as valid.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// Action when contention begins: `report` (default), or `abort` the run and keep its results
    /// so far.
    #[serde(default)]
    pub on_contention: Option<Spanned<OnContention>>,
    /// Length of the warm-up (default `0s`). Contention that ends within it is reported but does
    /// not affect the verdict.
    #[serde(default)]
    pub warm_up: Option<Spanned<RawTime>>,
    /// Thresholds and windows that differ from the defaults.
    #[serde(default)]
    pub criteria: Option<Spanned<Criteria>>,
}
