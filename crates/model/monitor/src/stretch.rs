//! Continuous conditions: something is busy without a break (Maier 2011, Eqs. 4.2 and 4.4). They
//! are tested on every event and on a timer, so that a stretch that ends in silence, or never, is
//! detected.

use netloom_units::{Duration, Time};

use crate::observation::BusyStretch;
use crate::party::Party;
use crate::shares::Shares;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    pub tracker: Tracker,
    longest: Duration,
    /// The beginning of the stretch; `None` if idle.
    since: Option<Time>,
    /// The number of the stretch, if it was reported with one.
    number: u64,
    /// Until when the activity is known.
    known: Time,
    /// Shares of the stretch since then, until it becomes an episode.
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

    /// Busy from `at` on, if it was idle before.
    pub fn busy(&mut self, at: Time) {
        if self.since.is_none() {
            self.since = Some(at);
            self.shares.clear();
        }
    }

    /// Still busy at `at`, if it was busy before.
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

    /// Adds a party's use while it was busy.
    #[inline]
    pub fn add(&mut self, party: Party, amount: u64) {
        if self.tracker.is_holding() {
            self.tracker.add(party, amount);
        } else {
            self.shares.add(party, amount);
        }
    }

    /// Takes the activity in the interval `over` that ended at `at`. An interval without an idle
    /// moment continues the stretch before it. A gap between two intervals may have had an idle
    /// moment.
    pub fn interval(&mut self, at: Time, over: Duration, idle: Duration, out: &mut Outbox) {
        let from = at - over;
        if idle > Duration::ZERO {
            // Until then it was busy. For the interval itself it is unknown when.
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

    /// Takes a reported stretch. A number that differs from the last one shows that the last
    /// stretch is over, though not when: it lasted at least until it was reported.
    pub fn reported(&mut self, at: Time, stretch: &BusyStretch, out: &mut Outbox) {
        let from = at - stretch.began;
        let to = (at - stretch.ended.unwrap_or_default()).max(from).max(self.known);
        if self.is_busy() && self.number != stretch.number {
            self.idle(self.known, out);
        }
        self.number = stretch.number;
        self.busy(from);
        for (party, amount) in &stretch.by {
            self.add(*party, *amount);
        }
        self.still(to, out);
        if stretch.ended.is_some() {
            self.idle(to, out);
        }
        self.known = to;
        self.tracker.lapse(at, out);
    }

    /// Advances time to `now`. If events are observed, silence means that the state has not
    /// changed. If intervals are observed, nothing is known after the last one.
    pub fn tick(&mut self, now: Time, events: bool, out: &mut Outbox) {
        if events {
            self.still(now, out);
        }
        self.tracker.lapse(now, out);
    }
}
