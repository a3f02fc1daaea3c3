//! What a plant records. Not here: which pipes are recorded (`wire`, `island`).

use netloom_fabric::PipeId;
use netloom_link::FrameEvent;

use super::capture::Captured;

/// What a plant has recorded since its records were last taken.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    /// Events of frames on logged links.
    pub log: Vec<(PipeId, FrameEvent)>,
    /// Captured frames.
    pub captured: Vec<Captured>,
}
