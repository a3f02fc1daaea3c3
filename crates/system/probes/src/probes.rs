//! A set of probes, each polled when it is due.

use netloom_units::{Duration, Time};

use crate::probe::{Probe, Sink};

/// Probes, each polled on a period of its own, a multiple of the same step: so that those with the
/// same periods, or multiples of them, are polled together, and who polls them wakes but once.
pub struct Probes {
    probes: Vec<(Time, Box<dyn Probe>)>,
    started: bool,
}

impl Probes {
    /// All periods are rounded up to multiples of this.
    pub const STEP: Duration = Duration::from_millis(50);

    /// A set of these probes.
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
