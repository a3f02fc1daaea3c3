//! DualPI2, a coupled dual-queue AQM (RFC 9332, appendix A): packets of scalable congestion
//! controls (L4S, by ECT(1) or CE) wait in a queue of their own, whose delay is kept around a
//! millisecond, and all others in a classic one under PI². One controller serves both, so that
//! flows in either queue have about the same rate.
//!
//! Where the RFC leaves a choice, or this differs:
//!
//! | | here | elsewhere |
//! |---|---|---|
//! | native AQM of the low-latency queue | a step at 1 ms | A.1: a ramp from 0.8 to 1.2 ms; Linux: a step at 1 ms |
//! | packets that are never marked by the step | those behind which nothing waits in their queue | A.1: `Th_len`, one packet |
//! | scheduler | the low-latency queue first, the classic one at least 1/16 | A.1: any; Linux: 1/10 |
//! | choices | as even as possible (`recur`): nothing is drawn at random | Linux: at random |
//! | overload | drops in both queues from p_CL = 100 % on (A.2) | |
//! | delay of a queue | time for which its first packet has waited | A.1 likewise |
//! | last packet | never dropped, so that the line is not idle | A.1: may be dropped |

mod law;

use netloom_units::{Duration, Probability, Rate, Time};
use serde::{Deserialize, Serialize};

use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::Room;
use super::store::Store;
use crate::statistics::AqmState;
use crate::{DropReason, Ecn, Frame, FrameInfo};
use law::{Choices, Clock, Controller, Credit, Fate};

/// Shortest `update`. It bounds the work of the controller, which may have to perform all steps
/// between two calls.
const SHORTEST_UPDATE: Duration = Duration::from_micros(100);

/// Parameters of `dualpi2`. The defaults are those of RFC 9332, appendix A.1, for round trips of up
/// to 100 ms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DualPi2Config {
    /// Queueing delay that the controller aims at in the classic queue (default `15ms`).
    pub target: Duration,
    /// Time between two steps of the controller, which happen at whole multiples of it (default
    /// `15ms`, at least `100us`).
    pub update: Duration,
    /// Weight of the distance from the target, in 1/s (default `0.15`).
    pub alpha: f64,
    /// Weight of the trend of the delay, in 1/s (default `3`).
    pub beta: f64,
    /// k, the coupling: the low-latency queue marks with `k` times the square root of the classic
    /// queue's probability (default `2`, at least 1).
    pub coupling: f64,
    /// Waiting time in the low-latency queue above which every packet is marked (default `1ms`).
    pub step: Duration,
    /// Share of the line that the classic queue has at least while both queues wait (default
    /// `6.25%`, at most `50%`).
    pub classic_share: Probability,
}

impl Default for DualPi2Config {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            update: Duration::from_millis(15),
            alpha: 0.15,
            beta: 3.0,
            coupling: 2.0,
            step: Duration::from_millis(1),
            classic_share: Probability::new(1.0 / 16.0).expect("a sixteenth is a probability"),
        }
    }
}

impl DualPi2Config {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.update < SHORTEST_UPDATE {
            let update = self.update;
            return Err(format!(
                "`update` of DualPI2 is at least {SHORTEST_UPDATE}, not {update}; its default is \
                 `15ms`"
            ));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("`{name}` of DualPI2 is a number from 0 on, not {value}"));
            }
        }
        if !(self.coupling.is_finite() && self.coupling >= 1.0) {
            let coupling = self.coupling;
            return Err(format!(
                "`coupling` of DualPI2 is a number from 1 on, not {coupling}; its default is 2"
            ));
        }
        let share = self.classic_share;
        if share.value() > 0.5 {
            return Err(format!("`classic_share` of DualPI2 is at most 50%, not {share}"));
        }
        Ok(())
    }

    /// p_Cmax = min(1/k², 1): likelihood in the classic queue at which marks in the other one are
    /// saturated.
    fn most_classic(&self) -> f64 {
        (self.coupling * self.coupling).recip().min(1.0)
    }
}

/// The two queues of the discipline.
#[derive(Debug)]
pub(super) struct DualPi2<F> {
    config: DualPi2Config,
    low_latency: Store<F>,
    classic: Store<F>,
    controller: Controller,
    clock: Clock,
    credit: Credit,
    choices: [Choices; 2],
}

/// Indices of the queues in `choices`.
const LOW_LATENCY: usize = 0;
const CLASSIC: usize = 1;

impl<F: Frame> DualPi2<F> {
    pub fn new(config: DualPi2Config) -> Self {
        Self {
            config,
            low_latency: Store::default(),
            classic: Store::default(),
            controller: Controller::default(),
            clock: Clock::default(),
            credit: Credit::default(),
            choices: [Choices::default(); 2],
        }
    }

