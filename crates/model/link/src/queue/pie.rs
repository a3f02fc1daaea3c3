//! Proportional integral controller enhanced (RFC 8033): arrivals are dropped with a probability
//! that a controller adjusts every `update`, so that the queueing delay meets a target.
//!
//! The queueing delay is the waiting time of the last departing frame (timestamps instead of
//! estimated rates, section 5.2). The options of section 5 that are included are ECN (5.1),
//! de-randomization (5.4), and the cap on steps (5.5). Not here: switching the controller off at
//! light load (5.3).
//!
//! Where implementations differ, or the RFC leaves a choice:
//!
//! | | here | elsewhere |
//! |---|---|---|
//! | mean packet, two of which always may wait | 1024 bytes, as in DOCSIS PIE (RFC 8034) | Linux: the MTU |
//! | ECN threshold | marks up to and including the threshold, as Linux | |
//! | arrivals that a safeguard or the burst allowance spares | not accumulated by the de-randomization, as in Linux | |
//! | burst allowance | shrinks by `update` at each step (4.3) | Linux: by the time between departures |
//! | decay without congestion | to 98 % at each step (4.2) | Linux: to 63/64 |
//! | delays above 250 ms | no special treatment | Linux: 2 % more at each step |
//! | delay while the last frame is on the line | the waiting time of that frame | Linux: 0 |

use netloom_units::{Duration, Probability, Rate, Time};
use serde::{Deserialize, Serialize};

use super::class_queue::InClass;
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::Room;
use super::store::Store;
use crate::statistics::AqmState;
use crate::{DropReason, Frame, FrameInfo, Stream};

/// Parameters of `pie`. The defaults are those of RFC 8033, sections 4.2, 4.3 and 5.1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PieConfig {
    /// Queueing delay that the controller aims at (default `15ms`).
    pub target: Duration,
    /// Time between two steps of the controller, which happen at whole multiples of it (default
    /// `15ms`, at least `100us`).
    pub update: Duration,
    /// Time for which a burst may last before anything is dropped (default `150ms`).
    pub max_burst: Duration,
    /// Weight of the distance from the target, in 1/s (default `0.125`).
    pub alpha: f64,
    /// Weight of the trend of the delay, in 1/s (default `1.25`).
    pub beta: f64,
    /// Whether ECN-capable packets are marked instead of dropped (default `true`), as long as the
    /// drop probability is at most `ecn_threshold`.
    pub ecn: bool,
    /// Drop probability above which packets are dropped even if they are ECN-capable (default
    /// `10%`).
    pub ecn_threshold: Probability,
    /// Whether drops are kept from being too close together or too far apart (default `true`).
    pub derandomize: bool,
}

impl Default for PieConfig {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            update: Duration::from_millis(15),
            max_burst: Duration::from_millis(150),
            alpha: 0.125,
            beta: 1.25,
            ecn: true,
            ecn_threshold: Probability::new(0.1).expect("a tenth is a probability"),
            derandomize: true,
        }
    }
}

impl PieConfig {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.update < SHORTEST_UPDATE {
            let update = self.update;
            return Err(format!(
                "`update` of PIE is at least {SHORTEST_UPDATE}, not {update}; its default is `15ms`"
            ));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("`{name}` of PIE is a number from 0 on, not {value}"));
            }
        }
        Ok(())
    }

    /// Returns the number of the last step of the controller at or before `now`.
    fn step_at(&self, now: Time) -> u64 {
        now.as_nanos() / self.update.as_nanos().max(1)
    }
}

/// Shortest `update`. It bounds the work of the controller, which may have to perform all steps
/// between two calls.
const SHORTEST_UPDATE: Duration = Duration::from_micros(100);

/// Bytes on the line up to which arrivals are never dropped: two packets of the mean size (section
/// 4.1).
const SMALL_QUEUE: u64 = 2 * 1024;

/// Bounds of the accumulated probability between two drops (section 5.4).
const ACCUMULATED: std::ops::Range<f64> = 0.85..8.5;

