//! A probe that looks at what programs in the kernel keep, until that fails; then it says so, once.

use netloom_monitor::SignalKind;
use netloom_units::{Duration, Time};

use super::load::{Why, in_words};
use crate::probe::{Probe, Sink, cannot_watch, watches};

/// What such a probe looks at.
pub trait Look: Send {
    /// The probe's name.
    const NAME: &'static str;
    /// What it watches.
    const SIGNAL: SignalKind;
    /// What it cannot see.
    const CANNOT_SEE: &'static str;

    /// How often it wants to look.
    fn period(&self) -> Duration;

    /// Looks.
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
