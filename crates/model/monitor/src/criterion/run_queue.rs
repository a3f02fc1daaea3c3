//! For how much of the time a task of a node had waited for a CPU for longer than is tolerated, for each node:
//! what comes to the node at any moment, a frame or a timer, waits so long with that probability. (The
//! percentile of the waits themselves would not say: a task that waits for 20 ms once a second and for nothing
//! a thousand times has a good percentile and is late for 2 % of what comes, and one that waits twice a second
//! has a bad one through a single wait.)
//!
//! What comes at `t` to a task that waits from `b` to `e` waits longer than the tolerance `τ` if `b ≤ t ≤ e − τ`, and, of
//! a task that was `c` late with its work at `b`, if `b ≤ t ≤ e − max(τ − c, 0)`. So a window has the time that these
//! intervals of all tasks cover together, each moment once, at the time at which that is told; of a wait that is longer
//! than the window, no more than fits into one.
//!
//! Through whom: who had the CPU while the task waited.
//!
//! A task that is preempted again and again, for less than the tolerance each time, is later and later. How late, the
//! observer says: by what it has waited since it slept last, less what it has run after that.

use netloom_units::{Duration, Time};

use super::Quiet;
use super::parts::Many;
use crate::criteria::Delays;
use crate::names::Place;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};
use crate::window::{Covered, SumWindow};

#[derive(Debug, Clone)]
pub(crate) struct RunQueues {
    criteria: Delays,
    parties: Many<Party, RunQueue>,
}

#[derive(Debug, Clone)]
struct RunQueue {
    window: SumWindow,
    /// When a task had to wait for longer than is tolerated.
    covered: Covered,
}

made_of!(RunQueues: parties);
made_of!(RunQueue: window);

impl Quiet for RunQueue {
    fn quiet(&self) -> Time {
        self.window.quiet()
    }
}

impl RunQueues {
    pub fn new(criteria: &Delays) -> Self {
        Self { criteria: criteria.clone(), parties: Many::new() }
    }

    /// That of a place, if something was observed there.
    pub fn tracker(&self, place: Place) -> Option<&Tracker> {
        let Place::RunQueue(party) = place else { return None };
        self.parties.get(&party).map(|queue| &queue.window.tracker)
    }

    /// A task waited, from and until so long ago, and was late with its work before by `carried`; meanwhile the CPU was
    /// another's.
    pub fn waited(
        &mut self,
        at: Time,
        party: Party,
        (began, ended): (Duration, Duration),
        carried: Duration,
        by: Party,
        out: &mut Outbox,
    ) {
        let from = before(at, began.min(self.criteria.window));
        let to = before(at, ended + self.criteria.tolerance().saturating_sub(carried));
        let forgotten = before(at, self.criteria.window);
        self.change(party, |queue| {
            queue.covered.forget_before(forgotten);
            let new = queue.covered.add(from, to);
            queue.add(at, by, new.as_nanos(), out);
        });
    }

    /// So many tasks waited for so long, at times that are not known, and for whom is not either.
    pub fn waited_about(
        &mut self,
        at: Time,
        party: Party,
        delay: Duration,
        times: u64,
        out: &mut Outbox,
    ) {
        let beyond = delay.saturating_sub(self.criteria.tolerance()).as_nanos();
        let beyond = beyond.saturating_mul(times);
        self.change(party, |queue| queue.add(at, Party::Unattributed, beyond, out));
    }

    fn change(&mut self, party: Party, change: impl FnOnce(&mut RunQueue)) {
        let criteria = &self.criteria;
        let new = || RunQueue { window: window(party, criteria), covered: Covered::default() };
        self.parties.change(party, new, change);
    }
}

impl RunQueue {
    fn add(&mut self, at: Time, by: Party, beyond: u64, out: &mut Outbox) {
        // That nobody waited is worth one entry a time.
        if beyond > 0 || self.window.last() < Some(at) {
            self.window.add(at, by, beyond, Duration::ZERO, out);
        }
    }
}

/// So long before a time; the beginning at most.
fn before(at: Time, ago: Duration) -> Time {
    Time::from_nanos(at.as_nanos().saturating_sub(ago.as_nanos()))
}

/// A window of nanoseconds: contended above the limit, from the next whole nanosecond on.
fn window(party: Party, criteria: &Delays) -> SumWindow {
    let nanos = criteria.window.as_nanos() as f64;
    let limit = (Delays::PART * nanos).floor() as u64 + 1;
    let tracker = Tracker::new(SignalKind::RunQueue, Place::RunQueue(party), Some(Delays::PART));
    SumWindow::new(tracker, criteria.window, Some(limit), 1.0 / nanos)
}