/// The controller. Its state changes at whole multiples of `update`, and by departures.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Controller {
    drop_probability: f64,
    /// Waiting time of the last departing frame; zero since the queue became empty.
    delay: Duration,
    /// Value of `delay` at the last step.
    old_delay: Duration,
    burst_allowance: Duration,
}

impl Controller {
    fn new(config: &PieConfig) -> Self {
        let (delay, old_delay) = (Duration::ZERO, Duration::ZERO);
        Self { drop_probability: 0.0, delay, old_delay, burst_allowance: config.max_burst }
    }

    /// Performs one step (sections 4.2, 4.3, 5.5).
    fn step(&mut self, config: &PieConfig) {
        let [delay, old, target] =
            [self.delay, self.old_delay, config.target].map(Duration::as_secs_f64);
        let p = self.drop_probability;
        let mut change = config.alpha * (delay - target) + config.beta * (delay - old);
        change *= tuning(p);
        if p >= 0.1 {
            change = change.min(0.02);
        }
        let mut p = p + change;
        if delay == 0.0 && old == 0.0 {
            p *= 0.98;
        }
        self.drop_probability = p.clamp(0.0, 1.0);
        self.burst_allowance = self.burst_allowance.saturating_sub(config.update);
        if self.drop_probability == 0.0 && delay < target / 2.0 && old < target / 2.0 {
            self.burst_allowance = config.max_burst;
        }
        self.old_delay = self.delay;
    }

    /// Whether the safeguards admit an arrival whatever the probability.
    fn spares(&self, config: &PieConfig, backlog: Backlog) -> bool {
        let calm =
            self.old_delay.as_nanos() < config.target.as_nanos() / 2 && self.drop_probability < 0.2;
        calm || backlog.line_bytes <= SMALL_QUEUE || self.burst_allowance > Duration::ZERO
    }
}

/// Auto-tuning: a smaller probability means smaller steps (section 4.2).
fn tuning(p: f64) -> f64 {
    const SCALES: [(f64, f64); 6] = [
        (0.000_001, 2048.0),
        (0.000_01, 512.0),
        (0.000_1, 128.0),
        (0.001, 32.0),
        (0.01, 8.0),
        (0.1, 2.0),
    ];
    SCALES.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

/// The queue of the discipline.
#[derive(Debug)]
pub(super) struct Pie<F> {
    config: PieConfig,
    store: Store<F>,
    controller: Controller,
    /// Number of the last step performed; `None` before the first call.
    stepped: Option<u64>,
    /// Sum of the drop probabilities since the last drop.
    accumulated: f64,
    stream: Stream,
}

impl<F: Frame> Pie<F> {
    pub fn new(config: PieConfig, stream: &Stream) -> Self {
        let controller = Controller::new(&config);
        let stream = stream.fork("pie");
        let store = Store::default();
        Self { config, store, controller, stepped: None, accumulated: 0.0, stream }
    }

    /// Performs the controller's steps up to `now`. Nothing departs between two calls of the queue,
    /// so each step works on the same state as at its exact time.
    fn catch_up(&mut self, now: Time) {
        self.controller = self.controller_at(now);
        self.stepped = Some(self.config.step_at(now));
    }

    /// Returns the controller after its steps up to `now`.
    fn controller_at(&self, now: Time) -> Controller {
        let current = self.config.step_at(now);
        let mut controller = self.controller;
        for _ in self.stepped.unwrap_or(current)..current {
            let before = controller;
            controller.step(&self.config);
            if controller == before {
                break;
            }
        }
        controller
    }

    /// Decides whether an arrival is dropped or marked to signal congestion (`drop_early` in the
    /// RFC).
    fn signals(&mut self) -> bool {
        if self.controller.spares(&self.config, self.store.backlog()) {
            return false;
        }
        let p = self.controller.drop_probability;
        if self.config.derandomize {
            self.accumulated = if p == 0.0 { 0.0 } else { self.accumulated + p };
            if self.accumulated < ACCUMULATED.start {
                return false;
            }
            if self.accumulated >= ACCUMULATED.end {
                self.accumulated = 0.0;
                return true;
            }
        }
        let chosen = self.stream.uniform() < p;
        if chosen {
            self.accumulated = 0.0;
        }
        chosen
    }
}

impl<F: Frame> QueueDiscipline<F> for Pie<F> {
    fn enqueue(
        &mut self,
        now: Time,
        mut waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        self.catch_up(now);
        if !room.admits(self.store.backlog(), &waiting) {
            self.accumulated = 0.0;
            return Err((waiting, DropReason::QueueFull));
        }
        if self.signals() {
            let p = self.controller.drop_probability;
            let may_mark = self.config.ecn && p <= self.config.ecn_threshold.value();
            if !(may_mark && effects.mark(&mut waiting)) {
                return Err((waiting, DropReason::Aqm));
            }
        }
        self.store.push(waiting);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, _effects: &mut Effects<F>) -> Option<Queued<F>> {
        self.catch_up(now);
        let next = self.store.pop();
        self.controller.delay =
            next.as_ref().map_or(Duration::ZERO, |waiting| now.since(waiting.offered));
        next
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }

    fn state(&self, now: Time, _rate: Option<Rate>) -> Option<AqmState> {
        let probability = self.controller_at(now).drop_probability;
        Some(AqmState { probability: Some(probability), ..AqmState::default() })
    }

    fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        self.store.drain(into);
        self.controller.delay = Duration::ZERO;
    }

    fn adopt(&mut self, _now: Time, waiting: Queued<F>) {
        self.store.push(waiting);
    }

    fn configure(&mut self, now: Time, discipline: &Discipline) -> bool {
        let Discipline::Pie(config) = discipline else { return false };
        self.catch_up(now);
        self.config = *config;
        self.stepped = Some(config.step_at(now));
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.store.reframe(line_bytes);
    }
}

