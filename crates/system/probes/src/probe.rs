//! Interface of all probes. Not here: which probes there are (`prepared`), and when each is polled
//! (`probes`).

use netloom_monitor::{Observation, SignalKind};
use netloom_units::{Duration, Time};

/// Callback that receives observations.
pub type Sink<'a> = &'a mut dyn FnMut(Observation);

/// A probe, which observes the machine by looking from time to time.
pub trait Probe: Send {
    /// How often it has to be polled. The period may change: a probe with much to read looks less
    /// often.
    fn period(&self) -> Duration;

    /// Reports the signals that it watches, the parts of them that it cannot observe, and names.
    /// Called once, before the first look.
    fn start(&mut self, sink: Sink<'_>);

    /// Looks at the machine and reports observations. The first look reports little, because most
    /// observations are differences.
    fn poll(&mut self, at: Time, sink: Sink<'_>);
}

/// Reports that a probe watches signals, and the parts of them that it cannot observe.
pub(crate) fn watches(sink: Sink<'_>, probe: &str, signals: &[SignalKind], cannot_see: &[&str]) {
    say_watched(sink, probe, signals, cannot_see, false);
}

/// Reports that a probe watches signals, of which it observes so little that they do not count as
/// observed by it alone.
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

/// Reports that a probe does not watch signals, or no longer does.
pub(crate) fn cannot_watch(sink: Sink<'_>, probe: &str, signals: &[SignalKind], why: &str) {
    for signal in signals {
        sink(Observation::Unwatched { signal: *signal, probe: probe.into(), why: why.into() });
    }
}
