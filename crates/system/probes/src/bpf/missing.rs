//! Stands in for a probe that this machine does not permit, and reports why.

use netloom_monitor::SignalKind;
use netloom_units::{Duration, Time};

use super::why::{Why, in_words};
use crate::probe::{Probe, Sink, cannot_watch};

pub struct Missing {
    name: &'static str,
    signals: &'static [SignalKind],
    why: String,
}

impl Missing {
    pub fn new(name: &'static str, signals: &'static [SignalKind], why: &Why) -> Self {
        let why = format!(
            "{}; needs a kernel of 5.15 or later with BTF, and root or CAP_BPF and CAP_PERFMON; \
             polled instead",
            in_words(why)
        );
        Self { name, signals, why }
    }
}

impl Probe for Missing {
    fn period(&self) -> Duration {
        Duration::from_secs(3600)
    }

    fn start(&mut self, sink: Sink<'_>) {
        cannot_watch(sink, self.name, self.signals, &self.why);
    }

    fn poll(&mut self, _at: Time, _sink: Sink<'_>) {}
}
