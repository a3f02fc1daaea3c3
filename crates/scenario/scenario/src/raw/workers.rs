//! The CPUs of the engine's workers, as the user wrote them.

use netloom_document::is_default;
use serde::{Deserialize, Serialize};

/// CPUs of the machine that the engine's workers, the threads that carry frames, use.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Workers"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawWorkers {
    /// Number of CPUs that each run one worker and nothing else of the experiment (default 0:
    /// workers share all CPUs with the nodes). More of them make frames late less often, but leave
    /// fewer CPUs to the programs in nodes.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub dedicated_cpus: usize,
}
