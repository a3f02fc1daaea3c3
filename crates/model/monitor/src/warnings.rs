//! Warnings for people: at most one in a while for each signal, with the number of warnings that
//! were left out in between.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use crate::signal::{Change, Signal, SignalKind};
use crate::words;

/// Decides which signals become warnings. Independent of the monitor: pass it every signal, and
/// print what it returns.
#[derive(Debug, Clone)]
pub struct Warnings {
    every: Duration,
    last: BTreeMap<SignalKind, (Time, u64)>,
}

impl Warnings {
    /// Allows at most one warning in the time `every` for each kind of signal.
    pub fn new(every: Duration) -> Self {
        Self { every, last: BTreeMap::new() }
    }

    /// The warning for a signal, in a sentence: time, signal, value, threshold, heaviest parties.
    /// `None` if the last one was too recent, or if the signal is an end.
    pub fn warn(&mut self, signal: &Signal) -> Option<String> {
        if signal.change == Change::Ended {
            return None;
        }
        let (at, left_out) = self.last.get(&signal.signal).copied().unzip();
        if at.is_some_and(|at| signal.at < at + self.every) {
            let (_, left_out) = self.last.get_mut(&signal.signal)?;
            *left_out += 1;
            return None;
        }
        self.last.insert(signal.signal, (signal.at, 0));
        let left_out = match left_out.unwrap_or(0) {
            0 => String::new(),
            n => format!(" ({n} warnings of this kind were left out)"),
        };
        Some(format!(
            "{:.3} s: {}: {}, limit {}{}{left_out}",
            signal.at.as_secs_f64(),
            words::subject(signal.signal, &signal.on),
            words::quantity(signal.signal, signal.value),
            words::quantity(signal.signal, signal.threshold),
            words::heaviest(&signal.shares),
        ))
    }
}
