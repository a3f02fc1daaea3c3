//! TCP-NV, "New Vegas" (Brakmo 2010, "TCP-NV: Congestion avoidance for data centers", Linux
//! Plumbers Conference): compares the rate achieved with the rate that the window would achieve
//! without a queue. The window grows or shrinks only after several measurements agree. No public
//! source of the constants was found: docs/tcp.md lists them as open.

use netloom_units::{Duration, Time};

use super::{Acked, CongestionControl, Flow, RecoveryState};

/// Number of packets that may queue, and the width of the band below it in which the window stays
/// constant.
const PAD: u64 = 10;
const PAD_BUFFER: u64 = 2;
/// Time after which the least round-trip time is measured anew.
const RESET: Duration = Duration::from_secs(5);
/// Percentage of the excess by which a congestion decision lowers the window.
const DECREASE: u64 = 30;
/// Fraction of the window that remains after a loss: 0.8 (819/1024).
const LOSS_KEEPS: u64 = 819;
/// Number of measurements before a decrease, an increase, and the end of slow start.
const DECREASE_EVALUATIONS: u32 = 60;
const INCREASE_EVALUATIONS: u32 = 20;
const SLOW_START_EVALUATIONS: u32 = 30;
/// Number of rounds with a measurement before the first one is used.
const LEAST_ROUNDS: u32 = 2;
/// Windows up to this one are not evaluated.
const LEAST_CWND: u32 = 2;

/// NV's variables.
#[derive(Debug, Default)]
pub(crate) struct Nv {
    /// Least round-trip time in ns, the least one since the reset, and the time of the reset. 0
    /// before any sample.
    base: u64,
    new_base: u64,
    reset_at: Time,
    rounds: u32,
    round_end: u64,
    evaluations: u32,
    /// Greatest rate of the evaluation, in packets per second.
    most_rate: u64,
    may_grow: bool,
    catching_up: bool,
    count: u32,
}

impl Nv {
    fn measure(&mut self, now: Time, rtt: u64) {
        if self.base == 0 {
            self.base = rtt;
            self.new_base = rtt;
            self.reset_at = now;
        }
        self.base = self.base.min(rtt);
        self.new_base = self.new_base.min(rtt);
        if now.since(self.reset_at) > RESET {
            self.base = self.new_base;
            self.new_base = rtt;
            self.reset_at = now;
        }
    }

    fn evaluate(&mut self, flow: &mut Flow) {
        // The window that gives this rate without a queue.
        let fits = u128::from(self.most_rate) * u128::from(self.base) / 1_000_000_000;
        let fits = (fits as u64).max(u64::from(LEAST_CWND));
        let cwnd = u64::from(flow.cwnd);
        if cwnd > fits + PAD {
            let needed =
                if flow.in_slow_start() { SLOW_START_EVALUATIONS } else { DECREASE_EVALUATIONS };
            if self.evaluations < needed {
                return;
            }
            let excess = cwnd - fits;
            let less = (excess * DECREASE / 100).max(1);
            flow.cwnd = (cwnd - less).max(u64::from(LEAST_CWND)) as u32;
            flow.ssthresh = flow.cwnd;
            self.may_grow = false;
            self.catching_up = false;
        } else if cwnd + PAD_BUFFER <= fits + PAD {
            if self.evaluations < INCREASE_EVALUATIONS {
                return;
            }
            self.may_grow = true;
        } else {
            return;
        }
        self.evaluations = 0;
        self.most_rate = 0;
    }
}

impl CongestionControl for Nv {
    fn start(&mut self, flow: &mut Flow) {
        self.round_end = flow.nxt;
        self.may_grow = true;
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        ((u64::from(flow.cwnd) * LOSS_KEEPS / 1024) as u32).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited || !self.may_grow {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            flow.avoid(flow.cwnd, left);
        }
    }

    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) else { return };
        if flow.state > RecoveryState::Disorder || sample.in_flight == 0 {
            return;
        }
        self.measure(flow.now, rtt);
        let rate = u64::from(sample.in_flight) * 1_000_000_000 / rtt;
        self.most_rate = self.most_rate.max(rate);
        self.evaluations += 1;
        if flow.una > self.round_end {
            self.round_end = flow.nxt;
            self.rounds = self.rounds.saturating_add(1);
            self.count = 0;
        }
        if self.rounds >= LEAST_ROUNDS && flow.cwnd > LEAST_CWND {
            self.evaluate(flow);
        }
    }

    fn state_changes(&mut self, _: &mut Flow, state: RecoveryState) {
        if state >= RecoveryState::Reduced {
            self.evaluations = 0;
            self.most_rate = 0;
            self.may_grow = true;
        }
    }
}
