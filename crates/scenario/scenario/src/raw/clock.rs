//! How the time of an experiment passes, as it is written.

use netloom_units::Dilation;
use schemars::JsonSchema;
use serde::Deserialize;

/// How the experiment's time passes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Clock")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawClock {
    /// The machine's time divided by the experiment's, from 0.1 to 1000 (default 1): at 10, a run
    /// of a minute takes ten, and nodes seem ten times as fast. All times, rates and delays of the
    /// file are the experiment's. Nodes that run programs need `kernel: own`.
    #[serde(default)]
    pub dilation: Dilation,
}
