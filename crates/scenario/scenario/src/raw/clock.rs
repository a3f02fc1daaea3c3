//! The experiment's clock, as the user wrote it.

use netloom_document::is_default;
use netloom_units::Dilation;
use serde::{Deserialize, Serialize};

/// Speed of the experiment's clock.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Clock"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawClock {
    /// Time dilation: the machine's time divided by the experiment's, from 0.1 to 1000 (default 1).
    /// At 10, a run of one minute takes ten minutes, and nodes seem ten times as fast. All times,
    /// rates and delays of the file are in the experiment's time. Nodes that run programs need
    /// `kernel: own`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub dilation: Dilation,
}
