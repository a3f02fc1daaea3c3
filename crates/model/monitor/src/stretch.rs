//! Continuous conditions: something is busy without a break (Maier 2011, Eqs. 4.2 and 4.4). Tested on every
//! event and on a timer, so that a stretch which ends in silence, or never, is seen.

use netloom_units::{Duration, Time};

use crate::observation::BusyStretch;
use crate::party::Party;
use crate::shares::Shares;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    pub tracker: Tracker,
    longest: Duration,
    /// Since when it has been busy, if it is.
    since: Option<Time>,
    /// Its number, if it was told with one.
    number: u64,
    /// Until when it is known what it did.
    known: Time,
    /// Who used it since then, while that is no episode yet.
    shares: Shares,
}

impl Stretch {
    pub fn new(tracker: Tracker, longest: Duration) -> Self {
        Self {
            tracker,
            longest,
            since: None,
            number: 0,
            known: Time::ZERO,
            shares: Shares::default(),
        }
    }

    pub fn is_busy(&self) -> bool {
        self.since.is_some()
    }

    /// Busy from `at` on, if it was not before.
    pub fn busy(&mut self, at: Time) {
        if self.since.is_none() {
            self.since = Some(at);
            self.shares.clear();
        }
    }

    /// Still busy at `at`, if it was before.
    pub fn still(&mut self, at: Time, out: &mut Outbox) {
        self.tracker.lapse(at, out);
        let Some(since) = self.since else { return };
        let length = at.since(since);
        self.tracker.measure(length.as_nanos() as f64);
        if length >= self.longest {
            self.tracker.hold(since, at, length.as_nanos() as f64, out);
            self.tracker.add_all(&self.shares);
            self.shares.clear();
        }
    }

    /// Idle from `at` on.
    pub fn idle(&mut self, at: Time, out: &mut Outbox) {
        self.still(at, out);
        self.since = None;
        self.tracker.release(at);
        self.tracker.measure(0.0);
    }

    /// Who used it while it was busy.
    #[inline]
    pub fn add(&mut self, party: Party, amount: u64) {
        if self.tracker.is_holding() {
            self.tracker.add(party, amount);
        } else {
            self.shares.add(party, amount);
        }
    }

    /// What it did in the time `over` that ended at `at`. Without an idle moment that goes on with the
    /// stretch before; a gap between two intervals may have had one.
    pub fn interval(&mut self, at: Time, over: Duration, idle: Duration, out: &mut Outbox) {
        let from = at - over;
        if idle > Duration::ZERO {
            // Until then it was busy; of the interval itself that cannot be told.
            self.idle(self.known, out);
        } else {
            if from > self.known {
                self.idle(self.known, out);
            }
            let from = from.max(self.known);
            self.busy(from);
            self.add(Party::Unattributed, at.since(from).as_nanos());
            self.still(at, out);
        }
        self.known = self.known.max(at);
        self.tracker.lapse(at, out);
    }

    /// What is told of a stretch. One with another number than the last shows that the last is over, though
    /// not when: it lasted at least until it was told.
    pub fn told(&mut self, at: Time, told: &BusyStretch, out: &mut Outbox) {
        let from = at - told.began;
        let to = (at - told.ended.unwrap_or_default()).max(from).max(self.known);
        if self.is_busy() && self.number != told.number {
            self.idle(self.known, out);
        }
        self.number = told.number;
        self.busy(from);
        for (party, amount) in &told.by {
            self.add(*party, *amount);
        }
        self.still(to, out);
        if told.ended.is_some() {
            self.idle(to, out);
        }
        self.known = to;
        self.tracker.lapse(at, out);
    }

    /// Time has come to `now`. Where events are observed, silence means that what was goes on; where
    /// intervals are, nothing is known after the last.
    pub fn tick(&mut self, now: Time, events: bool, out: &mut Outbox) {
        if events {
            self.still(now, out);
        }
        self.tracker.lapse(now, out);
    }
}