impl<F: Frame> InClass<F> for Pie<F> {
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

    fn controller(p: f64, delay: u64, old_delay: u64) -> Controller {
        let [delay, old_delay] = [delay, old_delay].map(Duration::from_millis);
        Controller { drop_probability: p, delay, old_delay, burst_allowance: Duration::ZERO }
    }

    fn after_step(p: f64, delay: u64, old_delay: u64) -> f64 {
        let mut controller = controller(p, delay, old_delay);
        controller.step(&PieConfig::default());
        controller.drop_probability
    }

    /// Section 4.2: p += α·(delay - target) + β·(delay - old delay).
    #[test]
    fn the_probability_moves_by_distance_and_trend() {
        let p = after_step(0.1, 25, 20);
        let expected = 0.1 + 0.125 * 0.010 + 1.25 * 0.005;
        assert!((p - expected).abs() < 1e-12, "{p}");
    }

    /// Section 4.2: steps are divided by 2, 8, 32, 128, 512, 2048 below 10⁻¹ … 10⁻⁶.
    #[test]
    fn steps_shrink_with_the_probability() {
        for (p, divisor) in
            [(0.05, 2.0), (5e-3, 8.0), (5e-4, 32.0), (5e-5, 128.0), (5e-6, 512.0), (5e-7, 2048.0)]
        {
            let expected = p + (0.125 * 0.010 + 1.25 * 0.005) / divisor;
            let stepped = after_step(p, 25, 20);
            assert!((stepped - expected).abs() < 1e-15, "{p}: {stepped}, not {expected}");
        }
    }

    /// Section 5.5: from 10 % on, no upward step is larger than 2 %.
    #[test]
    fn steps_are_capped() {
        assert!((after_step(0.3, 500, 0) - 0.32).abs() < 1e-12);
    }

