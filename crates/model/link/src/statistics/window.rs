//! The windows over which recent statistics are taken.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Time, UnitError};

/// The last seconds of a pipe, from 1 s to 60 s.
///
/// Statistics are counted by whole seconds of the experiment's clock. So a window ends at the
/// requested time and begins on a whole second: the last one that lies at least the window's length
/// before (or at the beginning of the pipe). It is up to a second longer than requested, and the
/// statistics report their beginning and end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window(Duration);

/// The error for a text that is not a [`Window`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// The text is not a length of time.
    #[error(transparent)]
    Duration(#[from] UnitError),
    /// The length is too short or too long.
    #[error("statistics reach back from {} to {}, not {given}", Window::SHORTEST, Window::LONGEST)]
    Range {
        /// The given length.
        given: Duration,
    },
}

impl Window {
    /// The shortest window.
    pub const SHORTEST: Duration = Duration::from_secs(1);
    /// The longest window: older seconds are only in the totals.
    pub const LONGEST: Duration = Duration::from_secs(60);

    /// Creates a window of the last `length`.
    ///
    /// # Errors
    /// The length is shorter than [`SHORTEST`](Self::SHORTEST) or longer than
    /// [`LONGEST`](Self::LONGEST).
    pub fn new(length: Duration) -> Result<Self, WindowError> {
        if (Self::SHORTEST..=Self::LONGEST).contains(&length) {
            Ok(Self(length))
        } else {
            Err(WindowError::Range { given: length })
        }
    }

    /// Returns the time that lies the window's length before `now`.
    pub(crate) fn back_from(self, now: Time) -> Time {
        Time::from_nanos(now.as_nanos().saturating_sub(self.0.as_nanos()))
    }
}

impl FromStr for Window {
    type Err = WindowError;
    fn from_str(text: &str) -> Result<Self, WindowError> {
        Self::new(text.parse()?)
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
