//! The present contents of a pipe.

use super::{AqmState, Count};
use crate::queue::Bound;

/// The present contents of a pipe, without the frames in its queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Present {
    /// Offered frames that are on the line or propagate.
    pub in_flight: Count,
    /// Background that waits, and background that is on the line.
    pub background: (Count, Count),
    /// Part of the waiting background that is a fluid.
    pub fluid: Count,
    /// Limit of the queue; `None` if nothing ever waits.
    pub bound: Option<Bound>,
    /// State of the queue discipline, if it manages the queue actively.
    pub aqm: Option<AqmState>,
}
