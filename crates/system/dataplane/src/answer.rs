//! Answers of workers to the owner of a data plane.

use std::io;

use netloom_fabric::{LinkId, PipeId};
use netloom_link::{PipeConfig, PipeStatistics};

use crate::shard::Parts;

/// Links that a worker did not join, with the one that failed, at which end, and why.
pub(crate) struct Unjoined {
    pub links: Vec<(LinkId, Parts)>,
    pub failed: LinkId,
    pub end: usize,
    pub source: io::Error,
}

/// One pipe: its configuration and its statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct PipeStatus {
    /// Identity of the pipe.
    pub id: PipeId,
    /// Configuration that it runs on.
    pub config: PipeConfig,
    /// Statistics of the pipe.
    pub statistics: PipeStatistics,
}
