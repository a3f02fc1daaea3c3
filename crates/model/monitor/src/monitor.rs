//! The monitor: takes observations, returns signals, and judges.

use std::collections::{BTreeMap, VecDeque};

use netloom_units::{Duration, Time};

use crate::bound::{Bound, Losses, Marks, Pauses, Pipes, TimelineBound, Waits};
use crate::criteria::Criteria;
use crate::criterion::{All, Criterion};
use crate::names::Names;
use crate::observation::Observation;
use crate::report::SignalReport;
use crate::signal::{Signal, SignalKind};
use crate::tracker::{Notice, Outbox, Tracker, Use};
use crate::trust::Trust;
use crate::uses::Uses;
use crate::verdict::{Collected, Overhead, Verdict, counted};
use crate::watched::Watched;

/// Monitors a run.
///
/// Call [`observe`] with everything that is observed, each probe's observations in the order of
/// their times. Call it with [`Observation::Looked`] after all observations up to a time, as often
/// as conditions that go on in silence are to be detected. Call [`poll_signal`] after each, until
/// it returns `None`. [`verdict`] may be called at any time, and is final at the end.
///
/// [`observe`]: Monitor::observe
/// [`poll_signal`]: Monitor::poll_signal
/// [`verdict`]: Monitor::verdict
#[derive(Debug, Clone)]
pub struct Monitor {
    criteria: Criteria,
    trust: Trust,
    pipes: Pipes,
    pauses: Pauses,
    waits: Waits,
    all: All,
    names: Names,
    watched: Watched,
    uses: Uses,
    out: Outbox,
    signals: VecDeque<Signal>,
    from: Time,
    settled: Time,
    looked: Time,
    overhead: Overhead,
}

/// How old the latest [`Observation::Frames`] of a pipe may be at an [`Observation::Looked`].
pub const PIPES_LOOKED: Duration = Duration::from_secs(1);

/// Kinds of work on which CPU time is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Preparing to observe.
    Preparation,
    /// Observing and judging.
    Monitoring,
    /// Reporting signals.
    Notification,
}

impl Monitor {
    /// A monitor that begins at `from`, in ns since the experiment's zero. `trust` is how exact the
    /// run has to be.
    pub fn new(criteria: Criteria, trust: Trust, from: Time) -> Self {
        Self {
            all: All::new(&criteria),
            criteria,
            trust,
            pipes: Pipes::default(),
            pauses: Pauses::default(),
            waits: Waits::default(),
            names: Names::default(),
            watched: Watched::default(),
            uses: Uses::default(),
            out: Outbox::new(),
            signals: VecDeque::new(),
            from,
            settled: from,
            looked: from,
            overhead: Overhead::default(),
        }
    }

    /// Takes an observation that was made at `at`.
    pub fn observe(&mut self, at: Time, observation: &Observation) {
        match observation {
            Observation::Named { what, name } => self.names.set(*what, name),
            Observation::Watched { signal, probe, cannot_see, partial } => {
                self.watched.watch(*signal, probe, cannot_see, *partial);
            }
            Observation::Unwatched { signal, probe, why } => {
                self.watched.unwatch(*signal, probe, why);
            }
            Observation::Threshold { signal, from } => self.watched.threshold(*signal, from),
            Observation::Settled => self.settle(at),
            Observation::Looked => {
                self.looked = at;
                self.tick(at);
            }
            Observation::Used { of, divides, party, amount, over } => {
                let (divides, party, amount) = (*divides, *party, *amount);
                self.uses.add(*of, Use { divides, from: at - *over, to: at, party, amount });
            }
            other => {
                self.collect(at, other);
                self.all.observe(at, other, &self.names, &mut self.out);
            }
        }
        if !self.out.is_empty() {
            self.queue_signals();
        }
    }

    /// Collects the data of the error bound.
    fn collect(&mut self, at: Time, observation: &Observation) {
        let trust = &self.trust;
        match *observation {
            Observation::Frames(ref frames) => self.pipes.add(at, frames, trust),
            Observation::Pause { lasted } => self.pauses.add(at - lasted, at),
            Observation::Waited { party, began, ended, carried, .. } => {
                self.waits.cpu(party, (at - began, at - ended), carried, trust);
            }
            Observation::RunQueue { party, delay, times } => {
                self.waits.cpu_about(party, at, delay, times, trust);
            }
            Observation::Stalled { of, party, stalled, over } => {
                self.waits.stalled(of, party, (at - over, at), stalled);
            }
            _ => {}
        }
    }

