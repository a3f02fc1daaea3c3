//! YeAH-TCP (Baiocchi, Castellani and Vacirca 2007, "YeAH-TCP: yet another highspeed TCP"): while
//! few packets queue, the window grows as in Scalable TCP. While many queue, it grows as in Reno,
//! with precautionary decongestion. A loss shrinks the window by the packets that queue.

use super::vegas::Delays;
use super::{Acked, CongestionControl, Flow, RecoveryState};

/// Largest number of packets in the queue (α).
const ALPHA: u64 = 80;
/// Decongestion takes the queue divided by this from the window (γ = 1).
const GAMMA: u32 = 1;
/// A loss costs at least 2^−δ of the window.
const DELTA: u32 = 3;
/// Decongestion takes at most 2^−ε of the window.
const EPSILON: u32 = 1;
/// A queue is too long if it delays packets by more than 1/φ of the least round-trip time.
const PHI: u64 = 8;
/// Number of rounds of competition with Reno after which losses halve the window (ρ).
const RHO: u32 = 16;
/// Number of rounds after which the estimate of Reno's window is reset (ζ).
const ZETA: u32 = 50;
/// 1/a of Scalable.
const SCALABLE: u32 = 100;

/// YeAH's variables.
#[derive(Debug)]
pub(crate) struct Yeah {
    delays: Delays,
    round_end: u64,
    queued: u64,
    reno_rounds: u32,
    fast_rounds: u32,
    /// An estimate of the window that Reno would have.
    reno_window: u32,
}

impl Default for Yeah {
    fn default() -> Self {
        Self {
            delays: Delays::default(),
            round_end: 0,
            queued: 0,
            reno_rounds: 0,
            fast_rounds: 0,
            reno_window: 2,
        }
    }
}

impl Yeah {
    fn end_round(&mut self, flow: &mut Flow) {
        if self.delays.samples > 0 {
            let over = self.delays.least - self.delays.base;
            // Packets in the queue: the queueing delay times the rate of a round.
            let queue =
                u128::from(over) * u128::from(flow.cwnd) / u128::from(self.delays.least.max(1));
            self.queued = queue as u64;
            if self.queued > ALPHA || over > self.delays.base / PHI {
                self.decongest(flow);
            } else {
                self.fast_rounds += 1;
                if self.fast_rounds > ZETA {
                    self.reno_window = 2;
                    self.fast_rounds = 0;
                }
                self.reno_rounds = 0;
            }
        }
        self.round_end = flow.nxt;
        self.delays.begin_round();
    }

    fn decongest(&mut self, flow: &mut Flow) {
        if self.queued > ALPHA && flow.cwnd > self.reno_window {
            let less = (self.queued as u32 / GAMMA).min(flow.cwnd >> EPSILON);
            flow.cwnd = (flow.cwnd - less).max(self.reno_window);
            flow.ssthresh = flow.cwnd;
        }
        self.reno_window =
            if self.reno_window <= 2 { (flow.cwnd >> 1).max(2) } else { self.reno_window + 1 };
        self.reno_rounds += 1;
        self.fast_rounds = 0;
    }
}

impl CongestionControl for Yeah {
    fn start(&mut self, flow: &mut Flow) {
        self.round_end = flow.nxt;
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        let less = if self.reno_rounds < RHO {
            (self.queued as u32).min((flow.cwnd >> 1).max(2)).max(flow.cwnd >> DELTA)
        } else {
            (flow.cwnd >> 1).max(2)
        };
        self.fast_rounds = 0;
        self.reno_rounds = (self.reno_rounds >> 1).max(1);
        flow.cwnd.saturating_sub(less).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if flow.cwnd_limited {
            let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
            if left > 0 && !flow.in_slow_start() {
                let reno = self.reno_rounds > 0;
                let per_packet = if reno { flow.cwnd } else { flow.cwnd.min(SCALABLE) };
                flow.avoid(per_packet, left);
            }
        }
        if flow.una > self.round_end {
            self.end_round(flow);
        }
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        if let Some(rtt) = sample.rtt {
            self.delays.sample(rtt.as_nanos());
        }
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Open {
            self.delays.begin_round();
            self.round_end = flow.nxt;
        }
    }
}
