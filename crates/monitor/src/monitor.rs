//! The monitor: takes observations, tells signals, and judges.

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

use crate::criteria::Criteria;
use crate::criterion::{All, Criterion};
use crate::names::Names;
use crate::observation::Observation;
use crate::signal::{Signal, SignalKind};
use crate::tracker::{Notice, Outbox, Tracker, Use};
use crate::uses::Uses;
use crate::verdict::{Overhead, Verdict, judge};
use crate::watched::Watched;

/// Watches a run.
///
/// Call [`observe`] with everything that is observed, each probe's observations in the order of their
/// times; [`tick`] when [`next_tick`] says so, after all observations up to then; and [`poll_signal`] after
/// either, until it gives nothing. [`verdict`] may be asked at any time, and is final at the end.
///
/// [`observe`]: Monitor::observe
/// [`tick`]: Monitor::tick
/// [`next_tick`]: Monitor::next_tick
/// [`poll_signal`]: Monitor::poll_signal
/// [`verdict`]: Monitor::verdict
#[derive(Debug, Clone)]
pub struct Monitor {
    criteria: Criteria,
    all: All,
    names: Names,
    watched: Watched,
    uses: Uses,
    out: Outbox,
    signals: VecDeque<Signal>,
    from: Time,
    settled: Time,
    monitoring: Duration,
    notification: Duration,
}

/// What the monitor spends time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Observing and judging.
    Monitoring,
    /// Telling of it.
    Notification,
}

impl Monitor {
    /// A monitor that begins at `from`, in ns since the experiment's zero.
    pub fn new(criteria: Criteria, from: Time) -> Self {
        Self {
            all: All::new(&criteria),
            criteria,
            names: Names::default(),
            watched: Watched::default(),
            uses: Uses::default(),
            out: Outbox::new(),
            signals: VecDeque::new(),
            from,
            settled: from,
            monitoring: Duration::ZERO,
            notification: Duration::ZERO,
        }
    }

    /// Something was observed at `at`.
    pub fn observe(&mut self, at: Time, observation: &Observation) {
        match observation {
            Observation::Named { what, name } => self.names.set(*what, name),
            Observation::Watched { signal, probe, cannot_see } => {
                self.watched.watch(*signal, probe, cannot_see);
            }
            Observation::Unwatched { signal, probe, why } => {
                self.watched.unwatch(*signal, probe, why);
            }
            Observation::Threshold { signal, from } => self.watched.threshold(*signal, from),
            Observation::Settled => self.settle(at),
            Observation::Used { of, party, amount, over } => {
                let used = Use { from: at - *over, to: at, party: *party, amount: *amount };
                self.uses.add(*of, used);
            }
            other => self.all.observe(at, other, &self.names, &mut self.out),
        }
        if !self.out.is_empty() {
            self.tell();
        }
    }

    /// Time has come to `now`, and everything up to now has been observed.
    pub fn tick(&mut self, now: Time) {
        self.all.tick(now, &mut self.out);
        while let Some((of, used)) = self.uses.take_due(now) {
            self.weigh(of, &used);
        }
        self.tell();
    }

    /// When a tick is next of use, if nothing is observed before. May be past.
    pub fn next_tick(&self) -> Option<Time> {
        [self.all.next_tick(), self.uses.next_due()].into_iter().flatten().min()
    }

    /// The next signal that has not been told.
    pub fn poll_signal(&mut self) -> Option<Signal> {
        self.signals.pop_front()
    }

    /// The monitor's user spent time on it.
    pub fn spent(&mut self, work: Work, time: Duration) {
        match work {
            Work::Monitoring => self.monitoring += time,
            Work::Notification => self.notification += time,
        }
    }

    /// The verdict on the run until `now`, which is not before anything observed.
    pub fn verdict(&self, now: Time) -> Verdict {
        let mut ended = self.clone();
        ended.tick(now);
        for (of, used) in ended.uses.take_all().collect::<Vec<_>>() {
            ended.weigh(of, &used);
        }
        let mut signals = Vec::new();
        ended.all.visit(&mut |tracker| signals.push(tracker.report(&self.names)));
        let coverage = self.watched.coverage();
        let findings = judge(&signals, &coverage, &self.criteria);
        Verdict {
            judgement: findings.iter().map(|f| f.judgement).max().unwrap_or_default(),
            findings,
            from: self.from,
            settled: self.settled,
            to: now,
            signals,
            coverage,
            overhead: self.overhead(now),
        }
    }

    fn overhead(&self, now: Time) -> Overhead {
        let (monitoring, notification) = (self.monitoring, self.notification);
        let run = now.since(self.from).as_nanos();
        let share = (monitoring + notification).as_nanos() as f64 / run.max(1) as f64;
        Overhead {
            monitoring_ns: monitoring.as_nanos(),
            notification_ns: notification.as_nanos(),
            share,
        }
    }

    fn settle(&mut self, at: Time) {
        self.all.tick(at, &mut self.out);
        self.settled = at;
        let out = &mut self.out;
        self.all.visit_mut(&mut |tracker| tracker.settle(out));
    }

    fn weigh(&mut self, of: SignalKind, used: &Use) {
        self.all.visit_mut(&mut |tracker| {
            if tracker.signal == of {
                tracker.weigh(used);
            }
        });
    }

    fn tell(&mut self) {
        for notice in std::mem::take(&mut self.out) {
            let mut of = None;
            self.all.visit(&mut |tracker| {
                if (tracker.signal, tracker.place) == (notice.signal, notice.place) {
                    of = Some(tracker);
                }
            });
            let tracker = of.expect("a tracker that has told something is there");
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
            threshold: tracker.threshold.expect("what is told has a threshold"),
            shares: shares.told(&self.names, Signal::PARTIES),
        }
    }
}
