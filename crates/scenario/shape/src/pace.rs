//! Pace: how many lines of the record each guest fills. Whoever asks for more is counted, so that
//! nobody writes over the lines of others.

use std::collections::BTreeMap;

use netloom_units::Duration;

use crate::{Guest, Moment};

/// Lines that a user has at once, and the time after which there is another one.
const OF_USER: (u64, Duration) = (1000, Duration::from_secs(10));
/// The same for all strangers together.
const OF_STRANGERS: (u64, Duration) = (60, Duration::from_secs(60));

/// The lines of all guests.
#[derive(Debug, Default)]
pub struct Pace(BTreeMap<Guest, Spent>);

#[derive(Debug)]
struct Spent {
    lines: u64,
    since: Moment,
    unrecorded: u64,
}

impl Pace {
    /// Asks for a line. Returns the number of requests of the guest that had none since the last
    /// one, or `None` if this has none either.
    pub fn line(&mut self, guest: Guest, now: Moment) -> Option<u64> {
        let (most, every) = match guest {
            Guest::Root => return Some(0),
            Guest::User(_) => OF_USER,
            Guest::Strangers => OF_STRANGERS,
        };
        let every = every.as_nanos();
        self.0.retain(|other, spent| *other == guest || spent.lines > 0 || spent.unrecorded > 0);
        let nothing = Spent { lines: 0, since: now, unrecorded: 0 };
        let spent = self.0.entry(guest).or_insert(nothing);
        let back = now.since(spent.since).as_nanos() / every;
        if back > 0 || spent.lines == 0 {
            spent.lines = spent.lines.saturating_sub(back);
            let passed = Duration::from_nanos(back.saturating_mul(every));
            spent.since = if spent.lines == 0 { now } else { spent.since.after(passed) };
        }
        if spent.lines == most {
            spent.unrecorded += 1;
            return None;
        }
        spent.lines += 1;
        Some(std::mem::take(&mut spent.unrecorded))
    }
}
