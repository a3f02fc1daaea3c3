//! TCP-Illinois (Liu, Başar and Srikant 2008, "TCP-Illinois: A loss- and delay-based congestion
//! control algorithm for high-speed networks", Performance Evaluation 65, and VALUETOOLS 2006): a
//! loss makes the window shrink. The queueing delay determines by how much, and how fast the window
//! grows otherwise. This file was written from memory of the paper's equations. They have to be
//! checked against its text (docs/tcp.md).
//!
//! d_a is the average queueing delay, T_a − T_min. d_m is the largest one, T_max − T_min.
//!
//! | this file | the paper |
//! |---|---|
//! | α = α_max for d_a ≤ d₁, else κ₁/(κ₂ + d_a) | f₁(d_a); by κ₁ and κ₂, α_min at d_m |
//! | β = β_min for d_a ≤ d₂, β_max for d_a ≥ d₃, linear between | f₂(d_a); κ₃, κ₄ |
//! | α_max 10, α_min 0.3, β_min 1/8, β_max 1/2 | the paper's choice of parameters |
//! | d₁ = 0.01 d_m, d₂ = 0.1 d_m, d₃ = 0.8 d_m | η₁, η₂, η₃ |
//! | below 10 packets: α 1, β 1/2 | W_thresh |
//! | α returns to α_max only after 5 round trips with d_a ≤ d₁ | θ |
//!
//! T_a is the mean of the samples of a round trip. α and β are set once in each. T_min and T_max
//! are those of the connection, because the paper gives no time after which they should be
//! forgotten.

use super::{Acked, CongestionControl, CongestionEvent, Flow};

/// Unit of α and β: a thousandth.
const ONE: u64 = 1000;
const MOST_ALPHA: u64 = 10_000;
const LEAST_ALPHA: u64 = 300;
const LEAST_BETA: u64 = 125;
const MOST_BETA: u64 = 500;
/// η₁, η₂ and η₃ in hundredths.
const NO_QUEUE: u64 = 1;
const SHORT_QUEUE: u64 = 10;
const LONG_QUEUE: u64 = 80;
/// W_thresh in packets.
const LEAST_WINDOW: u32 = 10;
/// θ.
const CALM_ROUNDS: u32 = 5;

/// Illinois' variables. Times are in ns.
#[derive(Debug)]
pub(crate) struct Illinois {
    alpha: u64,
    beta: u64,
    /// Least and largest round-trip time. 0 before any sample.
    least: u64,
    most: u64,
    /// Sum and number of the samples of this round trip.
    sum: u64,
    samples: u64,
    round_end: u64,
    /// Number of consecutive round trips without a queue.
    calm: u32,
    /// Growth that the window has not taken yet, in thousandths of a packet times the window.
    credit: u64,
}

impl Default for Illinois {
    fn default() -> Self {
        Self {
            // No queue has been measured yet.
            alpha: MOST_ALPHA,
            beta: MOST_BETA,
            least: 0,
            most: 0,
            sum: 0,
            samples: 0,
            round_end: 0,
            calm: 0,
            credit: 0,
        }
    }
}

impl Illinois {
    /// Sets α and β by the measurements of the round trip.
    fn end_round(&mut self, flow: &Flow) {
        if let Some(average) = self.sum.checked_div(self.samples) {
            let delay = average.saturating_sub(self.least);
            let largest = self.most - self.least;
            self.beta = decrease(delay, largest);
            let alpha = increase(delay, largest);
            self.calm = if alpha == MOST_ALPHA { self.calm + 1 } else { 0 };
            if alpha < MOST_ALPHA || self.calm >= CALM_ROUNDS {
                self.alpha = alpha;
            }
        }
        self.sum = 0;
        self.samples = 0;
        self.round_end = flow.nxt;
    }
}

/// f₁: returns α for the average delay `delay`, where the largest is `largest`.
fn increase(delay: u64, largest: u64) -> u64 {
    let none = largest * NO_QUEUE / 100;
    if delay <= none {
        return MOST_ALPHA;
    }
    // κ₁/(κ₂ + d_a), multiplied by (α_max − α_min).
    let span = u128::from(largest - none);
    let above = u128::from(delay - none) * u128::from(MOST_ALPHA - LEAST_ALPHA);
    let least = u128::from(LEAST_ALPHA);
    (span * least * u128::from(MOST_ALPHA) / (span * least + above)) as u64
}

/// f₂: returns β for the average delay `delay`, where the largest is `largest`.
fn decrease(delay: u64, largest: u64) -> u64 {
    let (short, long) = (largest * SHORT_QUEUE / 100, largest * LONG_QUEUE / 100);
    if delay <= short {
        LEAST_BETA
    } else if delay >= long {
        MOST_BETA
    } else {
        LEAST_BETA + (MOST_BETA - LEAST_BETA) * (delay - short) / (long - short)
    }
}

impl CongestionControl for Illinois {
    fn start(&mut self, flow: &mut Flow) {
        self.round_end = flow.nxt;
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        if flow.cwnd < LEAST_WINDOW {
            return flow.half();
        }
        let less = u64::from(flow.cwnd) * self.beta / ONE;
        (flow.cwnd - less as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            let alpha = if flow.cwnd < LEAST_WINDOW { ONE } else { self.alpha };
            flow.avoid_by(&mut self.credit, alpha, left);
        }
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) else { return };
        if self.least == 0 || rtt < self.least {
            self.least = rtt;
        }
        self.most = self.most.max(rtt);
        self.sum += rtt;
        self.samples += 1;
    }

    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        if let CongestionEvent::Acknowledged { .. } = event
            && flow.una > self.round_end
        {
            self.end_round(flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_falls_with_the_delay() {
        // d_m = 100 ms, d₁ = 1 ms.
        let ms = 1_000_000;
        assert_eq!(increase(ms, 100 * ms), MOST_ALPHA);
        assert_eq!(increase(100 * ms, 100 * ms), LEAST_ALPHA);
        // κ₁ = 99 · 3/9.7 = 30.62 ms, κ₂ = 99 · 0.3/9.7 − 1 = 2.06 ms: at 50 ms, 0.588.
        assert_eq!(increase(50 * ms, 100 * ms), 588);
        assert_eq!(increase(0, 0), MOST_ALPHA);
    }

    #[test]
    fn a_longer_queue_costs_more() {
        assert_eq!(decrease(10, 100), LEAST_BETA);
        assert_eq!(decrease(80, 100), MOST_BETA);
        // κ₃ + κ₄ d_a in the middle.
        assert_eq!(decrease(45, 100), 312);
    }
}
