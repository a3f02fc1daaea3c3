//! A period in which the line of a pipe is held.

use netloom_units::{Duration, Time};

/// A period in which the line is busy for a reason outside the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Hold {
    #[default]
    None,
    /// It begins when the frame on the line has left it, and has this length.
    Behind(Duration),
    /// It ends at this time.
    Until(Time),
}
