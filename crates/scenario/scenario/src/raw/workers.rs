//! The CPUs of the engine's workers, as the user wrote them.

use netloom_document::is_default;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shown::is_shown;

/// CPUs of the machine that the engine's workers, the threads that carry frames, use.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Workers")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawWorkers {
    /// Number of CPUs that each run one worker and nothing else of the experiment (default 0:
    /// workers share all CPUs with the nodes). More of them make frames late less often, but leave
    /// fewer CPUs to the programs in nodes.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(skip_serializing_if = "is_shown")]
    pub dedicated_cpus: usize,
}
