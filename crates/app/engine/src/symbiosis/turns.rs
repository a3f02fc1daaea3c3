//! The loop's thread: waits for the end of a period, runs it in the simulation, has small pipes
//! follow, and writes down what became of it.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};

use anyhow::Result;
use netloom_api::in_words;
use netloom_api::simulation::SimulationSummary;
use netloom_monitor::{Observation, SignalKind};
use netloom_simulate::symbiosis::{Applied, Metadata, Tally};
use netloom_units::{Duration, Time};

use super::files::{Files, Period};
use super::{Parts, Shared, Surroundings, Went, lock};

/// The loop while it runs.
pub struct Turns {
    parts: Parts,
    files: Files,
    surroundings: Surroundings,
    stopped: Receiver<()>,
    tally: Tally,
    /// The number of the next period.
    number: u64,
    /// Whether it was reported that the simulation is late.
    has_warned: bool,
}

impl Turns {
    pub fn new(
        parts: Parts,
        files: Files,
        surroundings: Surroundings,
        stopped: Receiver<()>,
    ) -> Self {
        let tally = Tally::new(&parts.shrunk);
        Self { parts, files, surroundings, stopped, tally, number: 0, has_warned: false }
    }

    /// Goes on until it is stopped, or something fails.
    pub fn run(mut self, shared: &Mutex<Shared>) -> Went {
        let _last = Last(shared);
        let mut failures = Vec::new();
        let (signal, probe) = (SignalKind::Simulation, "the run".into());
        let (cannot_see, partial) = (Vec::new(), false);
        let monitor = &self.surroundings.monitor;
        monitor.observe(&Observation::Watched { signal, probe, cannot_see, partial });
        lock(shared).done_at = self.parts.large.done_at();
        while self.wait() {
            if let Err(error) = self.turn() {
                let why = in_words(error.as_ref());
                failures.push(format!("small pipes follow the simulation no more: {why}"));
                break;
            }
            lock(shared).done_at = self.parts.large.done_at();
        }
        self.report_overdue();
        let Self { parts, files, tally, .. } = self;
        failures.extend(files.finish().err().map(|error| in_words(error.as_ref())));
        let timeline = parts.large.timeline();
        let failed = timeline.iter().filter(|status| status.failure.is_some());
        failures.extend(failed.map(|status| status.in_words()));
        Went {
            simulation: SimulationSummary {
                symbiosis: Some(tally.summary()),
                ..parts.large.summary()
            },
            flows: parts.large.flows(),
            timeline,
            failures,
        }
    }

    /// The end of the next period, by the experiment's clock.
    fn end(&self) -> Time {
        self.surroundings.zero + self.parts.large.next_end().since(Time::ZERO)
    }

    /// Waits for the end of the next period; whether the loop goes on.
    fn wait(&self) -> bool {
        loop {
            let left = self.end().since(self.surroundings.clock.now());
            // Whoever holds the other end sends nothing.
            let left = self.surroundings.clock.dilation().to_machine(left);
            match self.stopped.recv_timeout(left.into()) {
                Err(RecvTimeoutError::Timeout) if self.surroundings.clock.now() < self.end() => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Runs a period that is over.
    fn turn(&mut self) -> Result<()> {
        let Surroundings { simulated, zero, .. } = &self.surroundings;
        let (zero, end) = (*zero, self.end());
        let metadata = Metadata { sent: simulated.take_sent(self.parts.large.next_end())? };
        let stops = || matches!(self.stopped.try_recv(), Err(TryRecvError::Disconnected));
        let Some(reports) = self.parts.large.period(&metadata, &stops)? else {
            return Ok(());
        };
        let orders = self.parts.calibrators.orders(&reports);
        let (at, pipes) = simulated.follow(orders.clone())?;
        let since_run = |time: Time| Time::ZERO + time.since(zero);
        let applied = Applied { at: since_run(at), took: at.since(end), pipes };
        self.report_lateness(applied.took);
        self.tally.add(&orders, &applied);
        let Self { parts, files, surroundings, number, .. } = self;
        let period =
            Period { number: *number, metadata: &metadata, orders: &orders, applied: &applied };
        files.add(&period, &parts.shrunk)?;
        let events = &surroundings.events;
        let offset = zero.since(Time::ZERO);
        parts.large.record(&mut |time, what| events.record_at(time + offset, what));
        files.sample(parts.large.now() + offset, &parts.large.flows())?;
        *number += 1;
        Ok(())
    }

    /// Reports a period that pipes do not follow when it is over, though they were to by now.
    fn report_overdue(&mut self) {
        let overdue = self.surroundings.clock.now().since(self.end());
        if overdue > self.parts.shrunk.period {
            self.report_lateness(overdue);
        }
    }

    /// Reports a calibration that held, or does not yet, so long after the end of its period.
    fn report_lateness(&mut self, took: Duration) {
        let period = self.parts.shrunk.period;
        self.surroundings.monitor.observe(&Observation::Simulated { period, took });
        let half = Duration::from_nanos(period.as_nanos() / 2);
        if took > half && !self.has_warned {
            self.has_warned = true;
            self.surroundings.events.warn(format!(
                "the simulation of period {} took {took}, of periods of {period}: pipes between \
                 real hosts follow it late; simulate less, on more `threads`, or with a longer \
                 `period`",
                self.number
            ));
        }
    }
}

/// What the thread does last, also in a panic: nothing waits for it any more.
struct Last<'s>(&'s Mutex<Shared>);

impl Drop for Last<'_> {
    fn drop(&mut self) {
        lock(self.0).has_ended = true;
    }
}
