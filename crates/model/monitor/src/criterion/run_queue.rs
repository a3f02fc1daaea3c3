//! Part of the time during which a task of a node had waited for a CPU for longer than tolerated,
//! for each node. It is the probability that a frame or a timer that comes to the node at any
//! moment has to wait so long.
//!
//! The percentile of the waits would not show this. A task that waits for 20 ms once a second, and
//! for nothing a thousand times, has a good percentile and is late for 2 % of what comes. A task
//! that waits twice a second has a bad percentile through a single wait.
//!
//! An event at `t`, for a task that waits from `b` to `e`, waits longer than the tolerance `τ` if
//! `b ≤ t ≤ e − τ`. If the task was already late by `c` at `b`, the condition is
//! `b ≤ t ≤ e − max(τ − c, 0)`. So a window sums up the time that these intervals of all tasks
//! cover together. Each moment counts once, at the time of the report. Of a wait that is longer
//! than the window, only as much as fits into one window counts.
//!
//! Shares belong to the parties that held the CPU while the task waited.
//!
//! A task that is preempted again and again, for less than the tolerance each time, gets later and
//! later. The observer reports how late: by how long the task has waited since it last slept, less
//! how long it has run after that.

use netloom_units::{Duration, Time};

use super::Quiet;
use super::parts::Many;
use crate::criteria::Delays;
use crate::names::ResourceId;
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
    /// When a task had to wait for longer than tolerated.
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

    /// The tracker of a place, if something was observed there.
    pub fn tracker(&self, place: ResourceId) -> Option<&Tracker> {
        let ResourceId::RunQueue(party) = place else { return None };
        self.parties.get(&party).map(|queue| &queue.window.tracker)
    }

    /// Takes a wait of a task: it began and ended so long before `at`. The task was late by
    /// `carried` before it, and `by` held the CPU meanwhile.
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

    /// Takes `times` waits of the length `delay`. Neither their times nor the holder of the CPU are
    /// known.
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
        // A report that nobody waited needs only one entry for each time.
        if beyond > 0 || self.window.last() < Some(at) {
            self.window.add(at, by, beyond, Duration::ZERO, out);
        }
    }
}

/// The time `ago` before `at`, but not before zero.
fn before(at: Time, ago: Duration) -> Time {
    at - ago
}

/// A window of nanoseconds. Contention holds above the limit, from the next whole nanosecond on.
fn window(party: Party, criteria: &Delays) -> SumWindow {
    let nanos = criteria.window.as_nanos() as f64;
    let limit = (Delays::PART * nanos).floor() as u64 + 1;
    let tracker =
        Tracker::new(SignalKind::RunQueue, ResourceId::RunQueue(party), Some(Delays::PART));
    SumWindow::new(tracker, criteria.window, Some(limit), 1.0 / nanos)
}
