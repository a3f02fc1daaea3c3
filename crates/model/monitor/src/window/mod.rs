//! Sliding windows: observations in the time `(t − δ, t]`. They slide with every event and with the
//! time in between, so that no burst falls between two of them.
//!
//! | file | contents |
//! |---|---|
//! | `sum` | the sum of the amounts in a window |
//! | `percentile` | the delay that 99 % of a window do not exceed |
//! | `buckets` | a compact encoding of delays |
//! | `covered` | times that are covered by overlapping intervals |

mod buckets;
mod covered;
mod percentile;
mod sum;

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

pub(crate) use covered::Covered;
pub(crate) use percentile::PercentileWindow;
pub(crate) use sum::SumWindow;

/// The entries of a sliding window, in the order in which they leave. An entry of the time `e` is
/// in the window of `t` if `t − δ < e ≤ t`, as in Maier 2011, Eqs. 4.1 and 4.3: it leaves at
/// `e + δ`. An entry for the interval `over` that ended at `e` is in the window while the whole
/// interval is, so that no window contains more than happened in it.
#[derive(Debug, Clone)]
struct Window<T> {
    length: Duration,
    /// Entries with the times at which they leave.
    entries: VecDeque<(Time, T)>,
    last: Option<Time>,
}

impl<T> Window<T> {
    fn new(length: Duration) -> Self {
        Self { length, entries: VecDeque::new(), last: None }
    }

    /// Adds an entry whose interval `over` is shorter than the window. An entry that comes out of
    /// order gets the time of the last entry. Returns the time that the entry got.
    fn push(&mut self, at: Time, over: Duration, entry: T) -> Time {
        let at = self.last.map_or(at, |last| last.max(at));
        self.last = Some(at);
        let leave = at + self.length.saturating_sub(over);
        let later = self.entries.iter().rev().take_while(|(other, _)| *other > leave).count();
        self.entries.insert(self.entries.len() - later, (leave, entry));
        at
    }

    /// The last entry, if an entry for this time that is added now would leave together with it.
    fn fellow(&mut self, at: Time, over: Duration) -> Option<&mut T> {
        let leave = self.last.filter(|last| *last >= at)? + self.length.saturating_sub(over);
        self.entries.back_mut().filter(|(other, _)| *other == leave).map(|(_, entry)| entry)
    }

    /// When the next entries leave.
    fn next_leave(&self) -> Option<Time> {
        self.entries.front().map(|(leave, _)| *leave)
    }

    /// Removes and returns the next entry that leaves at `at` or earlier.
    fn leave(&mut self, at: Time) -> Option<T> {
        self.next_leave().filter(|leave| *leave <= at)?;
        self.entries.pop_front().map(|(_, entry)| entry)
    }

    /// Time of the last entry that was added.
    fn last(&self) -> Option<Time> {
        self.last
    }
}