    /// Returns the next signal that has not been returned yet.
    pub fn poll_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// Whether contention holds now, or ended so recently that its episode may go on.
    pub fn is_contended(&self) -> bool {
        let mut contended = false;
        self.all.visit(&mut |tracker| contended |= tracker.open_peak().is_some());
        contended
    }

    /// Adds CPU time that the monitor's user spent on it.
    pub fn spent(&mut self, work: Work, cpu_time: Duration) {
        *match work {
            Work::Preparation => &mut self.overhead.preparation_ns,
            Work::Monitoring => &mut self.overhead.monitoring_ns,
            Work::Notification => &mut self.overhead.notification_ns,
        } += cpu_time.as_nanos();
    }

    /// Adds time that passed while the monitor's user worked on it, running or waiting for a CPU.
    pub fn elapsed(&mut self, time: Duration) {
        self.overhead.elapsed_ns += time.as_nanos();
    }

    /// The verdict on the run until `now`. No observation may be later than that.
    pub fn verdict(&self, now: Time) -> Verdict {
        let mut ended = self.clone();
        ended.tick(now);
        let uses = ended.uses.take_all();
        ended.weigh(&uses);
        let mut signals = Vec::new();
        ended.all.visit(&mut |tracker| signals.push(tracker.report(&self.names)));
        let coverage = self.watched.coverage();
        let run = counted(self.from, self.settled, now);
        let bound = self.bound(&signals, (run.from, run.to));
        let (from, settled, to, overhead) = (self.from, self.settled, now, self.overhead(now));
        Collected { from, settled, to, bound, signals, coverage, overhead }
            .judged(&self.trust, self.criteria.brief)
    }

    /// The times to be left out, as far as they are known.
    pub fn marks(&self) -> Marks {
        let run = (self.settled.max(self.from), self.looked);
        Marks {
            // Pipes are polled every second.
            until: self.looked - PIPES_LOOKED,
            pipes: self.pipes.bad_times(&self.names),
            engine: self.pauses.bound(run, &self.trust).bad,
        }
    }

    fn bound(&self, signals: &[SignalReport], run: (Time, Time)) -> Bound {
        Bound {
            pipes: self.pipes.bounds(&self.names),
            engine: self.pauses.bound(run, &self.trust),
            losses: Losses::of(signals),
            timeline: TimelineBound::of(signals),
            nodes: self.waits.bounds(&self.names, signals, run, &self.trust),
            machines: Vec::new(),
        }
    }

    /// Advances time to `now`. Everything up to now has been observed.
    fn tick(&mut self, now: Time) {
        self.all.tick(now, &mut self.out);
        let due = self.uses.take_due(now);
        self.weigh(&due);
        self.queue_signals();
    }

    fn overhead(&self, now: Time) -> Overhead {
        let run = now.since(self.from).as_nanos().max(1) as f64;
        let spent = self.overhead.monitoring_ns + self.overhead.notification_ns;
        Overhead { share: spent as f64 / run, ..self.overhead }
    }

    fn settle(&mut self, at: Time) {
        self.all.tick(at, &mut self.out);
        self.settled = at;
        self.pipes.clear();
        self.pauses.clear();
        self.waits.clear();
        let out = &mut self.out;
        self.all.visit_mut(&mut |tracker| tracker.settle(out));
    }

    fn weigh(&mut self, uses: &BTreeMap<SignalKind, Vec<Use>>) {
        if uses.is_empty() {
            return;
        }
        self.all.visit_mut(&mut |tracker| {
            if let Some(uses) = uses.get(&tracker.signal) {
                tracker.weigh(uses);
            }
        });
    }

    fn queue_signals(&mut self) {
        for notice in std::mem::take(&mut self.out) {
            let tracker = self.all.tracker(notice.signal, notice.place);
            let tracker = tracker.expect("a tracker that has reported something exists");
            let signal = self.signal(&notice, tracker);
            self.signals.push_back(signal);
        }
    }

    fn signal(&self, notice: &Notice, tracker: &Tracker) -> Signal {
        let shares = tracker.shares(self.uses.of(tracker));
        Signal {
            at: notice.at,
            change: notice.change,
            signal: notice.signal,
            on: self.names.resource(notice.place),
            value: notice.value,
            threshold: tracker.threshold.expect("what is reported has a threshold"),
            shares: shares.reported(&self.names, Signal::PARTIES),
        }
    }
}