    /// Section 4.2: without delay the probability decays to zero. Section 4.3: then bursts are
    /// allowed again.
    #[test]
    fn without_congestion_the_probability_decays_and_bursts_are_allowed_again() {
        let config = PieConfig::default();
        let mut controller = controller(0.5, 0, 0);
        controller.step(&config);
        assert!((controller.drop_probability - (0.5 - 0.125 * 0.015) * 0.98).abs() < 1e-12);
        assert_eq!(controller.burst_allowance, Duration::ZERO);
        (0..1000).for_each(|_| controller.step(&config));
        assert_eq!(controller.drop_probability, 0.0);
        assert_eq!(controller.burst_allowance, config.max_burst);
    }

    /// Section 4.1: nothing is dropped while the delay was below half the target and the
    /// probability is below 20 %, nor while at most two packets of the mean size wait. Section 4.3:
    /// nothing is dropped within the burst allowance.
    #[test]
    fn safeguards_spare_arrivals() {
        let config = PieConfig::default();
        let spares = |p, old_delay_us, line_bytes, allowance_us| {
            let old_delay = Duration::from_micros(old_delay_us);
            let burst_allowance = Duration::from_micros(allowance_us);
            let controller = Controller { old_delay, burst_allowance, ..controller(p, 0, 0) };
            controller.spares(&config, Backlog { line_bytes, ..Backlog::default() })
        };
        assert!(!spares(0.1, 7500, 2049, 0));
        assert!(spares(0.1, 7499, 2049, 0) && !spares(0.2, 7499, 2049, 0));
        assert!(spares(1.0, 7500, 2048, 0));
        assert!(spares(1.0, 7500, 2049, 1));
    }

    /// Returns the gaps between signals while the drop probability is 5 %.
    fn gaps(derandomize: bool) -> Vec<f64> {
        let config = PieConfig { derandomize, ..PieConfig::default() };
        let mut pie = Pie::<u64>::new(config, &Stream::new(1, "p"));
        pie.controller = controller(0.05, 20, 20);
        let info = FrameInfo::single(9000);
        let (order, offered) = (0, Time::ZERO);
        let frame = crate::background::LineFrame::Real { frame: 0, number: 0 };
        pie.store.push(Queued {
            arrival_uncertainty: Duration::ZERO,
            frame,
            info,
            line_bytes: 9000,
            order,
            offered,
            marked: false,
        });
        let signals: Vec<_> = (0..200_000).filter(|_| pie.signals()).collect();
        signals.windows(2).map(|pair| f64::from(pair[1] - pair[0])).collect()
    }

    /// Returns the variance divided by the squared mean.
    fn scatter(gaps: &[f64]) -> f64 {
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64 / mean.powi(2)
    }

    /// Section 5.4: de-randomized drops come at least 0.85/p and at most 8.5/p apart. The gaps
    /// between independent drops are geometric, with a scatter of 1 - p = 0.95. For some 10,000
    /// gaps, the standard error of the scatter is below 0.03.
    #[test]
    fn derandomized_drops_are_neither_close_nor_far_apart() {
        let random = gaps(false);
        assert!(random.contains(&1.0) && (scatter(&random) - 0.95).abs() < 0.09);
        let even = gaps(true);
        // 8.5/p is 170. Rounding of the sum may add one more.
        assert!(even.iter().all(|gap| (17.0..=171.0).contains(gap)));
        assert!(scatter(&even) < 0.4, "{}", scatter(&even));
    }

    /// Missed steps are performed one by one, however late, so nothing depends on the times of
    /// calls.
    #[test]
    fn late_calls_take_every_step() {
        let start = |controller| {
            let mut pie = Pie::<u64>::new(PieConfig::default(), &Stream::new(1, "p"));
            pie.catch_up(Time::ZERO);
            Pie { controller, ..pie }
        };
        let [mut early, mut late] = [(); 2].map(|()| start(controller(0.01, 40, 5)));
        for millis in (0..=600).step_by(7) {
            early.catch_up(Time::from_nanos(millis * 1_000_000));
        }
        late.catch_up(Time::from_nanos(600_000_000));
        early.catch_up(Time::from_nanos(600_000_000));
        assert_eq!(early.controller, late.controller);
        assert_ne!(late.controller, controller(0.01, 40, 5));
    }
}
