//! Controlled delay (RFC 8289): frames are dropped on their way out while their waiting time stays
//! above a target. The control law is separate from the queue, because `fq_codel` has one for each
//! flow.

use netloom_units::{Duration, Rate, Time};
use serde::{Deserialize, Serialize};

use super::class_queue::InClass;
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::Room;
use super::store::Store;
use crate::statistics::AqmState;
use crate::{DropReason, Frame, FrameInfo};

/// Parameters of `codel`. The defaults are those of RFC 8289, sections 4.2 and 4.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CodelConfig {
    /// Waiting time that is acceptable indefinitely (default `5ms`).
    pub target: Duration,
    /// Time for which the waiting time may stay above the target before the first drop; about the
    /// longest round-trip time in use (default `100ms`).
    pub interval: Duration,
    /// Whether ECN-capable packets are marked instead of dropped (default `true`).
    pub ecn: bool,
    /// Waiting time above which every ECN-capable packet is marked on its way out, beside what
    /// CoDel does and whatever `ecn` is (default none). A step mark for DCTCP and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<Duration>,
}

impl Default for CodelConfig {
    fn default() -> Self {
        let (target, interval) = (Duration::from_millis(5), Duration::from_millis(100));
        Self { target, interval, ecn: true, ce_threshold: None }
    }
}

impl CodelConfig {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.interval == Duration::ZERO {
            return Err("`interval` of CoDel is longer than 0; its default is `100ms`".into());
        }
        Ok(())
    }
}

/// The control law, which decides which frames of one queue are dropped as they leave it.
#[derive(Debug, Clone, Default)]
pub(super) struct Control {
    dropping: bool,
    /// Number of drops since the dropping state was entered.
    count: u32,
    /// Value of `count` when the dropping state was entered last.
    last_count: u32,
    /// Time of the next drop in the dropping state.
    next_drop: Time,
    /// Time at which the waiting time will have been above the target for an interval.
    first_above: Option<Time>,
}

/// Length of the largest frame so far, in bytes on the line.
///
/// If at most one full-size frame is left in the queue, a frame leaves regardless of its waiting
/// time, so CoDel never leaves the line idle (RFC 8289, section 5.6). The full size is that of the
/// largest frame so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LargestSeen(u64);

impl LargestSeen {
    pub fn see(&mut self, line_bytes: u64) {
        self.0 = self.0.max(line_bytes);
    }
}

/// A frame that has just been taken from the queue, and the bytes on the line that wait behind it.
pub(super) type Taken<F> = (Queued<F>, u64);

impl Control {
    /// Returns the next frame to send, marked if it waited longer than `ce_threshold`. `take` takes
    /// frames from the queue.
    pub fn dequeue<F: Frame>(
        &mut self,
        now: Time,
        config: &CodelConfig,
        largest: LargestSeen,
        effects: &mut Effects<F>,
        take: impl FnMut() -> Option<Taken<F>>,
    ) -> Option<Queued<F>> {
        let mut next = self.next(now, config, largest, effects, take)?;
        let waited = now.since(next.offered);
        if config.ce_threshold.is_some_and(|threshold| waited > threshold) && !next.marked {
            effects.mark(&mut next);
        }
        Some(next)
    }

    fn next<F: Frame>(
        &mut self,
        now: Time,
        config: &CodelConfig,
        largest: LargestSeen,
        effects: &mut Effects<F>,
        mut take: impl FnMut() -> Option<Taken<F>>,
    ) -> Option<Queued<F>> {
        let Some((mut waiting, mut due)) = self.judge(now, config, largest, take()) else {
            self.dropping = false;
            return None;
        };
        if self.dropping {
            if !due {
                self.dropping = false;
            }
            while self.dropping && now >= self.next_drop {
                self.count = self.count.saturating_add(1);
                if config.ecn && effects.mark(&mut waiting) {
                    self.next_drop = self.after(self.next_drop, config);
                    break;
                }
                effects.drop(now, waiting, DropReason::Aqm);
                (waiting, due) = match self.judge(now, config, largest, take()) {
                    Some(next) => next,
                    None => {
                        self.dropping = false;
                        return None;
                    }
                };
                if due {
                    self.next_drop = self.after(self.next_drop, config);
                } else {
                    self.dropping = false;
                }
            }
        } else if due {
            self.begin(now, config);
            if !(config.ecn && effects.mark(&mut waiting)) {
                effects.drop(now, waiting, DropReason::Aqm);
                (waiting, _) = self.judge(now, config, largest, take())?;
            }
        }
        Some(waiting)
    }

