//! The laws of DualPI2 (RFC 9332, appendix A): the controller, the coupling, the choice of packets
//! by a likelihood, and the scheduler's weight. Not here: the two queues.

use netloom_units::{Duration, Time};

use super::DualPi2Config;

/// Largest likelihood of a mark in the low-latency queue, p_Lmax (A.1). Where the coupled
/// likelihood reaches it, the queue is overloaded.
const MOST_COUPLED: f64 = 1.0;

/// The base probability and the controller that moves it (A.1, `dualpi2_update`).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Controller {
    /// p', between 0 and 1.
    pub base: f64,
    /// Queueing delay at the latest step.
    old_delay: Duration,
}

impl Controller {
    /// Performs one step with the present queueing delay: p' += α·(delay − target) + β·(delay − old
    /// delay).
    pub fn step(&mut self, config: &DualPi2Config, delay: Duration) {
        let [now, old, target] = [delay, self.old_delay, config.target].map(Duration::as_secs_f64);
        let change = config.alpha * (now - target) + config.beta * (now - old);
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.old_delay = delay;
    }

    /// p_C = p'²: the likelihood of a drop, or a mark, in the classic queue.
    pub fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// p_CL = k·p': the likelihood of a mark in the low-latency queue because of the classic one.
    pub fn coupled(&self, config: &DualPi2Config) -> f64 {
        config.coupling * self.base
    }

    /// What happens to a packet that leaves the low-latency queue. `over` is whether it waited
    /// beyond the step; the choices are those of its queue.
    pub fn low_latency(&self, config: &DualPi2Config, over: bool, choices: &mut Choices) -> Fate {
        let coupled = self.coupled(config);
        if coupled < MOST_COUPLED {
            let own: f64 = if over { 1.0 } else { 0.0 };
            return if choices.marks.choose(own.max(coupled)) { Fate::Mark } else { Fate::Pass };
        }
        // Overload (A.2): marks are saturated, so drops do what they would have done.
        if choices.drops.choose(self.classic()) { Fate::Drop } else { Fate::Mark }
    }

    /// What happens to a packet that leaves the classic queue.
    pub fn classic_fate(&self, config: &DualPi2Config, choices: &mut Choices) -> Fate {
        let likelihood = self.classic();
        if !choices.drops.choose(likelihood) {
            Fate::Pass
        } else if likelihood >= config.most_classic() {
            // Overload (A.2): ECN-capable packets are dropped, too.
            Fate::Drop
        } else {
            Fate::MarkOrDrop
        }
    }
}

/// What happens to a packet on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Pass,
    Mark,
    /// It is marked if it is ECN-capable, and dropped otherwise.
    MarkOrDrop,
    Drop,
}

/// A row of choices with a likelihood, as even as possible (`recur` in A.1): the likelihoods of all
/// packets are added up, and each whole one chooses the packet that completes it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Recurrence(f64);

impl Recurrence {
    pub fn choose(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood.min(1.0);
        let chosen = self.0 >= 1.0;
        if chosen {
            self.0 -= 1.0;
        }
        chosen
    }
}

/// The choices of one queue.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Choices {
    pub marks: Recurrence,
    pub drops: Recurrence,
}

/// The weight of the classic queue while both queues wait: bytes that it may send before the
/// low-latency queue, which otherwise goes first.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Credit(f64);

impl Credit {
    /// Whether it is the classic queue's turn, whose next packet takes `bytes`.
    pub fn covers(&self, bytes: u64) -> bool {
        self.0 >= bytes as f64
    }

    /// The low-latency queue has sent `bytes` while the classic one waited, whose share is `share`.
    pub fn earn(&mut self, bytes: u64, share: f64) {
        self.0 += bytes as f64 * share / (1.0 - share);
    }

    /// The classic queue has sent `bytes` while the low-latency one waited.
    pub fn spend(&mut self, bytes: u64) {
        self.0 = (self.0 - bytes as f64).max(0.0);
    }

    /// The classic queue is empty, and saves nothing up.
    pub fn forfeit(&mut self) {
        self.0 = 0.0;
    }
}

/// The controller's steps, at whole multiples of `update`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Clock {
    /// Number of the latest step; `None` before the first call.
    stepped: Option<u64>,
}

impl Clock {
    /// Calls `step` with the time of each step up to `now`, until it returns `false` because
    /// further steps would change nothing.
    pub fn catch_up(&mut self, now: Time, update: Duration, mut step: impl FnMut(Time) -> bool) {
        let update = update.as_nanos().max(1);
        let current = now.as_nanos() / update;
        let stepped = self.stepped.replace(current).unwrap_or(current);
        for number in stepped..current {
            if !step(Time::from_nanos((number + 1).saturating_mul(update))) {
                return;
            }
        }
    }

