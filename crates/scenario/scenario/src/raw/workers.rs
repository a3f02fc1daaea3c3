//! What the engine's workers get of the machine, as it is written.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which of the machine's CPUs the engine's workers get, who carry the frames.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Workers")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawWorkers {
    /// On so many CPUs runs a worker each and nothing else of the experiment (default 0: workers
    /// share all CPUs with the nodes). Frames are then late less often; programs in nodes have the
    /// other CPUs only.
    #[serde(default)]
    pub dedicated_cpus: usize,
}
