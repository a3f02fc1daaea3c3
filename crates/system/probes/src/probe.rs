//! What probes have in common, and a set of them that is polled when they are due.

use netloom_monitor::{Observation, SignalKind};
use netloom_units::{Duration, Time};

use crate::cpu::Cpu;
use crate::disks::Disks;
use crate::neighbours::Neighbours;
use crate::places::Places;
use crate::prepared::Prepared;
use crate::pressure::Pressures;
use crate::processes::Processes;
use crate::refaults::Refaults;
use crate::softnet::Softnet;
use crate::uplinks::Uplinks;
use crate::vmstat::Vmstat;

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
    told_watched(sink, probe, signals, cannot_see, false);
}

/// The same of one that sees only so little that signals do not count as observed by it alone.
pub(crate) fn watches_a_part(
    sink: Sink<'_>,
    probe: &str,
    signals: &[SignalKind],
    cannot_see: &[&str],
) {
    told_watched(sink, probe, signals, cannot_see, true);
}

fn told_watched(
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

/// Those of which there is no event-driven counterpart.
pub(crate) fn always_polling(places: &Places) -> [Box<dyn Probe>; 7] {
    [
        Box::new(Pressures::new(places)),
        Box::new(Refaults::new(places)),
        Box::new(Vmstat::new(places)),
        Box::new(Softnet::new(places)),
        Box::new(Neighbours::of_ipv4(places)),
        Box::new(Neighbours::of_ipv6(places)),
        Box::new(Uplinks::new(places)),
    ]
}

/// Probes, each polled on a period of its own, a multiple of the same step: so that those with the
/// same periods, or multiples of them, are polled together, and who polls them wakes but once.
pub struct Probes {
    probes: Vec<(Time, Box<dyn Probe>)>,
    started: bool,
}

impl Probes {
    /// All periods are rounded up to multiples of this.
    pub const STEP: Duration = Duration::from_millis(50);

    /// The best that this machine permits: event-driven probes where it can be, polling ones for
    /// the rest. What cannot be event-driven, and why, is told with what is watched.
    pub fn best(places: &Places) -> Self {
        Prepared::new(places.nodes.len(), places.tolerated_wait, &places.proc).start(places)
    }

    /// All polling probes of this crate, and no others.
    pub fn polling(places: &Places) -> Self {
        let mut probes: Vec<Box<dyn Probe>> = vec![
            Box::new(Cpu::new(places)),
            Box::new(Processes::new(places, true, None)),
            Box::new(Disks::new(places)),
        ];
        probes.extend(always_polling(places));
        Self::of(probes)
    }

    /// These probes.
    pub fn of(probes: Vec<Box<dyn Probe>>) -> Self {
        let probes = probes.into_iter().map(|probe| (Time::ZERO, probe)).collect();
        Self { probes, started: false }
    }

    /// Polls what is due by `now`, the time in ns since the experiment's zero; the first time,
    /// everything.
    pub fn poll(&mut self, now: Time, sink: Sink<'_>) {
        if !self.started {
            self.probes.iter_mut().for_each(|(_, probe)| probe.start(sink));
        }
        for (due, probe) in &mut self.probes {
            if *due <= now || !self.started {
                probe.poll(now, sink);
                *due = after(now, probe.period());
            }
        }
        self.started = true;
    }

    /// When the next probe is due.
    pub fn next_poll(&self) -> Time {
        self.probes.iter().map(|(due, _)| *due).min().unwrap_or(Time::from_nanos(u64::MAX))
    }
}

/// The first multiple of `period` after `now`, so that one late look does not make the next ones
/// late; of a long one, which is rarely the same twice, a whole period later. In whole steps of
/// [`Probes::STEP`].
fn after(now: Time, period: Duration) -> Time {
    const LONG: u64 = 20;
    let step = Probes::STEP.as_nanos();
    let (now, period) = (now.as_nanos() / step, period.as_nanos().div_ceil(step).max(1));
    let due = if period <= LONG { (now / period + 1) * period } else { now + period };
    Time::from_nanos(due * step)
}
