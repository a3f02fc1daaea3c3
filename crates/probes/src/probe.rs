//! What probes have in common, and a set of them that is polled when they are due.

use std::time::Instant;

use netloom_monitor::{Observation, SignalKind};
use netloom_units::{Duration, Time};

use crate::bpf::{Block, Looking, Missing, Scheduler};
use crate::cpu::Cpu;
use crate::disks::Disks;
use crate::places::Places;
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
    for signal in signals {
        let cannot_see = cannot_see.iter().map(|text| (*text).into()).collect();
        sink(Observation::Watched { signal: *signal, probe: probe.into(), cannot_see });
    }
}

/// Says that a probe does not watch signals, or no longer.
pub(crate) fn cannot_watch(sink: Sink<'_>, probe: &str, signals: &[SignalKind], why: &str) {
    for signal in signals {
        sink(Observation::Unwatched { signal: *signal, probe: probe.into(), why: why.into() });
    }
}

/// The period of a probe that reads `files` each time: longer than `least` if they are so many that reading
/// them would cost more than it should. A file takes some 10 µs, and 300 of them a second 0.3 % of a CPU.
pub(crate) fn budgeted(least: Duration, files: usize) -> Duration {
    let files = u64::try_from(files).unwrap_or(u64::MAX);
    least.max(Duration::from_micros(files.saturating_mul(1_000_000 / 300)))
}

/// Those of which there is no event-driven counterpart.
fn always_polling(places: &Places) -> [Box<dyn Probe>; 5] {
    [
        Box::new(Pressures::new(places)),
        Box::new(Refaults::new(places)),
        Box::new(Vmstat::new(places)),
        Box::new(Softnet::new(places)),
        Box::new(Uplinks::new(places)),
    ]
}

/// Probes, each polled on a period of its own.
pub struct Probes {
    probes: Vec<(Time, Box<dyn Probe>)>,
    started: bool,
    spent: Duration,
}

impl Probes {
    /// The best that this machine permits: event-driven probes where it can be, polling ones for the rest.
    /// What cannot be event-driven, and why, is told with what is watched.
    pub fn best(places: &Places) -> Self {
        let mut probes: Vec<Box<dyn Probe>> = Vec::new();
        let mut waits_polled = true;
        match Scheduler::load(places) {
            Ok((scheduler, waits)) => {
                probes.push(Box::new(Looking::at(scheduler)));
                probes.push(Box::new(Cpu::only_steal(places)));
                waits_polled = waits.is_none();
                probes.extend(waits.map(|waits| Box::new(Looking::at(waits)) as Box<dyn Probe>));
            }
            Err(why) => {
                let (name, signals) = Scheduler::NAMED;
                probes.push(Box::new(Missing::new(name, signals, &why)));
                probes.push(Box::new(Cpu::new(places)));
            }
        }
        match Block::load(places) {
            Ok(block) => probes.push(Box::new(Looking::at(block))),
            Err(why) => {
                let (name, signals) = Block::NAMED;
                probes.push(Box::new(Missing::new(name, signals, &why)));
                probes.push(Box::new(Disks::new(places)));
            }
        }
        probes.push(Box::new(Processes::new(places, waits_polled)));
        probes.extend(always_polling(places));
        Self::of(probes)
    }

    /// All polling probes of this crate, and no others.
    pub fn polling(places: &Places) -> Self {
        let mut probes: Vec<Box<dyn Probe>> = vec![
            Box::new(Cpu::new(places)),
            Box::new(Processes::new(places, true)),
            Box::new(Disks::new(places)),
        ];
        probes.extend(always_polling(places));
        Self::of(probes)
    }

    /// These probes.
    pub fn of(probes: Vec<Box<dyn Probe>>) -> Self {
        let probes = probes.into_iter().map(|probe| (Time::ZERO, probe)).collect();
        Self { probes, started: false, spent: Duration::ZERO }
    }

    /// Polls what is due by `now`, the time in ns since the experiment's zero; the first time, everything.
    pub fn poll(&mut self, now: Time, sink: Sink<'_>) {
        let began = Instant::now();
        if !self.started {
            self.probes.iter_mut().for_each(|(_, probe)| probe.start(sink));
        }
        for (due, probe) in &mut self.probes {
            if *due <= now || !self.started {
                probe.poll(now, sink);
                *due = now + probe.period();
            }
        }
        self.started = true;
        self.spent +=
            Duration::from_nanos(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }

    /// When the next probe is due.
    pub fn next_poll(&self) -> Time {
        self.probes.iter().map(|(due, _)| *due).min().unwrap_or(Time::from_nanos(u64::MAX))
    }

    /// The time spent in probes, and in the sink that they were given, since the last call.
    pub fn take_spent(&mut self) -> Duration {
        std::mem::take(&mut self.spent)
    }
}
