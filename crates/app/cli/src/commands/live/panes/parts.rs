//! What all panes show, and how they show it.

use netloom_units::Duration;

use super::super::grid::{Column, Key, Kind};
use super::super::log::Log;
use super::super::sample::Sample;

/// What panes show.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The last sample.
    pub now: Option<&'a Sample>,
    /// The sample before.
    pub before: Option<&'a Sample>,
    /// The events.
    pub log: &'a Log,
}

impl Seen<'_> {
    /// Returns the time between the two samples, or all the time of the only one.
    pub fn period(&self) -> Duration {
        let [before, now] =
            [self.before, self.now].map(|of| of.map(Sample::at).unwrap_or_default());
        now.since(before)
    }
}

/// A column of names.
pub const fn name(title: &'static str, rank: u8) -> Column {
    Column { title, kind: Kind::Name, rank }
}

/// A column of figures.
pub const fn figure(title: &'static str, rank: u8) -> Column {
    Column { title, kind: Kind::Figure, rank }
}

/// A column of bars.
pub const fn bar(title: &'static str, rank: u8) -> Column {
    Column { title, kind: Kind::Bar, rank }
}

/// Returns the key of a number that may be unknown: below all others.
pub fn number(value: Option<f64>) -> Key {
    Key::Number(value.unwrap_or(-1.0))
}

/// Returns a share in words: `12 %`.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}
