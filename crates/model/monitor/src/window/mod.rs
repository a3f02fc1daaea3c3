//! Sliding windows: what was seen in the time `(t − δ, t]`. They slide with every event and with the time
//! in between, so that no burst falls between two of them.
//!
//! | file | what |
//! |---|---|
//! | `sum` | how much there is in a window |
//! | `percentile` | which delay 99 % of a window stay below |
//! | `buckets` | delays, compactly |
//! | `covered` | times that intervals cover which may overlap |

mod buckets;
mod covered;
mod percentile;
mod sum;

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

pub(crate) use covered::Covered;
pub(crate) use percentile::PercentileWindow;
pub(crate) use sum::SumWindow;

/// The entries of a sliding window, the first to leave first. An entry of the time `e` is in the window of `t`
/// if `t − δ < e ≤ t`, as in Maier 2011, Eqs. 4.1 and 4.3: it leaves at `e + δ`. One that stands for the time
/// `over` until `e` is in the window while all of that is, so that no window has more than happened in it.
#[derive(Debug, Clone)]
struct Window<T> {
    length: Duration,
    /// With the times at which they leave.
    entries: VecDeque<(Time, T)>,
    last: Option<Time>,
}

impl<T> Window<T> {
    fn new(length: Duration) -> Self {
        Self { length, entries: VecDeque::new(), last: None }
    }

    /// Adds an entry, of which `over` is shorter than the window; one that comes out of order counts as of
    /// the last entry's time.
    fn push(&mut self, at: Time, over: Duration, entry: T) -> Time {
        let at = self.last.map_or(at, |last| last.max(at));
        self.last = Some(at);
        let leave = at + self.length.saturating_sub(over);
        let later = self.entries.iter().rev().take_while(|(other, _)| *other > leave).count();
        self.entries.insert(self.entries.len() - later, (leave, entry));
        at
    }

    /// The last entry, if one of this time that is pushed now would leave with it.
    fn fellow(&mut self, at: Time, over: Duration) -> Option<&mut T> {
        let leave = self.last.filter(|last| *last >= at)? + self.length.saturating_sub(over);
        self.entries.back_mut().filter(|(other, _)| *other == leave).map(|(_, entry)| entry)
    }

    /// When the next entries leave.
    fn next_leave(&self) -> Option<Time> {
        self.entries.front().map(|(leave, _)| *leave)
    }

    /// The next entry that leaves at `at` or has left before.
    fn leave(&mut self, at: Time) -> Option<T> {
        self.next_leave().filter(|leave| *leave <= at)?;
        self.entries.pop_front().map(|(_, entry)| entry)
    }

    /// The time of the last entry that came.
    fn last(&self) -> Option<Time> {
        self.last
    }
}
