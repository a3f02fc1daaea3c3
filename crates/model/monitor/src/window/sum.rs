//! Sum of the amounts in a sliding window, and when it is too much.
//!
//! The amount of an interval counts while the whole interval is in the window. An interval at least
//! as long as the window cannot slide. Its amount, spread evenly, is compared with the limit in
//! proportion: if it reaches the proportion, some window within the interval reached the limit.

use netloom_units::{Duration, Time};

use super::Window;
use crate::party::Party;
use crate::shares::Shares;
use crate::tracker::{Outbox, Tracker};

/// A sliding sum with a limit.
#[derive(Debug, Clone)]
pub(crate) struct SumWindow {
    pub tracker: Tracker,
    window: Window<Entry>,
    sum: u64,
    /// The smallest sum that is too much; `None` if no sum is.
    limit: Option<u64>,
    /// The value of one unit in the window, in the signal's unit.
    worth: f64,
    interval: Option<Interval>,
    /// Until when a tick has no effect. With a thousand windows, most ticks check nothing else.
    quiet: Time,
}

#[derive(Debug, Clone)]
struct Entry {
    party: Party,
    amount: u64,
    /// Whether the entry counts in an episode already.
    counted: bool,
}

/// The amounts of all parties, as far as reported, of one interval that is no shorter than the
/// window.
#[derive(Debug, Clone)]
struct Interval {
    over: Duration,
    to: Time,
    shares: Shares,
    held: bool,
}

impl SumWindow {
    pub fn new(tracker: Tracker, length: Duration, limit: Option<u64>, worth: f64) -> Self {
        let (window, sum, interval, quiet) = (Window::new(length), 0, None, Time::MIN);
        Self { tracker, window, sum, limit, worth, interval, quiet }
    }

    /// Adds an amount of the time `at`, or of the interval `over` that ended then.
    pub fn add(&mut self, at: Time, party: Party, amount: u64, over: Duration, out: &mut Outbox) {
        self.tick(at, out);
        if over >= self.window.length {
            self.add_interval(at, party, amount, over, out);
        } else {
            self.add_event(at, party, amount, over, out);
        }
        self.quiet = self.next_change(at);
    }

    fn add_event(&mut self, at: Time, party: Party, amount: u64, over: Duration, out: &mut Outbox) {
        // An amount that comes while contention holds counts at once. Those in the window when
        // contention begins count then.
        let holding = self.tracker.is_holding();
        let alike = |entry: &&mut Entry| (entry.party, entry.counted) == (party, holding);
        // One look may report a thousand waits of the same node.
        let at = match self.window.fellow(at, over).filter(alike) {
            Some(entry) => {
                entry.amount = entry.amount.saturating_add(amount);
                self.window.last().unwrap_or(at)
            }
            None => self.window.push(at, over, Entry { party, amount, counted: holding }),
        };
        self.sum = self.sum.saturating_add(amount);
        self.tracker.measure(self.value());
        if !self.is_too_much() {
            return;
        }
        self.tracker.hold(at, at, self.value(), out);
        if holding {
            self.tracker.add(party, amount);
            return;
        }
        for (_, entry) in self.window.entries.iter_mut().filter(|(_, entry)| !entry.counted) {
            entry.counted = true;
            self.tracker.add(entry.party, entry.amount);
        }
    }

    fn add_interval(
        &mut self,
        to: Time,
        party: Party,
        amount: u64,
        over: Duration,
        out: &mut Outbox,
    ) {
        let from = to - over;
        // The length tells intervals apart that began before the experiment's zero.
        let same = self.interval.take().filter(|known| (known.over, known.to) == (over, to));
        let shares = Shares::default();
        let mut interval = same.unwrap_or(Interval { over, to, shares, held: false });
        interval.shares.add(party, amount);
        let scale = self.window.length.as_nanos() as f64 / over.as_nanos() as f64;
        let total = interval.shares.total();
        let value = total as f64 * scale * self.worth;
        self.tracker.saw(value);
        if self.is_too_much_in(total, over) {
            if interval.held {
                self.tracker.add(party, amount);
            } else {
                self.tracker.held(from, to, value, out);
                self.tracker.add_all(&interval.shares);
                interval.held = true;
            }
        }
        self.interval = Some(interval);
    }

    /// Moves the window to `now`, and reports contention that ended on the way.
    pub fn tick(&mut self, now: Time, out: &mut Outbox) {
        if now < self.quiet {
            return;
        }
        while let Some(at) = self.window.next_leave().filter(|at| *at <= now) {
            while let Some(entry) = self.window.leave(at) {
                self.sum -= entry.amount;
            }
            self.tracker.measure(self.value());
            if !self.is_too_much() {
                self.tracker.release(at);
            }
        }
        self.tracker.extend(now);
        self.tracker.lapse(now, out);
        self.quiet = self.next_change(now);
    }

    /// Until when a tick has no effect, after one at `now`.
    fn next_change(&self, now: Time) -> Time {
        if self.tracker.is_holding() {
            return now + Duration::from_nanos(1);
        }
        let next = self.window.next_leave().into_iter().chain(self.tracker.next_lapse()).min();
        next.unwrap_or(Time::MAX)
    }

    /// Until when a tick has no effect.
    pub fn quiet(&self) -> Time {
        self.quiet
    }

    /// Time of the last addition that is shorter than the window.
    pub fn last(&self) -> Option<Time> {
        self.window.last()
    }

    fn value(&self) -> f64 {
        self.sum as f64 * self.worth
    }

    fn is_too_much(&self) -> bool {
        self.limit.is_some_and(|limit| self.sum >= limit)
    }

    /// Whether `amount` in the time `over` is at least as dense as the limit in a window. A limit
    /// of one is reached by any amount.
    fn is_too_much_in(&self, amount: u64, over: Duration) -> bool {
        let dense = |limit: u64| {
            u128::from(amount) * u128::from(self.window.length.as_nanos())
                >= u128::from(limit) * u128::from(over.as_nanos())
        };
        self.limit.is_some_and(|limit| dense(limit) || (limit == 1 && amount > 0))
    }
}
