//! A set of probes, each polled when it is due.

use netloom_units::{Duration, Time};

use crate::probe::{Probe, Sink};

/// Probes, each polled with a period of its own. All periods are multiples of the same step, so
/// probes with equal periods, or multiples of them, are polled together, and the caller wakes up
/// only once.
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

    /// Polls the probes that are due by `now`, the time in ns since the experiment's zero. The
    /// first call polls all of them.
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

/// The first multiple of `period` after `now`, so that one late look does not delay the next ones.
/// Long periods are rarely the same twice: for them it is a whole period after `now`. Always a
/// multiple of [`Probes::STEP`].
fn after(now: Time, period: Duration) -> Time {
    const LONG: u64 = 20;
    let step = Probes::STEP.as_nanos();
    let (now, period) = (now.as_nanos() / step, period.as_nanos().div_ceil(step).max(1));
    let due = if period <= LONG { (now / period + 1) * period } else { now + period };
    Time::from_nanos(due * step)
}
