//! How often people are warned: at most once in a while for each signal, with the number of signals that
//! were not told in between.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use crate::signal::{Change, Signal, SignalKind};
use crate::verdict::words;

/// A policy of its own, beside the monitor: give it every signal, and show what it returns.
#[derive(Debug, Clone)]
pub struct Warnings {
    every: Duration,
    last: BTreeMap<SignalKind, (Time, u64)>,
}

impl Warnings {
    /// At most one warning `every` so often for each kind of signal.
    pub fn new(every: Duration) -> Self {
        Self { every, last: BTreeMap::new() }
    }

    /// The warning that a signal gives, in a sentence: time, signal, value, threshold, heaviest parties.
    /// Nothing if it is too soon, or if the signal is an end.
    pub fn warn(&mut self, signal: &Signal) -> Option<String> {
        if signal.change == Change::Ended {
            return None;
        }
        let (at, untold) = self.last.get(&signal.signal).copied().unzip();
        if at.is_some_and(|at| signal.at < at + self.every) {
            let (_, untold) = self.last.get_mut(&signal.signal)?;
            *untold += 1;
            return None;
        }
        self.last.insert(signal.signal, (signal.at, 0));
        let untold = match untold.unwrap_or(0) {
            0 => String::new(),
            n => format!(" ({n} warnings of this kind were left out)"),
        };
        Some(format!(
            "{:.3} s: {}: {}, limit {}{}{untold}",
            signal.at.as_nanos() as f64 / 1e9,
            words::subject(signal.signal, &signal.on),
            words::quantity(signal.signal, signal.value),
            words::quantity(signal.signal, signal.threshold),
            words::heaviest(&signal.shares),
        ))
    }
}
