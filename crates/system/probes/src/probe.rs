//! What probes have in common. Not here: which probes there are (`prepared`), and when each is
//! polled (`probes`).

use netloom_monitor::{Observation, SignalKind};
use netloom_units::{Duration, Time};

/// Where observations go.
pub type Sink<'a> = &'a mut dyn FnMut(Observation);

/// Something that observes the machine by looking from time to time.
pub trait Probe: Send {
    /// How often it wants to look. May change: a probe with much to read looks less often.
    fn period(&self) -> Duration;

    /// What it watches and what it cannot see, and names. Called once, before the first look.
    fn start(&mut self, sink: Sink<'_>);

    /// Looks. The first look tells little: most of what is observed are differences.
    fn poll(&mut self, at: Time, sink: Sink<'_>);
}

/// Says that a probe watches signals, and what of them it cannot see.
pub(crate) fn watches(sink: Sink<'_>, probe: &str, signals: &[SignalKind], cannot_see: &[&str]) {
    say_watched(sink, probe, signals, cannot_see, false);
}

/// Says that a probe watches signals of which it sees so little that they do not count as observed
/// by it alone.
pub(crate) fn watches_a_part(
    sink: Sink<'_>,
    probe: &str,
    signals: &[SignalKind],
    cannot_see: &[&str],
) {
    say_watched(sink, probe, signals, cannot_see, true);
}

fn say_watched(
    sink: Sink<'_>,
    probe: &str,
    signals: &[SignalKind],
    cannot_see: &[&str],
    partial: bool,
) {
    for signal in signals {
        let cannot_see = cannot_see.iter().map(|text| (*text).into()).collect();
        sink(Observation::Watched { signal: *signal, probe: probe.into(), cannot_see, partial });
    }
}

/// Says that a probe does not watch signals, or no longer.
pub(crate) fn cannot_watch(sink: Sink<'_>, probe: &str, signals: &[SignalKind], why: &str) {
    for signal in signals {
        sink(Observation::Unwatched { signal: *signal, probe: probe.into(), why: why.into() });
    }
}
