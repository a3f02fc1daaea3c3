//! TCP-Illinois (Liu, Başar and Srikant 2006, "TCP-Illinois: A loss and delay-based congestion
//! control algorithm for high-speed networks"): the average queueing delay d_a sets α (10 down to
//! 0.3 packets a round trip) and β (1/8 up to 1/2 of the window).

use super::{Acked, CongestionControl, Flow, RecoveryState};

/// α and β are in thousandths.
const ALPHA_ONE: u64 = 1000;
const ALPHA_MIN: u64 = 3 * ALPHA_ONE / 10;
const ALPHA_MAX: u64 = 10 * ALPHA_ONE;
const BETA_ONE: u64 = 1000;
const BETA_MIN: u64 = BETA_ONE / 8;
const BETA_MAX: u64 = BETA_ONE / 2;
/// Below this window Illinois is Reno.
const LOW_WINDOW: u32 = 15;
/// Rounds below d_1 before α becomes its largest (θ).
const THETA: u32 = 5;

/// Illinois' variables; times in ns.
#[derive(Debug)]
pub(crate) struct Illinois {
    sum: u64,
    count: u64,
    base: u64,
    most: u64,
    alpha: u64,
    beta: u64,
    round_end: u64,
    above: bool,
    low_rounds: u32,
    packets: u32,
}

impl Default for Illinois {
    fn default() -> Self {
        Self {
            sum: 0,
            count: 0,
            base: 0,
            most: 0,
            alpha: ALPHA_MAX,
            beta: BETA_MIN,
            round_end: 0,
            above: false,
            low_rounds: 0,
            packets: 0,
        }
    }
}

impl Illinois {
    /// The largest, and the present average queueing delay: d_m, d_a.
    fn delays(&self) -> (u64, u64) {
        let mean = self.sum.checked_div(self.count).unwrap_or(0);
        (self.most.saturating_sub(self.base), mean.saturating_sub(self.base))
    }

    /// α = f₁(d_a) (equation 1): the largest up to d₁ = d_m/100, then hyperbolic down to the least
    /// at d_m.
    fn alpha_at(&mut self, most: u64, mean: u64) -> u64 {
        let first = most / 100;
        if mean <= first {
            if !self.above {
                return ALPHA_MAX;
            }
            // A single quiet round does not make the path empty.
            self.low_rounds += 1;
            if self.low_rounds < THETA {
                return self.alpha;
            }
            self.low_rounds = 0;
            self.above = false;
            return ALPHA_MAX;
        }
        self.above = true;
        let span = most - first;
        let over = mean - first;
        let denominator = u128::from(span)
            + u128::from(over) * u128::from(ALPHA_MAX - ALPHA_MIN) / u128::from(ALPHA_MIN);
        (u128::from(span) * u128::from(ALPHA_MAX)).checked_div(denominator).unwrap_or(0) as u64
    }

    fn update(&mut self, flow: &Flow) {
        if flow.cwnd < LOW_WINDOW {
            self.alpha = ALPHA_ONE;
            self.beta = BETA_MAX;
        } else if self.count > 0 {
            let (most, mean) = self.delays();
            self.alpha = self.alpha_at(most, mean).clamp(ALPHA_MIN, ALPHA_MAX);
            self.beta = beta_at(most, mean);
        }
        self.begin_round(flow);
    }

    fn begin_round(&mut self, flow: &Flow) {
        self.round_end = flow.nxt;
        self.sum = 0;
        self.count = 0;
    }
}

/// β = f₂(d_a) (equation 2): the least up to d₂ = d_m/10, the largest from d₃ = 0.8 d_m on,
/// straight between.
fn beta_at(most: u64, mean: u64) -> u64 {
    let (second, third) = (most / 10, most * 8 / 10);
    if mean <= second {
        BETA_MIN
    } else if mean >= third || third <= second {
        BETA_MAX
    } else {
        BETA_MIN + (BETA_MAX - BETA_MIN) * (mean - second) / (third - second)
    }
}

impl CongestionControl for Illinois {
    fn start(&mut self, flow: &mut Flow) {
        self.begin_round(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        let less = u64::from(flow.cwnd) * self.beta / BETA_ONE;
        (flow.cwnd - less as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if flow.una > self.round_end {
            self.update(flow);
        }
        if !flow.cwnd_limited {
            return;
        }
        if flow.in_slow_start() {
            flow.slow_start(acked);
            return;
        }
        self.packets = self.packets.saturating_add(acked);
        let credit = u64::from(self.packets) * self.alpha / ALPHA_ONE;
        if credit >= u64::from(flow.cwnd) {
            let more = (credit / u64::from(flow.cwnd)) as u32;
            flow.cwnd = flow.cwnd.saturating_add(more).min(flow.cwnd_clamp);
            self.packets = 0;
        }
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) else { return };
        if self.base == 0 || rtt < self.base {
            self.base = rtt;
        }
        self.most = self.most.max(rtt);
        self.sum = self.sum.saturating_add(rtt);
        self.count += 1;
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Loss {
            self.alpha = ALPHA_ONE;
            self.beta = BETA_MAX;
            self.above = false;
            self.low_rounds = 0;
            self.begin_round(flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_falls_and_beta_rises_with_delay() {
        let mut control = Illinois { above: true, ..Illinois::default() };
        let most = 100_000_000;
        assert_eq!(control.alpha_at(most, most), ALPHA_MIN);
        let half = control.alpha_at(most, most / 2);
        assert!(half > ALPHA_MIN && half < ALPHA_ONE, "{half}");
        let betas = [5, 10, 45, 80, 100].map(|percent| beta_at(most, most / 100 * percent));
        assert_eq!(betas, [125, 125, 312, 500, 500]);
    }
}
