//! The loop's thread: waits for the end of a period, runs it in the simulation, sets the small
//! pipes accordingly, and writes the results.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};

use anyhow::Result;
use netloom_api::in_words;
use netloom_api::simulation::SimulationSummary;
use netloom_api::summary::Mode;
use netloom_monitor::{MOST_DIVERGENCE, Observation, SignalKind};
use netloom_scenario::TwinMethod;
use netloom_simulate::symbiosis::{Applied, Difference, Differs, Order, Reports, Tally, paths};
use netloom_units::{Duration, Time};

use super::files::{Files, Period};
use super::parts::{Parts, Shared, Surroundings, lock};
use crate::companion::Went;

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
    /// Flows that differ from their twins, and unknown congestion controls, that were reported
    /// already.
    warned: BTreeSet<String>,
}

impl Turns {
    pub fn new(
        parts: Parts,
        files: Files,
        surroundings: Surroundings,
        stopped: Receiver<()>,
    ) -> Self {
        let tally = Tally::new(&parts.shrunk);
        let (number, has_warned, warned) = (0, false, BTreeSet::new());
        Self { parts, files, surroundings, stopped, tally, number, has_warned, warned }
    }

    /// Runs until it is stopped, or something fails.
    pub fn run(mut self, shared: &Mutex<Shared>) -> Went {
        let _last = Last(shared);
        let mut failures = Vec::new();
        for signal in [SignalKind::Simulation, SignalKind::Divergence] {
            let (probe, cannot_see) = ("the run".into(), Vec::new());
            let watched = Observation::Watched { signal, probe, cannot_see, partial: false };
            (self.surroundings.observe)(&watched);
        }
        lock(shared).done_at = self.parts.large.done_at();
        while self.wait() {
            if let Err(error) = self.turn(shared) {
                let why = in_words(error.as_ref());
                failures.push(format!("small pipes follow the simulation no more: {why}"));
                break;
            }
            lock(shared).done_at = self.parts.large.done_at();
        }
        self.report_overdue();
        let Self { parts, files, tally, .. } = self;
        let finished = files.finish(&parts.large, &parts.shrunk);
        failures.extend(finished.err().map(|error| in_words(error.as_ref())));
        let timeline = parts.large.timeline();
        failures.extend(netloom_course::failures(&timeline));
        Went {
            mode: Mode::Symbiosis,
            simulation: SimulationSummary {
                symbiosis: Some(tally.summary()),
                ..parts.large.summary()
            },
            flows: parts.large.flows(),
            timeline: Some(timeline),
            failures,
            busy: None,
        }
    }

    /// Returns the end of the next period, by the experiment's clock.
    fn end(&self) -> Time {
        self.surroundings.zero + self.parts.large.next_end().since(Time::ZERO)
    }

    /// Waits for the end of the next period. Returns whether the loop continues.
    fn wait(&self) -> bool {
        loop {
            let left = self.end().since(self.surroundings.clock.now());
            // The holder of the sender never sends a value.
            let left = self.surroundings.clock.dilation().to_machine(left);
            match self.stopped.recv_timeout(left.into()) {
                Err(RecvTimeoutError::Timeout) if self.surroundings.clock.now() < self.end() => {}
                Err(RecvTimeoutError::Timeout) => return true,
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Runs a period that is over.
    fn turn(&mut self, shared: &Mutex<Shared>) -> Result<()> {
        let Surroundings { simulated, zero, .. } = &self.surroundings;
        let (zero, end) = (*zero, self.end());
        let metadata = simulated.take_metadata(self.parts.large.next_end())?;
        let stops = || matches!(self.stopped.try_recv(), Err(TryRecvError::Disconnected));
        let Some(reports) = self.parts.large.period(&metadata, &stops)? else {
            return Ok(());
        };
        let orders = self.parts.calibrators.orders(&reports);
        let (at, pipes) = simulated.follow(orders.clone())?;
        let since_run = |time: Time| Time::ZERO + time.since(zero);
        let applied = Applied { at: since_run(at), took: at.since(end), pipes };
        self.report_lateness(applied.took);
        let differ = self.tally.add((&metadata, &reports), &orders, &applied);
        self.report_divergence(&differ);
        self.report_unknown()?;
        self.report_paths(&reports, &orders, shared);
        let Self { parts, files, surroundings, number, .. } = self;
        let period =
            Period { number: *number, metadata: &metadata, orders: &orders, applied: &applied };
        files.add(&period, &parts.shrunk)?;
        let events = &surroundings.events;
        let offset = zero.since(Time::ZERO);
        parts.large.record(&mut |time, what| events.record_at(time + offset, what));
        files.sample(parts.large.now(), &parts.large.flows())?;
        *number += 1;
        Ok(())
    }

    /// Publishes the present paths between real hosts.
    fn report_paths(&self, reports: &Reports, orders: &[Order], shared: &Mutex<Shared>) {
        let at = self.parts.large.now();
        lock(shared).paths = paths(&self.parts.shrunk, reports, orders, at);
    }

    /// Reports flows that differ from their twins, each to users only once.
    fn report_divergence(&mut self, all: &[Differs]) {
        let most = |of: fn(&Difference) -> Option<f64>| {
            all.iter().filter_map(|one| of(&one.difference)).reduce(f64::max)
        };
        let (delay, throughput) = (most(|one| one.delay), most(|one| one.throughput));
        (self.surroundings.observe)(&Observation::Compared { delay, throughput });
        for Differs { ends: [from, to], difference } in all {
            let both = [("delay", difference.delay), ("throughput", difference.throughput)];
            for (what, share) in both {
                let Some(share) = share.filter(|share| *share > MOST_DIVERGENCE) else { continue };
                let warned = format!("{what} from `{from}` to `{to}`");
                if self.warned.insert(warned.clone()) {
                    self.surroundings.events.warn(format!(
                        "{warned} differs by {:.0} % from that of its twin in the simulation, over \
                         the ten periods before number {}: pipes between real hosts do not treat \
                         packets as the network would",
                        100.0 * share,
                        self.number + 1
                    ));
                }
            }
        }
    }

    /// Reports congestion controls that the simulation lacks, each once.
    fn report_unknown(&mut self) -> Result<()> {
        if self.parts.shrunk.twins == TwinMethod::Packets {
            return Ok(());
        }
        for name in self.surroundings.simulated.unknown_algorithms()? {
            if self.warned.insert(name.clone()) {
                self.surroundings.events.warn(format!(
                    "connections of real programs use the congestion control `{name}`, which the \
                     simulation has not: their twins use that of their hosts"
                ));
            }
        }
        Ok(())
    }

    /// Reports a period that has been over for longer than a period, and that small pipes do not
    /// follow yet.
    fn report_overdue(&mut self) {
        let overdue = self.surroundings.clock.now().since(self.end());
        if overdue > self.parts.shrunk.period {
            self.report_lateness(overdue);
        }
    }

    /// Reports the time from the end of a period until its calibration took effect, or until now if
    /// it has not.
    fn report_lateness(&mut self, took: Duration) {
        let period = self.parts.shrunk.period;
        (self.surroundings.observe)(&Observation::Simulated { period, took });
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

/// The last action of the thread, even in a panic: nobody waits for it any more.
struct Last<'s>(&'s Mutex<Shared>);

impl Drop for Last<'_> {
    fn drop(&mut self) {
        lock(self.0).has_ended = true;
    }
}