    /// Performs the controller's steps up to `now`. Nothing departs between two calls of the queue,
    /// so the first packets are the same at each step.
    fn catch_up(&mut self, now: Time) {
        (self.controller, self.clock) = self.controlled_at(now);
    }

    /// Returns the controller and its clock after the steps up to `now`.
    fn controlled_at(&self, now: Time) -> (Controller, Clock) {
        let Self { config, low_latency, classic, .. } = self;
        let (mut controller, mut clock) = (self.controller, self.clock);
        let first = [low_latency, classic].map(|queue| queue.iter().next());
        let oldest = first.into_iter().flatten().map(|waiting| waiting.offered).min();
        clock.catch_up(now, config.update, |at| {
            let before = controller;
            let delay = oldest.map_or(Duration::ZERO, |offered| at.since(offered.min(at)));
            controller.step(config, delay);
            oldest.is_some() || controller != before
        });
        (controller, clock)
    }

    /// Appends a frame to its queue (A.1, `dualpi2_enqueue`).
    fn push(&mut self, waiting: Queued<F>) {
        let ecn = waiting.frame.header().map(|header| header.ecn);
        match ecn {
            Some(Ecn::Capable1 | Ecn::Congestion) => self.low_latency.push(waiting),
            _ => self.classic.push(waiting),
        }
    }

    /// Removes the next frame. Returns it with its fate.
    fn take(&mut self, now: Time) -> Option<(Queued<F>, Fate)> {
        let classic_turn = match self.classic.head_line_bytes() {
            None => {
                self.credit.forfeit();
                false
            }
            Some(bytes) => self.low_latency.is_empty() || self.credit.covers(bytes),
        };
        let Self { config, controller, choices, .. } = self;
        if classic_turn {
            let waiting = self.classic.pop()?;
            if !self.low_latency.is_empty() {
                self.credit.spend(waiting.line_bytes);
            }
            let fate = controller.classic_fate(config, &mut choices[CLASSIC]);
            return Some((waiting, fate));
        }
        let waiting = self.low_latency.pop()?;
        if !self.classic.is_empty() {
            self.credit.earn(waiting.line_bytes, config.classic_share.value());
        }
        let over = now.since(waiting.offered) > config.step && !self.low_latency.is_empty();
        let fate = controller.low_latency(config, over, &mut choices[LOW_LATENCY]);
        Some((waiting, fate))
    }
}

impl<F: Frame> QueueDiscipline<F> for DualPi2<F> {
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Queued<F>,
        room: Room,
        _effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        self.catch_up(now);
        if !room.admits(self.backlog(), &waiting) {
            return Err((waiting, DropReason::QueueFull));
        }
        self.push(waiting);
        Ok(())
    }

    /// `dualpi2_dequeue` in A.2.
    fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Queued<F>> {
        self.catch_up(now);
        loop {
            let (mut waiting, fate) = self.take(now)?;
            let is_last = self.backlog().frames == 0;
            let dropped = match fate {
                Fate::Pass => false,
                Fate::Mark => {
                    effects.mark(&mut waiting);
                    false
                }
                Fate::MarkOrDrop => !effects.mark(&mut waiting),
                Fate::Drop => true,
            };
            if !dropped || is_last {
                return Some(waiting);
            }
            effects.drop(now, waiting, DropReason::Aqm);
        }
    }

    fn backlog(&self) -> Backlog {
        let (one, other) = (self.low_latency.backlog(), self.classic.backlog());
        Backlog {
            frames: one.frames + other.frames,
            bytes: one.bytes + other.bytes,
            line_bytes: one.line_bytes + other.line_bytes,
        }
    }

    fn state(&self, now: Time, _rate: Option<Rate>) -> Option<AqmState> {
        let (controller, _) = self.controlled_at(now);
        let (probability, coupled) = (controller.classic(), controller.coupled(&self.config));
        let (probability, coupled) = (Some(probability), Some(coupled));
        Some(AqmState { probability, coupled, ..AqmState::default() })
    }

    fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        self.low_latency.drain(into);
        self.classic.drain(into);
        self.credit.forfeit();
    }

    fn adopt(&mut self, _now: Time, waiting: Queued<F>) {
        self.push(waiting);
    }

    fn configure(&mut self, now: Time, discipline: &Discipline) -> bool {
        let Discipline::DualPi2(config) = discipline else { return false };
        self.catch_up(now);
        self.config = *config;
        self.clock.restart(now, config.update);
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.low_latency.reframe(line_bytes);
        self.classic.reframe(line_bytes);
    }
}