    /// Counts steps of another `update` from `now` on.
    pub fn restart(&mut self, now: Time, update: Duration) {
        self.stepped = Some(now.as_nanos() / update.as_nanos().max(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> DualPi2Config {
        DualPi2Config::default()
    }

    fn at(base: f64) -> Controller {
        Controller { base, ..Controller::default() }
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// A.1: p' += α·(curq − target) + β·(curq − prevq), with α = 0.1·T_update/RTT_max² = 0.15 Hz
    /// and β = 0.3/RTT_max = 3 Hz for 15 ms and 100 ms.
    #[test]
    fn the_base_moves_by_distance_and_trend() {
        let mut controller = Controller { base: 0.1, old_delay: ms(20) };
        controller.step(&config(), ms(25));
        let expected = 0.1 + 0.15 * 0.010 + 3.0 * 0.005;
        assert!((controller.base - expected).abs() < 1e-12, "{controller:?}");
        // The trend alone is gone at the next step with the same delay.
        controller.step(&config(), ms(25));
        assert!((controller.base - expected - 0.15 * 0.010).abs() < 1e-12, "{controller:?}");
    }

    #[test]
    fn the_base_stays_between_0_and_1() {
        let mut controller = at(0.0);
        (0..10).for_each(|_| controller.step(&config(), ms(0)));
        assert_eq!(controller.base, 0.0);
        (0..10_000).for_each(|_| controller.step(&config(), ms(200)));
        assert_eq!(controller.base, 1.0);
    }

    /// The share of a million packets with this fate.
    fn share(fate: Fate, mut of: impl FnMut() -> Fate) -> f64 {
        (0..1_000_000).filter(|_| of() == fate).count() as f64 / 1e6
    }

    /// p_C = p'² and p_CL = k·p' with k = 2, so that p_CL = 2·√p_C (section 2.1, equation 1).
    #[test]
    fn the_queues_are_coupled_by_a_square() {
        for base in [0.01, 0.05, 0.2, 0.4] {
            let (config, controller) = (config(), at(base));
            let mut choices = Choices::default();
            let marks = share(Fate::Mark, || controller.low_latency(&config, false, &mut choices));
            assert!((marks - 2.0 * base).abs() < 2e-6, "{base}: {marks}");
            let mut choices = Choices::default();
            let drops = share(Fate::MarkOrDrop, || controller.classic_fate(&config, &mut choices));
            assert!((drops - base * base).abs() < 2e-6, "{base}: {drops}");
        }
    }

    /// The native AQM marks everything beyond its step, whatever the coupling says (A.1: p_L =
    /// max(p'_L, p_CL)).
    #[test]
    fn beyond_the_step_every_packet_is_marked() {
        for base in [0.0, 0.2, 0.49] {
            let (config, controller) = (config(), at(base));
            let mut choices = Choices::default();
            let marks = share(Fate::Mark, || controller.low_latency(&config, true, &mut choices));
            assert_eq!(marks, 1.0, "{base}");
        }
    }

    /// A.2: from p_CL = 1, which is p' = 1/k and p_C = 1/k² = 25 %, both queues drop with p_C, and
    /// the low-latency queue marks the rest.
    #[test]
    fn overload_is_met_by_drops_in_both_queues() {
        for base in [0.5, 0.6, 0.9] {
            let (config, controller) = (config(), at(base));
            let mut choices = Choices::default();
            let mut of = || controller.low_latency(&config, false, &mut choices);
            let fates: Vec<Fate> = (0..100_000).map(|_| of()).collect();
            let dropped = fates.iter().filter(|fate| **fate == Fate::Drop).count() as f64 / 1e5;
            assert!((dropped - base * base).abs() < 2e-5, "{base}: {dropped}");
            assert!(fates.iter().all(|fate| matches!(fate, Fate::Drop | Fate::Mark)));
            let mut choices = Choices::default();
            let drops = share(Fate::Drop, || controller.classic_fate(&config, &mut choices));
            assert!((drops - base * base).abs() < 2e-6, "{base}: {drops}");
        }
    }

    /// `recur` spaces what it chooses as evenly as it can.
    #[test]
    fn choices_are_even() {
        let mut recurrence = Recurrence::default();
        let chosen: Vec<usize> = (0..100).filter(|_| recurrence.choose(0.28125)).collect();
        let gaps: Vec<usize> = chosen.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| (3..=4).contains(gap)), "{gaps:?}");
        assert_eq!(chosen.len(), 28);
    }

    /// While both wait, the classic queue gets its share of the bytes and no more.
    #[test]
    fn the_classic_queue_has_its_share() {
        let (mut credit, mut classic) = (Credit::default(), 0);
        for _ in 0..16_000 {
            if credit.covers(1000) {
                credit.spend(1000);
                classic += 1;
            } else {
                credit.earn(1000, 1.0 / 16.0);
            }
        }
        assert!((999..=1001).contains(&classic), "{classic}");
    }
}