    /// Number of drops and marks since the dropping state was entered; 0 outside of it.
    pub fn drops(&self) -> u32 {
        if self.dropping { self.count } else { 0 }
    }

    /// Enters the dropping state. If it was left less than 16 intervals ago, the drop rate that was
    /// appropriate then is resumed (section 5.5).
    fn begin(&mut self, now: Time, config: &CodelConfig) {
        self.dropping = true;
        let drops = self.count.saturating_sub(self.last_count);
        let recent = now.since(self.next_drop).as_nanos() / 16 < config.interval.as_nanos();
        self.count = if drops > 1 && recent { drops } else { 1 };
        self.next_drop = self.after(now, config);
        self.last_count = self.count;
    }

    /// Decides whether `taken` should be dropped because of its waiting time (`dodequeue` in the
    /// RFC).
    fn judge<F>(
        &mut self,
        now: Time,
        config: &CodelConfig,
        largest: LargestSeen,
        taken: Option<Taken<F>>,
    ) -> Option<(Queued<F>, bool)> {
        let Some((waiting, behind)) = taken else {
            self.first_above = None;
            return None;
        };
        if now.since(waiting.offered) < config.target || behind <= largest.0 {
            self.first_above = None;
            return Some((waiting, false));
        }
        let first_above = *self.first_above.get_or_insert(now + config.interval);
        Some((waiting, now >= first_above))
    }

    /// The control law: the next drop comes interval / √count after the last one.
    fn after(&self, last: Time, config: &CodelConfig) -> Time {
        let step = config.interval.as_nanos() as f64 / f64::from(self.count.max(1)).sqrt();
        last + Duration::from_nanos(step as u64)
    }
}

/// The queue of the discipline.
#[derive(Debug)]
pub(super) struct Codel<F> {
    config: CodelConfig,
    store: Store<F>,
    control: Control,
    largest: LargestSeen,
}

impl<F> Codel<F> {
    pub fn new(config: CodelConfig) -> Self {
        let (control, largest) = (Control::default(), LargestSeen::default());
        Self { config, store: Store::default(), control, largest }
    }
}

impl<F: Frame> QueueDiscipline<F> for Codel<F> {
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Queued<F>,
        room: Room,
        _effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        if !room.admits(self.store.backlog(), &waiting) {
            return Err((waiting, DropReason::QueueFull));
        }
        self.adopt(now, waiting);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Queued<F>> {
        let store = &mut self.store;
        self.control.dequeue(now, &self.config, self.largest, effects, || {
            let waiting = store.pop()?;
            Some((waiting, store.backlog().line_bytes))
        })
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }

    fn state(&self, _now: Time, _rate: Option<Rate>) -> Option<AqmState> {
        Some(AqmState { count: Some(self.control.drops()), ..AqmState::default() })
    }

    fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        self.store.drain(into);
    }

    fn adopt(&mut self, _now: Time, waiting: Queued<F>) {
        self.largest.see(waiting.line_bytes);
        self.store.push(waiting);
    }

    fn configure(&mut self, _now: Time, discipline: &Discipline) -> bool {
        let Discipline::Codel(config) = discipline else { return false };
        self.config = *config;
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.store.reframe(line_bytes);
    }
}

impl<F: Frame> InClass<F> for Codel<F> {
    fn head_line_bytes(&self) -> Option<u64> {
        self.store.head_line_bytes()
    }

    fn give_up(&mut self) -> Option<Queued<F>> {
        self.store.pop_newest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 5.5 (`deque`): a queue that becomes empty ends the dropping state.
    #[test]
    fn an_empty_queue_ends_the_dropping_state() {
        let mut control = Control { dropping: true, count: 7, ..Control::default() };
        let config = CodelConfig::default();
        let mut effects = Effects::<u64>::default();
        let now = Time::from_nanos(1);
        let next = control.dequeue(now, &config, LargestSeen(1514), &mut effects, || None);
        assert!(next.is_none() && !control.dropping && control.first_above.is_none());
        assert_eq!(control.count, 7, "it may be resumed");
    }
}
