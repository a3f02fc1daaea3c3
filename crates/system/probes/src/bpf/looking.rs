//! A probe that polls the data of programs in the kernel. If that fails, it reports so once, and
//! stops.

use netloom_monitor::SignalKind;
use netloom_units::{Duration, Time};

use super::why::{Why, in_words};
use crate::probe::{Probe, Sink, cannot_watch, watches};

/// The data that such a probe polls.
pub trait Look: Send {
    /// Name of the probe.
    const NAME: &'static str;
    /// The signal that it watches.
    const SIGNAL: SignalKind;
    /// The part of the signal that it cannot observe.
    const CANNOT_SEE: &'static str;

    /// How often it has to be polled.
    fn period(&self) -> Duration;

    /// Reads the data, and reports observations.
    fn look(&mut self, at: Time, sink: Sink<'_>) -> Result<(), Why>;
}

/// The probe.
pub struct Looking<L> {
    at: L,
    failed: bool,
}

impl<L: Look> Looking<L> {
    pub fn at(at: L) -> Self {
        Self { at, failed: false }
    }
}

impl<L: Look> Probe for Looking<L> {
    fn period(&self) -> Duration {
        self.at.period()
    }

    fn start(&mut self, sink: Sink<'_>) {
        watches(sink, L::NAME, &[L::SIGNAL], &[L::CANNOT_SEE]);
    }

    fn poll(&mut self, at: Time, sink: Sink<'_>) {
        if self.failed {
            return;
        }
        if let Err(error) = self.at.look(at, sink) {
            self.failed = true;
            cannot_watch(sink, L::NAME, &[L::SIGNAL], &in_words(&error));
        }
    }
}
